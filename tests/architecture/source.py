"""The package's own text, as trees: what the tests of this folder judge."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PACKAGE = CHECKOUT / "trayapp"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    name: str  # trayapp.lock.job_lock
    path: str  # trayapp/lock/job_lock.py
    text: str
    tree: ast.Module

    def at(self, node: ast.expr | ast.stmt) -> str:
        return f"{self.path}:{node.lineno}"


@cache
def modules() -> tuple[Module, ...]:
    return tuple(_read(path) for path in sorted(PACKAGE.rglob("*.py")))


def _read(path: Path) -> Module:
    place = path.relative_to(CHECKOUT)
    words = place.with_suffix("").parts
    name = ".".join(words[:-1] if words[-1] == "__init__" else words)
    text = path.read_text(encoding="utf-8")
    return Module(name, place.as_posix(), text, ast.parse(text, str(place)))


def functions(module: Module) -> Iterator[Function]:
    return (node for node in ast.walk(module.tree) if isinstance(node, Function))


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    """Last word of what is called: `fault` of `table.fault(…)`."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""
