"use strict";

/* attention.html: shows the sentence that the reader chooses from the page's data. The picked part, layer and head
   also apply to the next one. */
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
