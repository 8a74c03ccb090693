"""The files of an evaluation's report, which docs/evaluation.md describes."""

from pathlib import Path

from eval.experiment.measure import Report
from eval.report.content import make_csv, make_json
from eval.report.page import make_html, make_markdown
from eval.report.plots import make_plots
from eval.stats.standings import make_standings
from gin_env.support.files import write_whole


def write_report(folder: Path, report: Report) -> list[Path]:
    """Write a report. Each file appears whole or, if it cannot be written, not at all.

    Args:
        folder: Where; it exists. Files of an earlier report are replaced.
        report: What was measured.

    Returns:
        The files.

    Raises:
        OutputError: If a file cannot be written.
    """
    standings = make_standings(report.results)
    plots = make_plots(report.results, standings)
    contents = {
        "report.json": make_json(report, standings),
        "report.csv": make_csv(report.results),
        "report.md": make_markdown(report, standings, list(plots)),
        "report.html": make_html(report, standings, plots),
    }
    files = {name: text.encode() for name, text in contents.items()} | plots
    for name, content in files.items():
        write_whole(folder / name, content)
    return [folder / name for name in files]
