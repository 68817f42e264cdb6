"""A coin as a program: `coin.py P SEED` prints 1 or 0."""

import random
import sys


def coin(params, seed):
    return float(random.Random(seed).random() < params["p"])


if __name__ == "__main__":
    print(coin({"p": float(sys.argv[1])}, int(sys.argv[2])))
