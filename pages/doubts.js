"use strict";

/* A translation with signs of doubt: marks words with a probability below one half.

     glossaDoubts(element, text, {output, probabilities})   fills `element` with the text; its tokens are as in the maps
                                                            of attention.js. Returns an explanation of the marks, empty
                                                            if there are none
     glossaDoubts.explanation                               that explanation of the marks */
window.glossaDoubts = (() => {
  const make = window.glossaMake;
  const sure = 0.5;
  const explanation = "Dotted words are guesses: the model gave each of them less than 50 %.";

  /** Returns a word's probability given the words before it: the product over its tokens. */
  const probability = (word, probabilities) =>
      word.tokens.reduce((product, token) => product * (probabilities[token] ?? 1), 1);

  function fill(element, text, {output, probabilities = []}) {
    const words = glossaPieces.words(output);
    element.textContent = text;
    if (words.map(word => word.text).join(" ") !== text) return "";  // the text has different spaces
    const shares = words.map(word => probability(word, probabilities));
    if (shares.every(share => share >= sure)) return "";
    element.replaceChildren(...words.flatMap(({text: word}, i) => [
      i > 0 ? " " : "",
      shares[i] >= sure ? word : make("span", {class: "doubt", title: `${glossaAttention.percent(shares[i])} %`}, word),
    ]));
    return explanation;
  }

  return Object.assign(fill, {explanation});
})();
