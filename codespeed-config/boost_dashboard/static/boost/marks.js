// What stands across a plot: a line at the night of each mark, and its label above the plot.

import { element } from "./dom.js";

const ROW = 18; // CSS pixels
const MOST_ROWS = 6; // of whole labels; where more are needed, each is its date
const GAP = 4;

function day(mark) {
  return new Date(mark.at * 1000).toISOString().slice(5, 10);
}

function inSight(plot, marks) {
  const { clientWidth } = plot.over;
  return marks
    .map((mark) => ({ ...mark, x: plot.valToPos(mark.at, "x") }))
    .filter(({ x }) => x >= 0 && x <= clientWidth);
}

// A label ends or begins at its mark, on the side where it has more room.
function place(layer, plot, marks, textOf) {
  const shift = plot.over.offsetLeft;
  const { clientWidth } = layer;
  layer.replaceChildren();
  const taken = []; // of each row, from below: [left, right] of its labels
  for (const mark of marks) {
    const x = shift + mark.x;
    const isLeft = x > clientWidth / 2;
    const room = isLeft ? x : clientWidth - x;
    const label = element("span", { className: `mark-label ${mark.kind}`, textContent: textOf(mark), title: mark.text });
    label.classList.toggle("left", isLeft);
    label.style.maxWidth = `${room}px`;
    layer.append(label);
    const width = label.offsetWidth;
    const left = isLeft ? x - width : x;
    let row = 0;
    while (taken[row]?.some(([from, to]) => left < to + GAP && from < left + width + GAP)) row += 1;
    (taken[row] ??= []).push([left, left + width]);
    label.style.left = `${left}px`;
    label.style.bottom = `${row * ROW}px`;
    const stem = element("span", { className: `mark-stem ${mark.kind}` });
    stem.style.left = `${isLeft ? x - 1 : x}px`;
    stem.style.height = `${row * ROW}px`;
    layer.prepend(stem); // below all labels
  }
  layer.style.height = `${taken.length * ROW}px`;
  return taken.length;
}

// Puts the labels of what is in sight into the layer. The list below the plot says the same.
export function labelMarks(layer, plot, marks) {
  const seen = inSight(plot, marks);
  if (place(layer, plot, seen, (mark) => mark.text) <= MOST_ROWS) return;
  const dates = new Map();
  for (const mark of seen) dates.set(day(mark), [...(dates.get(day(mark)) ?? []), mark]);
  const together = [...dates.values()].map((marks) => ({ ...marks[0], text: marks.map(({ text }) => text).join("\n") }));
  place(layer, plot, together, day);
}

export function drawMarks(plot, marks, colourOf) {
  const { top, height, left } = plot.bbox;
  const { ctx } = plot;
  for (const mark of inSight(plot, marks)) {
    const x = Math.floor(left + mark.x * devicePixelRatio) + 0.5; // in the middle of a pixel: sharp
    ctx.save();
    ctx.strokeStyle = colourOf(mark.kind === "alarm" ? "bad" : "unclear");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash((mark.kind === "alarm" ? [6, 4] : []).map((length) => length * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.restore();
  }
}
