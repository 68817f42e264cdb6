"""Sources of candidates, one file each; ``base.PROPOSERS`` knows them by name."""
