"""What can be adopted of the corpora, as somebody marked it by hand who knew nothing of the code: file, lines."""

from __future__ import annotations

YES = {
    "01": "26, 29-32, 35, 37, 40, 42, 45",
    "07": "3",
    "13": "9",
    "15": "2, 5, 8, 11, 18",
    "17": "2, 5, 8, 11, 14, 17, 20, 23, 26, 29-32, 35, 38",
    "19": "29, 33, 37, 41, 45, 49",
    "23": "1",
    "25": "13-14",
    "29": "1",
    "31": "1",
    "33": "12, 15-16, 20, 24-26, 30",
    "35": "27-30, 34-35",
    "37": "2-3, 5-8, 11-14, 18, 22-23, 25-29, 36-37, 40-41, 54-55, 57-60, 67-68, 70-73, 80-81, 84-88, 97-98, 100,"
    " 103-107, 116, 119",
    "39": "3, 6, 9, 12",
    "41": "30",
    "43": "1-3",
    "45": "2, 5",
    "47": "24-25",
    "49": "26-28",
    "51": "23-24",
    "53": "3-4, 6-7",
    "55": "2, 4",
}
NO = {
    "03": {"adopt-unexpanded": "24, 27, 30"},
    "05": {"adopt-boot": "2-3, 9"},
    "13": {"adopt-invalid-line": "1-6"},
    "15": {"adopt-boot": "15"},
    "21": {"adopt-invalid-line": "16-31"},
    "27": {"adopt-maintenance": "11-14", "adopt-framework": "17"},
    "29": {"adopt-invalid-line": "2"},
    "33": {"adopt-boot": "9"},
    "37": {"adopt-locked": "9-10, 24, 83, 93, 101-102, 112"},
    "43": {"adopt-restart": "4"},
}
# Where the code says otherwise, and why: in a user's table the account's name would be the program.
OTHERWISE = {("25", 13): "adopt-user-column", ("25", 14): "adopt-user-column"}


def lines(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        first, _dash, last = part.strip().partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def verdicts() -> dict[tuple[str, int], str]:
    """For each line "" or the code of its refusal."""
    found = {(file, line): "" for file, text in YES.items() for line in lines(text)}
    for file, reasons in NO.items():
        found.update({(file, line): code for code, text in reasons.items() for line in lines(text)})
    return {**found, **OTHERWISE}
