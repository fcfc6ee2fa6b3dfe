#!/usr/bin/env python3
"""Reads a run's event files with TensorBoard's own EventAccumulator and compares them with metrics.jsonl: every figure
of every line must be found under its tag and step, and nothing else, except validations at the update from which the
run resumed. (metrics.jsonl drops the extra validation at the end of an earlier start.) Needs a run with
train.tensorboard: true.

Usage: pip install tensorboard && python3 docs/examples/tensorboard_scalars.py RUN
"""

import json
import math
import struct
import sys
from collections import Counter
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import STORE_EVERYTHING_SIZE_GUIDANCE, EventAccumulator


def single(value):
    """A figure as TensorBoard keeps it; one that is not finite is null in metrics.jsonl."""
    return None if value is None or not math.isfinite(value) else struct.unpack("f", struct.pack("f", value))[0]


def figures(records):
    """(tag, step, value) of every figure of metrics.jsonl."""
    for record in records:
        if "event" in record:
            continue
        group = "valid" if "valid_loss" in record else "train"
        for key, value in record.items():
            if key not in ("update", "at_end"):
                yield f"{group}/{key.removeprefix('valid_')}", record["update"], single(value)


def main():
    run = Path(sys.argv[1])
    events = EventAccumulator(str(run / "tensorboard"), size_guidance=STORE_EVERYTHING_SIZE_GUIDANCE).Reload()
    tags = events.Tags()
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    resumed_at = {record["update"] for record in records if record.get("event") == "resume"}
    expected = Counter(figures(records))
    steps = {(tag, step) for tag, step, _ in expected}

    def ended_a_start(tag, step):
        return tag.startswith("valid/") and step in resumed_at and (tag, step) not in steps

    found = Counter((tag, e.step, single(e.value)) for tag in tags["scalars"] for e in events.Scalars(tag)
                    if not ended_a_start(tag, e.step))
    for tag in tags["scalars"]:
        print(f"{tag:22} {len(events.Scalars(tag)):6} steps")
    for tag in tags["tensors"]:
        text = events.Tensors(tag)[-1].tensor_proto.string_val[0].decode()
        print(f"{tag:22} {len(events.Tensors(tag)):6} texts, the last: {text.split(chr(10))[0].strip()[:60]}")
    missing, surplus = expected - found, found - expected
    print(f"{sum(expected.values())} figures in metrics.jsonl, {sum(missing.values())} of which were not found, "
          f"{sum(surplus.values())} found that are not in it")
    return 1 if missing or surplus else 0


sys.exit(main())
