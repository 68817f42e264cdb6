"""OpenSpiel's MCTS bot for Havannah as a GTP engine: ``python -m semeai.experiments.openspiel SIMULATIONS SEED``.

OpenSpiel names cells as ``HavannahPosition`` does. It is not a dependency of semeai: only this comparison needs it.
"""

import math
import sys
from collections.abc import Sequence
from typing import Any

MEMORY_MB = 1000


class Bot:
    """A game of OpenSpiel and its bot, which answers GTP commands."""

    def __init__(self, simulations: int, seed: int) -> None:
        import pyspiel

        self._spiel: Any = pyspiel
        self._simulations, self._seed = simulations, seed
        self._new_game(5)

    def _new_game(self, size: int) -> str:
        spiel = self._spiel
        self.size = size
        game = spiel.load_game(f"havannah(board_size={size})")
        evaluator = spiel.RandomRolloutEvaluator(1, self._seed)
        self._bot = spiel.MCTSBot(
            game, evaluator, math.sqrt(2), self._simulations, MEMORY_MB, True, self._seed, False
        )  # fmt: skip
        self._state = game.new_initial_state()
        return ""

    def answer(self, command: str, words: Sequence[str]) -> str:
        """Return the answer to a GTP command. Raises ValueError if the command is refused."""
        if command == "boardsize":
            return self._new_game(int(words[0]))
        if command == "clear_board":
            return self._new_game(self.size)
        if command == "play":
            self._state.apply_action(self._action(words[1]))
            return ""
        if command == "genmove":
            action = self._bot.step(self._state)
            text: str = self._state.action_to_string(self._state.current_player(), action)
            self._state.apply_action(action)
            return text
        fixed = {"name": "OpenSpiel MCTSBot", "version": "", "protocol_version": "2", "quit": "", "known_command": ""}
        if command == "list_commands":
            return "\n".join([*fixed, "boardsize", "clear_board", "genmove", "list_commands", "play"])
        if command not in fixed:
            raise ValueError("unknown command")
        return fixed[command]

    def _action(self, word: str) -> int:
        action: int = self._state.string_to_action(word)
        if action not in self._state.legal_actions():
            raise ValueError("illegal move")
        return action


def main() -> None:
    bot = Bot(int(sys.argv[1]), int(sys.argv[2]))
    for line in sys.stdin:
        command, *words = line.split() or [""]
        if not command:
            continue
        try:
            print(f"= {bot.answer(command, words)}\n", flush=True)
        except (ValueError, IndexError, RuntimeError) as error:
            print(f"? {' '.join(str(error).split()) or command}\n", flush=True)
        if command == "quit":
            return


if __name__ == "__main__":
    main()
