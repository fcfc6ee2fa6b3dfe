"""Variables as NumPy and PyTorch users use them."""

import base64
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import glossa as gl

numbers = np.random.default_rng(3).normal(size=(4, 3))


@pytest.fixture
def x():
    with gl.step():
        yield gl.variable(numbers)


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 2]),
        np.array([3, -1], np.int32) % 4,
        [1, 1],
        np.array([True, False, True, True]),
        [False, True, False, False],
        np.int64(-1),
        np.array(2),
        None,
        (Ellipsis, None, 0),
        (slice(None), -1),
        slice(-2, None),
        slice(7, 9),
    ],
)
def test_indices(x, index):
    expected = numbers[index]
    found = x[index]
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.numpy(), expected)
    found.sum().backward()
    grad = np.zeros_like(numbers)
    np.add.at(grad, index, 1)
    np.testing.assert_array_equal(x.grad, grad)


@pytest.mark.parametrize(
    "index",
    [
        np.ones((4, 3), bool),
        np.array([[0, 1]]),
        (slice(None), np.array([0, 2])),
        (np.arange(3), np.arange(3)),
        np.array([True, False]),
        np.array([0.0]),
        "a",
        slice(None, None, 2),
        b"",
        {},
    ],
)
def test_other_indices_are_errors(x, index):
    with pytest.raises(gl.Misuse):
        x[index]
    with pytest.raises((gl.Error, IndexError)):
        x[np.array([9])]
    with pytest.raises(IndexError):
        x[4]
    with pytest.raises(IndexError, match="single ellipsis"):
        x[..., ...]


def test_functions_of_numpy_do_not_lose_the_gradient(x):
    for function in (np.stack, np.concatenate, lambda v: np.where(True, v[0], 0), np.transpose, lambda v: np.array(v)):
        with pytest.raises(gl.Misuse, match="no gradient flows"):
            function([x, x] if function in (np.stack, np.concatenate) else x)
    np.testing.assert_array_equal(np.asarray(gl.stop_gradient(x)), numbers)
    np.testing.assert_array_equal(np.asarray(gl.constant(numbers)), numbers)
    for reduce in (np.sum, np.mean, np.max, np.std):
        with pytest.raises(gl.Misuse, match="no gradient flows.*glossa has sum"):
            reduce(x, axis=0)
        np.testing.assert_array_equal(reduce(gl.constant(numbers), axis=(0, 1)), reduce(numbers))
    np.testing.assert_array_equal(np.stack((gl.constant(numbers), numbers)), [numbers, numbers])


def test_comparisons_are_arrays(x):
    for compare in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        for other in (0, numbers[0], x, numbers):
            plain = numbers if other is x else other
            np.testing.assert_array_equal(getattr(x, compare)(other), getattr(numbers, compare)(plain))
    assert (gl.where(x > 0, x, 0).numpy() == np.maximum(numbers, 0)).all()
    assert len({x, x}) == 1
    assert not (x == None).any() and (x != "a").all()  # noqa: E711


def test_text_and_numbers(x):
    total = x.sum()
    assert f"{total:.3f}" == f"{numbers.sum():.3f}" and f"{total}" == repr(total)
    assert float(total) == total.item() and int(total * 10) == int(total.item() * 10)
    np.testing.assert_array_equal(abs(x).numpy(), abs(numbers))
    with pytest.raises(gl.Misuse, match="one element"):
        float(x)


def test_zero_dimensional_arrays_are_numbers():
    with gl.step():
        single = gl.variable(numbers.astype(np.float32))
        assert (np.array(2.0) * single).dtype == (single * np.array(2.0)).dtype == np.float32
        assert (np.float32(2) * gl.variable(numbers)).dtype == np.float64


@pytest.mark.parametrize("function", [gl.softmax, gl.log_softmax])
def test_axis_of_softmax(x, function):
    columns = function(x, axis=0)
    np.testing.assert_allclose(columns.numpy(), function(x.T).numpy().T, rtol=1e-15)
    assert gl_check(lambda v: function(v, 0))


def gl_check(function):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:  # this one has a step
        return thread.submit(gl.grad_check, function, numbers).result()


def test_cross_entropy_as_in_pytorch(x):
    loss = gl.cross_entropy(x, [0, 1, -100, 2], label_smoothing=0.1)
    assert loss.count == 3 and loss.item() == pytest.approx(loss.sum.item() / 3)
    loss.mean.backward()
    assert abs(x.grad[2]).max() == 0 < abs(x.grad[0]).max()


def test_a_step_in_bf16_rounds_the_factors_of_products():
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=(8, 8)).astype(np.float32) for _ in range(2))

    def rounded(x):  # to nearest, ties to even
        bits = x.view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)

    with gl.step(precision="bf16"):
        product = (gl.variable(a) @ gl.variable(b)).numpy()
        exact = (gl.variable(a.astype(float)) @ gl.variable(b.astype(float))).numpy()
    assert not np.allclose(product, a @ b, rtol=0, atol=1e-4)
    np.testing.assert_allclose(product, rounded(a) @ rounded(b), rtol=0, atol=1e-5)
    np.testing.assert_allclose(exact, a.astype(float) @ b, rtol=1e-12)
    _, (gradient,) = gl.value_and_grad(lambda x: (x @ b).sum(), precision="bf16")(a)
    np.testing.assert_allclose(gradient, np.tile(rounded(b).sum(axis=1), (8, 1)), rtol=0, atol=1e-5)
    with pytest.raises(gl.Misuse, match=r"\[step.precision\] expected one of float, bf16; got 'half'"):
        gl.step(precision="half")


def test_value_and_grad_names_what_the_function_must_return():
    for wrong in (lambda w: 1.0, lambda w: None, lambda w: (w, w), lambda w: gl.cross_entropy(w, [0, 1, 2, 0])):
        with pytest.raises(gl.Misuse, match="a Variable"):
            gl.value_and_grad(wrong)(numbers)
    assert isinstance(gl.grad(lambda w: w.sum())(numbers), np.ndarray)


def test_hints_name_functions_of_python(x):
    y = x.sum()
    y.backward()
    with pytest.raises(gl.Error, match="keep_graph=True"):
        y.backward()
    with pytest.raises(gl.Error, match="glossa.variable"):
        gl.constant(numbers).sum().backward()


def test_hints_that_are_replaced_are_those_of_cpp():
    root = Path(__file__).parents[2]
    source = root / "python" / "binding" / "errors.cpp"
    if not source.exists():
        pytest.skip("not in a checkout")
    replaced = re.findall(r'^    \{"([^"]+)",', source.read_text(), flags=re.M)
    text = "\n".join(
        re.sub(r'"\s+"', "", path.read_text())
        for folder in ("autograd", "train", "report", "app")
        for path in (root / folder).rglob("*.cpp")
    )
    assert len(replaced) > 3
    fixed = [hint.split(" glossa train")[0] for hint in replaced]  # commands are put in later
    assert not [hint for hint in fixed if hint not in text]


def test_proof_has_each_elements_error_and_shows_them():
    weight = np.array([[1.0, 2.0, 4.0]])
    proof = gl.grad_check(lambda x, y: (x * weight).sum() + gl.relu(y).sum(), np.ones((2, 3)), np.array([1.0, 0.0]))
    assert proof.errors.keys() == proof.verdicts.keys() == {"input 0", "input 1"}
    assert proof.errors["input 0"].shape == (2, 3) and (proof.errors["input 0"] < 1e-12).all()
    assert proof.verdicts["input 0"].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert proof.verdicts["input 1"].tolist() == [0, 2]  # the kink of relu
    assert np.isnan(proof.errors["input 1"]).tolist() == [False, True]
    page = proof._repr_html_()
    assert page.count("<img") == 2 and "input 0 [2 x 3]" in page
    pixels = pixels_of(page, 1)
    assert pixels.shape == (1, 2, 3) and (pixels[0, 0] == (222, 235, 247)).all() and (pixels[0, 1] == (238, 238, 238)).all()


def test_proof_shows_the_worst_of_many_tensors_and_folds_the_others():
    def function(*inputs):
        return sum((x * x).sum() for x in inputs[:-1]) + (inputs[-1] * gl.stop_gradient(inputs[-1])).sum()

    proof = gl.grad_check(function, *[np.ones(2)] * 9)
    assert "wrong at 2 of 18" in str(proof) and "gradient 1 by backward and 2 by differences" in str(proof)
    shown, folded = proof._repr_html_().split("<details><summary>3 other tensors</summary>")
    assert shown.count("<img") == 6 and folded.count("<img") == 3 and "input 8 [2]" in shown


def test_proof_shows_tensors_of_any_shape():
    for shape in ((), (1,), (3, 0), (2, 3, 4), (1000,), (700, 2)):
        x = np.ones(shape)
        page = gl.grad_check(lambda x, y: (x * x).sum() + y.sum(), x, np.ones(1), max_elements=2)._repr_html_()
        assert page.count("<img") == (2 if x.size else 1)
        if x.size:
            assert pixels_of(page, 0).size == 3 * x.size


def pixels_of(page, image):
    """The pixels [height, width, 3] of a page's PNG."""
    data = base64.b64decode(re.findall(r"base64,([^\"]+)", page)[image])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + content) == int.from_bytes(data[at + 8 + length : at + 12 + length], "big")
        chunks[kind] = content
        at += 12 + length
    width, height = (int.from_bytes(chunks[b"IHDR"][i : i + 4], "big") for i in (0, 4))
    return np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)[:, 1:].reshape(height, width, 3)
