"""The programs of docs/python.md run as they stand, in order."""

import re
from pathlib import Path

import pytest

import glossa as gl

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not PAGE.exists(), reason="not in a checkout")
def test_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        line = text.count("\n", 0, block.start()) + 1
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)
    output = capsys.readouterr().out
    assert output.startswith("5.0\n[[ 2. -4.]\n [ 4. -8.]]\nright: 6 elements compared")
    assert "[[8, 7, 6, 5]]" in output and "max_updates" in output


def test_every_public_name_has_documentation():
    lacking = [
        name
        for name in dir(gl)
        if not name.startswith("_") and callable(thing := getattr(gl, name)) and not (thing.__doc__ or "").strip()
    ]
    assert not lacking
