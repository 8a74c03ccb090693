"""The program `gin-env`: `gin_env.cli.main` has its commands by name."""
