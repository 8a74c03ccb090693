"""Print figures of the code's structure: lines, import circles, imports upwards, names used twice.

``python docs/structure.py [CHECKOUT]`` measures this checkout or another one; ``--json`` prints the
figures for programs, and ``--picture FILE`` draws the wings and who imports whom. The code is read,
not imported, so any checkout will do.
"""

import argparse
import ast
import builtins
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("gin_env", "training", "eval", "benchmarks")
OLD_BENCHMARK = "eval.benchmark"
"""Where the benchmark lay before it was a package of its own."""

Graph = dict[str, set[str]]
"""Whom each module, or each wing, imports."""


class Module(NamedTuple):
    """A module of the product."""

    name: str
    """Dotted; a package has the name of its folder."""
    path: Path
    n_lines: int
    tree: ast.Module

    @property
    def package(self) -> str:
        """One of `PACKAGES`."""
        is_old = f"{self.name}.".startswith(f"{OLD_BENCHMARK}.")
        return "benchmarks" if is_old else self.name.partition(".")[0]


@dataclass(frozen=True)
class Figures:
    """What is measured of a checkout."""

    lines: dict[str, int]
    """Of each package, and of all in ``total``."""
    test_lines: int
    n_modules: int
    circles: list[list[str]]
    """Modules that import each other, directly or by way of others."""
    upwards: list[tuple[str, str]] | None
    """Imports against the order of the layers; None where the checkout has no order."""
    n_error_classes: int
    class_names: dict[str, list[str]]
    """Names that several modules give to a class, and those modules."""
    file_names: dict[str, list[str]]
    """Names of several modules' files, and those modules."""


def measure(root: Path) -> Figures:
    """Measure a checkout."""
    modules = read_modules(root)
    graph = import_graph(modules)
    lines = Counter(dict.fromkeys(PACKAGES, 0))
    for module in modules.values():
        lines[module.package] += module.n_lines
    return Figures(
        lines={**lines, "total": lines.total()},
        test_lines=sum(_count_lines(path) for path in (root / "tests").rglob("*.py")),
        n_modules=len(modules),
        circles=find_circles(graph),
        upwards=find_upwards(graph, root),
        n_error_classes=count_error_classes(modules),
        class_names=_shared(
            (node.name, module.name) for module in modules.values() for node in _classes(module)
        ),
        file_names=_shared(
            (module.path.name, module.name)
            for module in modules.values()
            if not module.path.name.startswith("__")
        ),
    )


def read_modules(root: Path) -> dict[str, Module]:
    """The modules of the product, by name."""
    modules = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            tree = ast.parse(path.read_bytes(), str(path))
            modules[name] = Module(name, path, _count_lines(path), tree)
    return modules


def import_graph(modules: Mapping[str, Module]) -> Graph:
    """Whom each module imports, of the product; what is imported for types alone is left out."""
    graph = {}
    for name, module in modules.items():
        found = {
            target if target in modules else target.rpartition(".")[0]
            for node in _run_code(module.tree)
            for target in _targets(node)
        }
        graph[name] = (found & modules.keys()) - {name}
    return graph


def find_circles(graph: Graph) -> list[list[str]]:
    """Groups of modules each of which imports all others, directly or by way of others."""
    reached = {name: reachable(graph, name) for name in graph}
    circles = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return [list(circle) for circle in sorted(circles)]


def find_upwards(graph: Graph, root: Path) -> list[tuple[str, str]] | None:
    """Imports against the order of the layers in pyproject.toml, but for those it lets pass."""
    contracts = read_contracts(root)
    if not contracts:
        return None
    found = set()
    for contract in contracts:
        heights = layer_heights(contract)
        passed = {tuple(line.split(" -> ")) for line in contract.get("ignore_imports", ())}
        for name, targets in graph.items():
            below = _height_of(name, heights)
            for target in targets:
                above = _height_of(target, heights)
                is_upwards = below is not None and above is not None and above > below
                if is_upwards and (name, target) not in passed:
                    found.add((name, target))
    return sorted(found)


def read_contracts(root: Path) -> list[dict[str, list[str]]]:
    """The contracts of import-linter that put layers in an order."""
    file = root / "pyproject.toml"
    tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}) if file.exists() else {}
    contracts = tools.get("importlinter", {}).get("contracts", [])
    return [contract for contract in contracts if contract["type"] == "layers"]


def layer_heights(contract: Mapping[str, list[str]]) -> dict[str, int]:
    """The height of each layer of a contract, 0 at the bottom; some stand side by side."""
    return {
        f"{container}.{name}" if container else name: height
        for container in contract.get("containers", [""])
        for height, layer in enumerate(reversed(contract["layers"]))
        for name in layer.replace(":", " ").split()
    }


def reachable(graph: Graph, start: str) -> set[str]:
    """Everything that a node leads to; itself only where a circle leads back."""
    found: set[str] = set()
    left = [*graph[start]]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += graph[name]
    return found


def count_error_classes(modules: Mapping[str, Module]) -> int:
    """How many classes of the product are exceptions."""
    errors = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    left = [node for module in modules.values() for node in _classes(module)]
    n_before = len(left)
    while found := [node for node in left if errors & {_last_name(base) for base in node.bases}]:
        errors |= {node.name for node in found}
        left = [node for node in left if node not in found]
    return n_before - len(left)


def _count_lines(path: Path) -> int:
    """As ``cat | wc -l`` counts them."""
    return path.read_bytes().count(b"\n")


def _run_code(node: ast.AST) -> Iterator[ast.AST]:
    """A tree's nodes without what only a type checker reads."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and _last_name(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield from _run_code(other)
        else:
            yield from _run_code(child)


def _targets(node: ast.AST) -> list[str]:
    """What an import may mean: for ``from a import b`` the module ``a.b``, or else ``a``."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))


def _last_name(node: ast.expr) -> str:
    """``b`` of ``b`` and of ``a.b``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _height_of(module: str, heights: Mapping[str, int]) -> int | None:
    return next(
        (height for name, height in heights.items() if f"{module}.".startswith(f"{name}.")), None
    )


def _shared(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """The names that come with more than one module, and these."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for name, module in pairs:
        modules[name].add(module)
    return {name: sorted(found) for name, found in sorted(modules.items()) if len(found) > 1}


def as_text(figures: Figures) -> str:
    """The figures as lines for people."""
    upwards = figures.upwards
    rows = [
        *((f"lines of {name}", f"{n:,}") for name, n in figures.lines.items()),
        ("lines of tests", f"{figures.test_lines:,}"),
        ("modules", figures.n_modules),
        ("import circles", len(figures.circles)),
        ("imports upwards", "no order" if upwards is None else len(upwards)),
        ("error classes", figures.n_error_classes),
        ("class names used twice or more", len(figures.class_names)),
        ("file names used twice or more", len(figures.file_names)),
    ]
    lines = [f"{name:<31}{value:>8}" for name, value in rows]
    lines += [f"circle: {', '.join(circle)}" for circle in figures.circles]
    lines += [f"upwards: {name} -> {target}" for name, target in upwards or ()]
    for shared in (figures.class_names, figures.file_names):
        lines += [f"{name}: {', '.join(modules)}" for name, modules in shared.items()]
    return "\n".join(lines)


# The picture: the wings of gin_env in their layers, and the packages beside them.

COLUMNS = {
    "cli": 0.5,
    "play": 0,
    "replay": 1,
    "compat": 2,
    "envs": 2,
    "game": 0,
    "table": 2,
    "history": 1,
    "rendering": 2,
    "players": 1,
    "tools": 2,
    "values": 1,
    "bots": 0,
    "agents": 2,
}
"""Where a wing stands in its layer, so that no arrow runs through a box; others stand at 1."""
BESIDE = 3.1
"""The column of the packages beside gin_env."""
WIDTH, HEIGHT = 0.78, 0.56
"""Of a box, in columns and layers."""

LEGEND = "An arrow: imports.\n\nLeft out: whom a wing\nalso reaches by way\nof others."


class Wing(NamedTuple):
    """A box of the picture: a room of gin_env, or a package beside it."""

    column: float
    height: float
    n_lines: int
    targets: set[str]
    """Whom it imports, without those that it reaches by way of others."""


def find_wings(root: Path, modules: Mapping[str, Module]) -> dict[str, Wing]:
    """The boxes of a checkout's picture, by name, from bottom to top."""
    inside, beside = _levels(root)
    levels = {**inside, **{name: len(inside) + place for place, name in enumerate(beside)}}
    sizes, graph = Counter[str](), {name: set[str]() for name in levels}
    for name, targets in import_graph(modules).items():
        wing = _wing_of(name)
        if wing in levels:
            sizes[wing] += modules[name].n_lines
            met = {_wing_of(target) for target in targets} - {wing}
            graph[wing] |= {other for other in met if levels.get(other, 99) <= levels[wing]}
    wings: dict[str, Wing] = {}
    for name in sorted(levels, key=lambda name: levels[name]):
        targets = {
            other
            for other in graph[name]
            if not any(other in reachable(graph, way) for way in graph[name] - {other})
        }
        column, height = COLUMNS.get(name, 1.0), float(levels[name])
        if name in beside:
            column, height = BESIDE, 1 + max((wings[other].height for other in targets), default=0)
        wings[name] = Wing(column, height, sizes[name], targets)
    return wings


def draw_picture(root: Path, file: Path) -> None:
    """Draw the wings of a checkout into a PNG; its description holds the arrows as JSON."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (figures alone need no matplotlib)
    from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415

    wings = find_wings(root, read_modules(root))
    top = max(wing.height for wing in wings.values())
    figure = Figure(figsize=(8, 0.62 * (top + 1.4)), dpi=110)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.62, 3.72), ylim=(-0.6, top + 0.8))
    axes.set_axis_off()
    rounded = "round,pad=0,rounding_size=0.09"
    frame = FancyBboxPatch((-0.5, -0.45), 3, top + 1.1, rounded, fc="#f4f6f9", ec="#c3ccd6")
    axes.add_patch(frame)
    axes.text(-0.42, top + 0.4, "gin_env", size=11, color="#5a6775", style="italic")
    axes.text(BESIDE, 0, LEGEND, size=9, color="#5a6775", ha="center", va="center")
    for name, wing in wings.items():
        corner = (wing.column - WIDTH / 2, wing.height - HEIGHT / 2)
        fill, edge = ("#fdebd3", "#c98a2b") if wing.column == BESIDE else ("#dceafa", "#3f74ad")
        axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, rounded, fc=fill, ec=edge, zorder=3))
        middle: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 4}
        axes.text(wing.column, wing.height + 0.09, name, size=11, weight="bold", **middle)
        size = f"{wing.n_lines:,} lines"
        axes.text(wing.column, wing.height - 0.14, size, size=8, color="#444444", **middle)
        for target in sorted(wing.targets):
            start, end = _arrow_ends(wing, wings[target])
            style = {"arrowstyle": "-|>", "color": "#4a5560", "lw": 1.2, "shrinkA": 0, "shrinkB": 1}
            axes.annotate("", end, start, arrowprops=style, zorder=2)
    figure.savefig(file, metadata={"Software": None, "Description": describe(wings)})


def describe(wings: Mapping[str, Wing]) -> str:
    """Who imports whom in a picture, as JSON."""
    return json.dumps({name: sorted(wing.targets) for name, wing in wings.items()})


def _levels(root: Path) -> tuple[dict[str, int], list[str]]:
    """The layer of each wing of gin_env, and the packages beside it from bottom to top."""
    heights = {name: h for one in read_contracts(root) for name, h in layer_heights(one).items()}
    wings = {name.partition(".")[2]: height for name, height in heights.items() if "." in name}
    return wings, sorted(heights.keys() & set(PACKAGES[1:]), key=lambda name: heights[name])


def _wing_of(module: str) -> str:
    """The box that a module belongs to."""
    parts = module.split(".")
    return parts[1] if parts[0] == "gin_env" and len(parts) > 1 else parts[0]


def _arrow_ends(wing: Wing, target: Wing) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow leaves one box and meets another: sideways within a layer, else downwards."""
    side = (target.column > wing.column) - (target.column < wing.column)
    if wing.height == target.height:
        across, down = side * WIDTH / 2, 0.0
    else:
        across, down = side * WIDTH / 4, HEIGHT / 2
    start = (wing.column + across, wing.height - down)
    return start, (target.column - across, target.height + down)


def main(arguments: list[str]) -> int:
    """Print the figures of a checkout, or draw its picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT, help="default: this one")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the wings into a PNG")
    args = parser.parse_args(arguments)
    if args.picture is not None:
        draw_picture(args.checkout, args.picture)
        return 0
    figures = measure(args.checkout)
    print(json.dumps(asdict(figures), indent=2) if args.json else as_text(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
