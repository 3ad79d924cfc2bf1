"""The book of help topics: the same places in both languages, each link and picture is there, words are found."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import get_args

import pytest

import trayapp
from trayapp.gui.help.book import FILES, read_book, search
from trayapp.gui.jobs.welcome.templates import TEMPLATES
from trayapp.gui.look.icons import SIGN_TONES, TrayState
from trayapp.gui.main_view import PAGES
from trayapp.help_text import plain, read_help
from trayapp.places import resources_dir
from trayapp.trigger.findings import STATE_WORDS
from trayapp.wording.language import speak
from trayapp.wording.speech import _

LANGUAGES = ("tr", "en")
PICTURE = re.compile(r"!\[\]\(([a-z-]+)\)")
LINK = re.compile(r"\]\(((?:#|page:)[a-z-]+)\)")


def test_both_languages_have_the_same_places_in_the_same_order():
    turkish, english = (read_book(language) for language in LANGUAGES)
    assert [topic.names for topic in turkish] == [topic.names for topic in english]
    assert len(english) > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_place_has_the_name_of_another(language):
    names = [name for topic in read_book(language) for name in topic.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_to_places_and_pages_that_are_there(language):
    book = read_book(language)
    places = {f"#{name}" for topic in book for name in topic.names} | {f"page:{page.name}" for page in PAGES}
    links = [link for topic in book for link in LINK.findall(topic.text)]
    assert len(links) > 8
    assert set(links) <= places


@pytest.mark.parametrize("language", LANGUAGES)
def test_pictures_are_of_the_icon_set(language):
    pictures = {name for topic in read_book(language) for name in PICTURE.findall(topic.text)}
    assert len(pictures) == 13
    for name in pictures:
        file_name = f"{name}-on-dark.svg" if name.startswith("tray-") else f"{name}.svg"
        assert os.path.exists(os.path.join(resources_dir(), "icons", file_name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_state_and_each_token_of_the_log_has_its_place(language):
    book = {name: topic for topic in read_book(language) for name in topic.names}
    assert {f"state-{sign}" for sign in SIGN_TONES} <= set(PICTURE.findall(book["states"].text))
    assert {f"tray-{state}" for state in get_args(TrayState)} <= set(PICTURE.findall(book["tray"].text))
    assert {"done", "skipped", "failed", "uncertain"} <= set(book["log"].names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_trouble_with_the_scheduler_is_explained_in_the_words_in_which_it_is_told(language):
    text = next(topic.text for topic in read_book(language) if "schedule" in topic.names)
    speak(language)
    try:
        for state, words in STATE_WORDS.items():
            if state not in ("not-wanted", "unknown"):
                end = _(words).rsplit(" ", 1)[-1] if state in ("disabled", "edited") else _(words)
                assert end in text
    finally:
        speak("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_and_all_that_f1_asks_for_has_a_place(language):
    places = {name for topic in read_book(language) for name in topic.names}
    source = "".join(path.read_text(encoding="utf-8") for path in Path(trayapp.__file__).parent.rglob("gui/**/*.py"))
    asked = set(re.findall(r'(?:is_about|answer_f1)\([^()]*"([a-z-]+)"\)', source))
    asked |= {
        name for names in re.findall(r"^_HELP = \((.*)\)", source, re.MULTILINE) for name in names.split('"')[1::2]
    }
    assert len(asked) > 8
    assert asked | {page.name for page in PAGES} <= places


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_template_of_a_first_job_is_explained_by_its_name(language):
    text = next(topic.text for topic in read_book(language) if "first-job" in topic.names)
    speak(language)
    try:
        assert [_(one.title) for one in TEMPLATES if _(one.title) not in text] == []
    finally:
        speak("en")


@pytest.mark.parametrize("chapter", FILES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_terminal_sees_nothing_that_only_the_application_can_show(language, chapter):
    text = plain(read_help(chapter, language))
    assert "{#" not in text
    assert "](#" not in text
    assert "](page:" not in text
    assert "![](" not in text
    assert text.startswith("# ")
    assert read_help(chapter, language).partition("\n")[0].removeprefix("# ") in text


@pytest.mark.parametrize("words", ["İŞÇİ", "isci", "işçi ekle"])
def test_words_are_found_however_they_are_written(words):
    assert "lists" in [topic.name for topic in search(read_book("tr"), words)]


def test_a_topic_with_the_words_in_its_title_comes_first():
    assert search(read_book("en"), "keys")[0].name == "keys"


def test_words_that_stand_nowhere_find_nothing():
    assert search(read_book("en"), "zeppelin") == ()
