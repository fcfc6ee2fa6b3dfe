"use strict";

/* The translator: translates text line by line as it is typed. For the sentence at the caret, it shows the
   alternatives and the model's attention. It contacts only its own server: /languages, /models, /translate and
   /attention. */
(() => {
  const pause = 200;      // milliseconds without a key press before a request
  const alternatives = 3;
  const mostUnknown = 20;  // maximum number of unknown words to name
  const at = id => document.getElementById(id);
  const make = window.glossaMake;

  let languages = [];  // from the server: {code, name, targets}
  let models = [];     // from the server: {source, target, trainedOn, parameters, update, bleu, chrf, validationBeam}
  let lines = [];      // one per line: {translation, sentences} from the server's answer; null without a sentence
  let chosen = null;   // the selected sentence: {line, at}; `at` is its index within the line
  let pick = {};       // part, layer and head chosen in the picture
  let timer = 0;

  /** Returns an object whose `ask` sends a request, by POST if it has a body. `ask` cancels the object's previous
      request, so that no late answer is shown. */
  function asker(path) {
    let running = null;
    return {
      async ask(body) {
        this.forget();
        const mine = running = new AbortController();
        if (body && at("key").value) body.api_key = at("key").value;
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

  /** Returns the message for an error; nothing if a later request canceled this one. */
  function complaint(error) {
    if (error.name === "AbortError") return "";
    return error instanceof TypeError ? "The server does not answer. Is it still running?" : error.message;
  }

  const {percent} = glossaAttention;
  const duration = ms => ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;

  // ---- languages

  /** Returns a language's name, from the server or otherwise from the browser. */
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
      scores.length ? `. Validation with beam ${model.validationBeam}: ${scores.join(", ")}.` : ".",
    ].join("");
  }

  async function loadLanguages() {
    [languages, models] = await Promise.all([asker("languages").ask(), asker("models").ask()]);
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
    const isFresh = !at("translation").classList.contains("stale");  // otherwise it belongs to another text
    if (isFresh && lines.some(line => line)) at("text").value = lines.map(line => line ? line.translation : "").join("\n");
    translate();
  }

  // ---- translation

  /** Returns the position in a text at which each of its successive parts begins. */
  function beginnings(text, parts) {
    let from = 0;
    return parts.map(part => {
      const at = Math.max(from, text.indexOf(part, from));
      from = at + part.length;
      return at;
    });
  }

  /** Returns the lines' translations. A sentence begins at `from` in the source and at `to` in its translation. */
  async function translated(text) {
    const sources = text.split("\n");
    const full = sources.filter(line => line.trim());
    const answer = await translations.ask({q: full, source: at("from").value, target: at("to").value, format: "text",
                                           alternatives, sentences: true});
    let next = 0;
    return sources.map(source => {
      if (!source.trim()) return null;
      const i = next++;
      const translation = answer.translatedText[i], sentences = answer.sentences[i];
      const from = beginnings(source.replace(/\s/g, " "), sentences.map(sentence => sentence.source));
      const to = beginnings(translation, sentences.map(sentence => sentence.translations[0].text));
      if (!sentences.length) return null;  // only invisible characters
      return {translation, sentences: sentences.map((sentence, k) => ({...sentence, from: from[k], to: to[k]}))};
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
      showUnknown();
      chosen = null;
      chooseAtCaret();
    } catch (error) {
      at("error").textContent = complaint(error) || at("error").textContent;
    }
  }

  /** Makes a line's translation, in which a click selects a sentence. */
  function shownLine(line, i) {
    const shown = make("p", {dir: "auto"});
    if (!line) return shown;
    let end = 0;
    line.sentences.forEach(({to, translations: [best]}, k) => {
      const sentence = make("span", {class: "sentence"});
      glossaDoubts(sentence, best.text, best);
      sentence.addEventListener("click", () => choose(i, k));
      shown.append(line.translation.slice(end, to), sentence);
      end = to + best.text.length;
    });
    shown.append(line.translation.slice(end));
    return shown;
  }

  function showTranslation() {
    at("translation").classList.toggle("several", lines.flatMap(line => line ? line.sentences : []).length > 1);
    at("translation").replaceChildren(...lines.map(shownLine));
  }

  function showUnknown() {
    const words = [...new Set(lines.flatMap(line => line ? line.sentences.flatMap(sentence => sentence.unknown) : []))];
    const named = words.slice(0, mostUnknown).flatMap((word, i) => [i > 0 ? ", " : "", "\u2018", make("bdi", {}, word), "\u2019"]);
    const more = words.length > mostUnknown ? ` and ${words.length - mostUnknown} more` : "";
    at("unknown").replaceChildren(...(words.length ? ["Unknown to the model: ", ...named, `${more}.`] : []));
  }

  // ---- the selected sentence

  /** Selects the sentence at the caret; in a blank line, the sentence before it. */
  function chooseAtCaret() {
    const before = at("text").value.slice(0, at("text").selectionStart).split("\n");
    let line = before.length - 1, column = before[line].length;
    while (line > 0 && !lines[line]) [line, column] = [line - 1, Infinity];
    if (!lines[line]) [line, column] = [lines.findIndex(other => other), 0];
    choose(line, line < 0 ? 0 : Math.max(0, lines[line].sentences.findLastIndex(({from}) => from <= column)));
  }

  const sentence = () => chosen && lines[chosen.line].sentences[chosen.at];

  /** Shows a sentence's alternatives and attention; hides them if the line is -1. */
  function choose(line, k) {
    if (chosen && line === chosen.line && k === chosen.at) return;
    chosen = line < 0 ? null : {line, at: k};
    for (const shown of at("translation").querySelectorAll("[aria-current]")) shown.removeAttribute("aria-current");
    if (chosen) at("translation").children[line].querySelectorAll(".sentence")[k].setAttribute("aria-current", "true");
    showAlternatives();
    showAttention();
  }

  /** Names the sentence, if the text has several. */
  function ofSentence() {
    return [lines.filter(line => line).length > 1 ? `, line ${chosen.line + 1}` : "",
            lines[chosen.line].sentences.length > 1 ? `, sentence ${chosen.at + 1}` : ""].join("");
  }

  function showAlternatives() {
    at("others").hidden = !chosen;
    if (chosen) {
      at("others-heading").textContent = `Alternatives${ofSentence()}`;
      const all = [...sentence().translations].sort((a, b) => b.tokenProbability - a.tokenProbability);
      at("alternatives").replaceChildren(...all.map(each => {
        const text = make("bdi", {lang: at("to").value});
        glossaDoubts(text, each.text, each);
        return make("li", {}, text, make("small", {}, `${percent(each.tokenProbability)} %`));
      }));
    }
    const isDoubtful = chosen && document.querySelector("#translation .doubt, #alternatives .doubt");
    at("doubts").textContent = isDoubtful ? glossaDoubts.explanation : "";
  }

  async function showAttention() {
    at("seen").hidden = !chosen;
    attentions.forget();
    if (!chosen) return;
    at("seen-heading").textContent = `Attention${ofSentence()}`;
    try {
      const maps = await attentions.ask({q: sentence().source, source: at("from").value, target: at("to").value,
                                         translation: sentence().translations[0].text});
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
      if (!at("translation").classList.contains("stale")) chooseAtCaret();
    });
  for (const side of ["from", "to"])
    at(side).addEventListener("change", () => {
      showTargets();
      translate();
    });
  at("swap").addEventListener("click", swap);
  at("key").addEventListener("change", translate);
  for (const form of ["pair", "key-form"]) at(form).addEventListener("submit", event => event.preventDefault());
  fitText();
  translate();  // including text kept by the browser
})();
