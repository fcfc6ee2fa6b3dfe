"use strict";

/* glossaMake(name, attributes, ...content): makes an element. Its content is texts, elements, or lists of these. A name
   that begins with "svg:" makes an SVG element. */
window.glossaMake = (() => {
  const space = ["http:", "", "www.w3.org", "2000", "svg"].join("/");  // names a namespace: nothing is requested

  return (name, attributes = {}, ...content) => {
    const made = name.startsWith("svg:") ? document.createElementNS(space, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content.flat());
    return made;
  };
})();
