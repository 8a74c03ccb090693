"""Other projects' environments on this engine, for code that was written for them."""
