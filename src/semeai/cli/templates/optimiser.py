"""A small stochastic optimiser: simulated annealing for a round trip through random cities.

The race evaluates ``tour_length``, which takes the parameters of one variant and a seed, and returns a number.
"""

import math
import random


def tour_length(params, seed):
    """Return the length of the tour found in a fixed number of steps; shorter is better."""
    draw = random.Random(seed)
    cities = [complex(draw.random(), draw.random()) for _ in range(12)]
    distance = [[abs(a - b) for b in cities] for a in cities]
    return anneal(distance, draw, **params)


def anneal(distance, draw, *, start=0.3, end=0.01, steps=300, move="reverse"):
    n = len(distance)
    tour = list(range(n))
    cooling = (end / start) ** (1 / steps)
    temperature = start
    for _ in range(steps):
        i, j = sorted((draw.randrange(n), draw.randrange(n)))
        temperature *= cooling
        if i == j or j - i == n - 1:
            continue
        new = tour[:]
        if move == "reverse":  # 2-opt: reverse a part of the tour
            new[i : j + 1] = tour[i : j + 1][::-1]
        elif move == "swap":  # exchange two cities
            new[i], new[j] = tour[j], tour[i]
        else:  # move one city elsewhere
            new.insert(j, new.pop(i))
        change = length(new, distance) - length(tour, distance)
        if change <= 0 or draw.random() < math.exp(-change / temperature):
            tour = new
    return length(tour, distance)


def length(tour, distance):
    # Rounded, so that equal tours with different first cities have equal lengths, without differences of 1e-16.
    return round(sum(distance[a][b] for a, b in zip(tour, tour[1:] + tour[:1], strict=True)), 9)


if __name__ == "__main__":
    import sys

    print(tour_length({"start": float(sys.argv[1])}, int(sys.argv[2])))
