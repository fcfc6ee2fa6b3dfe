"""The notebooks of docs/notebooks/ run as they stand, and have the outputs of a run."""

import importlib.util
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("matplotlib")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def outputs_of(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    execute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(execute)
    notebook = execute.execute(path, tmp_path)  # raises the error of the first cell that fails
    assert not [output.text for output in outputs_of(notebook) if output.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_outputs_are_those_of_one_run(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert path.stat().st_size < 200_000
    for output in outputs_of(notebook):
        assert output.output_type != "error" and output.get("name") != "stderr"
    assert "/tmp/" not in path.read_text(encoding="utf-8")


def test_the_index_names_every_notebook():
    if not FOLDER.exists():
        pytest.skip("not in a checkout")
    assert len(NOTEBOOKS) == 11
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in NOTEBOOKS:
        assert f"({path.name})" in index
