"use strict";

/* attention.html: of the sentences in the page's data, the one that the reader chooses. What was picked in one, part,
   layer and head, is shown of the next as well. */
(() => {
  const sentences = JSON.parse(document.getElementById("glossa-attention").textContent);
  const select = document.getElementById("sentence");
  const source = maps => maps.text || glossaAttention.text(maps.source);
  let pick = {};

  function show() {
    const maps = sentences[select.selectedIndex];
    document.getElementById("source").textContent = source(maps);
    document.getElementById("translation").textContent = maps.translation || glossaAttention.text(maps.output);
    glossaAttention(document.getElementById("picture"), maps, {...pick, onPick: chosen => { pick = chosen; }});
  }

  sentences.forEach((maps, i) => select.append(new Option(`${maps.line || i + 1}: ${source(maps)}`)));
  document.getElementById("choice").hidden = sentences.length < 2;
  select.addEventListener("change", show);
  if (sentences.length > 0) show();
})();
