from __future__ import annotations

import copy
import pickle

import pytest

from trayapp.value import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 2
    name: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y


def test_fields_are_taken_in_order_by_name_and_by_default() -> None:
    assert Point(1) == Point(1, 2) == Point(x=1, y=2, name="") == (1, 2, "")
    assert (Point(1).x, Point(1, name="a").name, Point(4, 5).sum) == (1, "a", 9)


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, 3, 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_fields_are_refused(values: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point"):
        Point(*values, **named)  # type: ignore[arg-type]


def test_value_behaves_as_a_tuple() -> None:
    point = Point(1, 2, "a")
    x, y, name = point
    assert (x, y, name) == point
    assert hash(point) == hash((1, 2, "a"))
    assert sorted([Point(2), Point(1)]) == [Point(1), Point(2)]
    assert Point._fields == ("x", "y", "name")


def test_value_is_replaced_shown_copied_and_pickled() -> None:
    point = Point(1)._replace(name="a")
    assert repr(point) == "Point(x=1, y=2, name='a')"
    assert point._asdict() == {"x": 1, "y": 2, "name": "a"}
    assert type(copy.copy(point)) is Point
    assert pickle.loads(pickle.dumps(point)) == point
    assert Point._make([3, 4, "b"]) == Point(3, 4, "b")


def test_value_has_no_room_for_more() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 3  # type: ignore[attr-defined]


def test_value_is_matched_by_position() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
