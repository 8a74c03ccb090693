"""What every part may use: files, options, and where figures come from. It knows no game."""
