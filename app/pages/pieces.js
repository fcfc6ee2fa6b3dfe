"use strict";

/* Tokens as every page shows them.

     glossaPieces.labels(tokens)     a label for each: a piece that continues a word begins with a dot
     glossaPieces.text(tokens)       their sentence
     glossaPieces.isSpecial(token)   true for </s> and the like
     glossaPieces.hint(tokens)       explains the dots of their labels; empty if they have none */
window.glossaPieces = (() => {
  const space = "\u2581";  // a space in pieces and characters

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

  function text(tokens) {
    const words = tokens.filter(token => token !== "<s>" && token !== "</s>");
    const joined = words.some(token => token.includes(space)) || words.every(token => [...token].length === 1);
    if (!joined) return words.join(" ");
    return words.map(token => isSpecial(token) ? ` ${token} ` : token.replaceAll(space, " ")).join("")
        .replace(/ +/g, " ").trim();
  }

  const hint = tokens => areSubwords(tokens) ? "\u00b7 continues a word" : "";

  return {labels, text, isSpecial, hint};
})();
