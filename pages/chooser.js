"use strict";

/* A group of radio buttons that look like buttons.

     glossaChooser(name, legend, choices, chosen, choose)

   Each choice is {value, title} and may have `says`, an explanation, and `label`, an element above the title. `choose`
   is called with the value that the reader chooses. */
window.glossaChooser = (name, legend, choices, chosen, choose) => {
  const make = window.glossaMake;
  const fieldset = make("fieldset", {class: "chooser"}, make("legend", {}, legend));
  for (const {value, title, says, label} of choices) {
    const radio = make("input", {type: "radio", name, value});
    radio.checked = value === chosen;
    radio.addEventListener("change", () => choose(value));
    const line = make("label", says ? {title: says} : {}, radio);
    if (label) line.append(label);
    line.append(make("span", {}, title));
    fieldset.append(line);
  }
  return fieldset;
};
