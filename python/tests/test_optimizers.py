"""Optimizers: steps as PyTorch's, parts of models, clipping, schedules, averages, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import glossa as gl


class Net(gl.Module):
    def __init__(self) -> None:
        self.first = gl.Linear(3, 4)
        self.last = gl.Linear(4, 2)

    def __call__(self, x: Any) -> gl.Variable:
        return self.last(gl.tanh(self.first(x)))


def data(update: int) -> npt.NDArray[np.float64]:
    return np.random.default_rng(update).normal(size=(5, 3))


def train(net: Net, optimizer: Any, updates: range, **arguments: Any) -> None:
    for update in updates:
        with gl.step(training=True, update=update):
            net(data(update)).square().sum().backward()
            optimizer.step(**arguments)


def values(module: gl.Module) -> npt.NDArray[Any]:
    return np.concatenate([value.ravel() for value in module.state_dict().values()])


@pytest.mark.parametrize(
    ("ours", "name", "theirs"),
    [
        (lambda net: gl.SGD(net, 0.01), "SGD", {}),
        (lambda net: gl.SGD(net, 0.01, momentum=0.9, weight_decay=0.1, decay_norm_and_bias=True), "SGD", None),
        (lambda net: gl.SGD(net, 0.01, momentum=0.9, nesterov=True), "SGD", {"momentum": 0.9, "nesterov": True}),
        (lambda net: gl.Adam(net, 0.01), "Adam", {}),
        (lambda net: gl.Adam(net, 0.01, betas=(0.8, 0.9), eps=1e-6), "Adam", {"betas": (0.8, 0.9), "eps": 1e-6}),
        (lambda net: gl.AdamW(net, 0.01, decay_norm_and_bias=True), "AdamW", {"weight_decay": 0.01}),
    ],
)
def test_steps_agree_with_pytorch(ours: Callable[[Net], Any], name: str, theirs: dict[str, Any] | None) -> None:
    torch = pytest.importorskip("torch")
    net = Net().init(dtype=np.float64)
    tensors = {key: torch.tensor(value, requires_grad=True) for key, value in net.state_dict().items()}
    options = {"momentum": 0.9, "weight_decay": 0.1} if theirs is None else theirs
    optimizer = getattr(torch.optim, name)(tensors.values(), lr=0.01, **options)
    train(net, ours(net), range(10))
    for update in range(10):
        optimizer.zero_grad()
        hidden = torch.tanh(torch.tensor(data(update)) @ tensors["first.weight"].T + tensors["first.bias"])
        (hidden @ tensors["last.weight"].T + tensors["last.bias"]).square().sum().backward()
        optimizer.step()
    for key, tensor in tensors.items():
        assert np.allclose(net[key].value, tensor.detach().numpy(), rtol=0, atol=1e-12)


def test_step_clears_gradients_and_counts() -> None:
    net = Net().init(dtype=np.float64)
    adam = gl.Adam(net, lr=0.5)
    assert adam.steps == 0
    with gl.step():
        net(data(1)).sum().backward()
        assert net.first.weight.grad is not None
        adam.step()
    assert adam.steps == 1 and net.first.weight.grad is None
    assert repr(adam) == "<glossa.Adam: lr 0.5, 1 steps>"
    with pytest.raises(gl.Misuse, match=r"\[step\] expected gradients; got none.*call loss.backward"):
        adam.step()


def test_gradients_add_up_until_the_step() -> None:
    once, twice = Net().init(dtype=np.float64), Net().init(dtype=np.float64)
    for net, x in ((once, [data(1), data(2)]), (twice, [np.concatenate([data(1), data(2)])])):
        sgd = gl.SGD(net, lr=0.1)
        for part in x:
            with gl.step():
                net(part).square().sum().backward()
        sgd.step(gradient_scale=0.1)
    assert np.allclose(values(once), values(twice), rtol=0, atol=1e-14)


def test_zero_grad_drops_gradients() -> None:
    net = Net().init(dtype=np.float64)
    for drop in (gl.SGD(net).zero_grad, net.zero_grad):
        with gl.step():
            net(data(1)).sum().backward()
        drop()
        assert all(p.grad is None for p in net.parameters().values())


def test_clipping_limits_the_norm() -> None:
    net = Net().init(dtype=np.float64)
    sgd = gl.SGD(net, lr=1.0)
    before = values(net)
    with gl.step():
        (100 * net(data(1)).sum()).backward()
    gradient = np.concatenate([p.grad.ravel() for p in net.parameters().values() if p.grad is not None])
    assert abs(sgd.grad_norm() - np.linalg.norm(gradient)) < 1e-9
    sgd.step(gradient_scale=sgd.clip(0.5, 0.1))
    assert abs(np.linalg.norm(values(net) - before) - 0.5) < 1e-6
    assert gl.clip_factor(4.0, 1.0) == 1 / (4 + 1e-6) and gl.clip_factor(0.5, 1.0) == 1
    assert gl.clip_factor(4.0, 0) == 1


def test_an_optimizer_of_a_part_trains_only_that_part() -> None:
    net = Net().init(dtype=np.float64)
    first, last = gl.Adam(net.first), gl.SGD(net.last)
    before = net.state_dict()
    with gl.step():
        net(data(1)).square().sum().backward()
        first.step()
        assert net.first.weight.grad is None and net.last.weight.grad is not None
    assert np.array_equal(net.last.weight.value, before["last.weight"])
    assert not np.array_equal(net.first.weight.value, before["first.weight"])
    last.step()
    assert not np.array_equal(net.last.weight.value, before["last.weight"])


def test_factors_of_the_learning_rate_by_pattern() -> None:
    net = Net().init(dtype=np.float64)
    before = net.state_dict()
    sgd = gl.SGD(net, lr=1.0, lr_factors={"first.bias": 0.5, "first.*": 0.0})
    with gl.step():
        net(data(1)).sum().backward()
    gradients = {name: np.asarray(p.grad) for name, p in net.parameters().items()}
    sgd.step()
    for name, factor in {"first.bias": 0.5, "first.weight": 0.0, "last.weight": 1.0}.items():
        assert np.allclose(net[name].value, before[name] - factor * gradients[name])
    with pytest.raises(gl.Misuse, match="lr_factors"):
        gl.SGD(net, lr_factors={"second.*": 1.0})


def test_frozen_parameters_stay() -> None:
    net = Net().init(dtype=np.float64)
    net.first.freeze()
    adam = gl.Adam(net)
    before = net.state_dict()
    train(net, adam, range(2))
    assert np.array_equal(net.first.weight.value, before["first.weight"])
    assert not np.array_equal(net.last.weight.value, before["last.weight"])
    net.first.weight.trainable = True
    with gl.step():
        net(data(1)).sum().backward()
        with pytest.raises(gl.Error, match="frozen|trainable"):
            adam.step()


def test_wrong_options_of_optimizers_are_errors() -> None:
    net = Net().init()
    for make in (
        lambda: gl.Adam(net, betas=(1.0, 0.9)),
        lambda: gl.Adam(net, eps=0.0),
        lambda: gl.SGD(net, momentum=1.0),
        lambda: gl.SGD(net, nesterov=True),
        lambda: gl.AdamW(net, weight_decay=-1.0),
    ):
        with pytest.raises(gl.Error):
            make()


def test_arguments_of_pytorchs_optimizers_have_a_hint() -> None:
    net = Net().init()
    for optimizer in (gl.Adam, gl.AdamW, gl.SGD):
        for given in (net.parameters(), net.parameters().values(), [net.first.weight]):
            with pytest.raises(gl.Misuse, match=r"expected a module; got .* Hint: pass the module"):
                optimizer(given)  # type: ignore[arg-type]
        with pytest.raises(gl.Misuse, match=r"expected a number; got Schedule. Hint: .*step\(lr=schedule\(update"):
            optimizer(net, lr=gl.Schedule("noam", width=16, warmup=4))  # type: ignore[arg-type]


def test_schedules() -> None:
    noam = gl.Schedule("noam", width=16, warmup=4)
    assert noam(4) == pytest.approx(0.25 * 0.5)
    warm = gl.Schedule("inverse_sqrt", lr=1.0, warmup=10)
    assert warm(5) == pytest.approx(0.5) and warm(10) == 1 and warm(40) == pytest.approx(0.5)
    cosine = gl.Schedule("cosine", lr=1.0, total_updates=10, min_lr=0.2)
    assert cosine(5) == pytest.approx(0.6) and cosine(10) == pytest.approx(0.2)
    plateau = gl.Schedule("plateau", lr=1.0, plateau_factor=0.5, plateau_patience=1)
    for metric in (1.0, 2.0, 2.0):
        plateau.observe(metric)
    assert plateau(3) == 0.5
    assert gl.Schedule(lr=0.1)(1) == 0.1
    with pytest.raises(gl.Misuse, match="expected constant, noam"):
        gl.Schedule("step")
    with pytest.raises(gl.Misuse):
        gl.Schedule("linear", lr=1.0)


def test_moving_average() -> None:
    net = Net().init(dtype=np.float64)
    average, expected = gl.MovingAverage(net, decay=0.5), values(net)
    adam = gl.Adam(net, lr=0.1)
    for t in range(1, 6):
        train(net, adam, range(t, t + 1))
        average.update()
        decay = min(0.5, (1 + t) / (10 + t))
        expected = decay * expected + (1 - decay) * values(net)
    trained = values(net)
    with average:
        assert np.allclose(values(net), expected, rtol=0, atol=1e-14)
        for wrong in (average.update, average.__enter__):
            with pytest.raises(gl.Misuse, match="an average that is not in use"):
                wrong()
    assert np.array_equal(values(net), trained)
    with pytest.raises(gl.Misuse, match=r"\[MovingAverage\] expected the module that was initialized"):
        gl.MovingAverage(net.first)


def test_training_continues_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "training.safetensors"
    net, again = Net().init(seed=1, dtype=np.float64), Net().init(seed=2, dtype=np.float64)
    adam, other = gl.Adam(net), gl.Adam(again)
    train(net, adam, range(5))
    gl.save_training(path, net, adam)
    train(net, adam, range(5, 10))
    gl.load_training(path, again, other)
    assert other.steps == 5
    train(again, other, range(5, 10))
    assert np.array_equal(values(net), values(again))
    plain = Net().init(seed=3).load(path)
    assert plain.first.weight.shape == (4, 3)
    with pytest.raises(gl.Error):
        gl.load_training(path, again, gl.SGD(again, momentum=0.5))
    with pytest.raises(gl.Misuse, match="the optimizer of this model"):
        gl.save_training(path, net, other)
    with pytest.raises(gl.Misuse, match="the module that was initialized"):
        gl.save_training(path, net.first, adam)


def test_backward_after_the_step_is_refused() -> None:
    net = Net().init(dtype=np.float64)
    sgd = gl.SGD(net)
    with gl.step():
        loss, second = net(data(1)).sum(), net(data(2)).sum()
        loss.backward(keep_graph=True)
        sgd.step()
        with pytest.raises(gl.Error, match="changed"):
            second.backward()


def test_an_optimizer_keeps_the_parameters() -> None:
    def make() -> gl.Adam:
        return gl.Adam(Net().init())

    adam = make()
    assert adam.steps == 0 and adam.grad_norm() == 0


def test_several_steps_before_an_update_are_a_larger_batch() -> None:
    x = np.random.default_rng(5).normal(size=(6, 3))
    whole, parts = (gl.Linear(3, 2).init(seed=4, dtype=np.float64) for _ in range(2))
    for model, batches in ((whole, [x]), (parts, [x[:2], x[2:]])):
        adam = gl.Adam(model, lr=0.1)
        for batch in batches:
            with gl.step(training=True, update=1):
                gl.square(model(batch)).sum().backward()
        adam.step(gradient_scale=1 / len(x))
    np.testing.assert_allclose(parts["weight"].value, whole["weight"].value, rtol=1e-12)
