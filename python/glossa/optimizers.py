"""Optimizers, moving averages, and files with the state of training."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType

from glossa import _glossa
from glossa._glossa import BoundOptimizer, Trained, clip_factor
from glossa.errors import misuse
from glossa.module import Module, matching


class Optimizer:
    """Updates the parameters of a module from their gradients."""

    _bound: BoundOptimizer

    def __init__(self, module: Module, lr: float) -> None:
        name = type(self).__name__
        if not isinstance(module, Module):
            raise misuse(name, "a module", type(module).__name__, f"pass the module: glossa.{name}(model)")
        if callable(lr):
            hint = "pass its rate to each step: step(lr=schedule(update))"
            raise misuse(f"{name}.lr", "a number", type(lr).__name__, hint)
        self.lr = lr

    def step(self, lr: float | None = None, gradient_scale: float = 1.0) -> None:
        """Updates the parameters with learning rate `lr` (default: the optimizer's).

        Multiplies the gradients by `gradient_scale`, and clears them afterwards. Parameters that backward has not
        reached have a gradient of zero.
        """
        self._bound.step(self.lr if lr is None else lr, gradient_scale)

    def zero_grad(self) -> None:
        """Clears the gradients, as `step` does. Use it to skip a batch."""
        self._bound.zero_grad()

    def grad_norm(self) -> float:
        """The Euclidean norm of all gradients."""
        return self._bound.grad_norm()

    def clip(self, max_norm: float, gradient_scale: float = 1.0) -> float:
        """Returns a factor for `step` that limits the gradient norm: `step(gradient_scale=clip(1.0))`.

        The gradients are first scaled by `gradient_scale`.
        """
        return gradient_scale * clip_factor(gradient_scale * self.grad_norm(), max_norm)

    @property
    def steps(self) -> int:
        """The number of updates so far."""
        return self._bound.steps

    def __repr__(self) -> str:
        return f"<glossa.{type(self).__name__}: lr {self.lr}, {self.steps} steps>"


class Adam(Optimizer):
    """Adam (Kingma and Ba 2015), for the parameters of a module that are trainable when the optimizer is created.

    If the module is part of a larger model, only the module is trained. `weight_decay` is added to the gradient as an
    L2 penalty; norms and biases are exempt unless `decay_norm_and_bias` is True. `lr_factors` maps patterns of names to
    factors of the learning rate, such as {"encoder.*": 0.1}; the first matching pattern applies.
    """

    _decoupled = False

    def __init__(
        self,
        module: Module,
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decay_norm_and_bias: bool = False,
        lr_factors: Mapping[str, float] = {},
    ) -> None:
        super().__init__(module, lr)
        trained = _trained(module, weight_decay, decay_norm_and_bias, lr_factors)
        self._bound = _glossa.adam(module.store, trained, betas, eps, self._decoupled)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019). The arguments are those of Adam."""

    _decoupled = True

    def __init__(
        self,
        module: Module,
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        decay_norm_and_bias: bool = False,
        lr_factors: Mapping[str, float] = {},
    ) -> None:
        super().__init__(
            module,
            lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            decay_norm_and_bias=decay_norm_and_bias,
            lr_factors=lr_factors,
        )


class SGD(Optimizer):
    """Stochastic gradient descent with momentum, as PyTorch defines it. The other arguments are those of Adam."""

    def __init__(
        self,
        module: Module,
        lr: float = 1e-3,
        *,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
        decay_norm_and_bias: bool = False,
        lr_factors: Mapping[str, float] = {},
    ) -> None:
        super().__init__(module, lr)
        trained = _trained(module, weight_decay, decay_norm_and_bias, lr_factors)
        self._bound = _glossa.sgd(module.store, trained, momentum, nesterov)


def _trained(
    module: Module, weight_decay: float, decay_norm_and_bias: bool, lr_factors: Mapping[str, float]
) -> Trained:
    parameters = module.parameters()
    factors: dict[str, float] = {}
    for pattern, factor in lr_factors.items():
        for name in matching("lr_factors", pattern, parameters):
            factors.setdefault(parameters[name].name, factor)
    return Trained([p.name for p in parameters.values()], factors, weight_decay, decay_norm_and_bias)


class MovingAverage:
    """The exponential moving average of a model's parameters. It starts with their current values.

    Call `update` after each step. Within `with average:`, the parameters have the averaged values, for evaluating or
    saving.
    """

    def __init__(self, module: Module, decay: float = 0.999) -> None:
        self._bound = _glossa.BoundAverage(_outermost(module, "MovingAverage").store, decay)
        self._in_use = False

    def update(self) -> None:
        """average += (1 - d) (value - average) with d = min(decay, (1 + t) / (10 + t)) in update t."""
        self._check_unused()
        self._bound.update()

    def __enter__(self) -> MovingAverage:
        self._check_unused()
        self._bound.exchange()
        self._in_use = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bound.exchange()
        self._in_use = False

    def _check_unused(self) -> None:
        if self._in_use:
            raise misuse("MovingAverage", "an average that is not in use", "one within `with average:`")


def save_training(path: str | os.PathLike[str], module: Module, optimizer: Optimizer) -> None:
    """Saves a model and its optimizer's state. Training resumed from the file computes exactly the same numbers.

    `module.load` can also read the file.
    """
    _bound_of(module, optimizer, "save_training").save(os.fspath(path))


def load_training(path: str | os.PathLike[str], module: Module, optimizer: Optimizer) -> None:
    """Loads a file written by save_training. If an error occurs, the model and the optimizer stay unchanged."""
    _bound_of(module, optimizer, "load_training").load(os.fspath(path))


def _bound_of(module: Module, optimizer: Optimizer, where: str) -> BoundOptimizer:
    if _outermost(module, where).store is not optimizer._bound.store:
        raise misuse(where, "the optimizer of this model", "one of another", "make the optimizer after module.init()")
    return optimizer._bound


def _outermost(module: Module, where: str) -> Module:
    if module._initialized().root is not module:
        raise misuse(where, "the module that was initialized", f"a part of it, {type(module).__name__}")
    return module
