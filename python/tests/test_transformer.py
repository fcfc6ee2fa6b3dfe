"""The Transformer: names, packs of ids, loss, search for translations."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import glossa as gl


def small_transformer(**options: Any) -> gl.Transformer:
    return gl.Transformer(
        9, 9, width=8, heads=2, feed_forward=8, encoder_layers=1, decoder_layers=1, max_positions=20, **options
    ).init(seed=1, dtype=np.float64)


def test_names_equal_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    theirs = {name: tuple(p.shape) for name, p in torch.nn.Transformer(8, 2, 1, 1, 8).named_parameters()}
    ours = {name: p.shape for name, p in small_transformer().parameters().items()}
    assert theirs.items() <= ours.items()
    assert sorted(ours.keys() - theirs.keys()) == [
        "generator.bias",
        "generator.weight",
        "src_tok_emb.embedding.weight",
        "tgt_tok_emb.embedding.weight",
    ]


def test_packs() -> None:
    pack = gl.pack([[5, 6, 3], [7, 3]])
    assert pack.ids.tolist() == [5, 6, 3, 7, 3] and pack.rows.lengths == [3, 2] and len(pack) == 2
    assert pack.sentences == [[5, 6, 3], [7, 3]]
    assert gl.pack(np.array([[5, 1, 3, 1], [1, 1, 1, 1], [7, 3, 2, 2]]), pad=1).sentences == [
        [5, 1, 3],
        [],
        [7, 3, 2, 2],
    ]
    assert [part.shape for part in pack.split(np.zeros((5, 2)))] == [(3, 2), (2, 2)]
    assert gl.pack([]).sentences == []
    padded = gl.Pack(np.array([5, 6, 3, 1, 7, 3, 1, 1]), gl.Rows([3, 2], width=4))
    assert padded.rows.starts == [0, 4] and padded.sentences == [[5, 6, 3], [7, 3]]
    with pytest.raises(gl.Misuse, match="a single sentence is pack"):
        gl.pack([5, 6])
    with pytest.raises(gl.Misuse, match="sentences of integers"):
        gl.pack([[0.5]])


def test_loss_is_the_cross_entropy_of_the_logits() -> None:
    model = small_transformer()
    source, target = gl.pack([[5, 6, 3], [7, 3]]), gl.pack([[2, 4], [2, 5, 6]])
    next_ids = [4, 3, 5, 6, 3]
    whole = gl.pack([[2, 4, 3], [2, 5, 6, 3]])
    padded = gl.Pack(np.array([2, 4, 3, 1, 1, 2, 5, 6, 3, 1]), gl.Rows([3, 4], width=5))
    with gl.step():
        expected = gl.cross_entropy(model(source, target), next_ids, ignore_index=5, label_smoothing=0.1)
        for loss in (
            model.loss(source, target, next_ids, ignore_index=5, label_smoothing=0.1),
            model.loss(source, target, gl.pack([[4, 3], [5, 6, 3]]), ignore_index=5, label_smoothing=0.1),
            model.loss(source, whole, ignore_index=5, label_smoothing=0.1),
            model.loss(source, padded, ignore_index=5, label_smoothing=0.1),
        ):
            assert loss.count == 4
            assert abs(loss.sum.item() - expected.sum.item()) < 1e-12
        memory = model.encode(source)
        states = model.decode(target, memory, source)
        assert np.allclose(model.project(states).numpy(), model(source, target).numpy())
    smooth = small_transformer(activation="gelu")  # relu's kinks hide gradients from differences
    proof = gl.grad_check(lambda: smooth.loss(source, whole).sum, parameters=smooth, training=False, limit=1e-7)
    assert proof.passes, proof


def test_a_sentence_with_a_number_draws_the_same_masks_in_any_pack() -> None:
    model = small_transformer(residual_dropout=0.5)
    both = gl.pack([[2, 4, 3], [2, 5, 6, 3]], sequence_ids=[3, 8])
    alone = gl.pack([[2, 5, 6, 3]], sequence_ids=[8])

    def loss(source: gl.Pack, target: gl.Pack, update: int) -> float:
        with gl.step(training=True, seed=1, update=update):
            return model.loss(source, target).sum.item()

    first = gl.pack([[2, 4, 3]], sequence_ids=[3])
    for update in range(1, 4):
        parts = loss(first, first, update) + loss(alone, alone, update)
        assert abs(loss(both, both, update) - parts) < 1e-12


def test_lists_of_sentences_are_packed() -> None:
    model = small_transformer()
    sources, targets = [[5, 6, 3], [7, 3]], [[2, 4, 3], [2, 5, 6, 3]]
    source, target = gl.pack(sources), gl.pack(targets)
    with gl.step():
        assert np.array_equal(model(sources, targets).numpy(), model(source, target).numpy())
        assert model.loss(sources, targets).sum.item() == model.loss(source, target).sum.item()
        memory = model.encode(sources)
        assert np.array_equal(memory.numpy(), model.encode(source).numpy())
        states = model.decode(target, memory, source)
        assert np.array_equal(model.decode(targets, memory, [3, 2]).numpy(), states.numpy())


def test_a_transformer_within_a_model_has_a_scope() -> None:
    class Model(gl.Module):
        def __init__(self) -> None:
            self.translator = gl.Transformer(5, 5, width=4, heads=2, feed_forward=4, encoder_layers=1, decoder_layers=1)

    names = Model().init().parameters()
    assert "translator.encoder.layers.0.linear1.weight" in names and "translator.generator.bias" in names
    assert all(name.startswith("translator.") for name in names)


def test_a_model_trained_by_hand_translates() -> None:
    model = gl.Transformer(
        10, 10, width=32, heads=4, feed_forward=64, encoder_layers=1, decoder_layers=1, max_positions=20
    ).init(seed=1)
    adam = gl.Adam(model, lr=3e-3)
    rng = np.random.default_rng(1)
    for update in range(1, 301):
        words = [rng.integers(4, 10, rng.integers(1, 6)).tolist() for _ in range(32)]
        source = gl.pack([[*sentence, 3] for sentence in words])
        target = gl.pack([[2, *sentence[::-1], 3] for sentence in words])
        with gl.step(training=True, update=update):
            loss = model.loss(source, target)
            loss.backward()
            adam.step(gradient_scale=1 / loss.count)
    sources = [[5, 6, 7, 3], [9, 4, 3], [8, 3]]
    assert model.generate(sources, start=2, end=3) == [[7, 6, 5], [4, 9], [8]]
    assert model.generate(gl.pack(sources), start=2, end=3, pad=1, beam=4) == [[7, 6, 5], [4, 9], [8]]
    assert model.generate(sources, start=2, end=3, max_length=1)[0] == [7]
    best = model.n_best(sources, 3, start=2, end=3)[0]
    rounded = model.n_best(sources, 3, start=2, end=3, precision="bf16")[0]
    assert rounded[0].tokens == best[0].tokens and 0 < abs(rounded[0].score - best[0].score) < 0.1
    assert [h.finished for h in best] == [True] * 3 and best[0].tokens == [7, 6, 5]
    assert best[0].score > best[1].score > best[2].score


def test_generate_refuses_wrong_arguments() -> None:
    model = small_transformer()
    with pytest.raises(gl.Error, match="generate"):
        model.generate([[5, 3]], start=2, end=9)
    with pytest.raises(gl.Error, match="did you mean 'length_penalty'"):
        model.generate([[5, 3]], start=2, end=3, length_penality="none")  # type: ignore[call-arg]
    with pytest.raises(gl.Error, match="at least 1"):
        model.generate([[5, 3]], start=2, end=3, beam=0)
    with pytest.raises(gl.Misuse, match="before init"):
        gl.Transformer(5, 5, width=4, heads=2).generate([[4]], start=2, end=3)


def test_ctrl_c_ends_a_search() -> None:
    model = gl.Transformer(50, 50, width=64, heads=4, feed_forward=128, encoder_layers=2, decoder_layers=2).init()
    sources = [[4, 5, 6, 7, 3]] * 200_000

    def interrupt() -> None:
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.generate(sources, start=2, end=3, max_length=60)
    thread.join()
    assert time.monotonic() - began < 60  # the whole search takes minutes
