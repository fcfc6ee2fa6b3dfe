"""The layers of the Transformer (Vaswani et al. 2017).

Rows are tokens: x [N, D] has the tokens of all sequences, and `rows` (Rows, a Pack, or a list of lengths) divides them
into sequences. Options have the same names as in C++.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from glossa import _glossa
from glossa._glossa import Parameter, Store, Variable
from glossa.errors import misuse
from glossa.module import Module
from glossa.pack import SentencesLike, pack_of
from glossa.typing import InitLike, Operand, RowsLike

Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu"]
AttentionBias = Literal["all", "output", "none"]
EpsilonPlace = Literal["inside", "outside"]
NormAffine = Literal["vector", "scalar", "gain", "none"]
NormKind = Literal["layer", "rms"]
NormPlace = Literal["pre", "post"]
Similarity = Literal["scaled_dot", "dot", "general", "additive"]
RelativePositions = Literal["none", "rotary", "alibi"]
Sinusoid = Literal["interleaved", "halves", "raw_index", "sorted"]

MaskLike = Union[Operand, None]
"""Floats [Tq, Tk] that are added to the scores of every sequence, or bool, where True blocks a key."""


class Layer(Module):
    """A module that a C++ layer computes."""

    _make: Callable[[Store, str], Any]
    _shown: str

    def _set(self, make: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Stores the call make(store, scope, *arguments, options), which omits options that are None."""
        given = {name: value for name, value in options.items() if value is not None}
        self._make = lambda store, scope: make(store, scope, *arguments, given)
        self._make(Store(np.float32), "")  # wrong arguments are errors here rather than in init
        defaults = {p.name: p.default for p in inspect.signature(type(self).__init__).parameters.values()}
        shown = [repr(argument) for argument in arguments]
        shown += [f"{name}={value!r}" for name, value in given.items() if not _is_same(value, defaults.get(name))]
        self._shown = ", ".join(shown)

    def _declare(self, store: Store, scope: str) -> Any:
        return self._make(store, scope)

    @property
    def _computed(self) -> Any:
        self._initialized()
        return self._layer

    def _describe(self) -> str:
        return self._shown


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


class Linear(Layer):
    """y = x W^T + b: x [..., inputs] -> [..., outputs]. Parameters: weight [outputs, inputs], bias [outputs].

    By default `bias_init` is uniform in +-1/sqrt(inputs), as in PyTorch.
    """

    weight: Parameter
    bias: Parameter

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        bias: bool = True,
        weight_init: InitLike = "xavier_uniform",
        bias_init: InitLike | None = None,
    ) -> None:
        self._set(_glossa.BoundLinear, inputs, outputs, bias=bias, weight_init=weight_init, bias_init=bias_init)

    def __call__(self, x: Operand) -> Variable:
        """x [..., inputs] -> [..., outputs]."""
        y: Variable = self._computed(x)
        return y


class _Norm(Layer):
    """The methods shared by all norms."""

    weight: Parameter

    def __call__(self, x: Operand) -> Variable:
        """x [..., D] -> [..., D]."""
        y: Variable = self._computed(x)
        return y

    def add(self, x: Operand, branch: Operand, rows: RowsLike, *, dropout: float = 0.0) -> Variable:
        """The norm of x + dropout(branch), as one op: x, branch [N, D] -> [N, D]."""
        y: Variable = self._computed.add(x, branch, dropout, rows)
        return y


class LayerNorm(_Norm):
    """Layer normalization over the last axis (Ba et al. 2016): x [..., D] -> [..., D]. Parameters: weight, bias [D].

    `affine` selects the parameters: "vector", a gain and a bias per feature; "scalar", one gain and one bias; "gain",
    one gain; or "none". `epsilon_place` adds epsilon "inside" or "outside" the root of the variance.
    """

    bias: Parameter

    def __init__(
        self,
        width: int,
        *,
        epsilon: float = 1e-5,
        affine: NormAffine = "vector",
        epsilon_place: EpsilonPlace = "inside",
    ) -> None:
        self._set(_glossa.BoundNorm, width, epsilon=epsilon, affine=affine, epsilon_place=epsilon_place)


def _bound_rms_norm(store: Store, scope: str, width: int, options: dict[str, Any]) -> Any:
    return _glossa.BoundNorm(store, scope, width, {**options, "kind": "rms"}, "RMSNorm")


class RMSNorm(_Norm):
    """x / sqrt(mean(x^2) + epsilon) * weight (Zhang and Sennrich 2019): x [..., D] -> [..., D]. Parameter: weight [D].

    `affine` selects the parameters: "vector", a gain per feature; "gain", one gain; or "none". `epsilon_place` adds
    epsilon "inside" the root or, as in the authors' code, "outside".
    """

    def __init__(
        self,
        width: int,
        *,
        epsilon: float = 1e-5,
        affine: NormAffine = "vector",
        epsilon_place: EpsilonPlace = "inside",
    ) -> None:
        self._set(_bound_rms_norm, width, epsilon=epsilon, affine=affine, epsilon_place=epsilon_place)


class Residual(_Norm):
    """A residual connection and a norm around a sub-layer f, with dropout of its output.

    `place` is "post", for norm(x + f(x)) (Vaswani et al. 2017), or "pre", for x + f(norm(x)) (Xiong et al. 2020).
    `kind` selects the norm, "layer" for LayerNorm or "rms" for RMSNorm. The other options are those of the norm.
    """

    bias: Parameter

    def __init__(
        self,
        width: int,
        *,
        place: NormPlace = "post",
        dropout: float = 0.0,
        kind: NormKind = "layer",
        epsilon: float = 1e-5,
        affine: NormAffine = "vector",
        epsilon_place: EpsilonPlace = "inside",
    ) -> None:
        self._set(_glossa.BoundNorm, width, kind=kind, epsilon=epsilon, affine=affine, epsilon_place=epsilon_place)
        if place not in ("pre", "post"):
            raise misuse("Residual.place", "one of pre, post", repr(place))
        self.place = place
        self.dropout = dropout
        self._shown += f", place={place!r}, dropout={dropout!r}"

    def __call__(  # type: ignore[override]
        self, x: Operand, rows: RowsLike, sublayer: Callable[[Operand], Operand]
    ) -> Variable:
        """x [N, D] -> [N, D], around sublayer: [N, D] -> [N, D]."""
        if self.place == "post":
            return self.add(x, sublayer(x), rows, dropout=self.dropout)
        normed: Variable = self._computed(x)
        return _glossa.add_dropout(x, sublayer(normed), self.dropout, rows)


class _Attention(Layer):
    """Options and parameters of SelfAttention and CrossAttention. SelfAttention describes them."""

    _bound: Callable[..., Any]

    in_proj_weight: Parameter
    in_proj_bias: Parameter

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        key_heads: int = 0,
        head_width: int = 0,
        similarity: Similarity = "scaled_dot",
        dropout: float = 0.0,
        bias: AttentionBias = "all",
        causal: bool = False,
        weight_init: InitLike = "xavier_uniform",
    ) -> None:
        self._set(
            self._bound,
            width=width,
            heads=heads,
            key_heads=key_heads,
            head_width=head_width,
            similarity=similarity,
            dropout=dropout,
            bias=bias,
            causal=causal,
            weight_init=weight_init,
        )


class SelfAttention(_Attention):
    """Multi-head attention of a sequence to itself (Vaswani et al. 2017, section 3.2.2).

    Parameters are named as in torch.nn.MultiheadAttention. With H heads of K columns they are in_proj_weight [3 H K,
    D], in_proj_bias [3 H K], out_proj.weight [D, H K] and out_proj.bias [D]. `head_width` is K; 0 means D / H. If
    `key_heads` is G > 0, each head of keys and values serves H / G heads of queries (Ainslie et al. 2023). Then
    in_proj_weight is [(H + 2 G) K, D], and in_proj_bias [(H + 2 G) K]. `dropout` is the rate for the attention weights.
    `bias` is "all", "output" (only in the output projection) or "none". `similarity` compares query and key:
    "scaled_dot", "dot", "general" (Luong et al. 2015) or "additive" (Bahdanau et al. 2015). The last two have
    parameters. If `causal`, no token attends to later tokens. `relative_positions` is "none", "rotary" or "alibi".
    "rotary" rotates queries and keys by their positions, as the op rotary does with the base `rotary_base`; it needs
    the similarity "scaled_dot" or "dot". "alibi" lowers scores in proportion to the distance.
    """

    _bound = _glossa.BoundSelfAttention

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        key_heads: int = 0,
        head_width: int = 0,
        similarity: Similarity = "scaled_dot",
        dropout: float = 0.0,
        bias: AttentionBias = "all",
        causal: bool = False,
        relative_positions: RelativePositions = "none",
        rotary_base: float = 10000.0,
        weight_init: InitLike = "xavier_uniform",
    ) -> None:
        self._set(
            self._bound,
            width=width,
            heads=heads,
            key_heads=key_heads,
            head_width=head_width,
            similarity=similarity,
            dropout=dropout,
            bias=bias,
            causal=causal,
            relative_positions=relative_positions,
            rotary_base=rotary_base,
            weight_init=weight_init,
        )

    def __call__(self, x: Operand, rows: RowsLike, mask: MaskLike = None, need_weights: bool = False) -> Any:
        """x [N, D] -> a Variable [N, D].

        With need_weights, returns (Variable, weights): the weights after softmax, an array [H, T, T] per sequence.
        """
        return self._computed(x, rows, mask, need_weights)


class CrossAttention(_Attention):
    """Multi-head attention to a memory, such as the encoder's output.

    Options and parameters are those of SelfAttention, except for relative positions: a sequence and its memory have no
    common positions.
    """

    _bound = _glossa.BoundCrossAttention

    def __call__(
        self,
        x: Operand,
        rows: RowsLike,
        memory: Operand,
        memory_rows: RowsLike,
        mask: MaskLike = None,
        need_weights: bool = False,
    ) -> Any:
        """x [Nt, D], memory [Ns, D] -> a Variable [Nt, D]: sequence b attends to sequence b of the memory.

        With need_weights, returns (Variable, weights): the weights after softmax, an array [H, Tt, Ts] per sequence.
        """
        return self._computed(x, rows, memory, memory_rows, mask, need_weights)


class FeedForward(Layer):
    """activation(x W1^T + b1) W2^T + b2 (Vaswani et al. 2017, section 3.3), with dropout after the activation.

    Parameters: linear1.weight [hidden, D], linear1.bias, linear2.weight [D, hidden], linear2.bias. If `hidden` is 0,
    the layer is a single matrix. With a gated activation, "swiglu" or "geglu" (Shazeer 2020), linear1.weight is [2
    hidden, D] and initialized as one matrix; the gate's rows come first.
    """

    def __init__(
        self,
        width: int,
        hidden: int,
        *,
        activation: Activation = "relu",
        dropout: float = 0.0,
        bias: bool = True,
        weight_init: InitLike | None = None,
    ) -> None:
        self._set(
            _glossa.BoundFeedForward,
            width=width,
            hidden=hidden,
            activation=activation,
            dropout=dropout,
            bias=bias,
            weight_init=weight_init,
        )

    def __call__(self, x: Operand, rows: RowsLike) -> Variable:
        """x [N, D] -> [N, D]."""
        y: Variable = self._computed(x, rows)
        return y


class PositionalEncoding(Layer):
    """Adds row p of a table [positions, D] to the tokens at position p of their sequences.

    The table contains sinusoids (Vaswani et al. 2017, section 3.5), in the order that `sinusoid` selects. If `learned`,
    the table is the parameter weight instead.
    """

    weight: Parameter

    def __init__(
        self, positions: int, width: int, *, learned: bool = False, sinusoid: Sinusoid = "interleaved"
    ) -> None:
        self._set(_glossa.BoundPositionalEncoding, positions, width, learned=learned, sinusoid=sinusoid)

    def __call__(self, x: Operand, rows: RowsLike) -> Variable:
        """x [N, D] -> [N, D]."""
        y: Variable = self._computed(x, rows)
        return y


class Embedding(Layer):
    """factor * weight[id] of N ids, then dropout: [N, width]. Parameter: weight [vocabulary, width].

    `positions` adds a PositionalEncoding: "sinusoidal", or "learned" with the parameter positions.weight, or "none".
    With positions, sentences have at most `max_positions` ids.
    """

    weight: Parameter

    def __init__(
        self,
        vocabulary: int,
        width: int,
        *,
        factor: float = 1.0,
        dropout: float = 0.0,
        positions: Literal["none", "sinusoidal", "learned"] = "none",
        sinusoid: Sinusoid = "interleaved",
        max_positions: int = 1024,
        weight_init: InitLike | None = None,
    ) -> None:
        self._set(
            _glossa.BoundEmbedding,
            vocabulary,
            width,
            factor=factor,
            dropout=dropout,
            positions=positions,
            sinusoid=sinusoid,
            max_positions=max_positions,
            weight_init=weight_init,
        )

    def __call__(self, ids: SentencesLike) -> Variable:
        """Sentences with N ids in total, or a Pack -> [N, width]."""
        packed = pack_of(ids)
        y: Variable = self._computed(packed.ids, packed.rows)
        return y


def causal_mask(positions: int) -> npt.NDArray[np.bool_]:
    """A mask [T, T] that is True above the diagonal: no position attends to later ones."""
    return np.triu(np.ones((positions, positions), dtype=np.bool_), k=1)
