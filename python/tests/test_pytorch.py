"""Names of PyTorch: errors that say what to use here."""

from __future__ import annotations

import re

import pytest

import glossa as gl
from glossa.pytorch import HINTS, hint


@pytest.mark.parametrize("name", ["no_grad", "cat", "tensor", "manual_seed", "Sequential", "mse_loss", "nn", "optim"])
def test_a_name_of_torch_has_a_hint(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'glossa' has no attribute '{name}'. Hint: ") as caught:
        getattr(gl, name)
    assert str(caught.value).endswith(hint(name))
    assert not hasattr(gl, name)


@pytest.mark.parametrize("name", ["train", "eval", "to", "cuda", "double", "named_parameters"])
def test_a_name_of_torchs_modules_has_a_hint(name: str) -> None:
    for module in (gl.Linear(2, 2), gl.Linear(2, 2).init()):
        with pytest.raises(AttributeError, match=f"'Linear' has no attribute '{name}'. Hint: ") as caught:
            getattr(module, name)
        assert str(caught.value).endswith(hint(name))


def test_other_names_have_none() -> None:
    assert hint("nothing") == ""
    with pytest.raises(AttributeError, match="module 'glossa' has no attribute 'nothing'$"):
        gl.nothing  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'Linear' has no attribute 'nothing'$"):
        gl.Linear(2, 2).init().nothing  # type: ignore[attr-defined]


def test_hints_name_what_exists() -> None:
    named = {word for text in HINTS.values() for word in re.findall(r"\bglossa\.(\w+)", text)}
    assert len(named) > 20
    assert not [name for name in named if not hasattr(gl, name)]


def test_no_hint_is_of_a_name_that_exists() -> None:
    reached = {name for name in HINTS if not (hasattr(gl, name) and hasattr(gl.Module, name))}
    assert reached == HINTS.keys()
