"""Which modules a python effect would look for in vain, read from its source and nothing run.

An installed Birkez brings the standard library along and nothing else of the user's; one
from a checkout has what its own Python has. Modules beside the file are there in both.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import os
import platform
import sys

from trayapp.effect.python import see_installed_packages
from trayapp.errors import BirkezError, EffectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FORGIVEN = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))


def import_concerns(path: str) -> list[BirkezError]:
    """Modules that the Python file *path* imports and that a run would not find, and a mistake in its grammar.

    An import that the code itself does without (`try … except ImportError`) is none of them;
    a file that cannot be read is told elsewhere.
    """
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
    except SyntaxError as error:
        return [EffectError("python-broken", path=path, line=error.lineno, reason=f"SyntaxError: {error.msg}")]
    except (OSError, ValueError, RecursionError, MemoryError):
        return []
    lines: dict[str, int] = {}
    for module, line in _imports_of(tree):
        lines.setdefault(module, line)
    folder = os.path.dirname(path)
    return [_concern(path, line, module) for module, line in lines.items() if not _is_there(module, folder)]


def _concern(path: str, line: int, module: str) -> BirkezError:
    if getattr(sys, "frozen", False):
        return EffectError(
            "python-import-not-standard", path=path, line=line, module=module, version=platform.python_version()
        )
    return EffectError("python-import-missing", path=path, line=line, module=module, python=sys.executable)


def _imports_of(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Outermost names of what is imported in *node*, with their lines."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import(names=names):
                yield from ((alias.name.partition(".")[0], child.lineno) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0], child.lineno
            case ast.Try(handlers=handlers) if any(map(_forgives, handlers)):
                for part in (*handlers, *child.orelse, *child.finalbody):
                    yield from _imports_of(part)
            case ast.If(test=test) if _is_for_types(test):
                for part in child.orelse:
                    yield from _imports_of(ast.Module([part], []))
            case _:
                yield from _imports_of(child)


def _forgives(handler: ast.ExceptHandler) -> bool:
    match handler.type:
        case None:
            return True
        case ast.Tuple(elts=kinds):
            return any(isinstance(kind, ast.Name) and kind.id in _FORGIVEN for kind in kinds)
        case ast.Name(id=name):
            return name in _FORGIVEN
    return False


def _is_for_types(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _is_there(module: str, folder: str) -> bool:
    if module in sys.stdlib_module_names or module == "__main__":
        return True
    if importlib.machinery.PathFinder.find_spec(module, [folder]) is not None:
        return True
    if getattr(sys, "frozen", False):
        return False
    see_installed_packages()
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
