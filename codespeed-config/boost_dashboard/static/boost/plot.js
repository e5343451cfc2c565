// One plot: lines with their intervals, a line at 1 for ratios, steps of the median, marks.

import { element } from "./dom.js";
import { drawMarks, labelMarks } from "./marks.js";

const HALF_A_DAY = 12 * 3600;
const WHISKERS_UP_TO = 60; // points; more are drawn as a band
const TIMES = [
  [31536000, "{YYYY}", null, null, null, null, null, null, 1],
  [2419200, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
  [86400, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
  [3600, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, ":{ss}", "\n{YYYY}-{MM}-{DD} {HH}:{mm}", null, "\n{MM}-{DD} {HH}:{mm}", null, "\n{HH}:{mm}", null, 1],
];

export function colourOf(number) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--colour-${number}`).trim();
}

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function transparent(colour, alpha) {
  return colour + Math.round(alpha * 255).toString(16).padStart(2, "0");
}

// Columns for uPlot: times, then value, high and low of each line.
function columns(runs, lines) {
  const data = [runs.map((run) => run.seconds)];
  for (const line of lines) {
    const [values, highs, lows] = [0, 1, 2].map(() => new Array(runs.length).fill(null));
    for (const [run, value, low, high] of line.points) {
      values[run] = value;
      highs[run] = high;
      lows[run] = low;
    }
    data.push(values, highs, lows);
  }
  return data;
}

function rangeOfTime(_plot, low, high) {
  if (low === null || high === null) return [0, 1];
  const margin = low === high ? HALF_A_DAY : (high - low) * 0.03;
  return [low - margin, high + margin];
}

function rangeOfValues(isRatio) {
  return (_plot, low, high) => {
    if (low === null || high === null) return [0, 1];
    const [from, to] = isRatio ? [Math.min(low, 1), Math.max(high, 1)] : [low, high];
    const margin = to === from ? Math.abs(to) * 0.1 || 1 : (to - from) * 0.08;
    return [from - margin, to + margin];
  };
}

function drawWhiskers(plot, lines, colours) {
  const { ctx } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  lines.forEach((line, number) => {
    if (line.points.length > WHISKERS_UP_TO) return;
    ctx.strokeStyle = colours[number];
    for (const [run, , low, high] of line.points) {
      if (low === null || high === null) continue;
      const x = Math.round(plot.valToPos(plot.data[0][run], "x", true));
      const [bottom, top] = [low, high].map((value) => plot.valToPos(value, "y", true));
      const width = 3 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, bottom);
      ctx.lineTo(x, top);
      for (const y of [bottom, top]) {
        ctx.moveTo(x - width, y);
        ctx.lineTo(x + width, y);
      }
      ctx.stroke();
    }
  });
  ctx.restore();
}

function dashedLine(plot, from, to, colour, dash) {
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.restore();
}

function drawOne(plot) {
  const y = plot.valToPos(1, "y", true);
  const { left, width } = plot.bbox;
  dashedLine(plot, [left, y], [left + width, y], token("text"), []);
}

function drawSteps(plot, lines, colours) {
  const { top, height, left, width } = plot.bbox;
  lines.forEach((line, number) => {
    for (const step of line.steps) {
      const x = plot.valToPos(plot.data[0][step.run], "x", true);
      if (x >= left && x <= left + width) dashedLine(plot, [x, top], [x, top + height], colours[number], [2, 3]);
    }
  });
}

// Returns the uPlot; `onMove` and `onPick` get the place of a run, or null.
export function drawPlot(frame, { runs, lines, marks, executables, isRatio, large, onMove, onPick }) {
  const colours = lines.map((line) => colourOf(executables[line.executable].colour));
  const labels = element("div", { className: "mark-labels", "aria-hidden": "true" });
  frame.append(labels);
  const axis = {
    stroke: token("quiet"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: token("rule"), width: 1 },
    ticks: { stroke: token("rule"), width: 1 },
  };
  const series = [{}];
  const bands = [];
  lines.forEach((line, number) => {
    const place = series.length;
    const isBand = line.points.length > WHISKERS_UP_TO;
    series.push(
      {
        label: executables[line.executable].label,
        stroke: colours[number],
        width: 1.75,
        dash: executables[line.executable].dashed ? [6, 4] : undefined,
        spanGaps: true,
        points: { show: line.points.length <= 200, size: large ? 7 : 5, fill: colours[number] },
      },
      { stroke: "transparent", points: { show: false } },
      { stroke: "transparent", points: { show: false } },
    );
    if (isBand) bands.push({ series: [place + 1, place + 2], fill: transparent(colours[number], 0.2) });
  });
  const plot = new uPlot(
    {
      width: Math.max(frame.clientWidth, 200),
      height: large ? 384 : 176,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: {
        drag: { x: large, y: false },
        points: { show: (_plot, place) => (place % 3 === 1 ? undefined : false) },
        y: false,
      },
      scales: { x: { time: true, range: rangeOfTime }, y: { range: rangeOfValues(isRatio) } },
      series,
      bands,
      axes: [
        { ...axis, values: TIMES, space: 60, ...(large ? { label: "Start of the run (UTC)", labelSize: 24 } : {}) },
        { ...axis, size: 64 },
      ],
      hooks: {
        drawAxes: [(drawn) => isRatio && drawOne(drawn)],
        draw: [
          (drawn) => drawWhiskers(drawn, lines, colours),
          (drawn) => drawSteps(drawn, lines, colours),
          (drawn) => drawMarks(drawn, marks, token),
          (drawn) => large && labelMarks(labels, drawn, marks),
        ],
        setCursor: [(drawn) => onMove(drawn.cursor.idx ?? null)],
      },
    },
    columns(runs, lines),
    frame,
  );
  plot.over.addEventListener("click", () => onPick(plot.cursor.idx ?? null));
  return plot;
}
