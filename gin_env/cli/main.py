"""``gin-env``: all commands under one name. Each module is imported when its command is typed."""

from collections.abc import Sequence

import gin_env
from gin_env.support import command_line
from gin_env.support.command_line import Add, Command, Parser, import_add
from gin_env.tools import expose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code (`gin_env.support.command_line`)."""
    return command_line.main("gin-env", add_arguments, arguments)


def add_arguments(parser: Parser) -> None:
    """Add the commands, and what is typed without one."""
    parser.description = "Gin Rummy: play, train, compare."
    parser.add_argument("--version", action="version", version=f"%(prog)s {gin_env.__version__}")
    parser.add_commands(COMMANDS)


def _import_tool(module: str, function: str = "add_arguments") -> Add:
    """As `import_add`, of a module beside gin_env."""

    def add(parser: Parser) -> None:
        expose()
        import_add(module, function)(parser)

    return add


COMMANDS = {
    "play": Command("play in the terminal against anyone", import_add("gin_env.cli.play")),
    "replay": Command("look at recorded hands, action by action", import_add("gin_env.cli.replay")),
    "verify": Command("play recorded hands again, and compare", import_add("gin_env.cli.verify")),
    "players": Command("list the bots and the agents that ship", import_add("gin_env.cli.players")),
    "train": Command("train an agent", _import_tool("training.__main__")),
    "eval": Command("who plays better, and how sure is it?", _import_tool("eval.cli")),
    "benchmark": Command("how fast is it?", _import_tool("eval.cli", "add_benchmark")),
    "export": Command("make an agent of a run", _import_tool("training.export.command")),
}
