"""The command line: arguments in, the api called, an exit code out."""
