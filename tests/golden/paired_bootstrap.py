#!/usr/bin/env python3
"""Writes paired_bootstrap.json: 50 drawn corpora, each with two systems' translations, and sacreBLEU's paired bootstrap
test of them with 10,000 resamples. Every third corpus has two or three references. Needs sacrebleu 2.6.0 and NumPy; any
Python from 3.9 draws the same corpora. Takes a minute.

Usage: pip install sacrebleu==2.6.0 && python3 tests/golden/paired_bootstrap.py > tests/golden/paired_bootstrap.json
"""

import json
import random

import numpy
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

RESAMPLES = 10000
LETTERS = "abcdefghiklmnoprstuväéß"


def changed(draw, line, words, rate):
    """The line with each word dropped, replaced, doubled or moved with the probability `rate`."""
    got = []
    for word in line.split():
        change = draw.choice(["drop", "replace", "double", "move"]) if draw.random() < rate else "keep"
        got += {"drop": [], "replace": [draw.choice(words)], "double": [word, word]}.get(change, [word])
        if change == "move":
            got.insert(draw.randrange(len(got)), got.pop())
    return " ".join(got)


def corpus(i):
    """References by text, and the translations of two systems of similar quality."""
    draw = random.Random(f"paired bootstrap {i}")
    words = ["".join(draw.choices(LETTERS, k=draw.randint(1, 6))) for _ in range(40)] + [",", "."]
    lines = [" ".join(draw.choices(words, k=draw.randint(1, 10))) for _ in range(draw.randint(2, 50))]
    further = 1 + i % 2 if i % 3 == 0 else 0
    references = [lines] + [[changed(draw, line, words, 0.2) for line in lines] for _ in range(further)]
    rates = draw.uniform(0.1, 0.5), draw.uniform(0.1, 0.5)
    return references, *([changed(draw, line, words, rate) for line in lines] for rate in rates)


def case(i):
    references, system, other = corpus(i)
    metrics = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
    _, results = PairedTest([("other", other), ("system", system)], metrics, references, "bs", RESAMPLES)()
    scores = {}
    for key, name in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        of_other, of_system = results[name]
        scores[key] = [float(x) for r in (of_system, of_other) for x in (r.score, r.mean, r.ci)] + [of_system.p_value]
    return {"system": system, "other": other, "references": references, **scores}


draws = {lines: numpy.random.default_rng(12345).choice(lines, size=200).tolist() for lines in (1, 2, 7, 1000)}
draws[3000000000] = numpy.random.default_rng(12345).choice(3000000000, size=200).tolist()
cases = ",\n".join(json.dumps(case(i), ensure_ascii=False, separators=(",", ":")) for i in range(50))
print(f'{{"resamples":{RESAMPLES},\n"draws":{json.dumps(draws, separators=(",", ":"))},\n"cases":[\n{cases}]}}')
