"""Stacks of layers, and the Transformer (Vaswani et al. 2017, figure 1)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Union

from glossa import _glossa
from glossa._glossa import CrossEntropy, Hypothesis, Variable
from glossa.errors import misuse
from glossa.layers import (
    Activation,
    AttentionBias,
    EpsilonPlace,
    Layer,
    NormAffine,
    NormKind,
    NormPlace,
    RelativePositions,
    Similarity,
    Sinusoid,
)
from glossa.pack import Pack, SentencesLike, pack, pack_of
from glossa.typing import IdsLike, InitLike, Operand, RowsLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

Documented = TypeVar("Documented", bound=Callable[..., Any])


class StackOptions(TypedDict, total=False):
    """Options of encoder and decoder layers, with defaults in parentheses:

    norm               place of the norms, "post" or "pre" ("post")
    activation         of the feed-forward layers, "relu", "gelu", "gelu_tanh", "silu", "swiglu" or "geglu" ("relu")
    residual_dropout   of each sub-layer's output (0.1)
    attention_dropout  of attention weights (0.1)
    activation_dropout within the feed-forward layers (0.1)
    causal             in encoders, no token sees later ones (False)
    key_heads          heads of keys and values, each shared by a group of heads (heads)
    head_width         width of a head (width / heads)
    similarity         of query and key, as in SelfAttention ("scaled_dot")
    bias               of the linear layers (True)
    attention_bias     of the attention's linear layers, "all", "output" or "none" (as bias)
    relative_positions of self-attention, "none", "rotary" or "alibi", as in SelfAttention ("none")
    rotary_base        as in SelfAttention (10000)
    norm_kind          "layer" (LayerNorm) or "rms" (RMSNorm) ("layer")
    norm_epsilon, norm_affine, epsilon_place   as in LayerNorm and RMSNorm
    weight_init        of every matrix (as in torch.nn.Transformer)
    """

    norm: NormPlace
    activation: Activation
    residual_dropout: float
    attention_dropout: float
    activation_dropout: float
    causal: bool
    key_heads: int
    head_width: int
    similarity: Similarity
    bias: bool
    attention_bias: Union[AttentionBias, None]
    relative_positions: RelativePositions
    rotary_base: float
    norm_kind: NormKind
    norm_epsilon: float
    norm_affine: NormAffine
    epsilon_place: EpsilonPlace
    weight_init: Union[InitLike, None]


class FullStackOptions(StackOptions, total=False):
    """Options of a whole stack:

    final_norm         a norm after the last layer (True)
    """

    final_norm: bool


class TransformerOptions(FullStackOptions, total=False):
    """Options of a Transformer:

    embedding_dropout  of the sum of embedding and position (0.1)
    tied               tables that are one parameter: "output" (target embedding and output projection), "embeddings"
                       (source and target), "all" or "none" ("none")
    max_positions      the longest sentence (1024)
    learned_positions  instead of sinusoids (False); with relative_positions, neither is added
    sinusoid           order of the sinusoids, as in PositionalEncoding ("interleaved")
    scale_embeddings   by the root of the width (True)
    output_bias        of the output projection (True)
    start_row          the id of the decoder's start token, if its embedding stays zero (None)
    """

    embedding_dropout: float
    tied: Literal["none", "output", "all", "embeddings"]
    max_positions: int
    learned_positions: bool
    sinusoid: Sinusoid
    scale_embeddings: bool
    output_bias: bool
    start_row: Union[int, None]


class SearchOptions(TypedDict, total=False):
    """Options of a search for translations, with defaults in parentheses:

    max_length_factor  a translation has at most max_length_factor * (source ids) + max_length_extra ids, its end
                       included (2)
    max_length_extra   see max_length_factor (10)
    min_length         minimum number of ids, without the end (0)
    length_penalty     divides log-probabilities, so that long and short translations compare: "power" (length^alpha),
                       "gnmt" (Wu et al. 2016) or "none" ("power")
    alpha              of the length penalty (1)
    search             rule for the end of a beam search, that of "glossa" or "huggingface" ("glossa")
    sample             draws each id at random; needs a beam of 1 (False)
    temperature, seed  of the drawing (1, 1)
    top_k              draws from the k most probable ids; 0: from all (0)
    top_p              draws from the nucleus, the fewest most probable ids with this total probability (1)
    precision          "bf16" rounds the factors of matrix products to bfloat16 ("float")
    """

    max_length_factor: float
    max_length_extra: int
    min_length: int
    length_penalty: Literal["none", "power", "gnmt"]
    alpha: float
    search: Literal["glossa", "huggingface"]
    sample: bool
    temperature: float
    top_k: int
    top_p: float
    seed: int
    precision: Literal["float", "bf16"]


def _documented(*options: type) -> Callable[[Documented], Documented]:
    """Adds the descriptions of keyword options to a docstring."""

    def add(documented: Documented) -> Documented:
        texts = [inspect.cleandoc(each.__doc__ or "") for each in (documented, *options)]
        documented.__doc__ = "\n\n".join(texts)
        return documented

    return add


@_documented(StackOptions)
class EncoderLayer(Layer):
    """Self-attention, then feed-forward. Parameters are named as in torch.nn.TransformerEncoderLayer."""

    def __init__(
        self, width: int = 512, heads: int = 8, feed_forward: int = 2048, **options: Unpack[StackOptions]
    ) -> None:
        self._set(_glossa.BoundEncoderLayer, width=width, heads=heads, feed_forward=feed_forward, **options)

    def __call__(self, x: Operand, rows: RowsLike, need_weights: bool = False) -> Any:
        """x [N, D] -> a Variable [N, D].

        With need_weights, returns (Variable, weights): a list per layer of arrays [H, T, T], one per sequence.
        """
        return self._computed(x, rows, need_weights)


@_documented(StackOptions, FullStackOptions)
class Encoder(Layer):
    """A stack of encoder layers, then a norm. Parameters are named as in torch.nn.TransformerEncoder.

    With causal=True, this is the stack of a language model.
    """

    def __init__(
        self,
        layers: int = 6,
        width: int = 512,
        heads: int = 8,
        feed_forward: int = 2048,
        **options: Unpack[FullStackOptions],
    ) -> None:
        self._set(_glossa.BoundEncoder, layers=layers, width=width, heads=heads, feed_forward=feed_forward, **options)

    def __call__(self, x: Operand, rows: RowsLike, need_weights: bool = False) -> Any:
        """x [N, D] -> a Variable [N, D].

        With need_weights, returns (Variable, weights): a list per layer of arrays [H, T, T], one per sequence.
        """
        return self._computed(x, rows, need_weights)


@_documented(StackOptions)
class DecoderLayer(Layer):
    """Causal self-attention, cross-attention to a memory, then feed-forward.

    Parameters are named as in torch.nn.TransformerDecoderLayer.
    """

    def __init__(
        self, width: int = 512, heads: int = 8, feed_forward: int = 2048, **options: Unpack[StackOptions]
    ) -> None:
        self._set(_glossa.BoundDecoderLayer, width=width, heads=heads, feed_forward=feed_forward, **options)

    def __call__(
        self, x: Operand, rows: RowsLike, memory: Operand, memory_rows: RowsLike, need_weights: bool = False
    ) -> Any:
        """x [Nt, D], memory [Ns, D] -> a Variable [Nt, D].

        With need_weights, returns (Variable, self weights, cross weights): each a list per layer of arrays [H, Tt, Tt]
        or [H, Tt, Ts], one per sequence.
        """
        return self._computed(x, rows, memory, memory_rows, need_weights)


@_documented(StackOptions, FullStackOptions)
class Decoder(Layer):
    """A stack of decoder layers, then a norm. Parameters are named as in torch.nn.TransformerDecoder."""

    def __init__(
        self,
        layers: int = 6,
        width: int = 512,
        heads: int = 8,
        feed_forward: int = 2048,
        **options: Unpack[FullStackOptions],
    ) -> None:
        self._set(_glossa.BoundDecoder, layers=layers, width=width, heads=heads, feed_forward=feed_forward, **options)

    def __call__(
        self, x: Operand, rows: RowsLike, memory: Operand, memory_rows: RowsLike, need_weights: bool = False
    ) -> Any:
        """x [Nt, D], memory [Ns, D] -> a Variable [Nt, D].

        With need_weights, returns (Variable, self weights, cross weights): each a list per layer of arrays [H, Tt, Tt]
        or [H, Tt, Ts], one per sequence.
        """
        return self._computed(x, rows, memory, memory_rows, need_weights)


@_documented(StackOptions, FullStackOptions, TransformerOptions)
class Transformer(Layer):
    """The encoder-decoder Transformer, from ids to logits.

    The parameters `encoder.*` and `decoder.*` are named as in torch.nn.Transformer. The others are named as in
    PyTorch's translation tutorial: src_tok_emb.embedding.weight, tgt_tok_emb.embedding.weight, generator.weight and
    generator.bias. Sources and targets are lists of sentences of ids, or a Pack.
    """

    def __init__(
        self,
        source_vocabulary: int,
        target_vocabulary: int,
        *,
        width: int = 512,
        heads: int = 8,
        feed_forward: int = 2048,
        encoder_layers: int = 6,
        decoder_layers: int = 6,
        **options: Unpack[TransformerOptions],
    ) -> None:
        self._set(
            _glossa.BoundTransformer,
            source_vocabulary=source_vocabulary,
            target_vocabulary=target_vocabulary,
            width=width,
            heads=heads,
            feed_forward=feed_forward,
            encoder_layers=encoder_layers,
            decoder_layers=decoder_layers,
            **options,
        )

    def __call__(self, source: SentencesLike, target: SentencesLike) -> Variable:
        """Logits [Nt, V] for the id that follows each target id. Target sentences begin with the start token."""
        source, target = pack_of(source), pack_of(target)
        logits: Variable = self._computed(source.ids, source.rows, target.ids, target.rows)
        return logits

    def loss(
        self,
        source: SentencesLike,
        target: SentencesLike,
        next: IdsLike | Pack | None = None,
        *,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
    ) -> CrossEntropy:
        """The cross-entropy of the logits with the ids `next`, one per target id.

        Without `next`, target sentences must contain their start and end tokens. The decoder then reads all ids except
        the last, and predicts all except the first. The logits are never all in memory at once. See
        glossa.cross_entropy for the options.
        """
        source, target = pack_of(source), pack_of(target)
        if next is None:
            sentences = target.split(target.ids)
            if any(len(sentence) < 2 for sentence in sentences):
                raise misuse("Transformer.loss", "target sentences with start and end", "one with less than two ids")
            target = pack((sentence[:-1] for sentence in sentences), sequence_ids=target.rows.ids)
            next = pack(sentence[1:] for sentence in sentences)
        ids = next.ids if isinstance(next, Pack) else next
        loss: CrossEntropy = self._computed.loss(
            source.ids, source.rows, target.ids, target.rows, ids, ignore_index, label_smoothing
        )
        return loss

    def encode(self, source: SentencesLike, need_weights: bool = False) -> Any:
        """Source ids -> the memory, a Variable [Ns, D].

        With need_weights, returns (Variable, weights): a list per layer of arrays [H, Ts, Ts], one per sentence.
        """
        source = pack_of(source)
        return self._computed.encode(source.ids, source.rows, need_weights)

    def decode(self, target: SentencesLike, memory: Operand, memory_rows: RowsLike, need_weights: bool = False) -> Any:
        """Target ids and the memory [Ns, D] -> the decoder's states, a Variable [Nt, D].

        With need_weights, returns (Variable, self weights, cross weights), as Decoder does.
        """
        target = pack_of(target)
        return self._computed.decode(target.ids, target.rows, memory, memory_rows, need_weights)

    def project(self, states: Operand) -> Variable:
        """States [N, D] -> logits [N, V]."""
        logits: Variable = self._computed.project(states)
        return logits

    @_documented(SearchOptions)
    def generate(
        self,
        sources: SentencesLike,
        *,
        start: int,
        end: int,
        pad: int | None = None,
        beam: int = 1,
        max_length: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> list[list[int]]:
        """Translates sentences of ids by greedy search, or by beam search if beam > 1. Results omit `start` and `end`.

        Sources have the same form as in training, with `end` if sources ended with it there. `pad` is never chosen.
        `max_length` limits the ids of a translation. No step is needed.
        """
        found = self.n_best(sources, 1, start=start, end=end, pad=pad, beam=beam, max_length=max_length, **options)
        return [hypotheses[0].tokens for hypotheses in found]

    def n_best(
        self,
        sources: SentencesLike,
        n: int,
        *,
        start: int,
        end: int,
        pad: int | None = None,
        beam: int | None = None,
        max_length: int | None = None,
        **options: Unpack[SearchOptions],
    ) -> list[list[Hypothesis]]:
        """The n best translations of each sentence, best first. `beam` defaults to n. See `generate`."""
        given: dict[str, Any] = {"beam": n if beam is None else beam, **options}
        if max_length is not None:
            given |= {"max_length_factor": 0.0, "max_length_extra": max_length}
        found: list[list[Hypothesis]] = self._computed.search(
            pack_of(sources).sentences, start, end, start if pad is None else pad, n, given
        )
        return found
