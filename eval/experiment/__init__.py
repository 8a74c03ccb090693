"""What is to be played, its folder, and the processes that play it."""
