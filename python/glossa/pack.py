"""Token ids of several sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from glossa._glossa import Rows
from glossa.errors import misuse
from glossa.typing import IdsLike


class Pack:
    """Sentences as token ids, concatenated without padding: `ids` [N], and `rows`, the place of each sentence in `ids`.

    Layers that take ids also accept a Pack; their results have one row per id.
    """

    def __init__(self, ids: npt.NDArray[np.int32], rows: Rows) -> None:
        self.ids = ids
        self.rows = rows

    @property
    def sentences(self) -> list[list[int]]:
        """The ids of each sentence."""
        return [sentence.tolist() for sentence in self.split(self.ids)]

    def split(self, array: npt.ArrayLike) -> list[npt.NDArray[Any]]:
        """Splits an array with one row per id into one array per sentence."""
        values = np.asarray(array)
        if len(values) != self.rows.count:
            raise misuse("Pack.split", f"an array with {self.rows.count} rows", f"{len(values)}")
        return [values[start : start + length] for start, length in zip(self.rows.starts, self.rows.lengths)]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<glossa.Pack: {len(self)} sentences, {self.rows.count} ids>"


SentencesLike = Union[Pack, Iterable[IdsLike]]
"""A Pack, or sentences of ids."""


def pack(sentences: Iterable[IdsLike], *, pad: int | None = None, sequence_ids: Sequence[int] = ()) -> Pack:
    """Packs sentences of ids: `glossa.pack([[5, 6, 3], [7, 3]])`.

    With `pad`, the sentences are the rows of an array [B, T], padded at the end with this id. Random numbers depend on
    `sequence_ids`, as in Rows.
    """
    parts = []
    for sentence in sentences:
        ids = np.asarray(sentence)
        if ids.ndim != 1 or (ids.size > 0 and ids.dtype.kind not in "iu"):
            raise misuse("pack", "sentences of integers", repr(sentence), "a single sentence is pack([ids])")
        if pad is not None:
            kept = np.flatnonzero(ids != pad)
            ids = ids[: kept[-1] + 1 if len(kept) > 0 else 0]
        if ids.size > 0 and not -(2**31) <= ids.min() <= ids.max() < 2**31:
            raise misuse("pack", "ids of 32 bits", repr(sentence))
        parts.append(ids.astype(np.int32, casting="same_kind" if ids.size > 0 else "unsafe"))
    ids = np.concatenate(parts) if parts else np.empty(0, np.int32)
    return Pack(ids, Rows([len(part) for part in parts], ids=list(sequence_ids)))


def pack_of(sentences: SentencesLike) -> Pack:
    """Packs sentences; returns a Pack unchanged."""
    return sentences if isinstance(sentences, Pack) else pack(sentences)
