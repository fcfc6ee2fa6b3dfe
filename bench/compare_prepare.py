#!/usr/bin/env python3
"""Times the preparation of a corpus in glossa, in sentencepiece with multiprocessing (as fairseq-preprocess does it) and
in Hugging Face datasets, in turn on this machine, with one tokenizer. Prints seconds, MB/s and the ratios to glossa.

usage: bench/compare_prepare.py RUN PREFIX SOURCE TARGET [--glossa build/glossa] [--processes 2] [--rounds 3]

RUN: a run with a sentencepiece vocabulary, whose tokenizer all use; PREFIX.SOURCE and PREFIX.TARGET: the text. Needs
numpy, sentencepiece and datasets, and an otherwise idle machine. bench/large_corpus.py makes a large corpus.
"""

import argparse
import array
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def encode_part(task):
    """Encodes the lines of a file between two offsets; writes their ids as 16-bit numbers, returns their lengths."""
    import numpy
    import sentencepiece

    model, path, begin, end, target = task
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=model)
    lengths, block = array.array("I"), []
    with open(path, "rb") as file, open(target, "wb") as out:

        def flush():
            for ids in tokenizer.encode(block):
                lengths.append(len(ids))
                out.write(numpy.asarray(ids, numpy.uint16).tobytes())
            block.clear()

        file.seek(begin)
        while file.tell() < end:
            block.append(file.readline().decode("utf-8").rstrip("\n"))
            if len(block) == 10000:
                flush()
        flush()
    return lengths.tobytes()


def by_multiprocessing(model, paths, processes, folder):
    for path in paths:
        size, bounds = os.path.getsize(path), [0]
        with open(path, "rb") as file:
            for i in range(1, processes):
                file.seek(size * i // processes)
                file.readline()
                bounds.append(file.tell())
        bounds.append(size)
        name = f"{folder}/{Path(path).name}"
        tasks = [(model, path, bounds[i], bounds[i + 1], f"{name}.{i}") for i in range(processes)]
        with multiprocessing.Pool(processes) as pool, open(f"{name}.idx", "wb") as index, open(f"{name}.bin", "wb") as out:
            for task, lengths in zip(tasks, pool.map(encode_part, tasks)):
                index.write(lengths)
                with open(task[-1], "rb") as part:
                    shutil.copyfileobj(part, out, 1 << 20)


def by_datasets(model, paths, processes, folder):
    import datasets
    import sentencepiece

    datasets.disable_progress_bars()
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=model)
    for path in paths:
        text = datasets.load_dataset("text", data_files=str(path), split="train", cache_dir=folder)
        text.map(lambda batch: {"ids": tokenizer.encode(batch["text"])}, batched=True, num_proc=processes,
                 remove_columns=["text"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("prefix")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--glossa", default="build/glossa")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    model = f"{options.run}/sentencepiece.model"
    paths = [f"{options.prefix}.{language}" for language in (options.source, options.target)]
    megabytes = sum(map(os.path.getsize, paths)) / 1e6

    def by_glossa(folder):
        sets = {"data.train": options.prefix, "data.source": options.source, "data.target": options.target,
                "data.valid": "", "data.cache": folder, "train.warm_start": options.run,
                "runtime.threads": options.processes}
        arguments = [argument for key, value in sets.items() for argument in ("--set", f"{key}={value}")]
        subprocess.run([options.glossa, "prepare", f"{options.run}/config.yaml", *arguments], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    ways = {"glossa prepare": by_glossa,
            "sentencepiece, multiprocessing": lambda folder: by_multiprocessing(model, paths, options.processes, folder),
            "datasets.map": lambda folder: by_datasets(model, paths, options.processes, folder)}
    seconds = {name: [] for name in ways}
    for _ in range(options.rounds):
        for name, way in ways.items():
            with tempfile.TemporaryDirectory(dir=".") as folder:
                start = time.time()
                way(os.path.abspath(folder))
                seconds[name].append(time.time() - start)
                print(f"{name}: {seconds[name][-1]:.1f} s", file=sys.stderr, flush=True)
    own = statistics.median(seconds["glossa prepare"])
    for name, times in seconds.items():
        median = statistics.median(times)
        print(f"{name:32} {median:7.1f} s {megabytes / median:7.1f} MB/s {median / own:6.2f}x")


if __name__ == "__main__":
    main()
