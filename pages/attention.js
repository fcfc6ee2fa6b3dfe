"use strict";

/* The picture of attention: a table of cells, one per pair of query and key, darker for larger weights.

     glossaAttention(element, maps, {part: "cross", layer: 0, head: "mean", onPick: pick => ..., between: element})

   draws it into `element`, replacing its content, with choosers of part, layer and head. All members are optional.
   `between` is placed between the choosers and the table. `maps` is the output of `glossa attention --json` for a
   sentence: {source, target, output} are lists of tokens, and {encoder, decoder, cross} are [layer][head][query][key].
   A pick is {part, layer, head}, counted from 0 as in the program's options; the head "mean" is the mean of all.
   onPick is called with each pick of the reader. The default is the mean of the last layer's heads. For
   cross-attention, it is the mean of the last but one layer's heads, which aligns words best. */
window.glossaAttention = (() => {
  const make = window.glossaMake, chooser = window.glossaChooser;
  const {labels, isSpecial} = window.glossaPieces;
  const parts = {
    encoder: {title: "Encoder", says: "each source word looks at the source", queries: "source", keys: "source"},
    decoder: {title: "Decoder", says: "each translated word looks at itself and the words before it", queries: "target", keys: "target"},
    cross: {title: "Cross", says: "each translated word looks at the source", queries: "output", keys: "source"},
  };
  const numbersFit = 14;    // maximum columns with room for two digits in each
  const besideFit = 40;     // maximum columns if the choosers are beside the table
  const mostCells = 20000;  // larger tables are slow and unreadable
  let pictures = 0;         // radio buttons of two pictures must have different names

  const mean = heads =>
      heads[0].map((row, i) => row.map((_, j) => heads.reduce((sum, head) => sum + head[i][j], 0) / heads.length));

  /** Returns a valid pick for these maps: replaces missing or invalid members. */
  function picked(maps, {part = "cross", layer, head = "mean"} = {}) {
    if (!(maps[part] && maps[part].length)) part = Object.keys(parts).find(name => maps[name] && maps[name].length);
    const layers = maps[part].length;
    if (!(layer >= 0 && layer < layers)) layer = part === "cross" && layers > 1 ? layers - 2 : layers - 1;
    if (!(head >= 0 && head < maps[part][layer].length)) head = "mean";
    return {part, layer, head};
  }

  /** Returns the content of a pick: labels, weights [query][key], and the text of its part. */
  function view(maps, pick) {
    const {part, layer, head} = picked(maps, pick);
    const heads = maps[part][layer];
    return {queries: labels(maps[parts[part].queries]), keys: labels(maps[parts[part].keys]), says: parts[part].says,
            weights: head === "mean" ? mean(heads) : heads[head]};
  }

  /** Formats a share as a whole percentage. */
  const percent = weight => weight > 0 && weight < 0.005 ? "<1" : String(Math.round(100 * weight));
  const says = ({queries, keys, weights}, i, j) => [queries[i], " looks at ", keys[j], `: ${percent(weights[i][j])} %`];

  /** Returns a weight's darkness: its root, which keeps small weights visible. */
  const darkness = weight => Math.sqrt(Math.min(1, Math.max(0, weight)));

  /** Makes an element as dark as the weight, and its text black or white, for readability. */
  function shade(element, weight) {
    const dark = darkness(weight);
    element.classList.add("attention-shade");
    element.classList.toggle("dark", dark > 0.58);
    element.classList.toggle("darkest", dark > 0.86);
    element.style.setProperty("--darkness", dark.toFixed(3));
    return element;
  }

  /** Draws a head as a small picture, with one path per degree of darkness. */
  function thumbnail(weights) {
    const degrees = 6;
    const paths = Array(degrees + 1).fill("");
    weights.forEach((row, i) => row.forEach((weight, j) => {
      paths[Math.round(degrees * darkness(weight))] += `M${j} ${i}h1v1h-1z`;
    }));
    const svg = make("svg:svg", {viewBox: `0 0 ${weights[0].length} ${weights.length}`, preserveAspectRatio: "none",
                                 "aria-hidden": "true"});
    paths.forEach((path, degree) => {
      if (degree > 0 && path !== "") svg.append(make("svg:path", {d: path, "fill-opacity": degree / degrees}));
    });
    return svg;
  }

  function legend() {
    const scale = make("p", {class: "attention-scale"}, "weight in % ");
    for (const weight of [0, 0.05, 0.25, 0.5, 1]) scale.append(shade(make("span", {}, percent(weight)), weight));
    return scale;
  }

  /** Makes the table: a row per query, a column per key. Arrow keys move from cell to cell. */
  function table(shown, describe) {
    const {queries, keys, weights} = shown;
    const heading = (scope, label, token) =>
        make("th", {scope, title: label, class: isSpecial(label) ? "special" : ""}, make("bdi", {}, label));
    const columns = keys.map(key => heading("col", key));
    const rows = queries.map(query => heading("row", query));
    const cells = weights.map(row => row.map(weight => shade(make("td", {}, make("span", {}, percent(weight))), weight)));
    const element = make("table", {role: "grid", "aria-label": `Attention: ${shown.says}. Rows look at columns.`,
                                   class: keys.length <= numbersFit ? "numbers" : ""},
        make("thead", {}, make("tr", {}, make("td", {}), ...columns)),
        make("tbody", {}, ...rows.map((row, i) => make("tr", {}, row, ...cells[i]))));
    element.style.setProperty("--columns", keys.length);
    element.style.setProperty("--longest", Math.max(...queries.map(query => [...query].length)));

    const place = target => {
      const td = target.closest("tbody td");
      return td && {i: td.parentElement.sectionRowIndex, j: td.cellIndex - 1};
    };
    let lit = null, stop = cells[0][0];
    const light = at => {
      if (lit) for (const part of [rows[lit.i], columns[lit.j], cells[lit.i][lit.j]]) part.classList.remove("lit");
      if (at) for (const part of [rows[at.i], columns[at.j], cells[at.i][at.j]]) part.classList.add("lit");
      describe(at);
      lit = at;
    };
    const stopAt = td => {
      stop.tabIndex = -1;
      stop = td;
      stop.tabIndex = 0;
    };
    stopAt(stop);
    element.addEventListener("pointerover", event => light(place(event.target)));
    element.addEventListener("pointerleave", () => light(null));
    element.addEventListener("focusin", event => {
      const at = place(event.target);
      if (!at) return;
      stopAt(cells[at.i][at.j]);
      light(at);
    });
    element.addEventListener("focusout", () => light(null));
    element.addEventListener("keydown", event => {
      const at = place(event.target);
      const last = keys.length - 1;
      const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
                    Home: [0, -last], End: [0, last]}[event.key];
      if (!at || !step) return;
      event.preventDefault();
      const i = Math.min(queries.length - 1, Math.max(0, at.i + step[0]));
      const j = Math.min(last, Math.max(0, at.j + step[1]));
      stopAt(cells[i][j]);
      stop.focus();
    });
    element.addEventListener("click", event => {
      const at = place(event.target);
      if (!at) return;
      stopAt(cells[at.i][at.j]);
      stop.focus();
    });
    return element;
  }

  /** Explains the chosen part, layers and heads, and the signs in the labels. */
  function hint(maps, pick) {
    const {title, says, queries, keys} = parts[pick.part];
    const heads = maps[pick.part][pick.layer].length;
    const signs = glossaPieces.hint([...maps[queries], ...maps[keys]]);
    const sentences = [
      `${title}: ${says}.`,
      "The model computes layer by layer; layer 0 is the first.",
      heads > 1 ? "The heads of a layer look independently of each other; their mean is an overview." : "",
      signs && `${signs}.`,
    ].filter(Boolean);
    return make("p", {class: "attention-hint"}, sentences.join(" "));
  }

  function draw(element, maps, options = {}) {
    const name = `attention-${++pictures}`;
    const root = make("div", {class: "attention"});
    let pick = picked(maps, options);

    function choose(change) {
      pick = picked(maps, {...pick, ...change});
      fill();
      if (options.onPick) options.onPick(pick);
    }

    function choosers() {
      const heads = maps[pick.part][pick.layer];
      const whole = {value: "mean", title: "mean", says: "the mean of all heads", label: thumbnail(mean(heads))};
      const head = chooser(`${name}-head`, "Head", [
        ...(heads.length > 1 ? [whole] : []),
        ...heads.map((weights, i) => ({value: i, title: String(i), says: `head ${i}`, label: thumbnail(weights)})),
      ], heads.length > 1 ? pick.head : 0, head => choose({head}));
      head.classList.add("attention-heads");
      return make("form", {class: "attention-choosers"},
          chooser(`${name}-part`, "Part",
              Object.entries(parts).filter(([part]) => maps[part] && maps[part].length)
                  .map(([value, {title, says}]) => ({value, title, says})),
              pick.part, part => choose({part})),
          chooser(`${name}-layer`, "Layer", maps[pick.part].map((_, i) => ({value: i, title: String(i)})),
              pick.layer, layer => choose({layer})),
          head, hint(maps, pick));
    }

    function figure() {
      const shown = view(maps, pick);
      const [rows, columns] = [shown.queries.length, shown.keys.length];
      if (rows * columns > mostCells)
        return make("p", {}, `${rows} x ${columns} tokens are too many for a table; choose a shorter sentence.`);
      const text = make("p", {class: "attention-text"});
      const describe = at => {
        text.replaceChildren(...(at ? says(shown, at.i, at.j).map(text => make("bdi", {}, text))
                                    : ["Each row looks at the columns."]));
      };
      describe(null);
      return make("figure", {},
          glossaWide("", table(shown, describe)), make("figcaption", {}, text, legend()));
    }

    /** Redraws everything and keeps the focus. */
    function fill() {
      const focused = root.contains(document.activeElement) ? document.activeElement.name : null;
      const before = [...root.querySelectorAll("input")].indexOf(document.activeElement);
      root.classList.toggle("many", maps[parts[pick.part].keys].length > besideFit);
      root.replaceChildren(choosers(), ...(options.between ? [options.between] : []), figure());
      const radios = [...root.querySelectorAll("input")];
      if (before >= 0) (radios.find(radio => radio.name === focused && radio.checked) || radios[0]).focus();
    }

    fill();
    element.replaceChildren(root);
  }

  return Object.assign(draw, {view, percent, shade});
})();
