"""Every error that a person can meet has its sentence, and no sentence waits for an error that is gone.

Codes are found where they are written: as the first word given to an error class, or to a
function that hands that word on to one.
"""

from __future__ import annotations

import ast
import string
from functools import cache

from tests.architecture.source import Function, Module, called_name, calls, functions, modules
from trayapp import errors
from trayapp.wording.speech import sentences

KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.BirkezError)}
NOT_CODES = {"trayapp.errors"}  # where an error is rebuilt from what was pickled


def test_every_error_code_has_a_sentence():
    missing = {code: place for code, place in _codes().items() if not _has_sentence(code)}
    assert not missing


def test_every_sentence_is_used():
    written = {
        node.value
        for module in modules()
        if not module.name.startswith("trayapp.wording")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    prefixes = tuple(code for code in _codes() if code.endswith("-"))
    assert not [code for code in sentences() if code not in written and not code.startswith(prefixes)]


def test_every_code_is_written_where_it_is_raised():
    assert not _unread()


def test_every_sentence_asks_only_for_facts_that_its_error_carries():
    lacking = {}
    for module, call, expression in _error_calls():
        facts = {keyword.arg for keyword in call.keywords}
        if called_name(call) not in KINDS or None in facts:
            continue  # with **facts only a run can tell
        for code in _texts(module, expression):
            known = sentences().get(code, "")
            for text in (known,) if isinstance(known, str) else known:
                wanted = {name.partition(".")[0] for _, name, _, _ in string.Formatter().parse(text) if name}
                if wanted - facts:
                    lacking[module.at(call)] = f"{code}: {sorted(wanted - facts)}"
    assert not lacking


def _has_sentence(code: str) -> bool:
    if code.endswith("-"):  # "sql-refused-" + what was refused
        return any(known.startswith(code) for known in sentences())
    return code in sentences()


def _codes() -> dict[str, str]:
    """Each code, or its beginning when the rest is added to it, and one place that raises it."""
    return {text: module.at(call) for module, call, code in _error_calls() for text in _texts(module, code)}


def _unread() -> list[str]:
    return [
        module.at(call)
        for module, call, code in _error_calls()
        if not _texts(module, code) and not _is_handed_on(module, call)
    ]


def _error_calls() -> list[tuple[Module, ast.Call, ast.expr]]:
    """Calls that make an error, each with the expression of its code."""
    return [
        (module, call, code)
        for module in modules()
        if module.name not in NOT_CODES
        for call in calls(module.tree)
        if (code := _code_of(call, _forwarders())) is not None
    ]


def _code_of(call: ast.Call, forwarders: dict[str, int]) -> ast.expr | None:
    position = forwarders.get(called_name(call))
    return None if position is None or len(call.args) <= position else call.args[position]


@cache
def _forwarders() -> dict[str, int]:
    """Error classes, and functions that hand a parameter on as an error's code: name to its position."""
    found = dict.fromkeys(KINDS, 0)
    while True:
        more = {
            function.name: _position(function, parameter)
            for module in modules()
            if module.name not in NOT_CODES
            for function in functions(module)
            for parameter in _codes_handed_on(function, found)
        }
        if more.keys() <= found.keys():
            return found
        found = more | found


def _codes_handed_on(function: Function, forwarders: dict[str, int]) -> set[str]:
    """Names of the parameters of *function* that reach an error's code."""
    parameters = {argument.arg for argument in function.args.args}
    codes = [code for call in calls(function) if (code := _code_of(call, forwarders)) is not None]
    return parameters & {code.id for code in codes if isinstance(code, ast.Name)}


def _position(function: Function, parameter: str) -> int:
    names = [argument.arg for argument in function.args.args]
    return names.index(parameter) - (names[0] in {"self", "cls"})


def _is_handed_on(module: Module, call: ast.Call) -> bool:
    """Tell whether *call* stands in a function that got the code as a parameter: its callers are read."""
    return any(
        function.lineno <= call.lineno <= (function.end_lineno or 0) and function.name in _forwarders()
        for function in functions(module)
    )


def _texts(module: Module, node: ast.expr | None) -> set[str]:  # noqa: PLR0911  # one for each way to write a code
    """Texts that *node* can be, as far as they are written in its module."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=one, orelse=other):
            return _texts(module, one) | _texts(module, other)
        case ast.BoolOp(values=values) | ast.Dict(values=values):
            return {text for value in values for text in _texts(module, value)}
        case (
            ast.BinOp(left=ast.Constant(value=str(beginning)))
            | ast.JoinedStr(values=[ast.Constant(value=beginning), *_])
        ):
            return {beginning}
        case ast.Subscript(value=table):
            return _texts(module, table)
        case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *default]):
            return _texts(module, table) | {text for value in default for text in _texts(module, value)}
        case ast.Call(func=ast.Name(id=name)):
            return {text for value in _returned(module, name) for text in _texts(module, value)}
        case ast.Name(id=name):
            return {text for value in _assigned(module, name, node.lineno) for text in _texts(module, value)}
    return set()


def _returned(module: Module, name: str) -> list[ast.expr | None]:
    """What the module's own function *name* returns."""
    return [
        node.value
        for function in functions(module)
        if function.name == name
        for node in ast.walk(function)
        if isinstance(node, ast.Return)
    ]


def _assigned(module: Module, name: str, line: int) -> list[ast.expr | None]:
    """What is assigned to *name* in the function around *line*, or else in the module itself."""
    around = [function for function in functions(module) if function.lineno <= line <= (function.end_lineno or 0)]
    for scope in (*reversed(around), module.tree):
        values = [
            node.value
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign | ast.AnnAssign)
            and name in {target.id for target in _targets(node) if isinstance(target, ast.Name)}
        ]
        if values:
            return values
    return []


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]
