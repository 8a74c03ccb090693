"""``gin-env play``: the terminal game (docs/play.md)."""
