"""Reports: what each file holds, hostile names, few and many players, nothing loaded or left."""

import csv
import io
import json
import re
import struct
import subprocess
import sys
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pytest

from eval.experiment.measure import Result
from eval.report import write_report
from eval.report.page import CAPTIONS
from eval.report.plots import DOTS_PER_INCH, WIDTH, make_plots
from eval.stats.standings import make_standings
from gin_env.support.files import OutputError
from tests.eval.results import PLAN, given, make_ladder, make_report, make_result, play

HOSTILE = (
    '<script>alert("x")</script>',
    '"><img src=x onerror=alert(1)>',
    "a|b `c` *d* [e](http://f)",
    "$x^2$ & {y}",
    "line\nbreak\x1b[31m\t[red]",
    "名前",
    '=1+1,"2"',
    "long " * 20,
)
EMPTY_ELEMENTS = ("meta", "img", "br")


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


class ReportPage(HTMLParser):
    """What is on a page; every element must be closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in EMPTY_ELEMENTS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def test_report_writes_all_its_files_and_nothing_else(match: Result, tmp_path: Path) -> None:
    files = write_report(tmp_path, make_ladder(match, ("a", "b", "c")))
    texts = {f"report.{end}" for end in ("json", "csv", "md", "html")}
    assert {file.name for file in files} == texts | set(CAPTIONS)
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in files}


def test_report_is_the_same_bytes_each_time(match: Result, tmp_path: Path) -> None:
    report = make_ladder(match, ("a", "b", "c"))
    before = {file: file.read_bytes() for file in write_report(tmp_path, report)}
    assert {file: file.read_bytes() for file in write_report(tmp_path, report)} == before


def test_json_holds_what_was_asked_and_what_came_out(match: Result, tmp_path: Path) -> None:
    report = make_report("match", [match])
    write_report(tmp_path, report)
    content = json.loads(read(tmp_path, "report.json"))
    assert (content["format"], content["version"]) == ("gin_env evaluation report", 1)
    assert content["order"] == report.manifest
    assert content["commit"] == "c0ffee"
    assert content["python"] == ".".join(map(str, sys.version_info[:3]))
    assert content["is_whole"] is True
    assert content["results"] == [{**match.to_dict(), "anytime": None}]
    hands = content["results"][0]["hands"]
    assert hands["adjusted"]["estimate"]["low"] < hands["adjusted"]["estimate"]["high"]
    assert hands["a_in_seat_0"]["n_hands"] == 30
    assert {player["name"] for player in content["standings"]["players"]} == {"hard", "simple"}


def test_json_and_table_of_a_stopped_test_give_its_interval(match: Result, tmp_path: Path) -> None:
    stopped, plan = replace(match, decided=("match",)), replace(PLAN, until=0.1)
    write_report(tmp_path, make_report("match", [stopped], plan=plan))
    always = json.loads(read(tmp_path, "report.json"))["results"][0]["anytime"]
    assert always["error"] == 0.1
    plain_ones = {"points": given(match.hands).points, "won": given(match.matches).won}
    for name, plain in plain_ones.items():
        assert always[name]["value"] == pytest.approx(plain.value)
        assert always[name]["low"] < plain.low < plain.high < always[name]["high"]
    cells = ReportPage(read(tmp_path, "report.html")).cells
    assert f"{always['points']['low']:+.2f} to {always['points']['high']:+.2f}" in cells
    assert cells.count("  anytime-valid interval") == 2


def test_json_knows_a_file_by_its_hash_and_not_by_its_place(match: Result, tmp_path: Path) -> None:
    report = make_report("match", [match])
    file = {"kind": "file", "text": "/home/me/model.zip", "sha256": {"model.zip": "ab"}}
    report.manifest["players"][0] |= file
    report.manifest["players"][1] |= {"kind": "program", "text": "program:play --fast"}
    write_report(tmp_path, report)
    text = read(tmp_path, "report.json")
    assert "/home/me" not in text
    of_file, of_program = json.loads(text)["order"]["players"]
    assert of_file["sha256"] == {"model.zip": "ab"}
    assert of_program["text"] == "program:play --fast"


def test_json_of_a_single_pair_has_no_infinity(match: Result, tmp_path: Path) -> None:
    result = make_result("a", "b", match.played_hands[:2])
    write_report(tmp_path, make_report("match", [result]))
    content = json.loads(read(tmp_path, "report.json"))
    assert content["results"][0]["hands"]["points"]["low"] is None
    (row,) = csv.DictReader(io.StringIO(read(tmp_path, "report.csv")))
    assert (row["points_low"], "won" in row) == ("", False)


def test_csv_has_one_row_a_pairing(match: Result, tmp_path: Path) -> None:
    report = make_ladder(match, HOSTILE)
    write_report(tmp_path, report)
    rows = list(csv.DictReader(io.StringIO(read(tmp_path, "report.csv"), newline="")))
    assert [(row["a"], row["b"]) for row in rows] == list(combinations(HOSTILE, 2))
    assert float(rows[0]["points"]) == given(match.hands).points.value
    assert float(rows[0]["won_high"]) == given(match.matches).won.high
    assert int(rows[0]["gins_b"]) == given(match.hands).b.gins
    assert all(None not in row and None not in row.values() for row in rows)


def test_html_needs_nothing_and_shows_names_as_they_are(match: Result, tmp_path: Path) -> None:
    write_report(tmp_path, make_ladder(match, HOSTILE))
    text = read(tmp_path, "report.html")
    page = ReportPage(text)
    assert {tag for tag, _ in page.tags}.isdisjoint(("script", "link", "iframe", "object"))
    images = [attrs for tag, attrs in page.tags if tag == "img"]
    assert len(images) == 4
    for (name, caption), attrs in zip(CAPTIONS.items(), images, strict=True):
        assert set(attrs) == {"src", "alt"}
        assert attrs["alt"] == caption
        kind, _, picture = str(attrs["src"]).partition(",")
        assert kind == "data:image/png;base64"
        assert b64decode(picture) == (tmp_path / name).read_bytes()
    for name in HOSTILE[:4]:
        assert name in page.cells
    assert "line?break?[31m?[red]" in page.cells
    assert "\x1b" not in text
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert "default-src 'none'" in text


def test_markdown_shows_names_as_they_are(match: Result, tmp_path: Path) -> None:
    write_report(tmp_path, make_ladder(match, HOSTILE))
    text = read(tmp_path, "report.md")
    assert not re.search(r"(?<!\\)[<`$]", text)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) > 5
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1
    for name in CAPTIONS:
        assert f"]({name})" in text


def test_match_report_shows_the_table_and_the_seats(match: Result, tmp_path: Path) -> None:
    forfeited = replace(match, verdicts=({"no <answer>": 2}, {}), is_whole=False)
    write_report(tmp_path, make_report("match", [forfeited], is_whole=False))
    cells = ReportPage(read(tmp_path, "report.html")).cells
    for cell in ("points per hand", "seat 0", "does not", "hands forfeited", "  no <answer>", "2"):
        assert cell in cells
    assert "hard against simple (stopped early)" in read(tmp_path, "report.html")
    assert not (tmp_path / "head_to_head.png").exists()


def test_levels_and_selfplay_reports(match: Result, tmp_path: Path) -> None:
    results = [replace(match, a="me", b=b) for b in ("easy", "medium", "hard")]
    write_report(tmp_path, make_report("levels", results))
    assert "me against the levels" in read(tmp_path, "report.html")
    folder = tmp_path / "alone"
    folder.mkdir()
    hands = play("simple", "simple", n_deals=30, is_mirrored=False).hands
    alone = make_result("simple", "simple", hands)
    files = write_report(folder, make_report("selfplay", [alone]))
    assert {file.name for file in files if file.suffix == ".png"} == {"points.png", "turns.png"}
    assert "turns of a hand, median" in ReportPage(read(folder, "report.html")).cells
    assert json.loads(read(folder, "report.json"))["standings"] is None


def test_report_that_cannot_be_written_is_named(match: Result, tmp_path: Path) -> None:
    (tmp_path / "report.csv").mkdir()
    with pytest.raises(OutputError, match=r"report\.csv"):
        write_report(tmp_path, make_report("match", [match]))


@pytest.mark.parametrize("n_players", [2, 3, 12])
def test_plots_are_whole_pictures_that_grow_with_the_players(match: Result, n_players: int) -> None:
    names = [f"player {number} with a rather long name" for number in range(n_players)]
    results = make_ladder(match, names).results
    plots = make_plots(results, make_standings(results))
    assert ("head_to_head.png" in plots) == (n_players > 2)
    for picture in plots.values():
        assert picture.startswith(b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", picture[16:24])
        assert width == WIDTH * DOTS_PER_INCH
        assert height < 40 * DOTS_PER_INCH


def test_plots_leave_settings_and_screens_alone(match: Result) -> None:
    with mpl.rc_context({"font.size": 77.0}):
        before = dict(mpl.rcParams)
        first = make_plots([match], make_standings([match]))
        assert dict(mpl.rcParams) == before
    assert make_plots([match], make_standings([match])) == first


def test_report_needs_no_pyplot() -> None:
    code = "import sys, eval.report; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
