// Filters whatever has a data-name below it by text, and rows by their mark.

export function startFilter(onChange = () => {}) {
  const input = document.querySelector("input[data-filters]");
  if (!input) return;
  const items = [...document.querySelectorAll(input.dataset.filters)];
  const only = document.querySelector("input[data-only]");
  const count = document.querySelector("[data-count]");

  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const name = item.dataset.name.toLowerCase();
      const fits = words.every((word) => name.includes(word)) && (!only?.checked || "mark" in item.dataset);
      item.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const group of document.querySelectorAll("details.group")) {
      group.hidden = group.querySelector("[data-name]:not([hidden])") === null;
    }
    count.textContent = shown === items.length ? `${shown} shown` : `${shown} of ${items.length} shown`;
    onChange();
  };

  input.addEventListener("input", apply);
  only?.addEventListener("change", apply);
  // A browser keeps what was typed when one comes back to the page.
  window.addEventListener("pageshow", apply);
  apply();
}
