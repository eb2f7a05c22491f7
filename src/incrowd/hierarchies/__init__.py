"""How a value becomes vaguer: build, read, check, draw; and what a label covers."""
