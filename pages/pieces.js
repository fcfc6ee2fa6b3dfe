"use strict";

/* Formats of tokens, common to all pages.

     glossaPieces.labels(tokens)     a label for each: a piece that continues a word begins with a dot
     glossaPieces.text(tokens)       the sentence that the tokens form
     glossaPieces.words(tokens)      the sentence's words: {text, tokens}; `tokens` are the indices of a word's tokens
     glossaPieces.isSpecial(token)   true for </s> and the like
     glossaPieces.hint(tokens)       explains the signs in their labels; empty if they have none */
window.glossaPieces = (() => {
  const space = "\u2581";  // marks a space in pieces and characters

  const isSpecial = token => /^<[^<>\s]+>$/.test(token);
  const areSubwords = tokens => tokens.some(token => token.length > 1 && token.startsWith(space));

  function labels(tokens) {
    const subwords = areSubwords(tokens);
    return tokens.map(token => {
      if (isSpecial(token)) return token;
      if (token.trim() === "" || token === space) return "\u2423";
      const text = token.replaceAll(space, " ").trim();
      return subwords && !token.startsWith(space) ? "\u00b7" + text : text;
    });
  }

  function words(tokens) {
    const shown = [...tokens.keys()].filter(i => tokens[i] !== "<s>" && tokens[i] !== "</s>");
    const joined = shown.some(i => tokens[i].includes(space)) || shown.every(i => [...tokens[i]].length === 1);
    const found = [];
    let begins = true;
    for (const i of shown) {
      const text = !joined || isSpecial(tokens[i]) ? ` ${tokens[i]} ` : tokens[i].replaceAll(space, " ");
      for (const part of text.split(/( )/)) {
        if (part === " ") begins = true;
        else if (part !== "") {
          if (begins) found.push({text: "", tokens: []});
          found[found.length - 1].text += part;
          found[found.length - 1].tokens.push(i);
          begins = false;
        }
      }
    }
    return found;
  }

  const text = tokens => words(tokens).map(word => word.text).join(" ");

  function hint(tokens) {
    const signs = [areSubwords(tokens) && "\u00b7 continues a word",
                   labels(tokens).includes("\u2423") && "\u2423 is a space",
                   tokens.includes("</s>") && "</s> ends the sentence",
                   tokens.includes("<unk>") && "<unk> is unknown to the model"];
    return signs.filter(Boolean).join(", ");
  }

  return {labels, text, words, isSpecial, hint};
})();
