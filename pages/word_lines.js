"use strict";

/* Attention between the words: keys on the left, queries on the right, lines between them as strong as the weight. A
   word under the pointer or in focus shows its keys or its queries.

     glossaWordLines(element, maps, pick)   draws a pick of glossaAttention's into `element` */
window.glossaWordLines = (() => {
  const make = window.glossaMake;
  const {view, percent, shade} = glossaAttention;
  const {isSpecial} = window.glossaPieces;
  const faintest = 0.02;  // a line with less weight is not drawn
  const mentioned = 3;    // maximum number of attended words to name per word

  /** Returns the words with the most weight, and their weights. */
  function heaviest(labels, weights) {
    const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, mentioned);
    return order.filter(i => weights[i] > faintest).map(i => `${labels[i]} ${percent(weights[i])} %`).join(", ");
  }

  /** Makes a column of words. Tab moves to one of them, arrow keys to its neighbors. */
  function column(title, labels, sentence) {
    const words = labels.map((label, i) => {
      const word = make("button", {type: "button", tabindex: i === 0 ? 0 : -1, "aria-label": sentence(i),
                                   class: isSpecial(label) ? "special" : ""},
                        make("bdi", {}, label));
      word.addEventListener("keydown", event => {
        const to = words[{ArrowUp: i - 1, ArrowDown: i + 1, Home: 0, End: words.length - 1}[event.key]];
        if (!to) return;
        event.preventDefault();
        to.focus();
      });
      word.addEventListener("focus", () => words.forEach(other => { other.tabIndex = other === word ? 0 : -1; }));
      return word;
    });
    return {words, list: make("ol", {"aria-label": title}, ...words.map(word => make("li", {}, word)))};
  }

  function lines(weights, rows) {
    const svg = make("svg:svg", {viewBox: `0 0 1 ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true"});
    svg.style.setProperty("--rows", rows);
    const all = [];
    weights.forEach((row, i) => row.forEach((weight, j) => {
      if (weight < faintest) return;
      const line = make("svg:line", {x1: 0, y1: j + 0.5, x2: 1, y2: i + 0.5});
      line.style.setProperty("--weight", weight.toFixed(3));
      line.style.setProperty("--root", Math.sqrt(weight).toFixed(3));
      svg.append(line);
      all.push({line, i, j});
    }));
    return {svg, all};
  }

  return (element, maps, pick) => {
    const {queries, keys, weights} = view(maps, pick);
    const lookedAt = keys.map((_, j) => weights.map(row => row[j]));  // transposed: one row per key
    const left = column("Words looked at", keys,
        j => `${keys[j]} was looked at by: ${heaviest(queries, lookedAt[j]) || "nothing in particular"}`);
    const right = column("Words that look", queries,
        i => `${queries[i]} looked at: ${heaviest(keys, weights[i]) || "nothing in particular"}`);
    const {svg, all} = lines(weights, Math.max(queries.length, keys.length));
    const picture = make("div", {class: "word-lines"}, left.list, svg, right.list);
    const text = make("p", {class: "word-lines-text"});
    const explained = "Point at a word, or go there with Tab and the arrow keys, to see where it looked.";

    /** Shows the lines of the word {words, i}, where `words` is a column's; all lines if `at` is null. */
    function show(at) {
      const ofQuery = at && at.words === right.words, ofKey = at && at.words === left.words;
      const shadeAll = (words, shares) => words.forEach((word, k) => {
        if (shares) shade(word, shares[k]); else word.classList.remove("attention-shade");
      });
      shadeAll(left.words, ofQuery && weights[at.i]);
      shadeAll(right.words, ofKey && lookedAt[at.i]);
      for (const word of [...left.words, ...right.words]) word.classList.toggle("lit", !!at && word === at.words[at.i]);
      for (const {line, i, j} of all)
        line.style.display = !at || (ofQuery && i === at.i) || (ofKey && j === at.i) ? "" : "none";
      picture.classList.toggle("one", !!at);
      text.textContent = at ? at.words[at.i].getAttribute("aria-label") : explained;
    }

    let focused = null;
    for (const {words} of [left, right])
      words.forEach((word, i) => {
        word.addEventListener("pointerenter", () => show({words, i}));
        word.addEventListener("pointerleave", () => show(focused));
        word.addEventListener("focus", () => show(focused = {words, i}));
        word.addEventListener("blur", () => show(focused = null));
      });
    show(null);
    element.replaceChildren(picture, text);
  };
})();
