// The timeline: loads what is in sight, a few benchmarks at a time.

import { element, joinChoices, settingsOf } from "./dom.js";
import { startFilter } from "./filter.js";
import { Panel } from "./panel.js";

const settings = settingsOf("settings");
const panels = new Map();
const waiting = new Set();
let isLoading = false;

async function load() {
  if (isLoading || waiting.size === 0) return;
  isLoading = true;
  const batch = [...waiting].slice(0, settings.atOnce);
  for (const panel of batch) waiting.delete(panel);
  const query = new URLSearchParams({
    env: settings.env,
    bran: settings.bran,
    exe: settings.exe,
    revs: settings.revs,
    ben: batch.map((panel) => panel.id).join(","),
  });
  try {
    const answer = await fetch(`${settings.points}?${query}`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const { runs, benchmarks, marks, alarms } = await answer.json();
    for (const panel of batch) panel.show(runs, benchmarks[panel.id] ?? [], marks, alarms[panel.id] ?? []);
  } catch (problem) {
    for (const panel of batch) {
      panel.section.querySelector(".plot").textContent = `The points did not arrive (${problem.message}). Load the page again.`;
    }
  }
  isLoading = false;
  load();
}

function drawLegend() {
  const legend = document.getElementById("legend");
  legend?.replaceChildren(
    ...Object.values(settings.executables).map((executable) =>
      element(
        "li",
        {},
        element("span", { className: `swatch colour-${executable.colour}${executable.dashed ? " dashed" : ""}` }),
        executable.label,
      ),
    ),
  );
}

const sight = new IntersectionObserver(
  (entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      sight.unobserve(entry.target);
      waiting.add(panels.get(entry.target));
    }
    load();
  },
  { rootMargin: "600px 0px" },
);
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) panels.get(entry.target.closest(".panel"))?.resize();
});

for (const section of document.querySelectorAll(".panel")) {
  panels.set(section, new Panel(section, settings));
  sight.observe(section);
  sizes.observe(section.querySelector(".plot"));
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const panel of panels.values()) panel.draw();
});
drawLegend();
joinChoices();
startFilter();
