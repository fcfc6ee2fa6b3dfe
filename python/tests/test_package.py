"""The installed package: its files, imports and exported names, its types and its command."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import glossa
import numpy as np
import pytest
from glossa import _glossa

package = Path(glossa.__file__).parent
libraries = sorted(package.glob("lib/**/libglossa.so"))
compiled_for_all = pytest.mark.skipif(not libraries, reason="the package is compiled for this machine")
recipes = Path(__file__).parents[2] / "recipes"


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_python(code: str, **environment: str) -> str:
    return run(sys.executable, "-c", code, **environment)


def test_gradient_of_a_formula() -> None:
    value, (dx,) = glossa.value_and_grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    assert value == 5
    assert dx.tolist() == [2, 4]


def test_import_loads_numpy_and_nothing_else() -> None:
    modules = "print(*{name.partition('.')[0] for name in sys.modules})"
    alone = run_python(f"import sys; {modules}").split()
    loaded = run_python(f"import sys, glossa; {modules}").split()
    others = set(loaded) - set(alone) - sys.stdlib_module_names
    assert others <= {"glossa", "numpy", "nanobind_backend"}


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils are not installed")
def test_module_exports_no_name_that_another_library_may_have() -> None:
    lines = run("nm", "--dynamic", "--defined-only", _glossa.__file__).splitlines()
    names = [line.split()[-1] for line in lines]
    assert "PyInit__glossa" in names
    allocation = {"malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign"}
    assert not allocation & set(names)
    assert not [name for name in names if name.startswith(("_Znw", "_Zna", "_Zdl", "_Zda"))]  # operator new and delete
    assert not [name for name in names if "protobuf" in name or "sentencepiece" in name or name.startswith("dnnl")]


@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils are not installed")
def test_module_has_no_malloc_of_its_own() -> None:
    for file in [Path(_glossa.__file__), *libraries]:
        assert "__libc_malloc" not in run("nm", "--dynamic", file)  # which glossa's counting malloc calls


@compiled_for_all
@pytest.mark.skipif(shutil.which("nm") is None, reason="binutils are not installed")
def test_libraries_export_their_own_names_only() -> None:
    folders = {str(file.relative_to(package / "lib").parent) for file in libraries}
    assert folders == {".", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4"}
    for file in libraries:
        lines = run("nm", "--dynamic", "--defined-only", "--demangle", file).splitlines()
        assert len(lines) > 1000
        assert not [line for line in lines if "glossa" not in line]


@compiled_for_all
def test_the_processor_decides_which_library_is_loaded(tmp_path: Path) -> None:
    flags = set(Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split())
    levels = ["baseline x86-64"]
    if flags >= {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}:
        levels.append("avx2")
        if flags >= {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}:
            levels.append("avx512")
    without = {"avx512": "", "avx2": "-AVX512F", "baseline x86-64": "-AVX2"}
    code = """
import glossa, numpy
rng = numpy.random.default_rng(1)
values, weights = rng.normal(size=(5, 48)).astype("float32"), rng.normal(size=(48, 40)).astype("float32")
print(glossa.describe_runtime())
value, (dx, dw) = glossa.value_and_grad(lambda x, w: (glossa.softmax(x @ w) ** 2).sum())(values, weights)
print(value, numpy.abs(dx).sum(), numpy.abs(dw).sum())
"""
    rng = np.random.default_rng(1)
    x, w = (rng.normal(size=size).astype(np.float32).astype(float) for size in ((5, 48), (48, 40)))
    p = np.exp(x @ w)
    p /= p.sum(axis=1, keepdims=True)
    ds = 2 * p * (p - (p * p).sum(axis=1, keepdims=True))
    expected = [(p * p).sum(), np.abs(ds @ w.T).sum(), np.abs(x.T @ ds).sum()]
    small = ["--set", "train.max_updates=1", "--set", "model.width=16", "--set", "train.validate_every=0"]
    for level in levels:
        environment = {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={without[level]}"}
        runtime, numbers = run_python(code, **environment).splitlines()
        assert f", {level}, " in runtime
        assert [float(number) for number in numbers.split()] == pytest.approx(expected, rel=1e-5)
        run(package / "bin" / "glossa", "train", package / "recipes" / "toy.yaml", "--run", tmp_path / level, *small, **environment)
        assert f", {level}, " in (tmp_path / level / "train.log").read_text()


def test_the_runtime_is_described() -> None:
    assert "float products by" in run_python("import glossa; print(glossa.describe_runtime())")


def test_module_and_program_work_with_jemalloc_preloaded() -> None:
    libraries = list(Path("/usr/lib").glob("*/libjemalloc.so.2"))
    if not libraries:
        pytest.skip("libjemalloc2 is not installed")
    code = "import glossa; print(glossa.value_and_grad(lambda x: (x @ x).sum())([[1.0, 2.0], [3.0, 4.0]])[0])"
    assert run_python(code, LD_PRELOAD=str(libraries[0])) == "54.0\n"
    assert run(package / "bin" / "glossa", "--version", LD_PRELOAD=str(libraries[0])) != ""


def test_recipes_are_those_of_the_sources() -> None:
    expected = {path.name: path.read_text() for path in recipes.iterdir()}
    assert {path.name: path.read_text() for path in (package / "recipes").iterdir()} == expected


def test_each_public_name_has_a_stub() -> None:
    assert (package / "py.typed").exists()
    stub = ast.parse((package / "_glossa.pyi").read_text())
    names = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    targets = [node.target for node in stub.body if isinstance(node, ast.AnnAssign)]
    names |= {target.id for target in targets if isinstance(target, ast.Name)}
    missing = {name for name in vars(_glossa) if not name.startswith("__")} - names
    assert not missing


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_types_of_a_program(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    check = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program))
    right = """\
import glossa
import numpy as np


def loss(x: glossa.Variable, w: glossa.Variable) -> glossa.Variable:
    return ((x @ w - np.ones(2)) ** 2).sum()


value, (dx, dw) = glossa.value_and_grad(loss)(np.ones((1, 2)), np.eye(2))
print(value + 1, dx.shape, glossa.grad_check(loss, dx, dw))
try:
    glossa.set_threads(1)
except glossa.Misuse as error:
    print(error.where.upper(), error.hint)
"""
    program.write_text(right)
    assert "Success" in run(*check)
    program.write_text(right.replace("set_threads(1)", "set_threads('one')"))
    assert "[arg-type]" in subprocess.run(check, capture_output=True, text=True).stdout
    program.write_text("import glossa\nglossa.no_grad()\nglossa.Linear(2, 2).train()\n")
    assert subprocess.run(check, capture_output=True, text=True).stdout.count("[attr-defined]") == 2


installed = pytest.mark.skipif(
    not any(importlib.metadata.distributions(name="glossa-nmt")), reason="the package is not installed"
)


@installed
def test_command_is_the_program_of_the_package() -> None:
    command = shutil.which("glossa")
    assert command is not None and Path(command).parent == Path(sys.executable).parent
    assert run(command, "--version") == f"{glossa.__version__}\n"
    assert run(sys.executable, "-m", "glossa", "--version") == f"{glossa.__version__}\n"
    assert run(command, "options") == run(package / "bin" / "glossa", "options")
    assert subprocess.run([command, "unknown"], capture_output=True).returncode == 2


@installed
def test_command_ends_as_the_program_does_if_its_reader_is_gone() -> None:
    """Python ignores SIGPIPE; the program must not."""

    def status(command: str | Path) -> int:
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer) as output:
            return subprocess.run([command, "options"], stdout=output, stderr=subprocess.DEVNULL).returncode

    assert status(shutil.which("glossa") or "") == status(package / "bin" / "glossa")
