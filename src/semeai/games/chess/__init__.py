"""Chess, refereed by python-chess. Outside engines play it; the search of semeai does not."""
