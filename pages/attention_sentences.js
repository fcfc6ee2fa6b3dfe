"use strict";

/* The attention of several sentences: a sentence chooser, the sentence's texts, and the picture. The picked part, layer
   and head also apply to the next sentence.

     glossaSentences(element, sentences)   draws outputs of `glossa attention --json` into `element` */
window.glossaSentences = (element, sentences) => {
  const make = window.glossaMake;
  const source = maps => maps.text || glossaPieces.text(maps.source);
  const select = make("select", {id: "sentence"},
                      sentences.map((maps, i) => make("option", {}, `${maps.line || i + 1}: ${source(maps)}`)));
  const choice = make("p", {class: "attention-sentence"}, make("label", {class: "field"}, "Sentence", select));
  const texts = ["source", "translation"].map(id => make("dd", {id, dir: "auto"}));
  const doubts = make("dd", {class: "attention-doubts"});
  const picture = make("div");
  let pick = {};

  function show() {
    const maps = sentences[select.selectedIndex];
    texts[0].textContent = source(maps);
    doubts.textContent = glossaDoubts(texts[1], maps.translation || glossaPieces.text(maps.output), maps);
    glossaAttention(picture, maps, {...pick, onPick: chosen => { pick = chosen; }});
  }

  choice.hidden = sentences.length < 2;
  element.replaceChildren(choice, make("dl", {class: "attention-pair"}, make("dt", {}, "Source"), texts[0],
                                       make("dt", {}, "Translation"), texts[1], doubts), picture);
  select.addEventListener("change", show);
  if (sentences.length > 0) show();
};
