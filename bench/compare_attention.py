#!/usr/bin/env python3
"""Times self-attention over one sequence, forward and backward, in glossa and PyTorch (scaled_dot_product_attention) in
turn on this machine. Prints the minimum milliseconds of each, and the ratio of PyTorch to glossa.

usage: bench/compare_attention.py [--bench build/glossa-bench] [--threads 2] [--rounds 5] [LENGTH ...]

LENGTH: tokens (default: 256 1024 4096); 8 heads, width 512, no dropout, plain and causal. Needs torch (pip install
torch==2.13.0) and an otherwise idle machine.
"""

import argparse
import json
import os
import subprocess
import sys
import time


def steps_of(length):
    return max(3, 20000 // length)


def pytorch(length, causal, threads):
    """Prints one JSON line: median milliseconds forward and backward."""
    import statistics

    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, 8, length, 64, requires_grad=True) for _ in range(3))
    cotangent = torch.randn(1, 8, length, 64)
    forward, backward = [], []
    for _ in range(steps_of(length) + 2):
        q.grad = k.grad = v.grad = None
        start = time.perf_counter()
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        middle = time.perf_counter()
        y.backward(cotangent)
        forward.append(middle - start)
        backward.append(time.perf_counter() - middle)
    ms = [1000 * statistics.median(times[2:]) for times in (forward, backward)]
    print(json.dumps({"ms_forward": ms[0], "ms_backward": ms[1]}))


def outcome(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", default="build/glossa-bench")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pytorch", nargs=2, type=int, metavar=("LENGTH", "CAUSAL"), help=argparse.SUPPRESS)
    parser.add_argument("lengths", nargs="*", type=int, default=[256, 1024, 4096])
    arguments = parser.parse_args()
    if arguments.pytorch:
        pytorch(arguments.pytorch[0], bool(arguments.pytorch[1]), arguments.threads)
        return
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    threads = ["--threads", str(arguments.threads)]
    for length in arguments.lengths:
        for causal in (False, True):
            glossa = [arguments.bench, "attention", "--json", "--length", str(length), *threads,
                      "--steps", str(steps_of(length))] + (["--causal"] if causal else [])
            torch = [sys.executable, __file__, *threads, "--pytorch", str(length), str(int(causal))]
            runs = [(outcome(glossa), outcome(torch)) for _ in range(arguments.rounds)]
            line = f"{length:5} {'causal' if causal else '      '}"
            for part in ("ms_forward", "ms_backward"):
                ours, theirs = (min(run[side][part] for run in runs) for side in (0, 1))
                line += f"  {part[3:]}: glossa {ours:.2f} ms, PyTorch {theirs:.2f} ms, {theirs / ours:.2f}x"
            print(f"{line}  glossa's memory {runs[0][0]['peak_mb']:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
