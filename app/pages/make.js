"use strict";

/* glossaMake(name, attributes, ...content): an element with what is in it, texts and elements or lists of them; of SVG
   where the name begins with "svg:". */
window.glossaMake = (() => {
  const space = ["http:", "", "www.w3.org", "2000", "svg"].join("/");  // no address: nothing is asked of anybody

  return (name, attributes = {}, ...content) => {
    const made = name.startsWith("svg:") ? document.createElementNS(space, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content.flat());
    return made;
  };
})();
