"""Compare the solver of capturing races with exhaustive search on random races: ``python benchmarks/semeai_solver.py``.

Prints how many answers were wrong (the exit code is 1 if any was), and how many races are unknown, by reason.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from reference.race_positions import random_positions
from reference.races import mistakes

from semeai.games.go.races import races_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known-only", action="store_true", help="count only races with both outcomes known")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    n = n_known = wrong = n_positions = 0
    start = time.monotonic()
    for position in random_positions(options.seed, (4, 5)):
        n_positions += 1
        for race in races_of(position):
            n += 1
            n_known += race.is_known
            name = race.reason or ("urgent" if race.is_urgent else f"{race.black_first} wins, also after a pass")
            kinds[name] += 1
            if found := mistakes(position, race):
                wrong += 1
                print(position.draw(), race, *found, sep="\n", flush=True)
        if (n_known if options.known_only else n) >= options.races:
            break
    print("| races | known | wrong | positions | seconds |\n|---|---|---|---|---|")
    print(f"| {n} | {n_known} | {wrong} | {n_positions} | {time.monotonic() - start:.0f} |\n")
    print("| answer | races | share |\n|---|---|---|")
    for name, count in kinds.most_common():
        print(f"| {name} | {count} | {100 * count / n:.1f}% |")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
