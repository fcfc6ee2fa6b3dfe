#!/usr/bin/env python3
"""Writes metrics.json: corpora of a few lines with sacreBLEU's scores. Some are written by hand and have every setting.
295 others have many scripts, and most of them are drawn. 45 further ones have two to four references, of which some are
blank lines, read as by sacreBLEU's command. "sentences" has the scores of single lines, each against each of a corpus.
Needs sacrebleu 2.6.0; any Python from 3.9 draws the same.

Usage: pip install sacrebleu==2.6.0 && python3 tests/golden/metrics.py > tests/golden/metrics.json
"""

import json
import random

from sacrebleu import sentence_bleu, sentence_chrf
from sacrebleu.metrics import BLEU, CHRF, TER

TOKENIZERS = ["13a", "none", "char", "intl", "zh"]
TER_METRIC = TER()

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
    "Greek capitals": (
        ["ΟΔΟΣ ΟΔΟΣ. Σ ΣΑΣ ΑΣ' ΑΣ'Α Α\u0301Σ\u0301 3Σ ⅯΣ ΑΣΑ ΑΣ-", "ÅΣ İstanbul IŞIK"],
        ["οδος οδος. σ σας ας' ας'α α\u0301ς\u0301 3σ ⅿς ασα ας-", "åς istanbul ışık"],
    ),
    "not what zh takes for Chinese": (
        ["\U00020000\U0002a6d6 \U0002f800 → “quoted” — 3€ ∑…", ".5 costs 5. \u2000 \u2001\u2a6d\u2a6e 㐀䶵䶶"],
        ["\U00020000 \U0002a6d6 → “quoted” – 3 € ∑ …", ".5 costs 5 . \u2a6d \u2a6e 㐀 䶵 䶶"],
    ),
    "ends of lines": (["It was 2020. ", " .5, 6"], ["it was 2020 .", ".5 , 6"]),
    "separators": (["\u001f two\u001cwords 5.\u001d\u0085", "\u001e"], ["two words\u001e5.", "\u001c no\u001fwords"]),
    "spaces": (["  two   spaces\tand a tab  "], ["two spaces and a tab"]),
    "several lines": (
        ["A man rides a bike down the hill.", "Two children are playing in the water", "The old woman sells fruit."],
        ["A man is riding a bike down a hill.", "Two kids are playing in water.", "An old woman sells fresh fruit ."],
    ),
}


# Letters, punctuation marks, digits and other signs from which texts of a kind are drawn, and word separators.
SCRIPTS = {
    "Latin": ("aàbcčdeéèfghiïjklłmnñoöpqrsßştuüvwxyzžÀÉÖŠ", ".,;:!?'’-–«»„“\"()", "0123456789", "$€%§&@#/", " "),
    "Cyrillic": ("абвгґдежзиіїйклмнопрстуфхцчшщъыьэюяАБЖЩІ", ".,;:!?-—«»„“()", "0123456789", "№₽%", " "),
    "Greek": ("αάβγδεέζηθιίκλμνξοπρσςτυφχψωΑΒΓΔΕΣ", ".,;·!-–«»()", "0123456789", "€%", " "),
    "Armenian": ("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆԱԲ", "։՝՞՛.,", "0123456789", "֏", " "),
    "Devanagari": ("अआइउएकखगघचछजटडतथदधनपबमयरलवसहािीुूेैोौं्", "।॥,?!-", "०१२३४५६७८९0123", "₹%", " "),
    "Arabic": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي\u064b\u0651", "،؛؟.!-", "٠١٢٣٤٥٦٧٨٩012", "٪﷼", " "),
    "Hebrew": ("אבגדהוזחטיכלמנסעפצקרשתםןףץך", ".,?!-־\"״׳", "0123456789", "₪%", " "),
    "Han": ("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年", "。，、！？「」《》（）；：…", "0123456789０１２", "￥％＋", ""),
    "Kana": ("あいうえおかきくけこがぎさしすせそたちつてとなにのはひふへまみむもやゆよらりるれろわをんアイウカサタナコーン日本語人食行見", "。、！？「」『』・", "0123456789１２３", "￥〜", ""),
    "Thai": ("กขคงจฉชซญดตถทธนบปผพฟภมยรลวศสหอฮะาำเแโใไ\u0e31\u0e34\u0e35\u0e48\u0e49", "ฯๆ.,!?", "๐๑๒๓๔๕๖๗๘๙012", "฿", ""),
    "Hangul": ("가나다라마바사아자차카타파하고는을를이에서한국어말사람집", ".,!?~·“”‘’", "0123456789", "₩%", " "),
    "signs": ("abcxyz", ".,;:!?-_'\"()[]{}/\\|~^`@#&*+<=>", "0123456789", "$¢£¥©®°±×÷→←∑∞≠≤½²Ⅳ①☃✓😀", " "),
    "entities": ("abcde", ".,-", "0123456789", ["&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&amp;lt;", "&", ";"], " "),
    # White space of Python, some of it not Unicode's, and signs that only look like white space.
    "separators": (
        "abcdeäéא語", ".,", "012", "\u200b\ufeff\u180e\u0007",
        ["\u001c", "\u001d", "\u001e", "\u001f", "\u000b", "\u000c", "\u0085", "\u1680", "\u2028", "\u205f", " "],
    ),
    "spaces": ("abcdeäéא語", ".,", "012", "%", ["\u00a0", "\u3000", "\u2009", "\t", "  ", " ", " "]),
}


def drawn_corpus(draw, script, lines, most):
    """Lines of at most `most` words, and the same with words dropped, added, replaced, reversed and shifted."""
    letters, marks, digits, signs, between = SCRIPTS[script]
    words = ["".join(draw.choices(letters, k=draw.randint(1, 5))) for _ in range(draw.randint(3, 25))]

    def word():
        number = draw.choice(["", ".", ",", "-"]).join(draw.choices(digits, k=draw.randint(1, 3)))
        kinds = [draw.choice(words), draw.choice(marks), draw.choice(words) + draw.choice(marks), number,
                 number + draw.choice(marks), draw.choice(signs) + number, draw.choice(words) + draw.choice(signs)]
        return draw.choices(kinds, weights=[8, 1, 2, 1, 1, 1, 1])[0]

    def line(parts):
        return "".join(part + draw.choice(between or [""]) for part in parts).rstrip()

    hypotheses, references = [], []
    for _ in range(lines):
        wanted = [word() for _ in range(draw.randint(1, most))]
        got = list(wanted)
        for _ in range(draw.randint(0, 1 + len(got) // 4)):
            at, to = draw.randrange(len(got) + 1), draw.randrange(len(got) + 1)
            change = draw.choice(["drop", "add", "replace", "shift", "shift", "turn"])
            if change == "drop":
                del got[at : at + 1]
            elif change == "add":
                got.insert(at, word())
            elif change == "replace":
                got[at : at + 1] = [word()]
            elif change == "shift":
                phrase = got[at : at + draw.randint(1, 12)]
                del got[at : at + len(phrase)]
                got[to:to] = phrase
            else:
                got[at : at + 3] = reversed(got[at : at + 3])
        if draw.random() < 0.1:
            got = [part.swapcase() for part in got]
        hypotheses.append(line(got))
        references.append(line(wanted))
    return hypotheses, references


def drawn_corpora():
    for script in SCRIPTS:
        for i in range(18):
            draw = random.Random(f"{script} {i}")
            yield f"{script} {i}", *drawn_corpus(draw, script, draw.randint(1, 3), 14)
    # These exceed TER's beam, the distance and length of its shifts, and its number of attempts.
    for i in range(18):
        draw = random.Random(f"long {i}")
        words = "abcdefghijklmnopqrstuvwxyz"[: draw.choice([2, 5, 26])]
        wanted = draw.choices(words, k=draw.randint(60, 110))
        cut = draw.randrange(len(wanted))
        got = wanted[cut:] + wanted[: draw.randint(0, cut)]
        yield f"long {i}", [" ".join(got)], [" ".join(wanted)]
    words = [f"w{i}" for i in range(120)]
    for i in (49, 50, 51):
        yield f"a shift of {i} words", [" ".join(["x"] + words[:60])], [" ".join(words[:i] + ["x"] + words[i:60])]
    yield "one word for many", ["x"], [" ".join(words[:50] + ["x"] + words[50:])]
    for got, wanted in [("abcbbca", "bbcacba"), ("deccbae", "cecadeb")]:
        yield "the longest, the first shift", [" ".join(got)], [" ".join(wanted)]
    got, wanted = "gghfdfifcaifdffeaddbhdfbfadbehiaahacbaaf", "bfadbehiaahacbaafgghfdfifcaifdffeaddbhdf"
    yield "too many shifts to try", [" ".join(got)], [" ".join(wanted)]


def corpora_of_several():
    """Drawn corpora, each with further references: lines of the first two texts with words dropped, doubled or moved."""
    for script in SCRIPTS:
        for i in range(3):
            draw = random.Random(f"several {script} {i}")
            hypotheses, first = drawn_corpus(draw, script, draw.randint(1, 4), 12)

            def further(line):
                if draw.random() < 0.2:
                    return ""
                words = [word for word in line.split() for _ in range(draw.choice([0, 1, 1, 1, 1, 1, 2]))]
                if draw.random() < 0.3:
                    draw.shuffle(words)
                return " ".join(words)

            references = [first]
            for _ in range(i + 1):
                references.append([further(draw.choice(lines)) for lines in zip(hypotheses, first)])
            draw.shuffle(references)
            yield f"{script} {i}", hypotheses, references


def case_of_several(name, hypotheses, references):
    metrics = {tokenizer: BLEU(tokenize=tokenizer) for tokenizer in TOKENIZERS}
    bleu = [metric.corpus_score(hypotheses, references) for metric in metrics.values()]
    chrf, ter = CHRF(), TER()
    return {
        "name": name,
        "hypotheses": hypotheses,
        "references": references,
        "bleu": [score.score for score in bleu],
        "reference_lengths": [score.ref_len for score in bleu],
        "chrf": chrf.corpus_score(hypotheses, references).score,
        "ter": ter.corpus_score(hypotheses, references).score,
        "signatures": [str(m.get_signature()).rsplit("|", 1)[0] for m in (metrics["13a"], chrf, ter)],
    }


def drawn_case(name, hypotheses, references):
    metrics = {tokenizer: BLEU(tokenize=tokenizer) for tokenizer in TOKENIZERS}
    return {
        "name": name,
        "hypotheses": hypotheses,
        "references": references,
        "tokens": [" ".join(metric.tokenizer(hypotheses[0].rstrip()).split()) for metric in metrics.values()],
        "bleu": [metric.corpus_score(hypotheses, [references]).score for metric in metrics.values()],
        "chrf": CHRF().corpus_score(hypotheses, [references]).score,
        "ter": TER_METRIC.corpus_score(hypotheses, [references]).score,
    }


def sentence_case(name, texts):
    return {
        "name": name,
        "texts": texts,
        "bleu": [[sentence_bleu(text, [reference]).score for reference in texts] for text in texts],
        "chrf": [[sentence_chrf(text, [reference]).score for reference in texts] for text in texts],
    }


def bleu_case(options, hypotheses, references):
    metric = BLEU(**options)
    score = metric.corpus_score(hypotheses, [references])
    return {
        "tokenizer": options.get("tokenize", "13a"),
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
    {"tokenize": "none"},
    {"tokenize": "char"},
    {"tokenize": "intl", "lowercase": True},
    {"tokenize": "zh"},
]

cases = []
for name, (hypotheses, references) in CORPORA.items():
    cases.append(
        {
            "name": name,
            "hypotheses": hypotheses,
            "references": references,
            "tokens": [
                [" ".join(BLEU(tokenize=tokenizer).tokenizer(line.rstrip()).split()) for line in hypotheses]
                for tokenizer in TOKENIZERS
            ],
            "bleu": [bleu_case(options, hypotheses, references) for options in BLEU_OPTIONS],
            "chrf": [chrf_case(lowercase, hypotheses, references) for lowercase in (False, True)],
            "ter": TER_METRIC.corpus_score(hypotheses, [references]).score,
        }
    )
drawn = [drawn_case(*corpus) for corpus in drawn_corpora()]
several = [case_of_several(*corpus) for corpus in corpora_of_several()]
of_sentences = [(name, *texts) for name, texts in CORPORA.items()] + list(drawn_corpora())[::7]
sentences = [sentence_case(name, hypotheses + references) for name, hypotheses, references in of_sentences]
golden = {
    "tokenizers": TOKENIZERS,
    "spaces": [c for c in range(0x110000) if not chr(c).split()],
    "ter_signature": str(TER_METRIC.get_signature()).rsplit("|", 1)[0],
}


def lines_of(cases):
    return "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases) + "\n]"


print(json.dumps(golden)[:-1] + f',\n"cases": {lines_of(cases)},\n"drawn": {lines_of(drawn)},')
print(f'"several": {lines_of(several)},\n"sentences": {lines_of(sentences)}}}')
