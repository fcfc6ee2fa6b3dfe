"use strict";
/* The changes between two texts, word by word. `glossaWords.changes(before, now)` returns the pieces of `now` in order,
   each {text, changed}, and {gone} for words removed without replacement. A space before a changed piece belongs to the
   unchanged one before it. */
(() => {
  const alone = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  const pattern = new RegExp(`[${alone}]\\p{M}*|[^\\s${alone}]+`, "gu");  // scripts without spaces: sign by sign

  /** Returns the words of a text, each with a flag for a space before it. */
  function words(text) {
    return [...text.matchAll(pattern)].map((match) => ({ word: match[0], space: match.index > 0 && /\s/u.test(text[match.index - 1]) }));
  }

  /** Returns lengths[i][j], the number of words in the longest common subsequence of a[i..] and b[j..]. */
  function commonLengths(a, b) {
    const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; --i)
      for (let j = b.length - 1; j >= 0; --j)
        lengths[i][j] = a[i].word === b[j].word ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    return lengths;
  }

  function changes(before, now) {
    const [a, b] = [words(before).slice(0, 400), words(now).slice(0, 400)];
    const common = commonLengths(a, b);
    const pieces = [];
    let [i, gone, came] = [0, [], false];
    const settle = () => {
      if (gone.length > 0 && !came) pieces.push({ gone: gone.join(" ") });
      [gone, came] = [[], false];
    };
    const append = (text, changed) => {
      const before = pieces[pieces.length - 1];
      if (before?.text !== undefined && before.changed === changed) before.text += text;
      else pieces.push({ text, changed });
    };
    const add = ({ word, space }, changed) => {
      const joins = changed && pieces[pieces.length - 1]?.changed;
      if (space && !joins) append(" ", false);
      append((space && joins ? " " : "") + word, changed);
    };
    b.forEach((piece, j) => {
      while (i < a.length && a[i].word !== piece.word && common[i + 1][j] >= common[i][j + 1]) gone.push(a[i++].word);
      if (i < a.length && a[i].word === piece.word && common[i][j] === common[i + 1][j + 1] + 1) {
        settle();
        add(piece, false);
        ++i;
      } else {
        add(piece, true);
        came = true;
      }
    });
    while (i < a.length) gone.push(a[i++].word);
    settle();
    return pieces;
  }

  window.glossaWords = { changes };
})();
