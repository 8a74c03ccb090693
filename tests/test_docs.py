"""The documentation tells the truth: tables are current, snippets run, links lead on."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
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


def run_file(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, file, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), Counter[str]()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found.add(f"{plain}-{seen[plain]}" if seen[plain] else plain)
        seen[plain] += 1
    return found


def test_tables_are_current() -> None:
    done = run_file(ROOT / "docs" / "tables.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pictures_are_current_and_small() -> None:
    done = run_file(ROOT / "docs" / "pictures.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").glob("*.png")}
    assert sizes
    assert max(sizes.values()) < 150_000


def test_readme_has_a_snippet_for_each_face() -> None:
    codes = [code for _, code in snippets("python", [ROOT / "README.md"])]
    for face in ("gin_env.env(", "gym.make(", "gym.make_vec(", "gin_env.Game."):
        assert any(face in code for code in codes), face


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
    done = run_file(file)
    assert done.returncode == 0, done.stderr
    assert "__main__" in code


def test_there_is_a_script_with_processes_of_its_own() -> None:
    assert [name for name, code in snippets("py") if "SubprocVecEnv" in code]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    missing = []
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if ":" in target:
            continue
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors(file.read_text("utf-8"))):
            missing.append(f"{target}#{anchor}")
    assert not missing


def test_anchors_are_made_as_github_does() -> None:
    text = "# What it *is*\n## `a_b` & c\n```\n# no heading\n```\n## Again\n## Again\n"
    assert anchors(text) == {"what-it-is", "a_b--c", "again", "again-1"}
