#!/usr/bin/env python3
"""Writes metrics.json: corpora of a few lines with the scores that sacreBLEU gives them. Needs sacrebleu 2.x.

Usage: python3 tests/golden/metrics.py > tests/golden/metrics.json
"""

import json

from sacrebleu.metrics import BLEU, CHRF

CORPORA = {
    "identical": (["The cat sat on the mat."], ["The cat sat on the mat."]),
    "nothing shared": (["alpha beta gamma delta"], ["one two three four"]),
    "no four-gram": (["a red house stands there"], ["a red home stands here"]),
    "too short": (["yes", "no no"], ["yes", "no"]),
    "brevity": (["a small dog runs"], ["a small brown dog runs over the wide green field"]),
    "clipping": (["the the the the the the the"], ["the cat is on the mat"]),
    "empty lines": (["", "she reads a long book", ""], ["", "she reads a long book today", "lost"]),
    "all empty": (["", ""], ["some words", "more words"]),
    "case": (["Der Hund läuft ÜBER die Straße"], ["der Hund läuft über die straße"]),
    "numbers": (
        ["It costs 3.14, not 1,000.50; see 20-30 and -5.", "v1.2.3, 5. and .5 ,6"],
        ["It costs 3,14, not 1,000.5; see 20 - 30 and -5 .", "v1.2.3 , 5 . and .5 , 6"],
    ),
    "punctuation": (
        ["Wait... what?! (yes) [no] {so} a/b @c #d $e 50% x_y ~z `q` ^r |s| \\t", "don't - well-known,,, end.."],
        ["Wait ... what ?! (yes) [no] {so} a / b @c # d $e 50 % x_y ~ z `q` ^ r | s | \\ t", "don't -- well-known, end."],
    ),
    "entities": (
        ["&quot;quoted&quot; &amp; &lt;b&gt; &amp;lt; <skipped>kept"],
        ["\"quoted\" & <b> &lt; kept"],
    ),
    "unicode": (
        ["नमस्ते विश्व, आप कैसे हैं?", "「日本語」 ですか。", "e\u0301te\u0301 \u00e9t\u00e9\u00a0fin\u2003end 😀"],
        ["नमस्ते विश्व आप कैसी हैं ?", "「日本語」 です。", "\u00e9t\u00e9 \u00e9t\u00e9 fin end 😀😀"],
    ),
    "spaces": (["  two   spaces\tand a tab  "], ["two spaces and a tab"]),
    "several lines": (
        ["A man rides a bike down the hill.", "Two children are playing in the water", "The old woman sells fruit."],
        ["A man is riding a bike down a hill.", "Two kids are playing in water.", "An old woman sells fresh fruit ."],
    ),
}


def bleu_case(options, hypotheses, references):
    metric = BLEU(**options)
    score = metric.corpus_score(hypotheses, [references])
    return {
        "lowercase": options.get("lowercase", False),
        "smoothing": options.get("smooth_method", "exp"),
        "smoothing_value": options.get("smooth_value", 0),
        "effective_order": options.get("effective_order", False),
        "signature": str(metric.get_signature()).rsplit("|", 1)[0],
        "score": score.score,
        "precisions": score.precisions,
        "brevity_penalty": score.bp,
        "ratio": score.ratio,
        "hypothesis_length": score.sys_len,
        "reference_length": score.ref_len,
    }


def chrf_case(lowercase, hypotheses, references):
    metric = CHRF(lowercase=lowercase)
    score = metric.corpus_score(hypotheses, [references]).score
    return {"lowercase": lowercase, "signature": str(metric.get_signature()).rsplit("|", 1)[0], "score": score}


BLEU_OPTIONS = [
    {},
    {"lowercase": True},
    {"effective_order": True},
    {"smooth_method": "floor"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k", "effective_order": True},
    {"smooth_method": "none"},
]

cases = []
for name, (hypotheses, references) in CORPORA.items():
    cases.append(
        {
            "name": name,
            "hypotheses": hypotheses,
            "references": references,
            "tokens_13a": [BLEU().tokenizer(line.rstrip()) for line in hypotheses],
            "bleu": [bleu_case(options, hypotheses, references) for options in BLEU_OPTIONS],
            "chrf": [chrf_case(lowercase, hypotheses, references) for lowercase in (False, True)],
        }
    )
print("[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]")
