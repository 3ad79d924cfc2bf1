from __future__ import annotations

import ast

from tests.architecture.source import Function, functions, modules

MODULE_LINES = 300
MODULE_LINES_AT_MOST = 400
FUNCTION_LINES = 40

# Modules between the two limits, each with the reason for which it is not split.
LONGER: dict[str, str] = {}


def test_no_module_is_longer_than_a_reader_takes_in():
    lengths = {module.path: module.text.count("\n") for module in modules()}
    assert not {
        path: length
        for path, length in lengths.items()
        if length > (MODULE_LINES_AT_MOST if path in LONGER else MODULE_LINES)
    }


def test_no_module_is_excused_that_needs_it_no_longer():
    lengths = {module.path: module.text.count("\n") for module in modules()}
    assert not [path for path in LONGER if lengths.get(path, 0) <= MODULE_LINES]


def test_no_function_is_longer_than_a_screen():
    assert not {
        f"{module.at(function)} {function.name}": length
        for module in modules()
        for function in functions(module)
        if (length := _length(function)) > FUNCTION_LINES
    }


def _length(function: Function) -> int:
    """Lines of a function's code; its docstring is free, so that none is saved on promises."""
    length = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        length -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return length
