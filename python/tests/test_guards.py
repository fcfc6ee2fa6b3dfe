"""Programs that crashed or gave wrong numbers when C++ was bound without guards, and their results with guards."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import glossa as gl

rng = np.random.default_rng(1)


def product_of(a, b):
    with gl.step(recording=False):
        return (gl.constant(a) @ b).numpy()


def test_signals_wait_while_the_engine_computes():
    """Handlers of C run on the stack of the thread; the library of matrix products uses its pointer otherwise."""
    a, b = (rng.normal(size=(300, 300)).astype(np.float32) for _ in range(2))
    expected = product_of(a, b)
    alarms = 0

    def count(*_):
        nonlocal alarms
        alarms += 1

    before = signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert (product_of(a, b) == expected).all()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert alarms > 100


def test_ctrl_c_ends_a_gradient_check():
    def f(x):
        signal.raise_signal(signal.SIGINT)
        return x * x

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            gl.grad_check(f, np.ones(3))
    finally:
        signal.signal(signal.SIGINT, before)
    with gl.step():  # the check's step has ended
        assert gl.variable(np.ones(2)).size == 2


def test_a_checked_function_may_make_modules():
    def f(x):
        return gl.Linear(200, 2).init(seed=1, dtype=np.float64)(x)  # gone before backward

    assert gl.grad_check(f, rng.normal(size=(2, 200)), max_elements=2)


def test_a_checked_function_that_returns_nothing():
    with pytest.raises(gl.Misuse, match="got NoneType"):
        gl.grad_check(lambda x: None, np.ones(3))


def test_numbers_of_a_step_are_copies():
    array = rng.normal(size=(2, 3))
    with gl.step():
        x = gl.variable(array)
        y = (x * x).sum()
        numbers = x.numpy()
        numbers[:] = 7
        array[:] = 9  # the caller's array may change before backward
        y.backward()
        grad = x.grad
        np.testing.assert_array_equal(grad, 2 * x.numpy())
        with pytest.raises(ValueError, match="copied"):
            np.asarray(x, copy=False)
        assert not hasattr(x, "__dlpack__")
    with gl.step():
        gl.full((100, 100), 5.0)
    assert (numbers == 7).all() and (grad != 5).all()


def test_variables_end_with_their_step():
    with gl.step():
        x = gl.variable(np.ones(3))
        y = x + 1
        y.retain_grad()
    for use in (lambda: x.numpy(), lambda: y.backward(), lambda: x.grad, lambda: y.T):
        with pytest.raises(gl.Misuse, match="step"):
            use()
    with gl.step():
        with pytest.raises(gl.Misuse, match="has ended"):
            x + 1
    assert "has ended" in repr(x)


def test_values_stay_readable_after_backward():
    with gl.step():
        x = gl.variable(rng.normal(size=(64, 64)))
        h = gl.tanh(x @ x)
        before = h.numpy()
        (h * h).sum().backward()
        np.testing.assert_array_equal(h.numpy(), before)
    with gl.step(reuse=True):
        x = gl.variable(rng.normal(size=(64, 64)))
        h = gl.tanh(x @ x)
        (h @ h).sum().backward()
        with pytest.raises(gl.Error, match="still in memory"):
            h.numpy()


def test_a_step_is_required_and_steps_do_not_nest():
    with pytest.raises(gl.Misuse, match="with glossa.step"):
        gl.relu(np.ones(3))
    with gl.step():
        with pytest.raises(gl.Misuse, match="no step within another"):
            gl.value_and_grad(lambda x: x.sum())(np.ones(3))
    step = gl.step()
    with step:
        pass
    with pytest.raises(gl.Misuse, match="has ended"):
        with step:
            pass


def test_only_its_thread_ends_a_step():
    with pytest.raises(gl.Misuse, match="not begun"):
        gl.step().__exit__()
    with gl.step() as step:
        x = gl.variable(np.ones(3))
        assert "another thread's" in str(in_thread(step.__exit__))
        assert (x + 1).numpy().tolist() == [2, 2, 2]
    with pytest.raises(gl.Misuse, match="has ended"):
        step.__exit__()


def test_an_exception_ends_the_step():
    with pytest.raises(ZeroDivisionError):
        with gl.step():
            1 / 0
    with gl.step():
        assert gl.variable(np.ones(2)).shape == (2,)


def test_memory_does_not_grow_with_steps():
    def steps(count):
        for _ in range(count):
            with gl.step():
                x = gl.variable(np.ones((200, 200)))
                (x @ x).sum().backward()

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    steps(20)
    before = resident()
    steps(500)
    assert resident() - before < 16 << 20


def in_thread(f):
    """Calls f in another thread; returns its result or exception."""
    results = []

    def call():
        try:
            results.append(f())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    return results[0]


def test_another_thread_has_steps_of_its_own():
    with gl.step():
        x = gl.variable(np.ones(3))
        assert "another thread's step" in str(in_thread(lambda: x.numpy()))
        assert "expected a step" in str(in_thread(lambda: x + 1))
        assert in_thread(lambda: product_of(np.eye(2), np.eye(2)).tolist()) == [[1, 0], [0, 1]]
        assert x.numpy().tolist() == [1, 1, 1]


def test_threads_compute_at_the_same_time():
    inputs = [rng.normal(size=(40, 40)) for _ in range(4)]

    def work(a):
        return [gl.value_and_grad(lambda x: gl.tanh(x @ x).sum())(a) for _ in range(30)]

    expected = [work(a) for a in inputs]
    found = [None] * 4

    def call(i):
        found[i] = work(inputs[i])

    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found):
        for (value, (grad,)), (same, (same_grad,)) in zip(one, other):
            assert value == same and (grad == same_grad).all()


def test_settings_of_the_process_wait_for_no_work():
    count = gl.threads()
    try:
        gl.set_threads(1)
        assert gl.threads() == 1
    finally:
        gl.set_threads(count)

    def f(x):
        gl.set_threads(1)

    with pytest.raises(gl.Error, match="no thread that computes"):
        gl.grad_check(f, np.ones(2))


def test_types_do_not_mix():
    with gl.step():
        single = gl.variable(np.ones((2, 2), np.float32))
        double = gl.variable(np.ones((2, 2)))
        for other in (double, np.ones((2, 2))):
            with pytest.raises(gl.Misuse, match="astype"):
                single + other
        assert (single + 1).dtype == (single * [[1, 2], [3, 4]]).dtype == np.float32
        assert (single + np.arange(2)).dtype == np.float32  # integers have no such type
        for number in (np.float32(2), np.float64(2), np.array(2.0)):  # nor have single numbers
            assert (number * single).dtype == (single * number).dtype == np.float32
            assert (number * double).dtype == (double * number).dtype == np.float64
        assert gl.constant(np.float32(2)).dtype == np.float32
        for other in (np.ones(2, np.float16), np.ones(2, complex), np.array(["x"])):
            with pytest.raises(gl.Misuse, match="an array of float32, float64, integers or bool; got an array of"):
                single + other


def test_text_of_a_large_variable_has_no_numbers():
    with gl.step():
        assert repr(gl.variable(np.ones(2))) == "<glossa.Variable [2] float64: [1. 1.]>"
        assert repr(gl.variable(np.ones((30, 30), np.float32))) == "<glossa.Variable [30, 30] float32>"


def child(queue):
    queue.put(product_of(np.eye(200), np.eye(200)).sum())


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process")
def test_processes_of_multiprocessing_compute(method):
    product_of(np.eye(200), np.eye(200))  # the parent's threads have started
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == 200
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_may_set_its_threads():
    stops = threading.Event()

    def work():
        a = rng.normal(size=(400, 400))
        while not stops.is_set():
            product_of(a, a)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):  # also while the thread computes
            process = multiprocessing.get_context("fork").Process(target=gl.set_threads, args=(1,))
            process.start()
            process.join(60)
            assert process.exitcode == 0
    finally:
        stops.set()
        thread.join()


@pytest.mark.parametrize("order", [("torch", "glossa"), ("glossa", "torch")])
def test_torch_in_the_same_process(order):
    pytest.importorskip("torch")
    program = f"""
import {order[0]}, {order[1]}
import numpy as np
a = np.random.default_rng(0).normal(size=(64, 64))
t = torch.tensor(a, requires_grad=True)
(t @ t).tanh().sum().backward()
_, (grad,) = glossa.value_and_grad(lambda x: glossa.tanh(x @ x).sum())(a)
assert abs(grad - t.grad.numpy()).max() < 1e-10
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_threads_and_steps_may_be_left_at_the_end():
    program = """
import glossa, threading, numpy as np
step = glossa.step(); step.__enter__()
x = glossa.variable(np.ones((300, 300)))
def work():
    with glossa.step():
        y = glossa.variable(np.ones((300, 300)))
        while True: y @ y
threading.Thread(target=work, daemon=True).start()
for _ in range(20): x @ x
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_objects_may_go_in_any_order():
    with gl.step():
        x = gl.variable(np.ones((3, 3)))
        y = x @ x
        del x
        gc.collect()
        y.sum().backward()
