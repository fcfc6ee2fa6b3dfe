"""Gradients of functions, and their check by finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from glossa import _glossa
from glossa._glossa import GradCheck, Variable
from glossa.errors import misuse

if TYPE_CHECKING:
    from glossa.module import Module

Function = Callable[..., Any]


def value_and_grad(
    function: Function,
    *,
    training: bool = False,
    seed: int = 1,
    update: int | None = None,
    precision: str = "float",
) -> Callable[..., tuple[float, tuple[npt.NDArray[Any], ...]]]:
    """Returns a function that computes function(*arrays) and its gradients, one for each array.

    `function` takes Variables and returns a Variable with a single element. Each call opens its own step, with the
    options `training`, `seed`, `update` and `precision` of glossa.step.
    """

    def with_gradients(*arrays: npt.ArrayLike) -> tuple[float, tuple[npt.NDArray[Any], ...]]:
        with _glossa.step(training=training, seed=seed, update=update, precision=precision):
            inputs = [_glossa.variable(array) for array in arrays]
            value = function(*inputs)
            if not isinstance(value, Variable):
                hint = "for a CrossEntropy return its mean or sum"
                raise misuse("value_and_grad", "a function that returns a Variable", type(value).__name__, hint)
            value.backward()
            return value.item(), tuple(x.grad for x in inputs)

    return with_gradients


def grad(function: Function, **options: Any) -> Callable[..., Any]:
    """Returns a function that computes the gradient of function(*arrays): an array, or a tuple if there are several."""

    def gradient(*arrays: npt.ArrayLike) -> Any:
        _, gradients = value_and_grad(function, **options)(*arrays)
        return gradients[0] if len(gradients) == 1 else gradients

    return gradient


def grad_check(
    function: Function,
    *inputs: npt.ArrayLike,
    parameters: Module | None = None,
    limit: float = 1e-8,
    floor: float = 1e-4,
    step: float = 2**-4,
    max_elements: int = 0,
    requires_grad: Sequence[bool] = (),
    training: bool = True,
    seed: int = 1,
) -> GradCheck:
    """Compares the gradients of function(*inputs) with finite differences, in float64.

    `function` takes one Variable per input and returns a Variable of any shape. It must compute the same values in each
    call. `parameters` is a module whose parameters are checked as well; it must be in float64, that is, initialized
    with init(dtype=numpy.float64) or part of such a module. An element is right if its relative error is at most
    `limit`. It is wrong if backward and the differences disagree by more than the error of the differences, and
    otherwise undecided. `floor` is the smallest denominator of relative errors, relative to the tensor's largest
    gradient. `step` is the largest step, relative to an element. If `max_elements` is positive, only that many elements
    of each tensor are checked. `requires_grad` has one flag per input.
    """
    if parameters is not None and parameters.dtype != np.float64:
        hint = "make the module with init(dtype=numpy.float64)"
        raise misuse("grad_check", "a module in float64", f"{parameters.dtype}", hint)
    with nullcontext() if parameters is None else _others_frozen(parameters):
        return _glossa.grad_check(
            function,
            *inputs,
            store=None if parameters is None else parameters.store,
            limit=limit,
            floor=floor,
            step=step,
            max_elements=max_elements,
            requires_grad=list(requires_grad),
            training=training,
            seed=seed,
        )


@contextmanager
def _others_frozen(module: Module) -> Iterator[None]:
    """Freezes the parameters of the module's store that do not belong to the module."""
    own = {parameter.name for parameter in module.parameters().values()}
    others = [parameter for parameter in map(module.store.parameter, module.store.names) if parameter.name not in own]
    trained = [parameter for parameter in others if parameter.trainable]
    for parameter in trained:
        parameter.trainable = False
    try:
        yield
    finally:
        for parameter in trained:
            parameter.trainable = True
