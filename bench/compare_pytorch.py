#!/usr/bin/env python3
"""Times a training step of glossa and PyTorch in turn on this machine. Prints the ratios of time and peak memory to
PyTorch's faster variant.

usage: bench/compare_pytorch.py [--bench build/glossa-bench] [--precision float|bf16] [--threads 2] [--rounds 5]
                                [--variants eager,compiled,eager-bf16,compiled-bf16] [CONFIG ...]

With --precision bf16, glossa computes in bf16, and PyTorch in each variant: in float, and with autocast to bfloat16.
CONFIG: seed, tiny, small, base, opus (default: all). Needs torch (pip install torch==2.13.0) and an idle machine.
Both run the same model: nn.Transformer with dropout 0.1, separate embeddings (one table in opus) scaled by sqrt(width),
sinusoidal positions, cross-entropy that ignores padding, Adam with a learning rate of 1e-3 (fused in PyTorch).
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys

SHAPES = {  # batch, source, target, vocabulary, width, heads, feed-forward, layers
    "seed": (4, 20, 15, 1000, 256, 4, 1024, 3),
    "tiny": (128, 16, 16, 8000, 128, 4, 256, 4),
    "small": (64, 16, 16, 8000, 256, 8, 1024, 3),
    "base": (16, 32, 32, 8000, 512, 8, 2048, 6),
    "opus": (16, 64, 64, 60000, 512, 8, 2048, 6),
}


def pytorch_step(config, threads, variant, steps):
    """Prints one JSON line: median and minimum milliseconds of a step, peak memory in MiB."""
    import resource
    import time

    import torch
    from torch import nn

    sentences, source, target, vocabulary, width, heads, feed_forward, layers = SHAPES[config]
    torch.set_num_threads(threads)
    torch.manual_seed(1)

    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.source = nn.Embedding(vocabulary, width)
            self.target = nn.Embedding(vocabulary, width)
            self.dropout = nn.Dropout(0.1)
            self.transformer = nn.Transformer(width, heads, layers, layers, feed_forward, 0.1, batch_first=True)
            self.generator = nn.Linear(width, vocabulary, bias=False)
            if config == "opus":
                self.source.weight = self.target.weight = self.generator.weight
            position = torch.arange(512, dtype=torch.float32)[:, None]
            rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000) / width))
            table = torch.zeros(512, width)
            table[:, 0::2] = torch.sin(position * rate)
            table[:, 1::2] = torch.cos(position * rate)
            self.register_buffer("positions", table)

        def embed(self, table, ids):
            return self.dropout(table(ids) * math.sqrt(width) + self.positions[: ids.shape[1]])

        def forward(self, source_ids, target_ids):
            length = target_ids.shape[1]
            causal = torch.triu(torch.full((length, length), float("-inf")), 1)
            padding = source_ids == 0
            states = self.transformer(
                self.embed(self.source, source_ids), self.embed(self.target, target_ids), tgt_mask=causal,
                src_key_padding_mask=padding, memory_key_padding_mask=padding)
            return self.generator(states)

    model = Translator().train()
    forward = torch.compile(model) if variant.startswith("compiled") else model
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    source_ids = torch.randint(1, vocabulary, (sentences, source))
    target_ids = torch.randint(1, vocabulary, (sentences, target + 1))

    def step():
        adam.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=variant.endswith("bf16")):
            logits = forward(source_ids, target_ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), target_ids[:, 1:].flatten(), ignore_index=0)
        loss.backward()
        adam.step()

    for _ in range(3):
        step()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append(1000 * (time.perf_counter() - start))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"ms_median": statistics.median(times), "ms_min": min(times), "peak_rss_mb": memory}))


def run(command):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "GOMP_"))}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(config, options):
    steps = "5" if config in ("base", "opus") else "15"
    variants = "eager,compiled" + (",eager-bf16,compiled-bf16" if options.precision == "bf16" else "")
    rounds = {"glossa": []} | {variant: [] for variant in (options.variants or variants).split(",")}
    for _ in range(options.rounds):
        for name, results in rounds.items():
            if name == "glossa":
                results.append(run([options.bench, "step", "--config", config, "--precision",
                                    options.precision, "--threads", str(options.threads), "--steps", steps, "--json"]))
            else:
                results.append(run([sys.executable, __file__, "--peer", name, "--threads", str(options.threads),
                                    "--steps", steps, config]))
    middle = {name: statistics.median(r["ms_median"] for r in results) for name, results in rounds.items()}
    memory = {name: statistics.median(r["peak_rss_mb"] for r in results) for name, results in rounds.items()}
    peers = [name for name in rounds if name != "glossa"]
    best = min(peers, key=middle.get)
    line = {"config": config, "precision": options.precision, "threads": options.threads}
    line |= {"glossa_ms": round(middle["glossa"], 1)}
    line |= {f"{name}_ms": round(middle[name], 1) for name in peers}
    line |= {"ratio": round(middle[best] / middle["glossa"], 2), "glossa_mb": round(memory["glossa"])}
    line |= {f"{name}_mb": round(memory[name]) for name in peers}
    line |= {"memory_ratio": round(memory["glossa"] / memory[best], 3)}
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", choices=[[], *SHAPES], metavar="CONFIG")
    parser.add_argument("--bench", default="build/glossa-bench")
    parser.add_argument("--precision", choices=["float", "bf16"], default="float")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--variants", help="default: all of the precision")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    configs = options.configs or list(SHAPES)
    for config in configs:
        if options.peer:
            pytorch_step(config, options.threads, options.peer, options.steps)
        else:
            compare(config, options)


if __name__ == "__main__":
    main()
