"""Types of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Tuple, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from glossa._glossa import Parameter, Rows, Variable
    from glossa.pack import Pack

Operand = Union["Variable", "Parameter", npt.ArrayLike]
"""A Variable, a Parameter, an array, nested lists of numbers, or a number."""

Array = npt.NDArray[Any]
"""An array of float32 or float64."""

IdsLike = npt.ArrayLike
"""Integers, such as token ids or indices: an array, or nested lists."""

FlagsLike = npt.ArrayLike
"""Truth values: an array of bool, or nested lists."""

AxesLike = Union[int, Sequence[int]]
"""An axis or several; also the extents of a shape."""

RowsLike = Union["Rows", "Pack", Sequence[int]]
"""Rows, a Pack that has them, or the lengths of packed sequences."""

DtypeLike = npt.DTypeLike
"""numpy.float32 or numpy.float64, or another name of them."""

InitLike = Union[str, Tuple[str, float], npt.ArrayLike]
"""Initial values: a kind such as "zeros", "normal" or "xavier_uniform", a kind and its scale, or an array."""

Indices = npt.NDArray[np.int32]
"""Indices along an axis."""
