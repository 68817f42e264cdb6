"""The command line: one module per command, which is imported when the command is used."""
