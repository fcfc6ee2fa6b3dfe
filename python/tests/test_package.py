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
    assert "__libc_malloc" not in run("nm", "--dynamic", _glossa.__file__)  # which glossa's counting malloc calls


def test_the_runtime_is_described() -> None:
    assert "float products by" in run_python("import glossa; print(glossa.describe_runtime())")


def test_module_works_with_jemalloc_preloaded() -> None:
    libraries = list(Path("/usr/lib").glob("*/libjemalloc.so.2"))
    if not libraries:
        pytest.skip("libjemalloc2 is not installed")
    code = "import glossa; print(glossa.value_and_grad(lambda x: (x @ x).sum())([[1.0, 2.0], [3.0, 4.0]])[0])"
    assert run_python(code, LD_PRELOAD=str(libraries[0])) == "54.0\n"


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
