"""Modules: layers with parameters, and models made of them."""

from __future__ import annotations

import difflib
import fnmatch
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar, cast

import numpy as np
import numpy.typing as npt

from glossa._glossa import Parameter, Store
from glossa.errors import misuse
from glossa.pytorch import no_attribute
from glossa.typing import AxesLike, InitLike

ModuleType = TypeVar("ModuleType", bound="Module")


_INIT_HINT = "call init() of the whole model first, as in model = MyModel().init(seed=1)"


class _Declaration:
    """A parameter of a module before init."""

    def __init__(self, shape: AxesLike, init: InitLike) -> None:
        self.shape = shape
        self.init = init

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise misuse("parameter", "a parameter of an initialized module", "one before init", _INIT_HINT)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        self.__array__()

    def __repr__(self) -> str:
        return f"<glossa.Parameter {self.shape}, before init>"


def parameter(shape: AxesLike, init: InitLike = "zeros", scale: float = 1.0) -> Parameter:
    """Declares a parameter in the `__init__` of your own module: `self.gain = glossa.parameter(8, init="ones")`.

    `init` is "zeros", "ones", "constant" (of `scale`), "uniform" (in +-scale), "normal" (of standard deviation scale),
    "xavier_uniform" (with gain scale), or an array of this shape. After the module's init, the attribute is a
    Parameter, which ops accept like a Variable.
    """
    return cast(Parameter, _Declaration(shape, (init, scale) if isinstance(init, str) else init))


class IncompatibleKeys(NamedTuple):
    """Parameters that load_state_dict(strict=False) did not find, and names that it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if self.missing_keys or self.unexpected_keys:
            return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"
        return "<All keys matched successfully>"


@dataclass
class _Place:
    """The place of a parameter in a module: `container[key]`, and the path to it within the module."""

    path: str
    container: Any
    key: Any
    declaration: _Declaration

    def is_kept(self) -> bool:
        """True if the place still has the parameter, and no other object has been assigned."""
        try:
            return isinstance(self.container[self.key], Parameter)
        except LookupError:
            return False


@dataclass
class _Model:
    """The data that all modules of a model share, after init of the model."""

    root: Module
    store: Store


class Module:
    """A layer or a model. Subclasses assign parameters, submodules and lists of submodules to attributes.

    `init` then creates the parameters of the whole tree. Their names are the attributes' paths, as in PyTorch:
    `encoder.layers.0.linear1.weight`. A module that is used in several places has one set of parameters, named after
    the first place. Subclasses define `__call__` or `forward`. Call the module within `with glossa.step():`.
    """

    _model: _Model | None = None
    _layer: Any = None  # the C++ layer that computes the module, if any
    _own: Mapping[str, Parameter] = {}  # the parameters outside submodules
    _places: list[_Place] = []  # places of parameters declared by `parameter`

    # ---- before use ----

    def init(self: ModuleType, seed: int = 1, dtype: npt.DTypeLike = np.float32) -> ModuleType:
        """Creates all parameters, with values drawn from `seed`, and returns the module. `dtype` is float32 or float64.

        A parameter's values depend only on the seed and the parameter's name. Call `init` once, for the whole model; a
        second call starts over with new parameters.
        """
        modules = dict(self._named_modules())
        for scope, module in modules.items():
            module._check_free(self, scope)
        store = Store(dtype)
        layers = {scope: module._declare(store, scope) for scope, module in modules.items()}
        places = {scope: module._find_places() for scope, module in modules.items()}
        names: dict[int, str] = {}  # the name of each declaration, by its id()
        for scope in modules:
            for place in places[scope]:
                name = names.setdefault(id(place.declaration), _join(scope, place.path))
                if name == _join(scope, place.path):
                    store.declare(name, place.declaration.shape, place.declaration.init)
        store.allocate(seed)
        own: dict[str, dict[str, Parameter]] = {scope: {} for scope in modules}
        for name in store.names:
            scope = next(scope for scope in _scopes_of(name) if scope in modules)
            own[scope][name[len(scope) + 1 :] if scope else name] = store.parameter(name)
        model = _Model(self, store)
        for scope, module in modules.items():
            for place in places[scope]:
                own[scope][place.path] = place.container[place.key] = store.parameter(names[id(place.declaration)])
            module._model, module._layer, module._own, module._places = model, layers[scope], own[scope], places[scope]
        return self

    def _check_free(self, root: Module, scope: str) -> None:
        if self._model is not None and self._model.root is not root:
            raise misuse(
                scope or type(self).__name__,
                "a module of no other model",
                f"one of a {type(self._model.root).__name__} that has been initialized",
                "call init() of the outermost module only, and make new submodules for another model",
            )

    def _declare(self, store: Store, scope: str) -> Any:
        """Creates the C++ layer that computes the module, if any."""
        return None

    def _find_places(self) -> list[_Place]:
        found = [place for place in self._places if place.is_kept()]
        for name, value in list(vars(self).items()):
            found += _places_in(name, vars(self), name, value)
        return found

    # ---- the tree ----

    def _children(self) -> Iterator[tuple[str, Module]]:
        for name, value in vars(self).items():
            yield from _modules_in(name, value)

    def _named_modules(self, scope: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Module]]:
        """Yields each module once, with its path. This module comes first."""
        seen = set() if seen is None else seen
        if id(self) in seen:
            return
        seen.add(id(self))
        yield scope, self
        for name, child in self._children():
            yield from child._named_modules(_join(scope, name), seen)

    def modules(self) -> list[Module]:
        """This module and all modules within it, each once."""
        return [module for _, module in self._named_modules()]

    # ---- parameters ----

    @property
    def store(self) -> Store:
        """The memory of the parameters, which all modules of the initialized model share."""
        return self._initialized().store

    @property
    def dtype(self) -> np.dtype[Any]:
        """numpy.float32 or numpy.float64."""
        return np.dtype(self.store.dtype)

    def parameters(self) -> dict[str, Parameter]:
        """All parameters of this module, each once: a dict from name to Parameter.

        Iterating over the dict yields names; `parameters().values()` has the Parameters.
        """
        self._initialized()
        found: dict[str, Parameter] = {}
        seen: set[str] = set()
        for scope, module in self._named_modules():
            for name, own in module._own.items():
                if own.name not in seen:
                    seen.add(own.name)
                    found[_join(scope, name)] = own
        return found

    @property
    def num_parameters(self) -> int:
        """The number of elements of all parameters."""
        return sum(p.value.size for p in self.parameters().values())

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of this name, as in `parameters()`."""
        parameters = self.parameters()
        if name not in parameters:
            raise _unknown_name(name, parameters)
        return parameters[name]

    def freeze(self, patterns: str | Iterable[str] = "*") -> None:
        """Freezes the parameters whose names match a pattern, such as "encoder.*" (`*` matches any text).

        Call it before creating the optimizer. To train a parameter again, set its `trainable` to True.
        """
        parameters = self.parameters()
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            for name in matching("freeze", pattern, parameters):
                parameters[name].trainable = False

    def zero_grad(self) -> None:
        """Clears the gradients, as the optimizer's `step` does."""
        for own in self.parameters().values():
            own.clear_grad()

    # ---- saving ----

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """Copies of all parameters' values by name."""
        return {name: own.value.copy() for name, own in self.parameters().items()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Sets parameters to arrays or torch tensors by name. An error leaves all parameters unchanged.

        Without `strict`, names may be missing or unexpected; these names are returned.
        """
        parameters = self.parameters()
        missing = [name for name in parameters if name not in state]
        unexpected = [name for name in state if name not in parameters]
        if strict and (missing or unexpected):
            raise misuse(
                "load_state_dict",
                f"the names of all {len(parameters)} parameters",
                f"{_listed(missing)} missing, {_listed(unexpected)} unexpected",
                "strict=False loads the names that match",
            )
        given = {name: _to_array(state[name]) for name in parameters if name in state}
        values = {name: value.astype(self.dtype, casting="same_kind", copy=False) for name, value in given.items()}
        for name, value in values.items():
            if value.shape != parameters[name].shape:
                raise misuse(name, f"an array of shape {parameters[name].shape}", f"{value.shape}")
        for name, value in values.items():
            parameters[name].value = value
        return IncompatibleKeys(missing, unexpected)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves all parameters to a safetensors file. Once `save` has returned, the file survives a power cut."""
        self.store.save(os.fspath(path), self._names())

    def load(self: ModuleType, path: str | os.PathLike[str]) -> ModuleType:
        """Loads all parameters from a safetensors file and returns the module. Names and shapes must match exactly.

        The file may come from `save`, glossa.save_training or another program. Its numbers are converted to the
        module's dtype. If an error occurs, all parameters keep their values.
        """
        self.store.load(os.fspath(path), self._names())
        return self

    def _names(self) -> dict[str, str]:
        """Names of the parameters: in this module, and in the store."""
        return {name: own.name for name, own in self.parameters().items()}

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self._model is not None:
            hint = "save(path) and load(path) use a file, state_dict() and load_state_dict() a dict"
            raise misuse(type(self).__name__, "a module before init to be pickled or copied", "one after init", hint)
        return super().__reduce_ex__(protocol)

    # ---- use ----

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "forward" in vars(cls) and "__call__" not in vars(cls):
            setattr(cls, "__call__", Module.__call__)  # replaces the __call__ of a layer

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Calls `forward`, for subclasses that define it instead of `__call__`."""
        forward = getattr(self, "forward", None)
        if forward is None:
            hint = "define __call__(self, x), which computes with glossa's ops and layers"
            raise misuse(type(self).__name__, "a module that defines __call__", "one without", hint)
        return forward(*arguments, **options)

    if not TYPE_CHECKING:  # subclasses annotate their parameters

        def __getattr__(self, name: str) -> Any:
            """A parameter that the C++ layer declares, such as `linear.weight`."""
            if name in self._own:
                return self._own[name]
            raise no_attribute(f"'{type(self).__name__}'", name, self, "" if self._model else " before init()")

        def __setattr__(self, name: str, value: Any) -> None:
            if name in self._own:
                declared = name in vars(self)  # with `parameter`, not by a C++ layer
                if not (declared and isinstance(value, (Parameter, _Declaration))):
                    raise _assigned(name, value)
            super().__setattr__(name, value)

    def _initialized(self) -> _Model:
        if self._model is None:
            raise misuse(type(self).__name__, "an initialized module", "one before init", _INIT_HINT)
        return self._model

    def _describe(self) -> str:
        """The module's constructor arguments, for __repr__."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): {child!r}" for name, child in self._children()]
        lines += [f"({place.path}): parameter {place.declaration.shape}" for place in self._find_places()]
        head = f"{type(self).__name__}({self._describe()}"
        if not lines:
            return head + ")"
        return "\n".join([head, *("  " + line.replace("\n", "\n  ") for line in lines), ")"])


def matching(where: str, pattern: str, names: Iterable[str]) -> list[str]:
    """Returns the names that match the pattern. Raises Misuse if no name matches."""
    found = [name for name in names if fnmatch.fnmatchcase(name, pattern)]
    if not found:
        hint = "parameters() lists the names; * matches any text"
        raise misuse(where, "a pattern that matches the name of a parameter", f"'{pattern}'", hint)
    return found


def _modules_in(name: str, value: Any) -> Iterator[tuple[str, Module]]:
    """Yields the modules of an attribute: one, or those in a list, tuple or dict, with their paths."""
    if isinstance(value, Module):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for i, element in enumerate(value):
            yield from _modules_in(f"{name}.{i}", element)
    elif isinstance(value, dict):
        for key, element in value.items():
            yield from _modules_in(f"{name}.{key}", element)


def _places_in(path: str, container: Any, key: Any, value: Any) -> Iterator[_Place]:
    """Yields the places of declared parameters in `value`, which is `container[key]`."""
    if isinstance(value, _Declaration):
        if isinstance(container, tuple):
            raise misuse(path, "parameters as attributes, or in lists or dicts", "one in a tuple")
        yield _Place(path, container, key, value)
    elif isinstance(value, (list, tuple)):
        for i, element in enumerate(value):
            yield from _places_in(f"{path}.{i}", value, i, element)
    elif isinstance(value, dict):
        for name, element in value.items():
            yield from _places_in(f"{path}.{name}", value, name, element)


def _join(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def _scopes_of(name: str) -> Iterator[str]:
    """Yields the scopes that may contain a name, longest first."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name
    yield ""


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} ({shown})" if names else "0"


def _unknown_name(name: str, names: Iterable[str]) -> Exception:
    near = difflib.get_close_matches(name, list(names), n=1)
    hint = f"did you mean '{near[0]}'?" if near else "parameters() lists the names"
    return misuse("parameters", "the name of a parameter", f"'{name}'", hint)


def _assigned(name: str, value: Any) -> Exception:
    if isinstance(value, (Parameter, _Declaration)):
        hint = "modules share parameters if one module is used in several places"
        return misuse(name, "the parameter of the layer to stay", "another one", hint)
    return misuse(name, "a Parameter", type(value).__name__, f"assign to its value: {name}.value = array")


def _to_array(value: Any) -> npt.NDArray[Any]:
    """Converts to an array. Accepts torch tensors with a gradient or in bfloat16."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype):
            value = value.float()
        value = value.numpy()
    return np.asarray(value)
