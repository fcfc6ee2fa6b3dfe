#!/usr/bin/env python3
"""Makes a large corpus by sampling and joining the sentence pairs of a small one.

usage: bench/large_corpus.py PREFIX SOURCE TARGET PAIRS OUT [SEED]

Reads PREFIX.SOURCE and PREFIX.TARGET (or .gz), and writes OUT.SOURCE and OUT.TARGET with PAIRS lines. A line joins 1 to 4
sentences (1: 1/3, 2: 1/3, 3: 1/6, 4: 1/6), so most lines of two or more sentences are unique. Prints the share of pairs
that repeat an earlier one.
"""

import gzip
import random
import sys
from pathlib import Path


def lines(prefix: str, language: str) -> list[str]:
    path = Path(f"{prefix}.{language}")
    data = path.read_bytes() if path.exists() else gzip.decompress(Path(f"{path}.gz").read_bytes())
    return data.decode("utf-8").split("\n")[:-1]


def main() -> None:
    prefix, source, target, pairs, out = sys.argv[1:6]
    chance = random.Random(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    texts = [lines(prefix, source), lines(prefix, target)]
    count, seen, repeated = len(texts[0]), set(), 0
    with open(f"{out}.{source}", "w") as first, open(f"{out}.{target}", "w") as second:
        for _ in range(int(pairs)):
            chosen = tuple(chance.randrange(count) for _ in range(chance.choice((1, 1, 2, 2, 3, 4))))
            if len(chosen) == 1:  # lines of several sentences hardly ever repeat
                repeated += chosen in seen
                seen.add(chosen)
            for file, text in zip((first, second), texts):
                file.write(" ".join(text[i] for i in chosen) + "\n")
    print(f"{pairs} pairs, {100 * repeated / int(pairs):.1f} % repeat an earlier one")


if __name__ == "__main__":
    main()
