"""``python -m semeai``."""

from semeai.cli.main import main

main()
