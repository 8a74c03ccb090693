"""The command `gin-env`: `gin_env.cli.main` knows the subcommands, each in a module of its own.

A subcommand's module has ``add_parser(subparsers)``, which adds its parser and returns it, and
``run(args) -> int``, which returns the exit code. It imports what is heavy only in ``run``.
"""
