#!/usr/bin/env python3
"""Executes notebooks in place, so that their outputs are those of the installed package.

usage: python docs/notebooks/execute.py [NOTEBOOK ...]    without arguments: all in this folder
needs: the package glossa, nbclient, ipykernel, matplotlib
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook with new outputs. Its cells run in `folder`; the first that fails raises."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", record_timing=False, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def main() -> None:
    for path in map(Path, sys.argv[1:] or sorted(FOLDER.glob("*.ipynb"))):
        with tempfile.TemporaryDirectory() as folder:
            notebook = execute(path, Path(folder))
        nbformat.write(notebook, path)
        print(path.name)


if __name__ == "__main__":
    main()
