"""What a list says: every sort of source, and every sort of line that must not become a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trayapp.errors import SetupError
from trayapp.fan_out.claim import Targets
from trayapp.fan_out.items import ItemList, digest_of, read_items
from trayapp.job.model import Items
from trayapp.wording.speech import sentence


def read(folder: Path, content: bytes | str, name: str = "{item}.json", column: str = "", **more: bool) -> ItemList:
    source = folder / "list"
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_items(Items(str(source), str(folder / "out"), name, column), **more)


def refused(found: ItemList) -> list[tuple[int, str]]:
    return [(error.facts["line"], error.code) for error in found.refused]


def test_each_line_is_an_item(tmp_path: Path):
    found = read(tmp_path, "a1\r\n\n  b2  \nşube-3\na1\n")
    assert (found.ids, found.names) == (["a1", "b2", "şube-3"], ["a1.json", "b2.json", "şube-3.json"])
    assert not found.refused


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_list_of_notepad_is_read(tmp_path: Path, encoding: str):
    assert read(tmp_path, "İzmir\nşube\n".encode(encoding)).ids == ["İzmir", "şube"]


HOSTILE = {
    "..": "item-leaves-folder",
    ".": "item-leaves-folder",
    "../x": "item-leaves-folder",
    "/etc/passwd": "item-leaves-folder",
    "a/b": "item-leaves-folder",
    "..\\x": "item-leaves-folder",
    "C:\\x": "item-leaves-folder",
    "a\0b": "item-control-character",
    "a\x1b[2Jb": "item-control-character",
    "a\u2028b": "item-control-character",
    "x" * 300: "item-too-long",
    "ş" * 126: "item-too-long",
    "CON": "item-device-name",
    "con.txt": "item-device-name",
    "NUL": "item-device-name",
    "lpt9": "item-device-name",
    "COM¹": "item-device-name",
    "abc.": "item-dot-at-end",
    "abc...": "item-dot-at-end",
}


@pytest.mark.parametrize("item", HOSTILE, ids=lambda item: ascii(item)[:20])
def test_hostile_id_is_refused_by_its_line_and_the_rest_is_done(tmp_path: Path, item: str):
    found = read(tmp_path, f"one\n{item}\nthree\n")
    assert refused(found) == [(2, HOSTILE[item])]
    assert found.ids == ["one", "three"]
    assert f"{found.source}:2" in sentence(found.refused[0])


@pytest.mark.parametrize("item", ["a\nb", "a\rb", " "], ids=["newline", "return", "blank"])
def test_hostile_cell_is_refused_by_its_line(tmp_path: Path, item: str):
    found = read(tmp_path, f'id,x\none,1\n"{item}",2\nthree,3\n', column="id")
    assert refused(found) == [(3, "item-empty" if item == " " else "item-control-character")]
    assert found.ids == ["one", "three"]


def test_bytes_that_are_no_utf8_cost_their_line_alone(tmp_path: Path):
    found = read(tmp_path, b"one\nm\xfcller\nthree\n")
    assert refused(found) == [(2, "item-not-utf8")]
    found = read(tmp_path, b"id,town\n1,M\xfcnster\n2,Bursa\n", column="id")
    assert (refused(found), found.ids) == ([(2, "item-not-utf8")], ["2"])


def test_name_of_our_own_folder_is_refused_in_any_case(tmp_path: Path):
    found = read(tmp_path, ".birkez\n.Birkez\nx\n", "{item}")
    assert refused(found) == [(1, "item-own-folder"), (2, "item-own-folder")]


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere such names are good")
def test_letters_that_windows_keeps_are_refused_there(tmp_path: Path):
    assert refused(read(tmp_path, 'a:b\na?b\na"b\na|b\n')) == [(n, "item-forbidden-letter") for n in (1, 2, 3, 4)]


def test_two_ids_with_one_target_are_told(tmp_path: Path):
    found = read(tmp_path, "id,town\n1,Bursa\n2,Bursa\n3,Van\n", "{town}.json", column="id")
    assert refused(found) == [(3, "item-target-taken")]
    assert found.refused[0].facts["other"] == 2
    assert found.ids == ["1", "3"]


def test_the_very_same_line_twice_is_one_item(tmp_path: Path):
    assert read(tmp_path, "id,x\n1,a\n1,a\n", column="id").ids == ["1"]
    assert refused(read(tmp_path, "id,x\n1,a\n1,b\n", column="id")) == [(3, "item-target-taken")]


def test_other_case_is_another_file_or_refused_as_the_folder_has_it(tmp_path: Path):
    text = "Satis\nsatis\nİZMİR\nizmir\n"
    assert len(read(tmp_path, text)) == 4
    folded = read(tmp_path, text, folds_case=True)
    assert (2, "item-target-taken") in refused(folded)


def test_folder_tells_itself_whether_it_folds_case(tmp_path: Path):
    targets = Targets(str(tmp_path / "out"))
    (tmp_path / "out" / "probe").touch()
    assert targets.folds_case == (tmp_path / "out" / "PROBE").exists()
    targets.close()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_column_of_a_csv_is_the_item_and_others_can_be_used(tmp_path: Path, delimiter: str):
    rows = [["no", "bölge"], ["7", "ege"], ["8", "iç anadolu"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    found = read(tmp_path, text, column="no")
    assert found.ids == ["7", "8"]
    assert found.item(1).fields == {"no": "8", "bölge": "iç anadolu"}


def test_first_line_by_which_excel_names_its_delimiter_is_heeded(tmp_path: Path):
    found = read(tmp_path, "sep=;\nno;a,b\n1;x\n../2;y\n", column="no")
    assert (found.ids, refused(found)) == (["1"], [(4, "item-leaves-folder")])


def test_missing_column_names_those_that_are_there(tmp_path: Path):
    with pytest.raises(SetupError) as caught:
        read(tmp_path, "no;ad\n1;x\n", column="id")
    assert caught.value.code == "items-column-missing"
    assert "no, ad" in sentence(caught.value)


def test_value_is_filled_in_where_it_stands_and_nowhere_in_another(tmp_path: Path):
    found = read(tmp_path, "id,b\n{b},x\n", "{item}-{b}.json", column="id")
    assert found.names == ["{b}-x.json"]


def test_file_of_a_folder_is_an_item_and_a_changed_one_another(tmp_path: Path):
    inbox = tmp_path / "in"
    inbox.mkdir()
    (inbox / "a.csv").write_text("1")
    (inbox / ".hidden").write_text("1")
    (inbox / "folder").mkdir()
    items = Items(str(inbox), str(tmp_path / "out"), "{item}-{digest}.txt")

    first = read_items(items)
    (inbox / "a.csv").write_text("2")
    second = read_items(items)

    assert first.ids == second.ids == ["a.csv"]
    assert first.names == [f"a.csv-{digest_of_text('1')}.txt"]
    assert second.names != first.names
    assert first.item(0).input == str(inbox / "a.csv")
    assert digest_of(str(inbox / "a.csv")) in second.names[0]


def digest_of_text(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such names")
def test_hostile_file_name_is_refused_and_the_rest_done(tmp_path: Path):
    inbox = tmp_path / "in"
    inbox.mkdir()
    for name in (b"a\nb", b"m\xfcller", b"con.txt", b"good"):
        with open(os.path.join(os.fsencode(inbox), name), "wb"):
            pass
    found = read_items(Items(str(inbox), str(tmp_path / "out"), "{item}-{digest}"))
    assert found.ids == ["good"]
    assert {error.code for error in found.refused} == {"item-control-character", "item-not-utf8", "item-device-name"}


@pytest.mark.parametrize(
    ("source", "name", "code"),
    [
        ("in", "{item}.txt", "items-digest-missing"),
        ("list", "{item}-{digest}.txt", "items-digest-unknown"),
        ("missing", "{item}.txt", "items-source-missing"),
        ("out", "{item}-{digest}", "items-folder-is-target"),
    ],
)
def test_source_and_target_that_do_not_fit_stop_the_job_in_words(tmp_path: Path, source: str, name: str, code: str):
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    (tmp_path / "list").write_text("1\n")
    with pytest.raises(SetupError) as caught:
        read_items(Items(str(tmp_path / source), str(tmp_path / "out"), name))
    assert caught.value.code == code
    assert code not in sentence(caught.value)
