"use strict";

/* The translator: translates text line by line as it is typed; for the line with the caret it shows the
   alternatives and the model's attention. It contacts only its own server: /languages, /translate and
   /attention. */
(() => {
  const pause = 200;      // milliseconds without a key before a request
  const alternatives = 3;
  const at = id => document.getElementById(id);
  const make = window.glossaMake;

  let languages = [];  // of the server: {code, name, targets}
  let models = [];     // of the server: {source, target, trainedOn, parameters, update, bleu, chrf}
  let lines = [];      // of the text: {source, translation, all: [{text, probability}]}, null if blank
  let chosen = -1;     // the selected line
  let pick = {};       // part, layer and head chosen in the picture
  let timer = 0;

  /** A request that cancels the previous one of its kind, so that no late answer is shown. */
  function asker(path) {
    let running = null;
    return {
      async ask(body) {
        this.forget();
        const mine = running = new AbortController();
        if (at("key").value) body.api_key = at("key").value;
        const request = body && {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)};
        const response = await fetch(path, {...request, signal: mine.signal});
        const answer = await response.json().catch(() => ({}));
        if (mine.signal.aborted) throw new DOMException("a later one was asked", "AbortError");
        if (response.status === 403) at("key-form").hidden = false;
        if (!response.ok) throw new Error(answer.error || `the server answered with status ${response.status}`);
        return answer;
      },
      forget() {
        if (running) running.abort();
        running = null;
      },
    };
  }
  const translations = asker("translate"), attentions = asker("attention");

  /** The message for an error; nothing if another request replaced this one. */
  function complaint(error) {
    if (error.name === "AbortError") return "";
    return error instanceof TypeError ? "The server does not answer. Is it still running?" : error.message;
  }

  const {percent} = glossaAttention;
  const duration = ms => ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;

  // ---- languages

  /** A language's name: the server's, or else the browser's own. */
  function nameOf(code) {
    const known = languages.find(language => language.code === code);
    if (known) return known.name;
    try {
      return new Intl.DisplayNames(["en"], {type: "language"}).of(code);
    } catch {  // not a language code
      return code;
    }
  }

  function showTargets() {
    const from = languages.find(language => language.code === at("from").value);
    const before = at("to").value;
    at("to").replaceChildren(...(from ? from.targets : []).map(code => new Option(nameOf(code), code)));
    if (from && from.targets.includes(before)) at("to").value = before;
    const back = languages.find(language => language.code === at("to").value);
    at("swap").disabled = !(back && from && back.targets.includes(from.code));
    at("text").lang = at("from").value;
    at("translation").lang = at("to").value;
    showModel();
  }

  /** Describes the model of the chosen languages. */
  function showModel() {
    const model = models.find(({source, target}) => source === at("from").value && target === at("to").value);
    const compact = new Intl.NumberFormat("en", {notation: "compact", maximumFractionDigits: 1});
    const scores = model && [["BLEU", model.bleu], ["chrF2", model.chrf]].filter(([, score]) => score !== undefined)
        .map(([name, score]) => `${name} ${score.toFixed(1)}`);
    at("model").textContent = !model ? "" : [
      `Model of ${compact.format(model.parameters)} parameters`,
      model.trainedOn.length ? `, trained on ${model.trainedOn.join(", ")}` : "",
      model.update ? ` for ${model.update.toLocaleString("en-US")} updates` : "",
      scores.length ? `. Validation: ${scores.join(", ")}.` : ".",
    ].join("");
  }

  async function load(path) {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
    return response.json();
  }

  async function loadLanguages() {
    [languages, models] = await Promise.all([load("languages"), load("models")]);
    at("from").replaceChildren(...languages.filter(({targets}) => targets.length)
      .map(({code, name}) => new Option(name, code)));
    showTargets();
  }

  function swap() {
    const [from, to] = [at("from").value, at("to").value];
    at("from").value = to;
    showTargets();
    at("to").value = from;
    showTargets();
    const isFresh = !at("translation").classList.contains("stale");  // else it is of another text
    if (isFresh && lines.some(line => line)) at("text").value = lines.map(line => line ? line.translation : "").join("\n");
    translate();
  }

  // ---- translation

  /** The translations of the non-blank lines, each at its line's index. */
  async function translated(text) {
    const sources = text.split("\n");
    const full = sources.filter(line => line.trim());
    const answer = await translations.ask({q: full, source: at("from").value, target: at("to").value, format: "text",
                                           alternatives, scores: true});
    const of = (list, i) => list ? list[i] : undefined;
    let next = 0;
    return sources.map(source => {
      if (!source.trim()) return null;
      const i = next++;
      const translation = answer.translatedText[i];
      const texts = [translation, ...(of(answer.alternatives, i) || [])];
      const shares = [of(answer.tokenProbability, i), ...(of(answer.alternativeTokenProbabilities, i) || [])];
      const all = texts.map((text, k) => ({text, probability: shares[k]})).sort((a, b) => b.probability - a.probability);
      return {source, translation, all};
    });
  }

  async function translate() {
    clearTimeout(timer);
    const text = at("text").value, output = at("translation");
    output.classList.add("stale");
    try {
      if (languages.length === 0) await loadLanguages();
      const start = performance.now();
      if (text.trim()) lines = await translated(text);
      else {
        translations.forget();
        lines = [];
      }
      output.classList.remove("stale");
      at("error").textContent = "";
      at("took").textContent = text.trim() ? `translated in ${duration(performance.now() - start)}` : "";
      showTranslation();
      chosen = -1;
      choose(caretLine());
    } catch (error) {
      at("error").textContent = complaint(error) || at("error").textContent;
    }
  }

  function showTranslation() {
    at("translation").classList.toggle("several", lines.filter(line => line).length > 1);
    at("translation").replaceChildren(...lines.map((line, i) => {
      const shown = make("p", {dir: "auto"}, line ? line.translation : "");
      shown.addEventListener("click", () => choose(i));
      return shown;
    }));
  }

  // ---- the selected line

  const caretLine = () => at("text").value.slice(0, at("text").selectionStart).split("\n").length - 1;

  /** Shows a line's alternatives and attention; for a blank one, the previous line's. */
  function choose(line) {
    while (line > 0 && !lines[line]) --line;
    if (!lines[line]) line = lines.findIndex(other => other);
    if (line === chosen && line >= 0) return;
    chosen = line;
    [...at("translation").children].forEach((shown, i) => {
      if (i === line) shown.setAttribute("aria-current", "true"); else shown.removeAttribute("aria-current");
    });
    showAlternatives();
    showAttention();
  }

  const ofLine = () => lines.filter(line => line).length > 1 ? `, line ${chosen + 1}` : "";

  function showAlternatives() {
    const line = lines[chosen];
    at("others").hidden = !line;
    if (!line) return;
    at("others-heading").textContent = `Alternatives${ofLine()}`;
    at("alternatives").replaceChildren(...line.all.map(({text, probability}) => make("li", {},
        make("bdi", {lang: at("to").value}, text), make("small", {}, `${percent(probability)} %`))));
  }

  async function showAttention() {
    const line = lines[chosen], shown = at("translation").children[chosen];
    at("seen").hidden = !line;
    at("doubts").textContent = "";
    attentions.forget();
    if (!line) return;
    at("seen-heading").textContent = `Attention${ofLine()}`;
    try {
      const maps = await attentions.ask({q: line.source, source: at("from").value, target: at("to").value,
                                         translation: line.translation});
      at("doubts").textContent = glossaDoubts(shown, line.translation, maps);
      const words = make("div");
      glossaWordLines(words, maps, pick);
      glossaAttention(at("picture"), maps, {...pick, between: words, onPick: other => {
        pick = other;
        glossaWordLines(words, maps, pick);
      }});
      at("blind").textContent = "";
      at("picture").hidden = false;
    } catch (error) {
      if (!complaint(error)) return;
      at("blind").textContent = `Not shown for this text: ${complaint(error)}`;
      at("picture").hidden = true;
    }
  }

  // ---- user actions

  function fitText() {
    at("text").style.height = "auto";
    at("text").style.height = `${at("text").scrollHeight + 2}px`;
  }

  at("text").addEventListener("input", () => {
    fitText();
    at("translation").classList.add("stale");
    clearTimeout(timer);
    timer = setTimeout(translate, pause);
  });
  for (const moved of ["keyup", "click"])
    at("text").addEventListener(moved, () => {
      if (!at("translation").classList.contains("stale")) choose(caretLine());
    });
  at("from").addEventListener("change", () => {
    showTargets();
    translate();
  });
  at("to").addEventListener("change", () => {
    showTargets();
    translate();
  });
  at("swap").addEventListener("click", swap);
  at("key").addEventListener("change", translate);
  for (const form of ["pair", "key-form"]) at(form).addEventListener("submit", event => event.preventDefault());
  fitText();
  translate();  // including text kept by the browser
})();
