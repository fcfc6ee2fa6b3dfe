"use strict";

/* attention.html: shows the sentences of the page's data. */
glossaSentences(document.getElementById("sentences"),
                JSON.parse(document.getElementById("glossa-attention").textContent));
