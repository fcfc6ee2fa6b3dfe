"""Attention layers: weights, masks, heads that share keys, relative positions, similarities."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import glossa as gl
from glossa import _glossa


def random(*shape: int, seed: int = 0) -> npt.NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=shape)


def test_attention_weights_are_arrays() -> None:
    attention = gl.SelfAttention(8, 2, causal=True).init(dtype=np.float64)
    rows = gl.Rows([3, 2])
    with gl.step():
        y, weights = attention(random(5, 8), rows, need_weights=True)
        assert np.array_equal(y.numpy(), attention(random(5, 8), rows).numpy())
    assert [w.shape for w in weights] == [(2, 3, 3), (2, 2, 2)]
    assert np.allclose(weights[0].sum(-1), 1)
    assert np.all(weights[0][:, gl.causal_mask(3)] == 0)


def test_a_causal_mask_is_a_causal_layer() -> None:
    plain, causal_layer = gl.SelfAttention(8, 2), gl.SelfAttention(8, 2, causal=True)
    plain.init(dtype=np.float64), causal_layer.init(dtype=np.float64)
    rows, x = gl.Rows([4]), random(4, 8)
    with gl.step():
        assert np.allclose(plain(x, rows, gl.causal_mask(4)).numpy(), causal_layer(x, rows).numpy())


@pytest.mark.parametrize("key_heads", [1, 2])
def test_heads_that_share_keys_equal_heads_with_copies(key_heads: int) -> None:
    heads, head_width, width = 4, 3, 8
    own = gl.SelfAttention(width, heads, head_width=head_width).init(dtype=np.float64)
    shared = gl.SelfAttention(width, heads, key_heads=key_heads, head_width=head_width).init(dtype=np.float64)
    assert shared.in_proj_weight.shape == ((heads + 2 * key_heads) * head_width, width)
    weights = shared.state_dict()
    for name in ("in_proj_weight", "in_proj_bias"):
        q, k, v = np.split(weights[name], [heads * head_width, (heads + key_heads) * head_width])
        copies = [
            np.repeat(x.reshape(key_heads, head_width, -1), heads // key_heads, axis=0).reshape(-1, *x.shape[1:])
            for x in (k, v)
        ]
        weights[name] = np.concatenate([q, *copies])
    own.load_state_dict(weights)
    x, rows = random(7, width), gl.Rows([4, 3])
    with gl.step():
        y, seen = shared(x, rows, need_weights=True)
        expected, expected_seen = own(x, rows, need_weights=True)
        assert np.allclose(y.numpy(), expected.numpy(), atol=1e-14)
        assert all(np.allclose(a, b, atol=1e-14) for a, b in zip(seen, expected_seen))


@pytest.mark.parametrize("positions", ["rotary", "alibi"])
@pytest.mark.parametrize("key_heads", [2, 1])
def test_relative_positions_of_a_layer_are_those_of_the_ops(positions: Any, key_heads: int) -> None:
    layer = gl.SelfAttention(8, 2, key_heads=key_heads, relative_positions=positions, rotary_base=100.0)
    layer.init(dtype=np.float64)
    x, rows = random(5, 8), gl.Rows([2, 3])
    with gl.step():
        qkv = gl.linear(x, layer.in_proj_weight, layer.in_proj_bias)
        if positions == "rotary":
            qkv = gl.rotary(qkv, rows, 4, 8 + 4 * key_heads, base=100.0)
        joined = gl.self_attention(qkv, rows, heads=2, key_heads=key_heads, alibi=positions == "alibi")
        y = gl.linear(joined, layer["out_proj.weight"], layer["out_proj.bias"])
        assert np.allclose(y.numpy(), layer(x, rows).numpy(), atol=1e-14)


@pytest.mark.parametrize("key_heads", [0, 1])
def test_additive_attention_is_the_similarity_of_a_layer(key_heads: int) -> None:
    layer = gl.CrossAttention(6, 2, key_heads=key_heads, similarity="additive").init(dtype=np.float64)
    rows = gl.Rows([3])
    x, memory = random(3, 6), random(3, 6, seed=1)
    with gl.step():
        weight, bias = layer.in_proj_weight, layer.in_proj_bias
        q = gl.linear(x, weight[:6], bias[:6])
        kv = gl.linear(memory, weight[6:], bias[6:])
        joined, weights = gl.additive_attention(
            q, kv, layer["similarity_vector"], rows, rows, key_heads=key_heads, need_weights=True
        )
        y = gl.linear(joined, layer["out_proj.weight"], layer["out_proj.bias"])
        expected, own = layer(x, rows, memory, rows, need_weights=True)
        assert np.allclose(y.numpy(), expected.numpy(), atol=1e-14)
        assert np.allclose(weights[0], own[0], atol=1e-14)


def options_of(layer: Any) -> dict[str, inspect.Parameter]:
    return {name: p for name, p in inspect.signature(layer).parameters.items() if p.kind is p.KEYWORD_ONLY}


def test_both_attentions_have_all_options_of_cpp() -> None:
    own, cross = options_of(gl.SelfAttention), options_of(gl.CrossAttention)
    relative = {"relative_positions", "rotary_base"}
    assert {name: p for name, p in own.items() if name not in relative} == cross
    for bound, options in ((_glossa.BoundSelfAttention, own), (_glossa.BoundCrossAttention, cross)):
        with pytest.raises(gl.Error) as error:
            bound(_glossa.Store(np.float32), "", {"unknown": 1})
        names = str(error.value).split("the options are ")[1]
        assert set(names.split(", ")) == {"width", "heads", *options}


@pytest.mark.parametrize("layer", [gl.SelfAttention, gl.CrossAttention])
def test_every_option_of_attention_reaches_cpp(layer: Any) -> None:
    for name in options_of(layer):
        with pytest.raises(gl.Error, match=rf"\[{layer.__name__}\.{name}\]"):
            layer(8, 2, **{name: "wrong"})
