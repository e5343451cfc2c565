// A benchmark of the timeline: its plot, the run that is picked, its steps, its table.

import { element } from "./dom.js";
import { drawPlot } from "./plot.js";

function when(run) {
  return new Date(run.seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

function figure(value) {
  return Number(value.toPrecision(5)).toLocaleString("en", { maximumSignificantDigits: 5 });
}

export class Panel {
  constructor(section, settings) {
    this.section = section;
    this.settings = settings;
    this.id = section.dataset.benchmark;
    this.isRatio = "ratio" in section.dataset;
    this.place = null;
    this.picked = section.querySelector(".picked");
  }

  show(runs, lines, boxMarks = [], alarms = []) {
    this.runs = runs;
    this.lines = lines;
    this.values = lines.map((line) => new Map(line.points.map((point) => [point[0], point])));
    this.places = [...new Set(lines.flatMap((line) => line.points.map((point) => point[0])))].sort((a, b) => a - b);
    this.marks = this.marksOf(boxMarks, alarms);
    if (this.places.length === 0) {
      this.section.querySelector(".plot").textContent = "No results in these runs.";
      this.section.querySelector(".points").hidden = true;
      return;
    }
    this.draw();
    this.listSteps();
    const table = this.section.querySelector(".points");
    table.addEventListener("toggle", () => this.fillTable(table), { once: true });
  }

  // What stands across the plot: changes of the box and alarms, each `at` the first run that has it.
  marksOf(boxMarks, alarms) {
    const marks = [
      ...boxMarks.map((mark) => ({ ...mark, kind: "box" })),
      ...alarms.map((alarm) => ({ ...alarm, kind: "alarm", seconds: this.runs[alarm.run].seconds, text: `Alarm: ${alarm.text}` })),
    ];
    const times = this.places.map((place) => this.runs[place].seconds);
    return marks
      .map((mark) => ({ ...mark, at: times.find((seconds) => seconds >= mark.seconds) ?? mark.seconds }))
      .sort((one, other) => one.seconds - other.seconds);
  }

  draw() {
    if (!this.places?.length || !globalThis.uPlot) return;
    this.plot?.destroy();
    const frame = element("div", {
      className: "plot-frame",
      tabIndex: 0,
      role: "group",
      "aria-label": `Plot of ${this.section.dataset.name}, ${this.places.length} runs. Arrow keys choose a run, Enter opens its changes.`,
    });
    this.section.querySelector(".plot").replaceChildren(frame);
    this.plot = drawPlot(frame, {
      runs: this.runs,
      lines: this.lines,
      marks: this.marks,
      executables: this.settings.executables,
      isRatio: this.isRatio,
      large: this.settings.large,
      onMove: (place) => place !== null && !this.isPinned && this.describe(place),
      onPick: (place) => this.pin(place),
    });
    frame.addEventListener("keydown", (event) => this.onKey(event));
  }

  resize() {
    const width = this.section.querySelector(".plot").clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.plot.height });
  }

  onKey(event) {
    const at = this.places.indexOf(this.place);
    const last = this.places.length - 1;
    const next = {
      ArrowLeft: at < 0 ? last : Math.max(at - 1, 0),
      ArrowRight: at < 0 ? last : Math.min(at + 1, last),
      Home: 0,
      End: last,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.isPinned = false;
      this.moveTo(this.places[next]);
    } else if (event.key === "Enter" && this.place !== null) {
      event.preventDefault();
      this.pin(this.place);
      this.picked.querySelector("a")?.focus();
    } else if (event.key === "Escape") {
      this.isPinned = false;
    }
  }

  moveTo(place) {
    const left = this.plot.valToPos(this.runs[place].seconds, "x");
    this.plot.setCursor({ left, top: 10 });
    this.describe(place);
  }

  // What is pinned stays while the mouse leaves the plot on its way to the link.
  pin(place) {
    if (place === null) return;
    this.isPinned = true;
    this.describe(this.nearest(place));
  }

  nearest(place) {
    return this.places.reduce((best, each) => (Math.abs(each - place) < Math.abs(best - place) ? each : best));
  }

  describe(place) {
    if (!this.places.includes(place)) return;
    this.place = place;
    const run = this.runs[place];
    const values = this.lines.flatMap((line, number) => {
      const point = this.values[number].get(place);
      if (!point) return [];
      const text = `${this.settings.executables[line.executable].label}: ${this.valueOf(point)}`;
      return [element("span", { className: "value", textContent: text })];
    });
    this.picked.replaceChildren(
      `${when(run)} UTC, `,
      element("code", { className: "commit", textContent: run.commit }),
      " ",
      this.link(run, "Changes of this run"),
      ...values,
      ...this.marksBefore(place).map((mark) => element("span", { className: "value", textContent: mark.text })),
    );
  }

  // What happened after the run before this one, and up to it.
  marksBefore(place) {
    const before = this.places[this.places.indexOf(place) - 1];
    const from = before === undefined ? -Infinity : this.runs[before].seconds;
    return this.marks.filter(({ seconds }) => seconds > from && seconds <= this.runs[place].seconds);
  }

  valueOf([, value, low, high]) {
    const unit = this.isRatio ? "×" : ` ${this.section.dataset.units}`;
    const interval = low === null || high === null ? "" : ` (${figure(low)} to ${figure(high)})`;
    return `${figure(value)}${unit}${interval}`;
  }

  link(run, text) {
    const query = new URLSearchParams({ env: this.settings.env, bran: this.settings.bran, rev: run.commit });
    if (this.lines.length === 1) query.set("exe", this.lines[0].executable);
    return element("a", { href: `${this.settings.changes}?${query}`, textContent: text });
  }

  listSteps() {
    const list = this.section.querySelector(".steps");
    const steps = this.lines.flatMap((line) => line.steps.map((step) => ({ ...step, line })));
    const marks = this.marks.map((mark) =>
      element("li", { className: `marked ${mark.kind}` }, `${when(mark).slice(0, 10)}: `, element("a", { href: mark.address, textContent: mark.text })),
    );
    list.replaceChildren(
      ...marks,
      ...steps.map(({ run, change, line }) => {
        const sign = change < 0 ? "−" : "+";
        const text = `Step on ${when(this.runs[run]).slice(0, 10)}: ${sign}${Math.abs(change).toFixed(1)} %, ${this.settings.executables[line.executable].label} `;
        return element("li", {}, text, this.link(this.runs[run], "Changes"));
      }),
    );
  }

  fillTable(details) {
    const { executables } = this.settings;
    const heading = (text) => element("th", { scope: "col", textContent: text });
    const head = element("tr", {}, heading("Date (UTC)"), heading("Run"), ...this.lines.map((line) => heading(executables[line.executable].label)), ...(this.marks.length ? [heading("Before it")] : []));
    const rows = this.places
      .slice()
      .reverse()
      .map((place) => {
        const cells = this.values.map((points) => {
          const point = points.get(place);
          return element("td", { className: "nowrap", textContent: point ? this.valueOf(point) : "–" });
        });
        const happened = this.marksBefore(place).map((mark) => mark.text).join("; ");
        if (this.marks.length) cells.push(element("td", { textContent: happened || "–" }));
        const run = this.runs[place];
        const link = this.link(run, run.commit);
        link.className = "commit";
        return element("tr", {}, element("td", { className: "nowrap", textContent: when(run) }), element("td", { className: "nowrap" }, link), ...cells);
      });
    const table = element(
      "table",
      { className: "data" },
      element("caption", { className: "hidden", textContent: `${this.section.dataset.name}, ${this.section.dataset.axis}` }),
      element("thead", {}, head),
      element("tbody", {}, ...rows),
    );
    details.append(element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Points of ${this.section.dataset.name}` }, table));
  }
}
