// Elements are built here and nowhere else: what was stored becomes text, never markup.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key in made && key !== "role") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function settingsOf(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// Choices of several values travel as one parameter with commas.
export function joinChoices() {
  for (const choices of document.querySelectorAll("[data-name]:is(fieldset div)")) {
    const form = choices.closest("form");
    form.addEventListener("submit", () => {
      form.querySelector(`input[type=hidden][data-joined]`)?.remove();
      const boxes = [...choices.querySelectorAll("input")];
      const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
      if (chosen.length === 0) return;
      const joined = element("input", { type: "hidden", name: choices.dataset.name, value: chosen.join(",") });
      joined.dataset.joined = "";
      form.append(joined);
    });
  }
}
