"""Layers: values and gradients as PyTorch's, weights, masks, options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import glossa as gl

Arrays = dict[str, npt.NDArray[Any]]
CASES = range(20)
TOLERANCE = 1e-10


def random(*shape: int, seed: int = 0) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=shape)


class Sizes:
    """Random sizes of a case: sequences of source and target, width, heads, hidden width."""

    def __init__(self, case: int) -> None:
        rng = np.random.default_rng(case)
        count = int(rng.integers(1, 4))
        self.source = [int(n) for n in rng.integers(1, 6, count)]
        self.target = [int(n) for n in rng.integers(1, 6, count)]
        self.heads = int(rng.integers(1, 4))
        self.width = self.heads * int(rng.integers(1, 5))
        self.hidden = int(rng.integers(1, 9))
        self.layers = int(rng.integers(1, 4))
        self.norm_first = bool(rng.integers(2))
        self.activation = ["relu", "gelu"][int(rng.integers(2))]

    @property
    def options(self) -> dict[str, Any]:
        return {
            "norm": "pre" if self.norm_first else "post",
            "activation": self.activation,
            "residual_dropout": 0.0,
            "attention_dropout": 0.0,
            "activation_dropout": 0.0,
        }

    @property
    def torch_options(self) -> dict[str, Any]:
        return {
            "dropout": 0.0,
            "norm_first": self.norm_first,
            "activation": self.activation,
            "batch_first": True,
            "dtype": pytest.importorskip("torch").float64,
        }


def spread(module: gl.Module, seed: int) -> Arrays:
    """Sets all parameters to random numbers, so that none is zero or one, and returns them."""
    rng = np.random.default_rng(seed)
    state = {name: rng.normal(size=value.shape) for name, value in module.state_dict().items()}
    module.load_state_dict(state)
    return state


def compare(
    module: gl.Module,
    theirs: Any,
    call: Callable[..., gl.Variable],
    call_torch: Callable[..., Any],
    inputs: list[npt.NDArray[np.float64]],
    seed: int,
) -> None:
    """Checks values and gradients of inputs and parameters against PyTorch's. The names of parameters must be equal."""
    torch = pytest.importorskip("torch")
    state = spread(module, seed)
    theirs.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    theirs.eval()
    tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
    expected = call_torch(*tensors)
    cotangent = np.random.default_rng(seed + 1).normal(size=tuple(expected.shape))
    expected.backward(torch.tensor(cotangent))
    with gl.step(training=True):
        variables = [gl.variable(x) for x in inputs]
        y = call(*variables)
        y.backward(cotangent)
        assert_close(y.numpy(), expected.detach().numpy())
        for variable, tensor in zip(variables, tensors):
            assert_close(variable.grad, tensor.grad.numpy())
        gradients = {name: p.grad for name, p in theirs.named_parameters()}
        assert gradients.keys() == module.parameters().keys()
        for name, own in module.parameters().items():
            assert own.grad is not None
            assert_close(own.grad, gradients[name].numpy())


def assert_close(ours: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> None:
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0) <= TOLERANCE * max(1, np.abs(theirs).max(initial=0))


def by_sequence(call: Callable[..., Any], lengths: list[int], memory_lengths: list[int] | None = None) -> Any:
    """A function of packed rows that calls PyTorch's with each sequence."""
    torch = pytest.importorskip("torch")

    def packed(*inputs: Any) -> Any:
        parts = [inputs[0].split(lengths)]
        if memory_lengths is not None:
            parts.append(inputs[1].split(memory_lengths))
        return torch.cat([call(*(part.unsqueeze(0) for part in sequence)).squeeze(0) for sequence in zip(*parts)])

    return packed


def causal(length: int) -> Any:
    torch = pytest.importorskip("torch")
    return torch.triu(torch.ones(length, length, dtype=torch.bool), 1)


@pytest.mark.parametrize("case", CASES)
def test_linear_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(case)
    rows, inputs, outputs = (int(n) for n in rng.integers(1, 9, 3))
    bias = case % 2 == 0
    linear = gl.Linear(inputs, outputs, bias=bias).init(dtype=np.float64)
    theirs = torch.nn.Linear(inputs, outputs, bias=bias, dtype=torch.float64)
    compare(linear, theirs, linear, theirs, [random(rows, inputs, seed=case)], case)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["LayerNorm", "RMSNorm"])
def test_norms_agree(case: int, name: str) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(case)
    rows, width = int(rng.integers(1, 9)), int(rng.integers(2, 9))
    norm = getattr(gl, name)(width, epsilon=1e-3).init(dtype=np.float64)
    theirs = getattr(torch.nn, name)(width, eps=1e-3, dtype=torch.float64)
    compare(norm, theirs, norm, theirs, [random(2, rows, width, seed=case)], case)


@pytest.mark.parametrize("case", CASES)
def test_self_attention_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    is_causal = case % 2 == 1
    ours = gl.SelfAttention(sizes.width, sizes.heads, causal=is_causal).init(dtype=np.float64)
    theirs = torch.nn.MultiheadAttention(sizes.width, sizes.heads, batch_first=True, dtype=torch.float64)

    def attend(x: Any) -> Any:
        return theirs(x, x, x, attn_mask=causal(x.shape[1]) if is_causal else None)[0]

    rows = gl.Rows(sizes.source)
    x = random(sum(sizes.source), sizes.width, seed=case)
    compare(ours, theirs, lambda v: ours(v, rows), by_sequence(attend, sizes.source), [x], case)


@pytest.mark.parametrize("case", CASES)
def test_cross_attention_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    ours = gl.CrossAttention(sizes.width, sizes.heads).init(dtype=np.float64)
    theirs = torch.nn.MultiheadAttention(sizes.width, sizes.heads, batch_first=True, dtype=torch.float64)
    x, memory = random(sum(sizes.target), sizes.width, seed=case), random(sum(sizes.source), sizes.width, seed=case + 1)
    compare(
        ours,
        theirs,
        lambda v, m: ours(v, gl.Rows(sizes.target), m, gl.Rows(sizes.source)),
        by_sequence(lambda v, m: theirs(v, m, m)[0], sizes.target, sizes.source),
        [x, memory],
        case,
    )


@pytest.mark.parametrize("case", CASES)
def test_feed_forward_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    gate = [None, "swiglu", "geglu"][case % 3]
    activation: Any = gate or sizes.activation
    ours = gl.FeedForward(sizes.width, sizes.hidden, activation=activation).init(dtype=np.float64)
    function = getattr(torch.nn.functional, {"swiglu": "silu", "geglu": "gelu"}.get(activation, activation))

    class Theirs(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.linear1 = torch.nn.Linear(sizes.width, (2 if gate else 1) * sizes.hidden, dtype=torch.float64)
            self.linear2 = torch.nn.Linear(sizes.hidden, sizes.width, dtype=torch.float64)

        def forward(self, x: Any) -> Any:
            first = self.linear1(x)
            a, b = first.chunk(2, dim=-1) if gate else (first, 1)
            return self.linear2(function(a) * b)

    theirs = Theirs()
    rows = gl.Rows(sizes.source)
    x = random(sum(sizes.source), sizes.width, seed=case)
    compare(ours, theirs, lambda v: ours(v, rows), theirs, [x], case)


@pytest.mark.parametrize("case", CASES)
def test_encoder_layer_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    ours = gl.EncoderLayer(sizes.width, sizes.heads, sizes.hidden, **sizes.options).init(dtype=np.float64)
    theirs = torch.nn.TransformerEncoderLayer(sizes.width, sizes.heads, sizes.hidden, **sizes.torch_options)
    rows = gl.Rows(sizes.source)
    x = random(sum(sizes.source), sizes.width, seed=case)
    compare(ours, theirs, lambda v: ours(v, rows), by_sequence(theirs, sizes.source), [x], case)


@pytest.mark.parametrize("case", CASES)
def test_encoder_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    ours = gl.Encoder(sizes.layers, sizes.width, sizes.heads, sizes.hidden, **sizes.options).init(dtype=np.float64)
    layer = torch.nn.TransformerEncoderLayer(sizes.width, sizes.heads, sizes.hidden, **sizes.torch_options)
    norm = torch.nn.LayerNorm(sizes.width, dtype=torch.float64)
    theirs = torch.nn.TransformerEncoder(layer, sizes.layers, norm, enable_nested_tensor=False)
    rows = gl.Rows(sizes.source)
    x = random(sum(sizes.source), sizes.width, seed=case)
    compare(ours, theirs, lambda v: ours(v, rows), by_sequence(theirs, sizes.source), [x], case)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("is_stack", [False, True])
def test_decoder_agrees(case: int, is_stack: bool) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    theirs = torch.nn.TransformerDecoderLayer(sizes.width, sizes.heads, sizes.hidden, **sizes.torch_options)
    if is_stack:
        norm = torch.nn.LayerNorm(sizes.width, dtype=torch.float64)
        theirs = torch.nn.TransformerDecoder(theirs, sizes.layers, norm)
        stack = gl.Decoder(sizes.layers, sizes.width, sizes.heads, sizes.hidden, **sizes.options)
        ours: gl.Decoder | gl.DecoderLayer = stack.init(dtype=np.float64)
    else:
        ours = gl.DecoderLayer(sizes.width, sizes.heads, sizes.hidden, **sizes.options).init(dtype=np.float64)
    x, memory = random(sum(sizes.target), sizes.width, seed=case), random(sum(sizes.source), sizes.width, seed=case + 1)
    compare(
        ours,
        theirs,
        lambda v, m: ours(v, gl.Rows(sizes.target), m, gl.Rows(sizes.source)),
        by_sequence(lambda v, m: theirs(v, m, tgt_mask=causal(v.shape[1])), sizes.target, sizes.source),
        [x, memory],
        case,
    )


@pytest.mark.parametrize("case", CASES)
def test_embedding_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(case)
    vocabulary, width = int(rng.integers(1, 9)), int(rng.integers(1, 9))
    sentences = [rng.integers(0, vocabulary, 3), rng.integers(0, vocabulary, 2)]
    ours = gl.Embedding(vocabulary, width).init(dtype=np.float64)
    theirs = torch.nn.Embedding(vocabulary, width, dtype=torch.float64)
    ids = np.concatenate(sentences)
    compare(ours, theirs, lambda: ours(gl.pack(sentences)), lambda: theirs(torch.tensor(ids)), [], case)


@pytest.mark.parametrize("case", CASES)
def test_transformer_agrees(case: int) -> None:
    torch = pytest.importorskip("torch")
    sizes = Sizes(case)
    rng = np.random.default_rng(case)
    vocabulary = 11
    source = [rng.integers(0, vocabulary, n) for n in sizes.source]
    target = [rng.integers(0, vocabulary, n) for n in sizes.target]
    ours = gl.Transformer(
        vocabulary,
        vocabulary,
        width=sizes.width,
        heads=sizes.heads,
        feed_forward=sizes.hidden,
        encoder_layers=sizes.layers,
        decoder_layers=1,
        embedding_dropout=0.0,
        learned_positions=True,
        max_positions=6,
        **sizes.options,
    ).init(dtype=np.float64)

    class Tokens(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = torch.nn.Embedding(vocabulary, sizes.width, dtype=torch.float64)

        def forward(self, ids: Any, positions: Any) -> Any:
            return self.embedding(ids) * sizes.width**0.5 + positions.weight[: ids.shape[1]]

    class Theirs(torch.nn.Transformer):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(sizes.width, sizes.heads, sizes.layers, 1, sizes.hidden, **sizes.torch_options)
            self.src_tok_emb, self.tgt_tok_emb = Tokens(), Tokens()
            self.src_pos_emb = torch.nn.Embedding(6, sizes.width, dtype=torch.float64)
            self.tgt_pos_emb = torch.nn.Embedding(6, sizes.width, dtype=torch.float64)
            self.generator = torch.nn.Linear(sizes.width, vocabulary, dtype=torch.float64)

        def logits(self) -> Any:
            rows = []
            for from_ids, to_ids in zip(source, target):
                x = self.src_tok_emb(torch.tensor(from_ids)[None], self.src_pos_emb)
                y = self.tgt_tok_emb(torch.tensor(to_ids)[None], self.tgt_pos_emb)
                rows.append(self.generator(self(x, y, tgt_mask=causal(len(to_ids))))[0])
            return torch.cat(rows)

    theirs = Theirs()
    compare(ours, theirs, lambda: ours(gl.pack(source), gl.pack(target)), theirs.logits, [], case)


def test_state_dicts_go_to_pytorch_and_back() -> None:
    torch = pytest.importorskip("torch")
    linear = gl.Linear(3, 2).init()
    theirs = torch.nn.Linear(3, 2)
    theirs.load_state_dict({name: torch.from_numpy(value) for name, value in linear.state_dict().items()})
    assert np.array_equal(theirs.weight.detach().numpy(), linear.weight.value)
    other = torch.nn.Linear(3, 2, dtype=torch.bfloat16)
    linear.load_state_dict(other.state_dict())
    assert np.array_equal(linear.weight.value, other.weight.detach().float().numpy())
    linear.load_state_dict(dict(theirs.named_parameters()))
    assert np.array_equal(linear.bias.value, theirs.bias.detach().numpy())


def test_stacks_return_weights_of_every_layer() -> None:
    encoder = gl.Encoder(3, 8, 2, 8).init(dtype=np.float64)
    decoder = gl.Decoder(2, 8, 2, 8).init(dtype=np.float64)
    layer = gl.DecoderLayer(8, 2, 8).init(dtype=np.float64)
    source, target = gl.Rows([3, 2]), gl.Rows([1, 4])
    with gl.step():
        memory, weights = encoder(random(5, 8), source, need_weights=True)
        assert [[w.shape for w in one] for one in weights] == [[(2, 3, 3), (2, 2, 2)]] * 3
        _, own, cross = decoder(random(5, 8), target, memory, source, need_weights=True)
        assert [[w.shape for w in one] for one in cross] == [[(2, 1, 3), (2, 4, 2)]] * 2
        assert np.allclose(own[1][1].sum(-1), 1)
        _, own, cross = layer(random(5, 8), target, memory, source, need_weights=True)
        assert len(own) == len(cross) == 1


@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_residual(place: Any, kind: Any) -> None:
    residual = gl.Residual(4, place=place, kind=kind).init(dtype=np.float64)
    assert sorted(residual.parameters()) == (["bias", "weight"] if kind == "layer" else ["weight"])
    x = random(3, 4)
    with gl.step():
        y = residual(x, gl.Rows([3]), gl.square).numpy()

        def norm(v: Any) -> npt.NDArray[Any]:
            return (gl.layer_norm if kind == "layer" else gl.rms_norm)(v, epsilon=1e-5).numpy()

        expected = norm(x + x**2) if place == "post" else x + norm(x) ** 2
    assert np.allclose(y, expected)


def test_positions_are_added_by_place_in_the_sequence() -> None:
    pack = gl.pack([[1, 1, 1], [1]])
    table = gl.Embedding(3, 4).init(dtype=np.float64)
    fixed = gl.Embedding(3, 4, positions="sinusoidal").init(dtype=np.float64)
    encoding = gl.PositionalEncoding(10, 4).init(dtype=np.float64)
    with gl.step():
        added = (fixed(pack) - table(pack)).numpy()
        assert np.allclose(added, encoding(np.zeros((4, 4)), pack).numpy())
    assert np.allclose(added[0], [0, 1, 0, 1])
    assert np.allclose(added[3], added[0]) and not np.allclose(added[1], added[0])
    learned = gl.Embedding(3, 4, positions="learned", max_positions=3).init()
    assert learned["positions.weight"].shape == (3, 4)


def test_dropout_is_for_training() -> None:
    layer = gl.FeedForward(8, 8, dropout=0.5).init(dtype=np.float64)
    rows, x = gl.Rows([3]), random(3, 8)

    def run(**options: Any) -> npt.NDArray[Any]:
        with gl.step(**options):
            return layer(x, rows).numpy()

    assert np.array_equal(run(), run())
    assert np.array_equal(run(training=True, update=1), run(training=True, update=1))
    assert not np.array_equal(run(training=True, update=1), run(training=True, update=2))


untyped: Any = gl


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: untyped.SelfAttention(8, 3), r"\[attention\] expected heads that divide the width 8; got 3"),
        (
            lambda: untyped.SelfAttention(8, 2, similarity="cosine"),
            "expected one of scaled_dot, dot, general, additive",
        ),
        (
            lambda: untyped.SelfAttention(6, 2, relative_positions="rotary"),
            "expected heads of an even width with rotary positions; got 3",
        ),
        (
            lambda: untyped.SelfAttention(8, 2, relative_positions="rotary", rotary_base=0),
            r"\[attention\] expected a finite rotary_base above 0; got 0",
        ),
        (lambda: untyped.EncoderLayer(8, 2, 8, droput=0.1), r"\[EncoderLayer\] expected its options; got 'droput'"),
        (lambda: untyped.EncoderLayer(8, 2, 8, residual_droput=0), "did you mean 'residual_dropout'"),
        (lambda: untyped.Transformer(9, 9, d_model=8), "got 'd_model'. Hint: here it is width"),
        (lambda: untyped.FeedForward(8, 8, dropout=1.5), "expected a probability"),
        (lambda: untyped.Encoder(-1), r"\[Encoder.layers\] expected an int of at least 0; got -1"),
        (lambda: untyped.Linear(2, 2, bias="no"), r"\[Linear.bias\] expected True or False; got 'no'"),
        (lambda: untyped.Transformer(3, 4, tied="all"), "expected one vocabulary for both sides"),
        (lambda: untyped.Residual(3, place="middle"), "expected one of pre, post"),
        (lambda: untyped.Residual(3, kind="batch"), "expected one of layer, rms; got 'batch'"),
        (lambda: untyped.RMSNorm(3, affine="bias"), r"\[RMSNorm.affine\] expected one of vector, scalar, gain, none"),
    ],
)
def test_wrong_options_are_errors_at_once(make: Callable[[], object], text: str) -> None:
    with pytest.raises(gl.Error, match=text):
        make()


def test_a_wrong_width_names_the_parameter() -> None:
    class Model(gl.Module):
        def __init__(self) -> None:
            self.first = gl.Linear(3, 2)

    model = Model().init()
    with gl.step(), pytest.raises(gl.Error, match=r"\[first.weight\] expected x \[..., 3\]"):
        model.first(np.ones((1, 4), np.float32))


@pytest.mark.parametrize("affine", ["vector", "scalar", "gain", "none"])
@pytest.mark.parametrize("kind", [gl.LayerNorm, gl.RMSNorm])
def test_a_norm_of_another_width_is_an_error(affine: Any, kind: Any) -> None:
    norm = kind(8, affine=affine).init()
    with gl.step():
        norm(np.ones((5, 8), np.float32))
        with pytest.raises(gl.Error, match=r"expected x \[..., (8|D)\]"):
            norm(np.ones((5, 7), np.float32))


def test_rows_of_one_sequence() -> None:
    assert gl.Rows(3).lengths == gl.Rows([3]).lengths == [3]
    with pytest.raises(gl.Misuse, match=r"\[Rows\] expected an int or several; got 'abc'"):
        gl.Rows("abc")  # type: ignore[arg-type]


def test_a_layer_may_end_before_the_step() -> None:
    rows, x = gl.Rows([3]), random(3, 4)
    with gl.step():
        v = gl.variable(x)
        y = gl.PositionalEncoding(500, 4).init(dtype=np.float64)(gl.Linear(4, 4).init(dtype=np.float64)(v), rows)
        (y * y).sum().backward()
        assert np.all(np.isfinite(v.grad))


def test_rows_may_be_a_list_of_lengths() -> None:
    layer = gl.EncoderLayer(4, 2, 8).init()
    x = random(5, 4).astype(np.float32)
    with gl.step():
        expected = layer(x, gl.Rows([3, 2])).numpy()
        for lengths in ([3, 2], (3, 2), np.array([3, 2])):
            assert np.array_equal(layer(x, lengths).numpy(), expected)
        wrong: Any
        for wrong in ([[5, 6, 3], [7, 3]], [1.5], 5):
            with pytest.raises(gl.Misuse, match=r"\[Encoder\] expected rows as Rows, a Pack, or a list of lengths"):
                layer(x, wrong)
        pooled = gl.mean_pool(x, gl.Rows([3, 2])).numpy()
        attended = gl.attention(x, x, x, gl.Rows([3, 2]), gl.Rows([3, 2])).numpy()
        for rows in ([3, 2], gl.pack([[5, 6, 7], [8, 9]])):
            assert np.array_equal(gl.mean_pool(x, rows).numpy(), pooled)
            assert np.array_equal(gl.attention(x, x, x, rows, rows).numpy(), attended)
        with pytest.raises(gl.Misuse, match=r"\[mean_pool\] expected rows"):
            gl.mean_pool(x, x)
