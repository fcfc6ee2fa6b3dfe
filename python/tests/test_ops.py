"""Every op: the same functions as in C++, values and gradients equal to PyTorch's in float64."""

import re
from pathlib import Path

import numpy as np
import pytest

import glossa as gl

CASES = 20
LIMIT = 1e-10


def shapes(rng, rank=2, low=1, high=5):
    return tuple(rng.integers(low, high + 1, size=rank))


class Case:
    """An op of glossa and PyTorch's, with random inputs from `inputs(rng)`, arrays of float64."""

    def __init__(self, name, ours, theirs, inputs):
        self.name, self.ours, self.theirs, self.inputs = name, ours, theirs, inputs


def normal(*extents):
    """Inputs of these extents, as "m3" or (2, 3); a letter stands for one random number in a case."""

    def inputs(rng):
        letters = {letter: int(rng.integers(1, 6)) for shape in extents for letter in shape}
        return [rng.normal(size=[letters[e] if str(e).isalpha() else int(e) for e in shape]) for shape in extents]

    return inputs


def positive(rng):
    return [rng.uniform(0.5, 2, size=shapes(rng))]


def cases(torch):
    f = torch.nn.functional
    some = normal("mn")

    def unary(name, theirs, inputs=some, **options):
        return Case(name, lambda x: getattr(gl, name)(x, **options), theirs, inputs)

    yield Case("add", lambda a, b: a + b, lambda a, b: a + b, normal("mn", "n"))
    yield Case("add.function", gl.add, torch.add, normal("mn", "m1"))
    yield Case("sub", lambda a, b: a - b, lambda a, b: a - b, normal("mn", "1n"))
    yield Case("sub.function", gl.sub, torch.sub, some_two := normal("mn", "mn"))
    yield Case("mul", lambda a, b: a * b, lambda a, b: a * b, normal("kmn", "mn"))
    yield Case("mul.function", gl.mul, torch.mul, some_two)
    yield Case("div", lambda a, b: a / (b * b + 1), lambda a, b: a / (b * b + 1), some_two)
    yield Case("div.function", lambda a, b: gl.div(a, gl.exp(b)), lambda a, b: torch.div(a, torch.exp(b)), some_two)
    yield Case("numbers", lambda x: 2 - 3 * x / 2 + 1 / (x * x + 1), lambda x: 2 - 3 * x / 2 + 1 / (x * x + 1), some)
    yield Case("array", lambda x: np.ones(1) - x, lambda x: 1 - x, some)
    yield Case("minimum", gl.minimum, torch.minimum, some_two)
    yield Case("maximum", gl.maximum, torch.maximum, some_two)
    yield Case("neg", lambda x: gl.neg(-(-x)), lambda x: -x, some)
    yield unary("scale", lambda x: -1.5 * x, factor=-1.5)
    yield unary("exp", torch.exp)
    yield unary("log", torch.log, positive)
    yield unary("sqrt", torch.sqrt, positive)
    yield unary("pow", lambda x: x**3, exponent=3)
    yield Case("power", lambda x: x**0.5, lambda x: x**0.5, positive)
    yield unary("square", torch.square)
    yield unary("abs", torch.abs)
    yield unary("clamp", lambda x: torch.clamp(x, -0.5, 0.7), low=-0.5, high=0.7)
    for name in ("tanh", "sigmoid", "relu"):
        yield unary(name, getattr(torch, name))
    yield unary("gelu", f.gelu)
    yield unary("gelu_tanh", lambda x: f.gelu(x, approximate="tanh"))
    yield unary("silu", f.silu)
    yield Case("swiglu", gl.swiglu, lambda x: f.silu(x[..., :3]) * x[..., 3:], normal("m6"))
    yield Case("geglu", gl.geglu, lambda x: f.gelu(x[..., :2]) * x[..., 2:], normal("km4"))
    yield unary("softplus", f.softplus)
    yield Case("matmul", lambda a, b: a @ b, lambda a, b: a @ b, normal("mk", "kn"))
    yield Case("matmul.batch", gl.matmul, torch.matmul, normal("bmk", "bkn"))
    yield Case("matmul.vector", lambda a, b: a @ b, lambda a, b: a @ b, normal("mk", "k"))
    yield Case(
        "matmul.transposed",
        lambda a, b: gl.matmul(a, b, transpose_a=True, transpose_b=True),
        lambda a, b: a.T @ b.T,
        normal("km", "nk"),
    )
    yield Case("linear", gl.linear, f.linear, normal("mi", "oi", "o"))
    yield Case("linear.no_bias", gl.linear, f.linear, normal("mi", "oi"))
    yield Case(
        "linear_relu",
        lambda x, w, b: gl.linear_relu(x, w, b, p=0.0, rows=gl.Rows([x.shape[0]])),
        lambda x, w, b: torch.relu(f.linear(x, w, b)),
        normal("mi", "oi", "o"),
    )
    yield unary("sum", torch.sum)
    yield unary("mean", lambda x: x.mean(0), axis=0)
    yield Case("sum.axes", lambda x: x.sum(axis=(0, -1), keepdims=True), lambda x: x.sum((0, -1), True), normal("kmn"))
    yield Case("mean.all", lambda x: x.mean(keepdims=True), lambda x: x.mean((0, 1), True), some)
    yield unary("max", torch.max)
    yield Case("max.axis", lambda x: x.max(axis=1), lambda x: x.max(1).values, some)
    yield unary("norm", torch.norm)
    yield Case("norm.axis", lambda x: gl.norm(x, axis=0, keepdims=True), lambda x: torch.norm(x, dim=0, keepdim=True), some)
    yield Case("norm.axes", lambda x: x.norm(axis=(0, -1)), lambda x: torch.norm(x, dim=(0, -1)), normal("kmn"))
    yield unary("var", lambda x: x.var(1), normal("m3"), axis=1)
    yield Case("var.all", lambda x: x.var(correction=0), lambda x: x.var(correction=0), some)
    yield unary("stddev", lambda x: x.std(0), normal("4n"), axis=0)
    yield unary("softmax", lambda x: torch.softmax(x, -1))
    yield unary("log_softmax", lambda x: torch.log_softmax(x, -1))
    yield Case(
        "layer_norm", gl.layer_norm, lambda x, g, b: f.layer_norm(x, x.shape[-1:], g, b), normal("m4", "4", "4")
    )
    yield Case("layer_norm.plain", gl.layer_norm, lambda x: f.layer_norm(x, x.shape[-1:]), normal("m4"))
    yield Case(
        "add_layer_norm",
        lambda x, y, g, b: gl.add_layer_norm(x, y, g, b, gl.Rows([x.shape[0]])),
        lambda x, y, g, b: f.layer_norm(x + y, x.shape[-1:], g, b),
        normal("m4", "m4", "4", "4"),
    )
    yield Case("rms_norm", gl.rms_norm, lambda x, g: f.rms_norm(x, x.shape[-1:], g, eps=1e-5), normal("m4", "4"))
    yield Case("rms_norm.plain", gl.rms_norm, lambda x: f.rms_norm(x, x.shape[-1:], eps=1e-5), normal("m4"))
    yield Case(
        "add_rms_norm",
        lambda x, y, g: gl.add_rms_norm(x, y, g, gl.Rows([x.shape[0]])),
        lambda x, y, g: f.rms_norm(x + y, x.shape[-1:], g, eps=1e-5),
        normal("m4", "m4", "4"),
    )
    yield Case("dropout", lambda x: gl.dropout(x, 0.5), lambda x: x, some)  # outside training
    yield Case("add_dropout", lambda x, y: gl.add_dropout(x, y, 0.5, gl.Rows([x.shape[0]])), torch.add, some_two)
    yield Case("embedding", lambda t: gl.embedding(t, [[2, 0], [2, 1]]), lambda t: t[torch.tensor([[2, 0], [2, 1]])], normal("3n"))
    yield Case("index_select", lambda t: gl.index_select(t, [2, 2, 0]), lambda t: t[[2, 2, 0]], normal("3n"))
    yield Case(
        "embed_tokens",
        lambda t, p: gl.embed_tokens(t, [2, 0, 1], p, gl.Rows([2, 1]), factor=3.0),
        lambda t, p: 3 * t[[2, 0, 1]] + p[[0, 1, 0]],
        normal("3n", "2n"),
    )
    yield Case(
        "embed_tokens.alone",
        lambda t: gl.embed_tokens(t, [2, 0, 1], None, gl.Rows([2, 1]), factor=3.0),
        lambda t: 3 * t[[2, 0, 1]],
        normal("3n"),
    )
    yield Case(
        "gather",
        lambda x: gl.gather(x, [[2, 0], [1, 1]]),
        lambda x: torch.gather(x, 1, torch.tensor([[2, 0], [1, 1]])),
        normal((2, 3)),
    )
    yield Case("topk", lambda x: gl.topk(x, 2)[0], lambda x: torch.topk(x, 2).values, normal("m4"))
    pooled = normal((5, 3))
    rows = gl.Rows([2, 3])
    yield unary("mean_pool", lambda x: torch.stack([x[:2].mean(0), x[2:].mean(0)]), pooled, rows=rows)
    yield unary("first_pool", lambda x: x[[0, 2]], pooled, rows=rows)
    yield unary("last_pool", lambda x: x[[1, 4]], pooled, rows=rows)
    flags = np.array([[True, False, True], [False, False, True]])
    yield Case(
        "masked_fill",
        lambda x: gl.masked_fill(x, flags, 7.0),
        lambda x: x.masked_fill(torch.tensor(flags), 7.0),
        normal((2, 3)),
    )
    yield Case(
        "where",
        lambda a, b: gl.where(flags, a, b),
        lambda a, b: torch.where(torch.tensor(flags), a, b),
        normal((2, 3), "3"),
    )
    yield Case("reshape", lambda x: x.reshape(3, -1), lambda x: x.reshape(3, -1), normal("m6"))
    yield Case("reshape.function", lambda x: gl.reshape(x, (-1,)), lambda x: x.reshape(-1), some)
    yield Case("transpose", lambda x: gl.transpose(x, 0, 2), lambda x: x.transpose(0, 2), normal("kmn"))
    yield Case("T", lambda x: x.T, lambda x: x.T, some)
    yield Case("permute", lambda x: gl.permute(x, (2, 0, 1)), lambda x: x.permute(2, 0, 1), normal("kmn"))
    yield Case("concat", lambda a, b: gl.concat([a, b, a], axis=1), lambda a, b: torch.cat([a, b, a], 1), normal("mk", "mn"))
    yield Case("stack", lambda a, b: gl.stack([a, b], axis=1), lambda a, b: torch.stack([a, b], 1), some_two)
    yield Case("split", lambda x: gl.split(x, [1, 2], axis=1)[1], lambda x: x.split([1, 2], 1)[1], normal("m3"))
    yield Case("slice", lambda x: gl.slice(x, 1, 1, 3), lambda x: x[:, 1:3], normal("m4"))
    yield Case("select", lambda x: gl.select(x, -1, 1), lambda x: x[..., 1], normal("km3"))
    yield Case("index", lambda x: x[..., 1:, None, -1], lambda x: x[..., 1:, None, -1], normal("k3n"))
    yield Case("index.rows", lambda x: x[[0, 2, 0]], lambda x: x[[0, 2, 0]], normal("3n"))
    yield Case("full", lambda x: x + gl.full(x.shape, 2.0), lambda x: x + 2, some)
    yield Case("stop_gradient", lambda x: x * gl.stop_gradient(x), lambda x: x * x.detach(), some)

    def heads(x, count):
        return x.reshape(x.shape[0], count, -1).transpose(0, 1)

    def attend(q, k, v):
        return torch.cat(
            [f.scaled_dot_product_attention(*(heads(x, 2) for x in part)).transpose(0, 1).flatten(1)
             for part in ((q[:2], k[:3], v[:3]), (q[2:], k[3:], v[3:]))]
        )  # fmt: skip

    query, key = gl.Rows([2, 1]), gl.Rows([3, 2])
    qkv = normal((3, 4), (5, 4), (5, 4))
    yield Case("attention", lambda q, k, v: gl.attention(q, k, v, query, key, heads=2), attend, qkv)
    yield Case(
        "cross_attention",
        lambda q, k, v: gl.cross_attention(q, gl.concat([k, v], axis=1), query, key, heads=2),
        attend,
        qkv,
    )
    yield Case(
        "self_attention",
        lambda x: gl.self_attention(x, gl.Rows([3]), heads=2, causal=True),
        lambda x: f.scaled_dot_product_attention(*(heads(part, 2) for part in x.chunk(3, 1)), is_causal=True)
        .transpose(0, 1)
        .flatten(1),
        normal((3, 12)),
    )

    def biased(q, k, v):
        distances = (torch.arange(3)[:, None] - torch.arange(4)).abs()
        biases = -torch.tensor([0.0625, 0.00390625], dtype=torch.float64)[:, None, None] * distances
        y = f.scaled_dot_product_attention(heads(q, 2), heads(k, 2), heads(v, 2), attn_mask=biases)
        return y.transpose(0, 1).flatten(1)

    yield Case(
        "attention.alibi",
        lambda q, k, v: gl.attention(q, k, v, gl.Rows([3]), gl.Rows([4]), heads=2, alibi=True),
        biased,
        normal((3, 4), (4, 4), (4, 4)),
    )

    def attend_in_groups(q, k, v):
        y = f.scaled_dot_product_attention(heads(q, 4), heads(k, 2), heads(v, 2), enable_gqa=True)
        return y.transpose(0, 1).flatten(1)

    one = gl.Rows([3])
    grouped = normal((3, 8), (3, 4), (3, 4))
    yield Case(
        "attention.key_heads",
        lambda q, k, v: gl.attention(q, k, v, one, one, heads=4, key_heads=2),
        attend_in_groups,
        grouped,
    )
    yield Case(
        "cross_attention.key_heads",
        lambda q, k, v: gl.cross_attention(q, gl.concat([k, v], axis=1), one, one, heads=4, key_heads=2),
        attend_in_groups,
        grouped,
    )
    yield Case(
        "self_attention.key_heads",
        lambda q, k, v: gl.self_attention(gl.concat([q, k, v], axis=1), one, heads=4, key_heads=2),
        attend_in_groups,
        grouped,
    )

    def turned(x, places):
        """Pairs of columns as complex numbers, two heads of 4 columns, then two other columns."""
        pairs = torch.view_as_complex(x[:, :8].reshape(-1, 2, 2, 2))
        angles = torch.tensor([[p, p / 10] for p in places], dtype=torch.float64)
        turns = torch.polar(torch.ones_like(angles), angles)[:, None]
        return torch.cat([torch.view_as_real(pairs * turns).flatten(1), x[:, 8:]], 1)

    yield Case(
        "rotary",
        lambda x: gl.rotary(x, gl.Rows([2, 3]), 4, 8, base=100.0),
        lambda x: turned(x, [0, 1, 0, 1, 2]),
        normal((5, 10)),
    )
    mask = np.array([[False, True, False]] * 2)
    yield Case(
        "attention.mask",
        lambda q, k: gl.attention(q, k, k, gl.Rows([2]), gl.Rows([3]), mask=mask),
        lambda q, k: f.scaled_dot_product_attention(q, k, k, attn_mask=~torch.tensor(mask)),
        normal((2, 4), (3, 4)),
    )
    added = np.array([[0.5, -1.0, 2.0], [-np.inf, 0.0, 0.25]])
    yield Case(
        "attention.added_mask",
        lambda q, k: gl.attention(q, k, k, gl.Rows([2]), gl.Rows([3]), mask=added),
        lambda q, k: f.scaled_dot_product_attention(q, k, k, attn_mask=torch.tensor(added)),
        normal((2, 4), (3, 4)),
    )
    targets = [1, -100, 3, 0]
    for smoothing in (0.0, 0.1):
        yield Case(
            f"cross_entropy.{smoothing}",
            lambda x, s=smoothing: gl.cross_entropy(x, targets, label_smoothing=s).sum,
            lambda x, s=smoothing: f.cross_entropy(x, torch.tensor(targets), reduction="sum", label_smoothing=s),
            normal((4, 5)),
        )
    yield Case(
        "linear_cross_entropy",
        lambda x, w, b: gl.linear_cross_entropy(x, w, targets, b).sum,
        lambda x, w, b: f.cross_entropy(f.linear(x, w, b), torch.tensor(targets), reduction="sum"),
        normal((4, 3), (5, 3), (5,)),
    )

    def r_drop(x, w, b):
        """As in the authors' code, and half of it."""
        logits, twice = f.linear(x, w, b), torch.tensor(targets * 2)
        p, q = f.log_softmax(logits[:4][twice[:4] >= 0], -1), f.log_softmax(logits[4:][twice[:4] >= 0], -1)
        divergence = f.kl_div(p, q, reduction="sum", log_target=True) + f.kl_div(q, p, reduction="sum", log_target=True)
        return (f.cross_entropy(logits, twice, reduction="sum", label_smoothing=0.1) + 5 * divergence / 2) / 2

    yield Case(
        "r_drop",
        lambda x, w, b: gl.r_drop(x, w, targets, 5.0, b, label_smoothing=0.1).sum,
        r_drop,
        normal((8, 3), (5, 3), (5,)),
    )


def names_in_cpp():
    """The functions that autograd/ops.h declares."""
    path = Path(__file__).parents[2] / "autograd" / "ops.h"
    if not path.exists():
        pytest.skip("not in a checkout")
    pattern = r"^(?:Variable<T>|CrossEntropy<T>|TopK<T>|std::span<const int>|std::vector<Variable<T>>) (\w+)\("
    return set(re.findall(pattern, path.read_text(), flags=re.M))


def test_python_has_every_op_of_cpp():
    names = names_in_cpp()
    assert len(names) > 50
    assert not {name for name in names if not hasattr(gl, name)}


def test_each_op_is_compared_with_pytorch():
    torch = pytest.importorskip("torch")
    compared = {case.name.split(".")[0] for case in cases(torch)}
    assert names_in_cpp() - compared == {"argmax"}  # has no gradient


def relative(a, b):
    return np.abs(a - b).max(initial=0) / max(1.0, np.abs(b).max(initial=0))


def test_values_and_gradients_equal_pytorch():
    torch = pytest.importorskip("torch")
    for case in cases(torch):
        for number in range(CASES):
            rng = np.random.default_rng([number, len(case.name), *case.name.encode()])
            arrays = case.inputs(rng)
            theirs = [torch.tensor(array, requires_grad=True) for array in arrays]
            expected = case.theirs(*theirs)
            with gl.step():
                ours = [gl.variable(array) for array in arrays]
                y = case.ours(*ours)
                assert y.shape == tuple(expected.shape), case.name
                cotangent = rng.normal(size=y.shape)
                y.backward(cotangent)
                expected.backward(torch.tensor(cotangent))
                assert relative(y.numpy(), expected.detach().numpy()) < LIMIT, (case.name, number)
                for x, t in zip(ours, theirs):
                    grad = np.zeros(t.shape) if t.grad is None else t.grad.numpy()
                    assert relative(x.grad, grad) < LIMIT, (case.name, number)


def test_argmax():
    numbers = np.array([[1.0, 3.0, 3.0], [2.0, 0.0, -1.0]])
    with gl.step():
        x = gl.variable(numbers)
        assert gl.argmax(x, 1).tolist() == [1, 0]
        assert x.argmax(0).tolist() == [1, 0, 0]


class Raises:
    def __index__(self):
        raise RuntimeError("no index")


def test_indices():
    numbers = np.arange(12.0).reshape(4, 3)
    with gl.step():
        x = gl.variable(numbers)
        for index in (1, np.int64(-1), np.array(2), np.array([2, 0]), [2, 0], (slice(1, 9), 0), (..., None), ()):
            assert x[index].numpy().tolist() == numbers[index].tolist()
        for index in (4, -5, 10**30):
            with pytest.raises(IndexError):
                x[index]
        for index in (True, np.bool_(True), 1.0, "a", np.array([True, False]), slice(None, None, -1)):
            with pytest.raises(gl.Misuse, match="index"):
                x[index]
        for use in (lambda i: x[i], lambda i: x.sum(axis=i), lambda i: x.reshape(i, 3)):
            with pytest.raises(RuntimeError, match="no index"):
                use(Raises())


def test_numbers_that_are_too_large():
    with gl.step():
        x = gl.variable(np.ones((2, 3)))
        for use in (lambda: x * 10**400, lambda: gl.full(10**30, 1.0)):
            with pytest.raises(OverflowError):
                use()
        with pytest.raises(gl.Misuse, match="32 bits"):
            x.sum(axis=2**40)
    with pytest.raises(gl.Misuse, match="rows"):
        gl.Rows([1] * 4, width=2**62)


def test_a_mask_of_integers_is_an_error():
    blocked = np.triu(np.ones((3, 3)), k=1)
    with gl.step():
        expected = gl.self_attention(np.eye(3, 12), [3], causal=True).numpy()
        for mask in (blocked == 1, np.where(blocked == 1, -np.inf, 0)):
            np.testing.assert_array_equal(gl.self_attention(np.eye(3, 12), [3], mask=mask).numpy(), expected)
        for mask in (blocked.astype(int), blocked.astype(np.uint8), [[1, 0, 0], [1, 1, 0], [1, 1, 1]]):
            with pytest.raises(gl.Misuse, match="mask of bool, or of floats.*got an array of u?int"):
                gl.self_attention(np.eye(3, 12), [3], mask=mask)


def test_errors_of_attention_name_the_operand():
    q, k = np.ones((3, 4)), np.ones((2, 4))
    with gl.step():
        for arguments, heads, expected in [
            ((q, k, q), 1, r"expected k \[3, D\], the rows of its sequences; got \[2, 4\]"),
            ((q, q, k), 1, r"expected v \[3, D\]"),
            ((q, q, q), 3, r"expected q \[3, D\] with D a multiple of 3, for 3 heads; got \[3, 4\]"),
        ]:
            with pytest.raises(gl.Error, match=r"\[attention\] " + expected):
                gl.attention(*arguments, [3], [3], heads=heads)
        with pytest.raises(gl.Error, match="expected key_heads that divide the 4 heads, or 0; got 3"):
            gl.attention(q, q, q, [3], [3], heads=4, key_heads=3)


def test_a_mask_has_no_gradient():
    with gl.step():
        mask = gl.variable(np.zeros((3, 3)))
        gl.self_attention(np.ones((3, 12)), gl.Rows([3]), mask=mask.detach())
        with pytest.raises(gl.Misuse, match="detach"):
            gl.self_attention(np.ones((3, 12)), gl.Rows([3]), mask=mask)
