"""The documentation tells the truth: tables are current, snippets run, links lead on."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from gin_env.core.rules import to_rules
from tests import ROOT, run_python
from training.config import to_config

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
NOTEBOOKS = sorted(ROOT.glob("docs/*.ipynb"))
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"`[^`\n]+`")
IMAGE_KINDS = {b"\x89PNG": ".png", b"<svg": ".svg"}
MAX_IMAGE_BYTES = 150_000
LANGUAGES = {"", "python", "py", "yaml", "json", "transcript"}
"""What may follow the ``` of a snippet; each kind is run or read by some test."""
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def snippets(language: str, pages: list[Path] = PAGES) -> list[tuple[str, str]]:
    """The code of one language in some pages, each with a name."""
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [
        (f"{page.name}-{number}", code)
        for page in pages
        for number, code in enumerate(fence.findall(page.read_text(encoding="utf-8")))
    ]


def parameters(language: str) -> list[object]:
    return [pytest.param(code, id=name) for name, code in snippets(language)]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), Counter[str]()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(f"{plain}-{seen[plain]}" if seen[plain] else plain)
        seen[plain] += 1
    return found


def test_tables_are_current() -> None:
    done = run_python(ROOT / "docs" / "tables.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pictures_are_current_and_small() -> None:
    done = run_python(ROOT / "docs" / "pictures.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs" / "pictures").glob("*.png")}
    assert sizes
    assert max(sizes.values()) < 150_000


def test_readme_has_a_snippet_for_each_face() -> None:
    codes = [code for _, code in snippets("python", [ROOT / "README.md"])]
    for face in ("gin_env.env(", "gym.make(", "gym.make_vec(", "gin_env.Game."):
        assert any(face in code for code in codes), face


@pytest.mark.slow
def test_first_snippet_of_the_readme_shows_a_table_and_has_right_types(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(snippets("python", [ROOT / "README.md"])[0][1])
    shown = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert shown.stdout.startswith("Table ")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", file],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert "no issues found" in done.stdout, done.stdout


def test_architecture_names_every_room_and_the_modules_of_the_core() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [
        file.parent.relative_to(ROOT).as_posix()
        for wing in ("gin_env", "training", "eval")
        for file in ROOT.glob(f"{wing}/*/__init__.py")
    ]
    assert len(rooms) > 20
    assert [room for room in rooms if f"](../{room})" not in page] == []
    modules = {file.stem for file in (ROOT / "gin_env" / "core").glob("*.py")} - {"__init__"}
    assert [name for name in modules if f"\n| `{name}` |" not in page] == []


@pytest.mark.parametrize("code", parameters("python"))
def test_snippet_runs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, "snippet", "exec"), {})


@pytest.mark.slow
@pytest.mark.parametrize("code", parameters("py"))
def test_script_runs(code: str, tmp_path: Path) -> None:
    """What starts processes has a main guard, so it is run as a file."""
    file = tmp_path / "script.py"
    file.write_text(code, encoding="utf-8")
    done = run_python(file)
    assert done.returncode == 0, done.stderr
    assert "__main__" in code


def test_there_is_a_script_with_processes_of_its_own() -> None:
    assert [name for name, code in snippets("py") if "SubprocVecEnv" in code]


def prose(page: Path) -> str:
    """A page without its code: of a notebook, the text cells."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(one["source"]) for one in cells if one["cell_type"] != "code")
    return FENCE.sub("", text)


def broken_links(page: Path, text: str) -> list[str]:
    """Links of a page to files or headings that are not there, and URLs that cannot be."""
    links = LINK.findall(text)
    broken = [] if len(links) == CODE.sub("", text).count("](") else ["a link of another form"]
    for target, anchor in links:
        if ":" in target:
            url = urlsplit(target)
            if url.scheme != "https" or "." not in url.netloc:
                broken.append(target)
            continue
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(prose(file))):
            broken.append(f"{target}#{anchor}")
    return broken


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert not broken_links(page, prose(page))


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        (
            "[a](rules.md#versions) ![b](../LICENSE) [c](https://example.org/x#y) [d](#the-fields)",
            [],
        ),
        ("[a](nothing.md)", ["nothing.md#"]),
        ("![a picture](nothing.png)", ["nothing.png#"]),
        ("[a](rules.md#nothing)", ["rules.md#nothing"]),
        ("[a](#nothing)", ["#nothing"]),
        ("[a](http://example.org)", ["http://example.org"]),
        ("[a](https://nowhere)", ["https://nowhere"]),
        ('[a](rules.md "title")', ["a link of another form"]),
    ],
)
def test_broken_links_are_found(text: str, broken: list[str]) -> None:
    assert broken_links(ROOT / "docs" / "rules.md", text) == broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_are_small_and_described(page: Path) -> None:
    for alt, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]*)\)", prose(page)):
        data = (page.parent / target).read_bytes()
        assert len(alt.split()) > 2, target
        assert len(data) < MAX_IMAGE_BYTES, target
        assert any(
            data.startswith(start) and target.endswith(ending)
            for start, ending in IMAGE_KINDS.items()
        ), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_is_of_a_kind_that_is_tested(page: Path) -> None:
    fences = re.findall(r"^ *```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) % 2 == 0
    assert set(fences[::2]) <= LANGUAGES
    assert set(fences[1::2]) <= {""}


def read_yaml(code: str) -> None:
    """Read a snippet as a config of training, or else as rules."""
    values = yaml.safe_load(code)
    assert isinstance(values, dict)
    is_config = {"decisions", "game", "ppo", "network", "clone", "league", "panel"} & set(values)
    _ = to_config(values) if is_config else to_rules(values)


def test_data_snippets_can_be_read() -> None:
    for _, code in snippets("yaml"):
        read_yaml(code)
    for _, code in snippets("json"):
        json.loads(code)


def test_yaml_is_read_as_what_it_is() -> None:
    read_yaml("decisions: 1000\ngame: {opponents: {easy: 1}}")
    read_yaml("knock_limit: 5")
    for wrong in ("game: {opponent: easy}", "knock_limits: 5", "decisions"):
        with pytest.raises((ValueError, AssertionError)):
            read_yaml(wrong)


def test_anchors_are_made_as_github_does() -> None:
    text = "# What it *is*\n## `a_b` & c\n```\n# no heading\n```\n## Again\n## Again\n"
    assert anchors(text) == {"what-it-is", "a_b--c", "again", "again-1"}
