"""`NamedTuple` for the runner's path: cheap to import and cheap to define.

`typing` brings `re` with it and adds 5.7 ms to a start of 7.9 ms; `collections.namedtuple`
compiles a constructor for each class, 0.1 ms apiece for some thirty of them (measured). A
type checker sees `typing.NamedTuple`; the interpreter sees the class below, whose
instances are plain tuples with names.
Why not `dataclasses`: it imports `inspect`, which costs more than either.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414  # re-export for mypy
else:
    from _collections import _tuplegetter  # what collections.namedtuple reads its fields by

    class _NamedTupleMeta(type):
        """Make a subclass of `NamedTuple` a tuple of its annotated fields."""

        def __new__(cls, name, bases, namespace):
            if not bases:
                return super().__new__(cls, name, (tuple,), namespace)
            # Strings, by `from __future__ import annotations`; never evaluated here.
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            for index, field in enumerate(fields):
                namespace[field] = _tuplegetter(index, None)
            namespace.update(_fields=fields, _field_defaults=defaults, __match_args__=fields, __slots__=())
            namespace["_defaults"] = tuple(defaults.values())
            return super().__new__(cls, name, bases, namespace)

    class NamedTuple(metaclass=_NamedTupleMeta):
        """Base that turns annotated fields into a tuple with names."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012  # replaced, never changed, by each subclass

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = cls._complete(values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _complete(cls, values, named):
            """Add the named values and the defaults to those given in order."""
            lacking = len(cls._fields) - len(values)
            if not named and 0 < lacking <= len(cls._defaults):  # defaults come last, as mypy sees to
                return (*values, *cls._defaults[-lacking:])
            if len(values) > len(cls._fields):
                message = f"{cls.__name__}() takes {len(cls._fields)} values, got {len(values)}"
                raise TypeError(message)
            known = {**cls._field_defaults, **dict(zip(cls._fields, values, strict=False))}
            if not named.keys() <= set(cls._fields[len(values) :]):
                message = f"{cls.__name__}() cannot take {', '.join(named)} with {len(values)} values before"
                raise TypeError(message)
            known.update(named)
            missing = [field for field in cls._fields if field not in known]
            if missing:
                message = f"{cls.__name__}() lacks {', '.join(missing)}"
                raise TypeError(message)
            return [known[field] for field in cls._fields]

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **changes):
            return type(self)(**{**self._asdict(), **changes})

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"
