// Filter and sorting of the pages that are tables.

import { element, joinChoices } from "./dom.js";
import { startFilter } from "./filter.js";

const natural = new Intl.Collator("en", { numeric: true });

function compare(kind, one, other) {
  if (kind === "natural") return natural.compare(one, other);
  // What is unknown comes last, whichever way.
  if (one === "" || other === "") return Number(one === "") - Number(other === "") || 0;
  return Number(one) - Number(other);
}

function keyOf(row, column, kind) {
  const cell = row.cells[column];
  return kind === "natural" ? row.dataset.name : cell.dataset.value;
}

function sort(table, column, heading) {
  const descending = heading.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const kind = heading.dataset.sort;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [keyOf(row, column, kind), row]);
  rows.sort(([one], [other]) => {
    const order = compare(kind, one, other);
    return descending && one !== "" && other !== "" ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    if (!heading.dataset.sort) return;
    const button = element("button", { type: "button", textContent: heading.textContent });
    button.addEventListener("click", () => sort(table, column, heading));
    heading.replaceChildren(button);
  });
}

joinChoices();
startFilter();
