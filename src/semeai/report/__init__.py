"""Pictures of runs: the ledger as plain JSON, and the page that draws it as a report or a dashboard."""
