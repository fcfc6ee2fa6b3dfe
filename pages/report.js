"use strict";
/* The page of `glossa report`: reads the document in #glossa-report (docs/reports.md) and fills report.html with it. */
(() => {
  const report = JSON.parse(document.getElementById("glossa-report").textContent);
  const make = window.glossaMake, { text, message } = window.glossaScale, labels = window.glossaPieces.labels;
  const dashes = ["", "7 3", "2 3", "9 3 2 3"], colors = 8;
  const place = (id) => document.getElementById(id);
  const several = report.runs.length > 1;

  /** The reader's choices, kept when the page reloads itself. */
  const memory = `glossa-report ${location.pathname}`;
  const chosen = { over: "update", hidden: [], samples: 0, attention: 0 };
  try {
    Object.assign(chosen, JSON.parse(sessionStorage.getItem(memory)) ?? {});
  } catch { /* a browser may not store anything for files */ }
  function choose(change) {
    Object.assign(chosen, change);
    try {
      sessionStorage.setItem(memory, JSON.stringify(chosen));
    } catch { /* see above */ }
  }

  /** Groups of runs that share a color: runs that differ in train.seed only. Every other run is a group by itself. */
  const looks = report.runs.flatMap((run, i) => {
    const group = report.groups.find(({ runs }) => runs.includes(i));
    return !group ? [[i]] : group.runs[0] === i ? [group.runs] : [];
  });
  const lookAt = (run) => looks.findIndex((runs) => runs.includes(report.runs.indexOf(run)));
  const colorOf = (run) => lookAt(run) % colors;
  const dashOf = (run) => {
    const at = lookAt(run), runs = looks[at];
    return dashes[(runs.length > 1 ? runs.indexOf(report.runs.indexOf(run)) : Math.floor(at / 2)) % dashes.length];
  };
  const last = (list) => list?.[list.length - 1];
  const optionOf = (run, key) => report.options.find((option) => option.key === key).values[report.runs.indexOf(run)];

  /** Makes a table. Each cell stores its column's name, which a narrow window shows above the value. */
  function table(caption, head, rows, name = "") {
    const cellOf = (cell, i) => make(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : { "data-column": head[i] }, cell);
    return window.glossaWide(caption, make("table", { class: `rows ${name}` }, [
      make("thead", {}, make("tr", {}, head.map((cell) => make("th", { scope: "col" }, cell)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cellOf))))]));
  }

  /** Formats seconds as a clock does. */
  function clock(seconds) {
    if (seconds === null || !Number.isFinite(seconds)) return "–";
    const two = (n) => String(Math.floor(n)).padStart(2, "0");
    return `${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  }

  /** Draws a small picture of a line. */
  function key(color, dash) {
    const line = make("svg:line", { class: `line series-${color}`, x1: 0, y1: 6, x2: 26, y2: 6 });
    if (dash) line.setAttribute("stroke-dasharray", dash);
    return make("svg:svg", { class: "key", width: 26, height: 12, "aria-hidden": "true" }, line);
  }
  const swatch = (run) => key(colorOf(run), dashOf(run));

  // --- head and runs

  const states = {
    training: "training", finished: "finished", stopped: "stopped", failed: "failed", killed: "killed", new: "not started",
  };
  const endOf = (run) => (run.state === "killed" ? "ended without a message: killed, or a power failure" : run.end);

  /** Formats a message; options and their values look as in a configuration. */
  const sections = [...new Set(report.options.map((option) => option.key.split(".")[0]))].join("|");
  const options = new RegExp(`(\\b(?:${sections})\\.[a-z_]+(?: \\d\\S*)?)`);
  const elementsOf = (words) => words.split(options).map((part, i) => (i % 2 === 1 ? make("code", {}, part) : message(part)));

  /** Returns the best checkpoint's validation; if absent, the one with the least loss. */
  function bestValidation({ best, validation }) {
    const losses = validation.valid_loss ?? [];
    let at = validation.update.indexOf(best);
    if (at < 0) losses.forEach((loss, i) => { if (loss !== null && (at < 0 || loss < losses[at])) at = i; });
    if (at < 0) return null;
    return Object.fromEntries(Object.entries(validation).filter(([, v]) => Array.isArray(v)).map(([key, values]) => [key, values[at]]));
  }

  /** Returns the epochs that a run has completed, as the log counts; a range if the corpus is unknown or changed. */
  function epochsOf(run, updates) {
    const corpus = report.corpora[run.corpus], current = Math.max(last(run.training.epoch) ?? 0, last(run.validation.epoch) ?? 0);
    if (!corpus.batches || corpus.changed) return current > 0 ? `${current - 1} to ${current}` : "–";
    const accumulate = Number(optionOf(run, "train.accumulate")), perEpoch = Math.ceil(corpus.batches / accumulate);
    return (Math.floor(updates / perEpoch) + ((updates % perEpoch) * accumulate) / corpus.batches).toFixed(2);
  }

  /** Returns the last update. If a run stopped before it logged any numbers, that is the update of its last event. */
  const lastUpdate = ({ training, validation, events }) =>
    Math.max(last(training.update) ?? 0, last(validation.update) ?? 0) || (last(events)?.update ?? 0);

  function rowOfRun(run) {
    const best = bestValidation(run), updates = lastUpdate(run);
    const seconds = Math.max(last(run.training.seconds) ?? 0, last(run.validation.seconds) ?? 0);
    const score = (key) => (best && Number.isFinite(best[key]) ? ofHundred(best[key]) : "–");
    return [[swatch(run), " ", make("span", { class: "name" }, run.name)], states[run.state] ?? run.state,
            score("valid_perplexity"), score("valid_bleu"), score("valid_chrf"), best ? text(best.update) : "–", text(updates),
            epochsOf(run, updates), run.time === "none" ? "–" : clock(seconds), run.parameters ? text(run.parameters) : "–"];
  }

  const ofHundred = (value) => value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });  // as in the log

  /** Formats a figure's mean and standard deviation over a group; below them, minimum and maximum. */
  function spreadOf(figure, size, show) {
    if (!figure) return "–";
    const beyond = figure.deviation === null ? "" : ` ± ${show(figure.deviation)}`;
    return [`${show(figure.mean)}${beyond}`, make("span", { class: "range" },
      `${show(figure.minimum)} – ${show(figure.maximum)}${figure.count < size ? ` (${figure.count} runs)` : ""}`)];
  }

  /** The groups of runs that differ in train.seed only. */
  function groupTable() {
    if (report.groups.length === 0) return [];
    const loss = (value) => value.toFixed(4), minutes = (value) => value.toFixed(1);
    const columns = [["BLEU", "best_bleu", ofHundred], ["chrF2", "best_chrf", ofHundred], ["loss", "best_loss", loss],
                     ["last BLEU", "final_bleu", ofHundred], ["last chrF2", "final_chrf", ofHundred], ["last loss", "final_loss", loss],
                     ["minutes", "minutes", minutes]].filter(([, key]) => report.groups.some((group) => group[key]));
    const row = (group) => {
      const runs = group.runs.map((i) => report.runs[i]);
      return [[swatch(runs[0]), " ", make("span", { class: "name" }, runs.map((run) => run.name).join(", "))], text(runs.length),
              ...columns.map(([, key, show]) => spreadOf(group[key], runs.length, show))];
    };
    const caption = "Runs that differ in train.seed only";
    return [make("h3", {}, caption), make("p", { class: "quiet" }, "Mean ± sample standard deviation, and minimum – maximum: of the best " +
              "checkpoints’ validations, of the last validations, and of the minutes of training."),
            table(caption, ["group", "runs", ...columns.map(([title]) => title)], report.groups.map(row), "numbers-right groups")];
  }

  function showHead() {
    const names = report.runs.map((run) => run.name);
    place("title").textContent = several ? `Report of ${names.length} runs` : `Report of ${names[0]}`;
    document.title = `${names.join(", ")} – glossa report`;
    place("written").textContent = `Written on ${report.written} by glossa ${report.glossa}.` +
      (report.following ? " Training continues; this page reloads itself." : "");
    const problems = report.runs.flatMap((run) => run.problems.map((problem) => (several ? `${run.name}: ` : "") + problem));
    place("problems").hidden = problems.length === 0;
    place("problems").replaceChildren("Could not be read:", make("ul", {}, problems.map((problem) => make("li", {}, problem))));
    const head = ["run", "state", "perplexity", "BLEU", "chrF2", "best update", "updates", "epochs", "time", "parameters"];
    place("runs").replaceChildren(table("Runs", head, report.runs.map(rowOfRun), "numbers-right"),
      ...report.runs.filter(endOf).map((run) => make("p", { class: "quiet" }, [`${run.name}: `, ...elementsOf(endOf(run))])), ...groupTable());
  }

  // --- curves

  const curves = [
    { title: "Loss of training (thin) and validation (dots)", y: { label: "nats per target token" },
      lines: [["training", "loss", "training"], ["validation", "valid_loss", "validation"]] },
    { title: "Validation perplexity", y: { label: "perplexity", log: true }, lines: [["validation", "valid_perplexity"]] },
    { title: "BLEU of validation", y: { label: "BLEU, 0 to 100", zero: true }, lines: [["validation", "valid_bleu"]] },
    { title: "chrF2 of validation", y: { label: "chrF2, 0 to 100", zero: true }, lines: [["validation", "valid_chrf"]] },
    { title: "Exact matches in validation", y: { label: "% of the sentences", zero: true, unit: " %" },
      lines: [["validation", "valid_exact_match"]], factor: 100 },
    { title: "Learning rate", y: { label: "learning rate", zero: true }, maxRatio: 10, lines: [["training", "lr"]] },
    { title: "Gradient norm", y: { label: "norm before clipping" }, maxRatio: 10, lines: [["training", "grad_norm"]] },
    { title: "Speed", y: { label: "tokens per second, source and target", zero: true }, lines: [["training", "tokens_per_s"]] },
  ];

  const visible = () => report.runs.filter((run) => !several || !chosen.hidden.includes(run.name));

  /** Returns the unit of the time axis that suits the longest run. */
  function timeUnit() {
    const longest = Math.max(0, ...report.runs.flatMap((run) => [last(run.training.seconds) ?? 0, last(run.validation.seconds) ?? 0]));
    if (longest >= 2 * 3600) return { name: "hours", seconds: 3600 };
    return longest >= 120 ? { name: "minutes", seconds: 60 } : { name: "seconds", seconds: 1 };
  }
  const unit = timeUnit();
  const byTime = () => chosen.over === "time";
  const placeOf = (update, seconds) => (byTime() ? (seconds ?? null) === null ? null : seconds / unit.seconds : update);

  function xAxis() {
    return byTime() ? { label: `${unit.name} of training`, text: (x) => `${text(x)} ${unit.name}` }
                    : { label: "updates", whole: true, text: (x) => `update ${text(x)}` };
  }

  /** Names of the validation corpora that do not select the best checkpoint, from columns such as `valid_loss:NAME`. */
  const watchedOf = (run) => Object.keys(run.validation).filter((key) => key.startsWith("valid_loss:")).map((key) => key.slice(11));

  /** Returns the look of a run's line. Place 0 is the corpus that selects the best checkpoint. If the report has only
      one run, each corpus has a color. */
  function lookOf(run, place) {
    const dash = dashes.indexOf(dashOf(run));
    return { color: (colorOf(run) + (several ? 0 : place)) % colors, dash: dashes[(dash + place) % dashes.length] };
  }

  function linesOf(run, curve) {
    const all = curve.lines.flatMap(([part, key, word]) => ["", ...(part === "validation" ? watchedOf(run) : [])].map((corpus, place) =>
      ({ part, key: corpus ? `${key}:${corpus}` : key, word, corpus, place })));
    return all.filter(({ part, key }) => run[part][key]).map(({ part, key, word, corpus, place }) => ({
      name: [run.name, word, corpus].filter(Boolean).join(" "), ...lookOf(run, place),
      thin: word === "training", dots: part === "validation",
      xs: run[part].update.map((update, i) => placeOf(update, run[part].seconds?.[i])),
      ys: run[part][key].map((value) => (value === null ? null : value * (curve.factor ?? 1))),
    }));
  }

  /** Makes the legend of the other validation corpora. */
  function watchedKeys() {
    return report.runs.flatMap((run) => watchedOf(run).map((corpus, i) => {
      const { color, dash } = lookOf(run, i + 1);
      return make("span", { class: "run" }, [key(color, dash), several ? `${run.name}: ${corpus}` : corpus]);
    }));
  }

  const kinds = { stop: "stopped", resume: "resumed", refused: "refused", failure: "failed" };

  /** True for an event to mark on the run's line: any except the end of a finished run. */
  const isMarked = (run) => (event, i) => !(run.state === "finished" && event.kind === "stop" && i === run.events.length - 1);

  function marksOf(run) {
    return run.events.filter(isMarked(run)).map((event) => ({
      x: placeOf(event.update, event.seconds), kind: event.kind, color: colorOf(run),
      text: `${several ? `${run.name}: ` : ""}${kinds[event.kind]} at update ${text(event.update)}${event.time ? `, ${event.time}` : ""}: ${message(event.text)}`,
    }));
  }

  /** Returns the curve's axis; logarithmic, to keep lines readable whose maxima differ by a factor above `maxRatio`. */
  function yAxis({ y, maxRatio = Infinity }, series) {
    const maxima = series.map(({ ys }) => Math.max(...ys)).filter((maximum) => maximum > 0);
    return Math.max(...maxima) > maxRatio * Math.min(...maxima) ? { ...y, zero: false, log: true } : y;
  }

  function specOf(curve) {
    const series = visible().flatMap((run) => linesOf(run, curve));
    return { title: curve.title, x: xAxis(), y: yAxis(curve, series), series, marks: visible().flatMap(marksOf) };
  }

  function runSwitch(run, redraw) {
    const box = make("input", { type: "checkbox" });
    box.checked = !chosen.hidden.includes(run.name);
    box.addEventListener("change", () => {
      choose({ hidden: box.checked ? chosen.hidden.filter((name) => name !== run.name) : [...chosen.hidden, run.name] });
      redraw();
    });
    return make("label", { class: "run" }, [box, swatch(run), run.name]);
  }

  function overSwitch(redraw) {
    const choices = [{ value: "update", title: "updates" }, { value: "time", title: unit.name }];
    return window.glossaChooser("over", "Horizontal axis", choices, chosen.over, (over) => { choose({ over }); redraw(); });
  }

  function showCurves() {
    const shown = curves.filter((curve) => report.runs.some((run) => curve.lines.some(([part, key]) => run[part][key])));
    const plots = shown.map((curve) => {
      const figure = make("figure", { "data-curve": curve.lines[0][1] });
      place("plots").append(figure);
      return [curve, window.glossaPlot(figure, specOf(curve))];
    });
    if (shown.length === 0) place("plots").append(make("p", { class: "quiet" }, "No update is logged yet."));
    const redraw = () => plots.forEach(([curve, plot]) => plot.change(specOf(curve)));
    const switches = report.runs.map((run) => runSwitch(run, redraw));
    place("controls").replaceChildren(overSwitch(redraw), ...(several ? [make("div", { class: "legend", role: "group", "aria-label": "Runs shown" }, switches)] : []),
      ...(watchedKeys().length > 0 ? [make("p", { class: "legend" }, ["also validated: ", ...watchedKeys()])] : []));
    const kinds = new Set(report.runs.flatMap(marksOf).map((mark) => mark.kind));
    const words = { stop: "■ stopped", resume: "▶ resumed", refused: "✕ refused update: not finite", failure: "✕ failed" };
    place("marks").textContent = Object.keys(words).filter((kind) => kinds.has(kind)).map((kind) => words[kind]).join("   ");
    const by = (time) => report.runs.filter((run) => run.time === time).map((run) => run.name).join(", ");
    place("time-note").textContent = [
      by("clock") && `Times of ${by("clock")} come from the log's clock, including validation and saving.`,
      by("none") && `Times of ${by("none")} are unknown.`,
    ].filter(Boolean).join(" ");
  }

  // --- samples

  /** Makes a chooser of `runs`. Calls `show` with the chosen run, at first and after each choice. */
  function runChooser(at, runs, key, show) {
    const select = make("select", {}, runs.map((run) => make("option", { value: run.name }, run.name)));
    if (runs.some((run) => run.name === chosen[key])) select.value = chosen[key];
    const shown = () => show(runs[select.selectedIndex]);
    select.addEventListener("change", () => { choose({ [key]: select.value }); shown(); });
    at.replaceChildren(...(runs.length > 1 ? [make("label", { class: "field" }, ["Run", select])] : []));
    shown();
  }

  /** Lists a sample's outputs in order; consecutive validations with the same output share an entry. */
  function stages(sample) {
    const all = [];
    sample.outputs.forEach((output, i) => {
      if (i > 0 && last(all).output === output) last(all).to = sample.updates[i];
      else all.push({ from: sample.updates[i], to: sample.updates[i], output, before: last(all)?.output });
    });
    return all;
  }

  function changedText(stage) {
    if (stage.before === undefined || stage.output === "") return [stage.output || make("i", { class: "quiet" }, "(empty)")];
    return window.glossaWords.changes(stage.before, stage.output).map((piece) =>
      piece.gone ? make("span", { class: "gone", title: `gone: ${piece.gone}` }, "⁁") : piece.changed ? make("mark", {}, piece.text) : piece.text);
  }

  function showSamples() {
    const runs = report.runs.filter((run) => run.samples.length > 0);
    if (runs.length === 0) return;
    place("samples").hidden = false;
    runChooser(place("samples-run"), runs, "samples", (run) => {
      const [from, to] = [optionOf(run, "data.source"), optionOf(run, "data.target")];
      place("samples-list").replaceChildren(...run.samples.map((sample) => make("article", { class: "sample" }, [
        make("p", { class: "source", lang: from, dir: "auto" }, sample.source),
        window.glossaWide("Translations", make("table", { class: "rows" }, make("tbody", {}, [
          ...stages(sample).map((stage) => make("tr", {}, [
            make("th", { scope: "row" }, "update " + (stage.from === stage.to ? text(stage.from) : `${text(stage.from)} – ${text(stage.to)}`)),
            make("td", { lang: to, dir: "auto" }, changedText(stage))])),
          make("tr", { class: "reference" }, [make("th", { scope: "row" }, "reference"), make("td", { lang: to, dir: "auto" }, sample.reference)]),
        ])))])));
    });
  }

  // --- attention

  function showAttention() {
    const runs = report.runs.filter((run) => run.attention.length + run.attention_missing.length > 0);
    if (runs.length === 0) return;
    place("attention").hidden = false;
    runChooser(place("attention-choice"), runs, "attention", (run) => {
      place("attention-picture").replaceChildren();
      if (run.attention.length > 0) window.glossaSentences(place("attention-picture"), run.attention);
      place("attention-missing").textContent = run.attention_missing.map((missing) => `${missing[0].toUpperCase()}${missing.slice(1)}.`).join(" ");
    });
  }

  // --- corpora

  const sides = (corpus) => [corpus.source, corpus.target];
  const percent = (part) => `${text(100 * part)} %`;

  function corpusTable(corpus) {
    const row = (label, value) => [label, ...sides(corpus).map(value)];
    return table(`Corpus ${corpus.name}`, ["", ...sides(corpus).map((side, i) => `${["source", "target"][i]}: ${side.language}`)], [
      row("tokens", (s) => text(s.tokens)), row("unknown to the vocabulary", (s) => percent(s.unknown / Math.max(1, s.tokens))),
      row("vocabulary tokens that occur", (s) => `${text(s.seen)} of ${text(s.vocabulary)}`),
      row("those that occur once", (s) => text(s.once)), row("mean length of a sentence", (s) => `${text(s.mean_length)} tokens`),
      row("median length", (s) => `${text(s.median_length)} tokens`), row("longest", (s) => `${text(s.longest)} tokens`),
    ], "sides");
  }

  function sideKey(side, i) {
    return make("span", { class: "run" }, [key(i, dashes[i]), `${["source", "target"][i]}: ${side.language}`]);
  }

  function lengthSpec({ bin, ...corpus }) {
    const beyond = (bin - 1) / 2;  // distance from the center of a bin to its least and greatest length
    const series = sides(corpus).map((side, i) => ({
      name: side.language, color: i, dash: dashes[i], bin, xs: side.counts.map((_, k) => k * bin + 1 + beyond), ys: side.counts,
    }));
    const row = (x) => (bin > 1 ? `${text(x - beyond)} to ${text(x + beyond)}` : text(x));
    return { title: "Lengths of sentences", series, y: { label: bin > 1 ? `sentences per bin of ${bin} tokens` : "sentences", zero: true },
             x: { label: "tokens", whole: true, row, text: (x) => `${row(x)} ${x === 1 ? "token" : "tokens"}` } };
  }

  function frequencySpec(corpus) {
    const series = sides(corpus).map((side, i) => ({ name: side.language, color: i, dash: dashes[i], dots: false, xs: side.rank, ys: side.count,
                                                     notes: labels(side.token).map((token) => `‘${token}’`) }));
    return { title: "Frequencies of tokens", series, y: { label: "times", log: true },
             x: { label: "rank of the token", log: true, text: (x) => `rank ${text(x)}` } };
  }

  function usefulBars(corpus) {
    const bar = (label, share) => make("div", { class: "bar" }, [make("span", {}, label), make("b", {}, percent(share)),
      make("span", { class: "track" }, make("span", { class: "fill", style: `width:${100 * share}%` }))]);
    const note = (layout) => (corpus.layout === layout ? " (this layout was used)" : "");
    return make("div", { class: "bars" }, [make("p", {}, `Share of tokens that are not padding, in the ${text(corpus.batches)} batches of an epoch:`),
      bar(`padded${note("padded")}`, corpus.useful_padded), bar(`packed${note("packed")}`, corpus.useful_packed)]);
  }

  function showCorpora() {
    report.corpora.forEach((corpus, c) => {
      const learners = report.runs.filter((run) => run.corpus === c).map((run) => run.name).join(", ");
      const parts = [make("h3", {}, several ? `${corpus.name}, used by ${learners}` : corpus.name)];
      if (corpus.missing) {
        parts.push(make("p", { class: "warning" }, `Lengths and frequencies are unknown, as the corpus could not be read: ${corpus.missing}`));
        return place("corpora").append(make("article", {}, parts));
      }
      const hint = window.glossaPieces.hint(sides(corpus).flatMap((side) => side.token));
      if (corpus.changed) parts.push(make("p", { class: "warning" }, "The corpus has changed since the run was trained; this is its present state."));
      const figures = [make("figure", { "data-curve": "lengths" }), make("figure", { "data-curve": "frequencies" })];
      parts.push(make("p", {}, `${text(corpus.pairs)} sentence pairs.`), corpusTable(corpus), usefulBars(corpus), make("p", { class: "legend" }, sides(corpus).map((side, i) => sideKey(side, i))),
                 make("div", { class: "plots" }, figures),
                 make("p", {}, `The most frequent tokens${hint && ` (${hint})`}:`), ...sides(corpus).map((side) => make("p", { class: "tokens" }, [
                   make("b", {}, side.language), ...labels(side.token).slice(0, 30).map((token, i) => make("span", { title: `${text(side.count[i])} times` }, token))])));
      place("corpora").append(make("article", {}, parts));
      window.glossaPlot(figures[0], lengthSpec(corpus));
      window.glossaPlot(figures[1], frequencySpec(corpus));
    });
  }

  // --- configuration and logs

  const valueOf = (option, value) => make("code", { class: value === option.usual ? "usual" : "" }, value === "" ? '""' : value);
  /** An option's name; a narrow column breaks it after a dot or an underscore. */
  const nameOf = (option) => option.key.split(/(?<=[._])/).flatMap((part) => [part, make("wbr")]);
  const valuesOf = (option) => option.values.map((value) => valueOf(option, value));

  /** Lists the options that differ from the defaults or between runs, each on a line below a heading. */
  function briefOptions(caption, options) {
    const row = (option) => [make("code", { title: option.help }, nameOf(option)), ...valuesOf(option), valueOf(option, option.usual)];
    return [make("h3", {}, caption), options.length === 0 ? make("p", {}, "No option differs.")
              : table(caption, ["option", ...report.runs.map((run) => run.name), "default"], options.map(row), "options")];
  }

  function explainedOptions() {
    const name = (option) => [make("code", {}, nameOf(option)), make("span", { class: "help" }, option.help)];
    return table("All options", ["option", ...report.runs.map((run) => run.name)],
                 report.options.map((option) => [name(option), ...valuesOf(option)]), "options explained");
  }

  function showOptions() {
    const differing = report.options.filter((option) => option.differs);
    const unusual = report.options.filter((option) => option.values.some((value) => value !== option.usual));
    place("options").replaceChildren(
      ...(several ? briefOptions("Differences between the runs", differing) : []), ...briefOptions("Differences from the defaults", unusual),
      make("details", {}, [make("summary", {}, `All ${report.options.length} options, explained`), explainedOptions()]));
  }

  function showLogs() {
    place("logs").replaceChildren(...report.runs.map((run) => make("details", {}, [
      make("summary", {}, run.name), make("pre", { tabindex: 0 }, run.log.join("\n") || "Nothing yet.")])));
  }

  // --- a page of a run that trains

  /** Reloads the page from time to time, unless the reader is using it. */
  function follow() {
    let touched = 0;
    for (const event of ["pointermove", "pointerdown", "keydown", "scroll"])
      window.addEventListener(event, () => { touched = Date.now(); }, { passive: true });
    setInterval(() => { if (!document.hidden && Date.now() - touched > 5000) location.reload(); }, 5000);
  }

  showHead();
  showCurves();
  showSamples();
  showAttention();
  showCorpora();
  showOptions();
  showLogs();
  if (report.following) follow();
})();
