"""The tables of standings: ratings, head to head, circles of three."""

from eval.report.formatting import NOT_PLAYED, format_rating
from eval.report.tables import TextTable
from eval.stats.estimates import Estimate
from eval.stats.standings import Standings
from gin_env.rendering.words import printable


def ratings_table(standings: Standings) -> TextTable:
    """Players by rating."""
    rows = []
    for place, (name, rating) in enumerate(zip(standings.names, standings.ratings, strict=True)):
        value, low, high = map(format_rating, rating)
        share = f"{100 * standings.mean_share(place):.1f}"
        rows.append((str(place + 1), printable(name), value, f"{low} to {high}", share))
    head = ("#", "player", "rating", "95 % interval", f"{_scored(standings)} won %")
    note = "Elo's scale, the mean of all is 0; won: the mean over the opponents"
    return TextTable("Ratings", head, rows, note, n_left=2)


def head_to_head_table(standings: Standings) -> TextTable:
    """What each player won against each other one."""
    numbers = tuple(str(place + 1) for place in range(len(standings.names)))
    rows = [
        (number, printable(name), *map(_head_to_head_cell, shares))
        for number, name, shares in zip(numbers, standings.names, standings.shares, strict=True)
    ]
    note = (
        f"% of {_scored(standings)} that the row's player won against the column's;\n"
        "~ where the 95 % interval holds 50"
    )
    head = ("#", "player", *numbers)
    return TextTable("Head to head", head, rows, note, n_left=2, is_tight=True)


def triples_table(standings: Standings) -> TextTable:
    """Circles of three, one a row."""
    rows = []
    for triple in standings.triples:
        row: list[str] = []
        for winner, loser in zip(triple, (*triple[1:], triple[0]), strict=True):
            share = standings.shares[winner][loser]
            row.append(printable(standings.names[winner]))
            row.append(f"{100 * share.value:.1f}" if share else NOT_PLAYED)
        rows.append(tuple(row))
    note = (
        f"% of {_scored(standings)} won against the next; the third's against the first;\n"
        "each is significantly above 50, at 95 % for all pairings together"
    )
    head = ("first", "won %", "second", "won %", "third", "won %")
    return TextTable("Circles of three", head, rows, note if rows else "None is significant.")


def _scored(standings: Standings) -> str:
    return "matches" if standings.kind == "matches" else "pairs of hands"


def _head_to_head_cell(share: Estimate | None) -> str:
    if share is None:
        return NOT_PLAYED
    text = f"{100 * share.value:.0f}"
    return f"~{text}" if share.low <= 0.5 <= share.high else text
