"use strict";

/* A frame around an element that may be too wide for the window: it scrolls sideways, and shows an arrow at each end
   that hides something.

     glossaWide(name, element)   makes the frame; screen readers read the name. Without a name, the Tab key skips
                                 the frame, because the element has its own tab stop */
window.glossaWide = (name, element) => {
  const make = window.glossaMake;
  const scroll = make("div", {class: "scroll"}, element);
  const frame = make("div", {class: "wide"}, scroll);
  const stop = name ? {tabindex: 0, role: "region", "aria-label": name} : {};

  function look() {
    const hidden = scroll.scrollWidth - scroll.clientWidth;
    frame.classList.toggle("more-before", scroll.scrollLeft > 1);
    frame.classList.toggle("more-after", hidden - scroll.scrollLeft > 1);
    for (const [key, value] of Object.entries(stop))
      if (hidden > 1) scroll.setAttribute(key, value); else scroll.removeAttribute(key);
  }

  scroll.addEventListener("scroll", look, {passive: true});
  const sizes = new ResizeObserver(look);
  for (const part of [scroll, element]) sizes.observe(part);
  return frame;
};
