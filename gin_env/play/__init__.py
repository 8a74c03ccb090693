"""The terminal game: a match against anyone, saved after every action (docs/play.md).

`session` and what lies under it know the game and no screen; `app` and the widgets draw it.
"""
