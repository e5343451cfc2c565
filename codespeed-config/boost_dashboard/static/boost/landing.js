// Finds benchmarks by words, and shows those only whose interval says something.

const form = document.querySelector("form.filters");

function wanted(row, words, significant) {
  const name = row.querySelector("th").textContent.toLowerCase();
  const parts = new Set(name.trim().split("."));
  // A number is a whole part of the name: 16 does not find 1048576.
  const found = (word) => (/^\d+$/.test(word) ? parts.has(word) : name.includes(word));
  return words.every(found) && (!significant || row.dataset.significant === "yes");
}

function filter() {
  const words = form.elements.text.value.toLowerCase().split(/[\s.]+/).filter(Boolean);
  const significant = form.elements.significant.checked;
  const filtering = words.length > 0 || significant;
  let shown = 0;
  for (const group of document.querySelectorAll(".run details")) {
    let here = 0;
    for (const row of group.querySelectorAll("tbody tr")) {
      row.hidden = !wanted(row, words, significant);
      here += row.hidden ? 0 : 1;
    }
    group.hidden = here === 0;
    if (group.dataset.before === undefined) {
      group.dataset.before = String(group.open);
    }
    group.open = filtering || group.dataset.before === "true";
    shown += here;
  }
  form.elements.shown.value = filtering ? `${shown} shown` : "";
  remember(form.elements.text.value, significant);
}

// The address leads back to the same view.
function remember(text, significant) {
  const query = new URLSearchParams();
  if (text) query.set("text", text);
  if (significant) query.set("significant", "1");
  const search = query.size ? `?${query}` : "";
  history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
}

if (form) {
  const query = new URLSearchParams(location.search);
  form.elements.text.value = query.get("text") ?? "";
  form.elements.significant.checked = query.get("significant") === "1";
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (query.size) filter();
}
