"use strict";
/* One plot: lines over an axis, drawn as SVG for the available width. The pointer, the keyboard and a table show its
   values.

   glossaPlot(element, {
     title,                      // heading of the plot
     x: {label, log, whole, text, row},  // whole: ticks only at whole numbers; text: formats a place; row: formats
                                         // a place in the first column of the table
     y: {label, log, zero, unit},   // zero: the axis includes 0; unit: text after values
     series: [{name, color, dash, dots, thin, bin, xs, ys, notes}],  // bin: width of a histogram's bins, whose
                                                                     // centers are xs; notes: a word for each point
     marks: [{x, kind, color, text}]   // kind: stop, resume, refused or failure
   }) */
(() => {
  const make = window.glossaMake;
  const { text, scale, extent } = window.glossaScale;
  const height = 250, top = 38, bottom = 42, right = 14, glyph = 5;
  const plots = new Set();

  /** Returns the index of the number nearest to `x` in an ascending list. */
  function nearest(xs, x) {
    let [low, high] = [0, xs.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle;
      else high = middle;
    }
    return xs[high] - x < x - xs[low] ? high : low;
  }

  /** Returns the index of the point nearest to `x`; -1 if it is farther away than half the gap to its neighbor. */
  function pointAt(series, x) {
    const { xs } = series;
    if (xs.length === 0) return -1;
    const i = nearest(xs, x);
    const gap = Math.max(xs[i] - (xs[i - 1] ?? xs[i]), (xs[i + 1] ?? xs[i]) - xs[i]);
    return Math.abs(xs[i] - x) <= gap / 2 ? i : -1;
  }

  /** Returns the index of the point exactly at `x`; -1 if there is no such point. */
  function measuredAt({ xs }, x) {
    const i = xs.length === 0 ? -1 : nearest(xs, x);
    return xs[i] === x ? i : -1;
  }

  /** Returns the places, which are x values, of at most about `most` points per line, in order. */
  function samplePlaces(series, most) {
    return places(series.map(({ xs }) => {
      const every = Math.max(1, Math.ceil(xs.length / most));
      return { xs: xs.filter((_, i) => i % every === 0 || i === xs.length - 1) };
    }));
  }

  /** Returns all x values of the lines, in order. */
  function places(series) {
    return [...new Set(series.flatMap((s) => s.xs))].sort((a, b) => a - b);
  }

  /** Returns the x values that the axis must include. */
  const edges = ({ xs, bin }) => (bin && xs.length > 0 ? [xs[0] - bin / 2, xs[xs.length - 1] + bin / 2] : xs);

  /** Keeps the points whose x is finite and, on a logarithmic axis, positive. A y that is not so becomes null. */
  function drawable(series, spec) {
    const fits = (v, axis) => v !== null && Number.isFinite(v) && (!axis.log || v > 0);
    const kept = series.xs.map((_, i) => i).filter((i) => fits(series.xs[i], spec.x));
    return { ...series, xs: kept.map((i) => series.xs[i]), notes: series.notes && kept.map((i) => series.notes[i]),
             ys: kept.map((i) => (fits(series.ys[i], spec.y) ? series.ys[i] : null)) };
  }

  function axes(spec, series, width) {
    const xs = extent([...series.flatMap(edges), ...(spec.marks ?? []).map((m) => m.x)],
                      { log: spec.x.log, zero: !spec.x.log, tight: true });
    const ys = extent(series.flatMap((s) => s.ys), { log: spec.y.log, zero: spec.y.zero });
    if (!xs || !ys) return null;
    const y = scale(ys[0], ys[1], height - bottom, top, spec.y.log);
    const yTicks = y.ticks((height - top - bottom) / 26);
    const left = 14 + 7 * Math.max(2, ...yTicks.map((tick) => tick.text.length));
    const x = scale(xs[0], xs[1], left, width - right, spec.x.log, spec.x.whole);
    return { x, y, left, yTicks, xTicks: x.ticks(Math.max(2, (width - left) / 70)) };
  }

  function drawAxes(svg, spec, { x, y, left, xTicks, yTicks }, width) {
    for (const tick of yTicks) {
      const at = y.place(tick.at);
      svg.append(make("svg:line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }),
                 make("svg:text", { class: "tick", x: left - 6, y: at + 4, "text-anchor": "end" }, tick.text));
    }
    let free = -Infinity;  // end of the previous label
    for (const tick of xTicks) {
      const at = x.place(tick.at), half = tick.text.length * 3.6;
      svg.append(make("svg:line", { class: "grid", x1: at, x2: at, y1: height - bottom, y2: height - bottom + 5 }));
      const middle = Math.min(at, width - half - 1);
      if (middle - half < free + 6) continue;
      svg.append(make("svg:text", { class: "tick", x: middle, y: height - bottom + 18, "text-anchor": "middle" }, tick.text));
      free = middle + half;
    }
    svg.append(make("svg:line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
               make("svg:line", { class: "axis", x1: left, x2: left, y1: top, y2: height - bottom }),
               make("svg:text", { class: "label", x: left, y: 12 }, spec.y.label + (spec.y.log ? " (logarithmic)" : "")),
               make("svg:text", { class: "label", x: width - right, y: height - 6, "text-anchor": "end" },
                    spec.x.label + (spec.x.log ? " (logarithmic)" : "")));
  }

  /** Returns a line's path; a histogram's path has a level for each bin. Missing numbers leave gaps. */
  function path({ xs, ys, bin }, { x, y }) {
    const at = (value) => x.place(value).toFixed(1);
    let [d, pen] = ["", "M"];
    xs.forEach((center, i) => {
      if (ys[i] === null) { pen = "M"; return; }
      const level = y.place(ys[i]).toFixed(1);
      if (!bin) d += `${pen}${at(center)} ${level}`;
      else d += (pen === "M" ? `M${at(center - bin / 2)} ${level}` : `V${level}`) + `H${at(center + bin / 2)}`;
      pen = "L";
    });
    return d;
  }

  function drawSeries(svg, series, axes) {
    const style = `line series-${series.color}` + (series.thin ? " thin" : "");
    const line = make("svg:path", { class: style, d: path(series, axes), "data-series": series.name });
    if (series.dash) line.setAttribute("stroke-dasharray", series.dash);
    svg.append(line);
    const isOnePoint = !series.bin && series.ys.filter((y) => y !== null).length === 1;  // no line to draw
    if (!isOnePoint && (!series.dots || series.xs.length > 120)) return;
    series.xs.forEach((at, i) => {
      if (series.ys[i] !== null)
        svg.append(make("svg:circle", { class: `dot series-${series.color}`, r: 2.2, cx: axes.x.place(at), cy: axes.y.place(series.ys[i]) }));
    });
  }

  /** Returns a mark's path: a square before a stop, a triangle after a resumption, a cross at a refusal or failure. */
  function markPath(kind, x, y) {
    const g = glyph;
    if (kind === "stop") return `M${x - 1 - 2 * g} ${y - g}h${2 * g}v${2 * g}h${-2 * g}z`;
    if (kind === "resume") return `M${x + 1} ${y - g}l${2 * g} ${g}l${-2 * g} ${g}z`;
    return `M${x - g} ${y - g}l${2 * g} ${2 * g}m0 ${-2 * g}l${-2 * g} ${2 * g}`;
  }

  function drawMarks(svg, marks, { x }, width) {
    for (const mark of marks) {
      if (mark.x === null || !Number.isFinite(mark.x)) continue;
      const at = x.place(mark.x), y = top - 12;
      const within = Math.max(2 * glyph + 1, Math.min(at, width - (mark.kind === "resume" ? 2 * glyph + 2 : glyph)));
      const group = make("svg:g", { class: `mark ${mark.kind} series-${mark.color}` }, make("svg:title", {}, mark.text));
      group.append(make("svg:line", { x1: at, x2: at, y1: top - 6, y2: height - bottom }),
                   make("svg:path", { d: markPath(mark.kind, within, y) }));
      svg.append(group);
    }
  }

  class Plot {
    constructor(element, spec) {
      this.element = element;
      this.index = 0;
      this.frame = make("div", { class: "frame", tabindex: 0, role: "slider", "aria-label": `${spec.title}: values by arrow keys`,
                                 "aria-valuemin": 0, "aria-orientation": "horizontal" });
      this.tip = make("div", { class: "tip", "aria-hidden": "true", hidden: "" });
      this.table = make("details", { class: "numbers" }, make("summary", {}, "Numbers"));
      this.frame.addEventListener("pointermove", (event) => this.point(event));
      this.frame.addEventListener("pointerdown", (event) => this.point(event));
      this.frame.addEventListener("pointerleave", () => this.hide());
      this.frame.addEventListener("keydown", (event) => this.key(event));
      this.frame.addEventListener("focus", () => this.frame.matches(":focus-visible") && this.show(this.index));
      this.frame.addEventListener("blur", () => this.hide());
      this.table.addEventListener("toggle", () => this.fillTable());
      element.replaceChildren(make("figcaption", {}, spec.title), this.frame, this.table);
      this.change(spec);
      new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.frame);
      plots.add(this);
    }

    /** Shows other lines or another axis in the same plot. */
    change(spec) {
      this.spec = spec;
      this.series = spec.series.map((s) => drawable(s, spec)).filter((s) => s.ys.some((y) => y !== null));
      this.places = places(this.series);
      this.index = Math.max(0, this.places.length - 1);
      this.width = 0;
      this.draw();
      this.fillTable();
    }

    draw(width = Math.round(this.frame.clientWidth)) {
      if (width === 0 || width === this.width) return;
      this.width = width;
      this.tip.hidden = true;
      this.axes = axes(this.spec, this.series, width);
      if (!this.axes) return this.frame.replaceChildren(make("p", { class: "quiet" }, "Nothing to show yet."));
      const svg = make("svg:svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      drawAxes(svg, this.spec, this.axes, width);
      drawMarks(svg, this.spec.marks ?? [], this.axes, width);
      for (const series of this.series) drawSeries(svg, series, this.axes);
      this.cursor = make("svg:g", { class: "cursor" });
      svg.append(this.cursor);
      this.frame.replaceChildren(svg, this.tip);
      this.frame.setAttribute("aria-valuemax", Math.max(0, this.places.length - 1));
      this.say();
    }

    /** Returns the values at a place: [series, point] for each line with a point nearby. */
    valuesAt(x) {
      return this.series.map((series) => [series, pointAt(series, x)]).filter(([series, i]) => i >= 0 && series.ys[i] !== null);
    }

    xText(x) { return this.spec.x.text ? this.spec.x.text(x) : `${this.spec.x.label} ${text(x)}`; }

    valueText([series, i]) {
      return text(series.ys[i]) + (this.spec.y.unit ?? "") + (series.notes ? ` ${series.notes[i]}` : "");
    }

    /** Formats a value near `x`; names its place if that differs from `x`. */
    nearText([series, i], x) {
      return this.valueText([series, i]) + (series.xs[i] === x ? "" : ` (${this.xText(series.xs[i])})`);
    }

    say() {
      if (this.places.length === 0) return;
      const x = this.places[this.index];
      const words = this.valuesAt(x).map((value) => `${value[0].name} ${this.nearText(value, x)}`);
      this.frame.setAttribute("aria-valuenow", this.index);
      this.frame.setAttribute("aria-valuetext", [this.xText(x), ...words].join(", "));
    }

    show(index) {
      if (!this.axes || this.places.length === 0) return;
      this.index = Math.max(0, Math.min(index, this.places.length - 1));
      const x = this.places[this.index], at = this.axes.x.place(x), values = this.valuesAt(x);
      this.cursor.replaceChildren(make("svg:line", { x1: at, x2: at, y1: top, y2: height - bottom }));
      for (const [series, i] of values)
        this.cursor.append(make("svg:circle", { class: `dot series-${series.color}`, r: 4, cx: this.axes.x.place(series.xs[i]),
                                                cy: this.axes.y.place(series.ys[i]) }));
      this.fillTip(x, values);
      this.tip.hidden = false;
      const wide = this.tip.offsetWidth;
      this.tip.style.left = `${Math.max(0, at + 12 + wide > this.width ? at - 12 - wide : at + 12)}px`;
      this.say();
    }

    fillTip(x, values) {
      const rows = values.map((value) => make("div", {}, [make("span", { class: `swatch series-${value[0].color}` }),
                                                          `${value[0].name} `, make("b", {}, this.nearText(value, x))]));
      const near = Math.abs(this.axes.x.back(6) - this.axes.x.back(0));  // a distance of six pixels
      const marks = (this.spec.marks ?? []).filter((mark) => mark.x !== null && Math.abs(mark.x - x) <= near).slice(0, 3);
      this.tip.replaceChildren(make("div", { class: "at" }, this.xText(x)), ...rows,
                               ...marks.map((mark) => make("div", { class: "event" }, mark.text)));
    }

    hide() {
      this.tip.hidden = true;
      this.cursor?.replaceChildren();
    }

    point(event) {
      if (!this.axes || this.places.length === 0) return;
      const x = event.clientX - this.frame.getBoundingClientRect().left;
      this.show(nearest(this.places, this.axes.x.back(x)));
    }

    key(event) {
      const far = Math.max(1, Math.round(this.places.length / 10));
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: far, PageDown: -far, Home: -Infinity, End: Infinity };
      if (event.key === "Escape") this.hide();
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.show(this.index + steps[event.key]);
    }

    /** Fills the table when a reader opens it: with at most about 60 values per line, each in the row of its place. */
    fillTable() {
      this.table.querySelector("div")?.remove();
      if (!this.table.open) return;
      const row = this.spec.x.row ?? text;
      const head = make("tr", {}, [make("th", { scope: "col" }, this.spec.x.label),
                                   ...this.series.map((s) => make("th", { scope: "col" }, s.name))]);
      const body = samplePlaces(this.series, 60).map((x) => make("tr", {}, [make("th", { scope: "row" }, row(x)), ...this.series.map((series) => {
        const i = measuredAt(series, x);
        return make("td", {}, i < 0 || series.ys[i] === null ? "" : this.valueText([series, i]));
      })]));
      const caption = `${this.spec.title}: ${this.spec.y.label}`;
      this.table.append(window.glossaWide(caption, make("table", { class: "rows" }, [make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, body)])));
    }
  }

  // On paper a plot is as wide as a column, regardless of its width on screen.
  window.addEventListener("beforeprint", () => plots.forEach((plot) => plot.draw(460)));
  window.addEventListener("afterprint", () => plots.forEach((plot) => plot.draw()));

  window.glossaPlot = (element, spec) => new Plot(element, spec);
})();
