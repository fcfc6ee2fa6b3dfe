#!/usr/bin/env python3
"""Writes event_files.tfevents: events of every kind that glossa writes, made by TensorBoard's own messages and record
writer. Needs tensorboard 2; the bytes depend only on its message definitions.

Usage: pip install tensorboard==2.21.0 && python3 tests/golden/event_files.py > tests/golden/event_files.tfevents
"""

import sys

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


def scalars(**values):
    return summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag=tag.replace("__", "/"), simple_value=v) for tag, v in values.items()]
    )


def text(tag, content):
    tensor = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING,
        tensor_shape=tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]),
        string_val=[content.encode()],
    )
    metadata = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name="text"),
        data_class=summary_pb2.DATA_CLASS_TENSOR,
    )
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, tensor=tensor, metadata=metadata)])


Event = event_pb2.Event
START = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
EVENTS = [
    Event(wall_time=1.5, file_version="brain.Event:2"),
    Event(wall_time=1700000000.125, step=3_000_000_001, session_log=START),
    Event(wall_time=2, summary=text("configuration", "    train:\n      seed: 1\n")),
    Event(wall_time=3, step=50, summary=scalars(train__loss=2.5, train__lr=1e-3, train__zero=0.0, train__big=-1e30)),
    Event(wall_time=4, step=300, summary=scalars(valid__loss=float("inf"))),
    Event(wall_time=5, step=300, summary=text("samples/1", "    source     " + "नमस्ते " * 100)),
]


class Unclosed:
    """RecordWriter's file."""

    write = staticmethod(sys.stdout.buffer.write)
    flush = staticmethod(sys.stdout.buffer.flush)


def main():
    writer = RecordWriter(Unclosed)
    for event in EVENTS:
        writer.write(event.SerializeToString(deterministic=True))
    writer.flush()


main()
