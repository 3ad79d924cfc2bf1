"""No secret of a job file leaves with it, wherever it stands; what is none stays as it was written."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.job.texts import COMMAND, HOURLY
from trayapp.job.confidential import TAKEN_OUT, is_secret_name, scrubbed, taken_from, without_secrets
from trayapp.job.file import parse_job

# A word that no template has, of letters that stand in passwords; marks that would end a word are tried below.
SECRETS = st.text("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789ğşı!%^*+._~", min_size=6, max_size=30).map(
    lambda word: "Zq" + word + "7x"
)
IN_A_LINE = (
    "postgresql://ali:{}@db.example/satis",
    "https://{}@example.com/x",
    "ftp://ali:{}@example.com",
    "https://example.com/in?item=1&api_key={}",
    "https://example.com/in?access_token={}&a=b",
    "curl -u ali:{} https://example.com",
    "curl --user ali:{} https://example.com",
    "curl -H 'Authorization: Basic {}' https://example.com",
    'curl -H "X-Api-Key: {}" https://example.com',
    "mail --password {} --to ali@example.com",
    "mail --password={} --to ali@example.com",
    "mail --smtp-pass '{}'",
    "mysqldump -p{} satis",
    "sshpass -p {} scp a b",
    "7z a -p{} a.7z b",
    "PGPASSWORD={} psql",
    "parola={}; sifre: {}",
    "TOKEN='{}' run",
    '{{"password": "{}"}}',
    "pin={}",
    "words: ['mail', '--password', '{}', 'a']",
)
IN_ARGV = (
    ["mail", "--password", "{}"],
    ["mail", "--password={}"],
    ["mail", "--api-key", "{}", "a"],
    ["curl", "-u", "ali:{}"],
    ["curl", "-H", "Authorization: Bearer {}"],
    ["curl", "-H", "Cookie: sid={}"],
    ["mysql", "-p{}"],
    ["sshpass", "-p", "{}", "scp"],
    ["zip", "-P", "{}", "a.zip"],
    ["psql", "postgresql://ali:{}@db/satis"],
    ["sh", "-c", "PGPASSWORD={} psql"],
)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def job(effect: str, before: str = "") -> str:
    return f'{before}title = "Deneme"\n[window]\nstep = "1h"\nstart = 2026-09-04T10:00:00Z\n[effect]\n{effect}\n'


@given(SECRETS, st.sampled_from(IN_A_LINE))
def test_secret_in_a_command_line_is_gone(secret: str, line: str):
    text = job(f'kind = "command"\nshell = {quoted(line.format(secret, secret))}')
    cleaned = without_secrets(text)
    assert secret not in cleaned.text
    assert cleaned.taken == taken_from(cleaned.text) == ("effect.shell",)
    assert secret not in scrubbed(line.format(secret, secret))


@given(SECRETS, st.sampled_from(IN_ARGV))
def test_secret_in_the_words_of_a_command_is_gone(secret: str, argv: list[str]):
    words = ", ".join(quoted(word.format(secret)) for word in argv)
    cleaned = without_secrets(job(f'kind = "command"\nargv = [{words}]'))
    assert secret not in cleaned.text
    parse_job(cleaned.text, "/x/a.toml", "a")  # still a job


@given(SECRETS, st.sampled_from(["FOO", "SMTP_PASS", "ŞİFRE", "Db"]))
def test_value_of_the_environment_is_gone_whatever_its_name(secret: str, name: str):
    text = job(f'kind = "command"\nargv = ["a"]\nenv = {{ LANG = "tr_TR.UTF-8", "{name}" = {quoted(secret)} }}')
    cleaned = without_secrets(text)
    assert secret not in cleaned.text
    assert "tr_TR.UTF-8" in cleaned.text
    assert secret in cleaned.words


@given(SECRETS)
def test_header_and_body_of_a_download_are_gone(secret: str):
    effect = f"""kind = "download"
url = "https://example.com/{{item}}?token={secret}"
headers = {{ Accept = "text/html", X-Mine = {quoted(secret)} }}
json = {quoted('{"password": "' + secret + '"}')}
"""
    text = f'title = "x"\n[items]\nsource = "a.txt"\ntarget = "b/{{item}}"\n[effect]\n{effect}'
    cleaned = without_secrets(text)
    assert secret not in cleaned.text
    assert "text/html" in cleaned.text
    assert "{item}" in cleaned.text


@given(SECRETS, st.sampled_from(["# parola: {}\n", "# eski password {} idi\n", "# curl -u ali:{}\n"]))
def test_secret_in_a_comment_is_gone(secret: str, comment: str):
    cleaned = without_secrets(job('kind = "command"\nargv = ["a"]', before=comment.format(secret)))
    assert secret not in cleaned.text


@pytest.mark.parametrize(
    "secret",
    [
        "AKIAABCDEFGHIJKLMNOP",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "xoxb-123456789012-abcdefghijkl",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def",
        "q8Zt4mK1w9Bn6xR3vJ7pL2sD",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_well_known_tokens_are_found_without_a_name(secret: str):
    assert secret not in scrubbed(f"before {secret} after")
    assert scrubbed(f"before {secret} after").startswith("before ***")


@pytest.mark.parametrize(
    "line",
    [
        "2026-09-04T12:05:01.123Z ISLENDI is=satis anahtar=satis:2026-09-04T10:00:00+00:00 tetik=zamanli kayit=12",
        "/home/ali/işler/2026-09-04-gunluk-yedek-dosyasi-son-hali.sql",
        "python3 gonder.py --from {start} --to ali@example.com",
        "compass=1 keyboard: tr monkey=2 author=ali passive=1",
        "https://example.com/in?item=1&page=2",
        "C:\\isler\\gonder.py",
        "ssh -p 2222 ali@example.com",
    ],
)
def test_what_is_no_secret_stays(line: str):
    assert scrubbed(line) == line


def test_job_without_secrets_stays_byte_for_byte():
    for text in (HOURLY, HOURLY.replace("\n", "\r\n"), job(COMMAND.partition("\n")[2], before="# günlük\n")):
        assert without_secrets(text) == (text, (), frozenset())


def test_placeholder_is_no_secret():
    text = job('kind = "command"\nargv = ["mail", "--token", "{key}"]\nenv = { TOKEN = "$TOKEN" }')
    assert without_secrets(text).taken == ()


def test_what_is_gone_is_named_and_found_again():
    text = job('kind = "command"\nargv = ["a", "--token", "x1"]\nenv = { B = "x2" }')
    cleaned = without_secrets(text)
    assert tomllib.loads(cleaned.text)["effect"]["argv"] == ["a", "--token", TAKEN_OUT]
    assert taken_from(cleaned.text) == ("effect.argv[2]", "effect.env.B")


def test_known_secret_is_gone_from_any_text_and_short_words_stay():
    assert scrubbed("said gizli123 and on", {"gizli123", "on"}) == "said *** and on"


@pytest.mark.parametrize(("name", "is_secret"), [("SMTP_PASS", True), ("--api-key", True), ("compass", False)])
def test_names_of_secrets(name: str, is_secret: bool):  # noqa: FBT001  # a table's column
    assert is_secret_name(name) is is_secret
