"""Modules: names, initialization, sharing, saving, freezing, errors."""

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import glossa as gl


class Block(gl.Module):
    def __init__(self, width: int = 4) -> None:
        self.norm = gl.LayerNorm(width)
        self.layers = [gl.Linear(width, width), gl.Linear(width, 2, bias=False)]
        self.gain = gl.parameter(width, init="ones")

    def __call__(self, x: Any) -> gl.Variable:
        h = self.norm(x) * self.gain
        for layer in self.layers:
            h = layer(h)
        return h


NAMES = ["gain", "layers.0.bias", "layers.0.weight", "layers.1.weight", "norm.bias", "norm.weight"]


def test_names_are_paths_of_attributes() -> None:
    block = Block().init()
    assert sorted(block.parameters()) == NAMES
    assert block["layers.1.weight"].shape == (2, 4)
    assert block["layers.1.weight"].name == "layers.1.weight"
    assert block.layers[0].weight.name == "layers.0.weight"
    assert sorted(block.layers[0].parameters()) == ["bias", "weight"]
    assert block.num_parameters == 4 + 4 * 4 + 4 + 2 * 4 + 4 + 4


def test_a_layer_may_be_the_whole_model() -> None:
    assert list(gl.Linear(3, 2).init().parameters()) == ["bias", "weight"]
    assert "layers.0.linear1.weight" in gl.Encoder(1, 4, 2, 8).init().parameters()


def test_modules_nest_in_dicts_and_tuples() -> None:
    class Both(gl.Module):
        def __init__(self) -> None:
            self.heads = {"a": gl.Linear(2, 1), "b": (gl.Linear(2, 1, bias=False),)}
            self._hidden = gl.Linear(1, 1, bias=False)
            self.scales = [gl.parameter(3), gl.parameter((2, 2), init="normal", scale=0.1)]

    both = Both().init()
    assert sorted(both.parameters()) == [
        "_hidden.weight",
        "heads.a.bias",
        "heads.a.weight",
        "heads.b.0.weight",
        "scales.0",
        "scales.1",
    ]
    with gl.step():
        assert (both.scales[1] * 1.0 + 0).shape == (2, 2)


def test_names_of_attributes_may_begin_with_an_underscore() -> None:
    class Private(gl.Module):
        def __init__(self) -> None:
            self._linear = gl.Linear(2, 3)
            self._gain = gl.parameter(3, init="ones")

        def __call__(self, x: Any) -> gl.Variable:
            return self._linear(x) * self._gain

    private = Private().init(dtype=np.float64)
    assert set(private.parameters()) == {"_gain", "_linear.weight", "_linear.bias"}
    assert set(private.init(dtype=np.float64).parameters()) == {"_gain", "_linear.weight", "_linear.bias"}
    assert gl.grad_check(private, np.ones((1, 2)), parameters=private)


def test_values_depend_on_seed_and_name_only() -> None:
    one, same, other = Block().init(seed=3), Block().init(seed=3), Block().init(seed=4)
    assert np.array_equal(one["layers.0.weight"].value, same["layers.0.weight"].value)
    assert not np.array_equal(one["layers.0.weight"].value, other["layers.0.weight"].value)
    double = Block().init(seed=3, dtype=np.float64)
    assert double.dtype == np.float64
    assert np.array_equal(double["layers.0.weight"].value.astype(np.float32), one["layers.0.weight"].value)


def test_initial_values_by_kind_pair_and_array() -> None:
    class Parameters(gl.Module):
        def __init__(self) -> None:
            self.ones = gl.parameter((2, 3), init="ones")
            self.constant = gl.parameter(2, init="constant", scale=0.5)
            self.normal = gl.parameter((100, 100), init="normal", scale=0.02)
            self.uniform = gl.parameter(1000, init="uniform", scale=3)
            self.array = gl.parameter((2, 2), init=[[1, 2], [3, 4]])
            self.linear = gl.Linear(2, 2, weight_init=np.eye(2), bias_init=("constant", 7.0))

    module = Parameters().init(dtype=np.float64)
    assert np.all(module.ones.value == 1)
    assert np.all(module.constant.value == 0.5)
    assert abs(module.normal.value.std() - 0.02) < 1e-3
    assert 2.9 < np.abs(module.uniform.value).max() <= 3
    assert module.array.value.tolist() == [[1, 2], [3, 4]]
    assert module.linear.weight.value.tolist() == [[1, 0], [0, 1]]
    assert module.linear.bias.value.tolist() == [7, 7]


def test_wrong_initial_values_are_errors() -> None:
    class Wrong(gl.Module):
        def __init__(self, init: object) -> None:
            self.gain = gl.parameter(2, init=init)  # type: ignore[arg-type]

    with pytest.raises(gl.Misuse, match=r"\[gain\] expected \"zeros\".*got orthogonal"):
        Wrong("orthogonal").init()
    with pytest.raises(gl.Misuse, match=r"\[gain\] expected initial values of shape \[2\]; got \[3\]"):
        Wrong([1, 2, 3]).init()


def test_a_shared_module_has_one_set_of_parameters() -> None:
    class Twins(gl.Module):
        def __init__(self) -> None:
            self.left = gl.Linear(3, 3)
            self.right = self.left
            self.scale = self.scale_too = gl.parameter(1, init="ones")

    twins = Twins().init()
    assert list(twins.parameters()) == ["scale", "left.bias", "left.weight"]
    assert twins.right.weight.name == "left.weight"
    with gl.step():
        (twins.left(np.ones((1, 3), np.float32)) + twins.right(np.ones((1, 3), np.float32))).sum().backward()
        assert np.all(twins.left.bias.grad == 2)
        assert twins.scale.name == twins.scale_too.name


def test_use_before_init_is_an_error_with_a_hint() -> None:
    block = Block()
    x = np.ones((1, 4), np.float32)
    for use in (
        lambda: block(x),
        lambda: block.layers[0](x),
        lambda: block.parameters(),
        lambda: block["gain"],
        lambda: gl.relu(block.gain),
        lambda: gl.constant(x) * block.gain,
        lambda: block.gain * gl.constant(x),
        lambda: block.gain.value,
        lambda: gl.Adam(block),
        lambda: block.save("never"),
    ):
        with gl.step(), pytest.raises(gl.Misuse, match=r"before init\. Hint: call init\(\)"):
            use()
    with pytest.raises(AttributeError, match=r"'Linear' has no attribute 'weight' before init\(\)"):
        block.layers[0].weight
    assert not hasattr(block, "nothing")


def test_a_module_belongs_to_one_model() -> None:
    class Model(gl.Module):
        def __init__(self, block: Block) -> None:
            self.block = block

    block = Block()
    model = Model(block).init()
    old = model["block.gain"]
    model.init(seed=2)
    assert model.block.gain.name == old.name
    with pytest.raises(gl.Misuse, match="init.. of the outermost module only"):
        block.init()
    with pytest.raises(gl.Misuse, match=r"\[block\] expected a module of no other model"):
        Model(block).init()


def test_a_module_added_after_init_must_be_initialized() -> None:
    block = Block().init()
    block.more = gl.Linear(2, 2)  # type: ignore[attr-defined]
    with gl.step(), pytest.raises(gl.Misuse, match="before init"):
        block.more(np.ones((1, 2)))  # type: ignore[attr-defined]
    assert sorted(block.parameters()) == NAMES
    block.init()
    assert "more.weight" in block.parameters()


def test_unknown_names_have_a_suggestion() -> None:
    with pytest.raises(gl.Misuse, match="did you mean 'layers.0.weight'"):
        Block().init()["layers.0.wieght"]


def test_precisions_do_not_mix() -> None:
    block = Block().init(dtype=np.float64)
    with gl.step(), pytest.raises(gl.Misuse, match="float64"):
        block(gl.constant(np.ones((1, 4), np.float32)))


def test_repr_is_a_tree() -> None:
    assert repr(Block()) == (
        "Block(\n"
        "  (norm): LayerNorm(4)\n"
        "  (layers.0): Linear(4, 4)\n"
        "  (layers.1): Linear(4, 2, bias=False)\n"
        "  (gain): parameter 4\n"
        ")"
    )
    assert repr(gl.SelfAttention(8, 2, causal=True)) == "SelfAttention(width=8, heads=2, causal=True)"


def test_state_dict_has_copies() -> None:
    block = Block().init()
    state = block.state_dict()
    assert sorted(state) == NAMES
    state["gain"][:] = 5
    assert np.all(block.gain.value == 1)
    block.load_state_dict(state)
    assert np.all(block.gain.value == 5)


def test_load_state_dict_refuses_differences_and_changes_nothing() -> None:
    block = Block().init()
    state = block.state_dict()
    state["gain"][:] = 5
    state["norm.bias"] = np.zeros(3, np.float32)
    with pytest.raises(gl.Misuse, match=r"\[norm.bias\] expected an array of shape \(4,\); got \(3,\)"):
        block.load_state_dict(state)
    del state["norm.bias"]
    state["extra"] = np.zeros(1)
    with pytest.raises(gl.Misuse, match=r"1 \(norm.bias\) missing, 1 \(extra\) unexpected"):
        block.load_state_dict(state)
    assert np.all(block.gain.value == 1)
    assert block.load_state_dict(state, strict=False) == (["norm.bias"], ["extra"])
    assert np.all(block.gain.value == 5)
    before = block.state_dict()
    changed = {name: value + 1 for name, value in before.items()}
    for values in (np.array(["a"] * 4), np.ones(4, dtype=complex)):
        with pytest.raises(TypeError):
            block.load_state_dict(changed | {"norm.weight": values})
        assert all((block[name].value == before[name]).all() for name in before)


def test_values_are_read_only_and_shapes_are_checked() -> None:
    gain = Block().init().gain
    with pytest.raises(ValueError):
        gain.value[0] = 1
    with pytest.raises(gl.Misuse, match=r"\[gain\] expected an array of shape \[4\]; got \(2,\)"):
        gain.value = [1, 2]


def test_assigning_an_array_to_a_parameter_is_an_error() -> None:
    class Model(gl.Module):
        def __init__(self) -> None:
            self.block = Block()
            self.block.gain = gl.parameter(4, init="constant", scale=2.0)  # instead of the one of Block

    block = Model().init().block
    assert block.gain.value.tolist() == [2, 2, 2, 2]
    for module, name in ((block, "gain"), (block.layers[0], "weight")):
        with pytest.raises(gl.Misuse, match=rf"\[{name}\] expected a Parameter; got ndarray. Hint: .*{name}.value ="):
            setattr(module, name, np.zeros(4))
    with pytest.raises(gl.Misuse, match="one module is used in several places"):
        block.layers[0].weight = block.layers[1].weight
    block.layers[0].weight.value = np.zeros((4, 4))
    assert not block["layers.0.weight"].value.any()
    block.gain = block.norm.weight
    assert block.gain.value.tolist() == [1, 1, 1, 1]


def test_forward_serves_as_call() -> None:
    class Model(gl.Module):
        def __init__(self) -> None:
            self.linear = gl.Linear(4, 2)

        def forward(self, x: Any, *, scale: float = 1.0) -> gl.Variable:
            return self.linear(x) * scale

    class Twice(gl.Linear):
        def forward(self, x: Any) -> Any:
            return super().__call__(x) * 2.0

    model, twice = Model().init(), Twice(4, 2).init()
    x = np.ones((1, 4), np.float32)
    with gl.step():
        assert model(x, scale=2).numpy().tolist() == (2 * model.linear(x).numpy()).tolist()
        assert twice(x).numpy().tolist() == (2 * gl.Linear.__call__(twice, x).numpy()).tolist()
    with pytest.raises(gl.Misuse, match=r"\[Module\] expected a module that defines __call__"):
        gl.Module().init()(x)


def test_modules_are_copied_before_init_only() -> None:
    layers = [copy.deepcopy(block) for block in [Block()] * 2]
    assert layers[0].layers[0] is not layers[1].layers[0]
    block = layers[0].init()
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(gl.Misuse, match=r"\[Block\] .* after init. Hint: save.* state_dict"):
            use(block)
    layers[1].init()
    assert list(block.parameters()) == [p.name for p in layers[1].parameters().values()]


def test_files_both_ways(tmp_path: Path) -> None:
    block, other = Block().init(seed=1), Block().init(seed=2)
    block.save(tmp_path / "block.safetensors")
    assert other.load(tmp_path / "block.safetensors") is other
    for name, value in block.state_dict().items():
        assert np.array_equal(other[name].value, value)
    with pytest.raises(gl.Error, match="missing"):
        gl.Linear(4, 4).init().load(tmp_path / "block.safetensors")
    block.layers[0].save(tmp_path / "linear.safetensors")
    linear = gl.Linear(4, 4).init(dtype=np.float64).load(tmp_path / "linear.safetensors")
    assert np.array_equal(linear.weight.value, block.layers[0].weight.value)
    other.layers[0].load(tmp_path / "linear.safetensors")


def test_files_of_the_package_safetensors(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    block, other = Block().init(seed=1), Block().init(seed=2)
    block.save(tmp_path / "ours")
    theirs = safetensors.load_file(tmp_path / "ours")
    assert {name: value.tolist() for name, value in theirs.items()} == {
        name: value.tolist() for name, value in block.state_dict().items()
    }
    safetensors.save_file(theirs, tmp_path / "theirs")
    other.load(tmp_path / "theirs")
    assert np.array_equal(other["layers.0.weight"].value, block["layers.0.weight"].value)


def test_freeze_keeps_values() -> None:
    block = Block().init()
    block.freeze("layers.*")
    block.norm.freeze()
    adam = gl.Adam(block)
    before = block.state_dict()
    with gl.step():
        block(np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)).square().sum().backward()
        assert block["layers.0.weight"].grad is None
        adam.step()
    changed = [name for name, value in block.state_dict().items() if not np.array_equal(value, before[name])]
    assert changed == ["gain"]
    with pytest.raises(gl.Misuse, match=r"\[freeze\] expected a pattern"):
        block.freeze("layer.*")


def test_parameters_are_operands() -> None:
    gain = Block().init().gain
    with gl.step():
        y = (gain * gl.constant(np.arange(4, dtype=np.float32))).sum() - gain.sum() * 2 + (gain @ gain) + (-gain)[1]
        assert y.item() == 6 - 8 + 4 - 1
        y.backward()
        assert gain.grad is not None and gain.grad.tolist() == [0, 0, 2, 3]


def test_gradients_of_a_module_are_proved() -> None:
    block = Block().init(dtype=np.float64)
    part = gl.grad_check(block.layers[0], np.random.default_rng(1).normal(size=(3, 4)), parameters=block.layers[0])
    assert part and set(part.errors) == {"input 0", "layers.0.bias", "layers.0.weight"}
    assert all(parameter.trainable for parameter in block.parameters().values())
    proof = gl.grad_check(block, np.random.default_rng(1).normal(size=(3, 4)), parameters=block)
    assert proof.passes, proof


def test_threads_compute_with_one_module() -> None:
    block = Block().init()
    x = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)

    def compute() -> None:
        for _ in range(50):
            with gl.step(recording=False):
                results.append(block(x).numpy())

    results: list[np.ndarray] = []
    threads = [threading.Thread(target=compute) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 200
    assert all(np.array_equal(result, results[0]) for result in results)


def test_no_thread_changes_values_that_another_one_reads() -> None:
    model = gl.Transformer(9, 9, width=64, heads=4, feed_forward=64, max_positions=60).init()
    bias = model["generator.bias"]
    sources = [[4, 5, 6, 7, 8] * 3] * 40
    expected = model.generate(sources, start=2, end=3, beam=2)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(model.generate(sources, start=2, end=3, beam=2)))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            bias.value = bias.value
        except gl.Error as error:
            refused += "no other thread uses" in str(error)
    thread.join()
    assert found == [expected]
    assert refused > 0


def test_parameters_keep_their_memory() -> None:
    gain = Block().init().gain
    value = gl.Linear(3, 3).init().weight.value
    assert gain.value.tolist() == [1, 1, 1, 1]
    assert np.all(np.isfinite(value))
