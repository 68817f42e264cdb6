"""``semeai solve``: prove who wins a position."""

from dataclasses import replace
from typing import Annotated

import typer

from semeai.cli.options import JsonOption
from semeai.cli.output import note, print_json, say
from semeai.errors import ConfigError

CHUNK = 20_000
"""Positions per kernel call. Ctrl-C takes effect after each of these."""
TOLD_EVERY = 100_000
"""Positions per line of progress."""


def solve(
    moves: Annotated[list[str] | None, typer.Argument(help="Moves from the empty board, White first.")] = None,
    size: Annotated[int, typer.Option(help="Size of the board (its base), 2 to 4.")] = 3,
    each: Annotated[bool, typer.Option("--each", help="Prove the position after each next move.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of positions per proof.")] = 10**7,
    memory: Annotated[int, typer.Option(min=1, help="Size of the table of positions in MiB.")] = 512,
    as_json: JsonOption = False,
) -> None:
    """Prove who wins a Havannah position on a small board.

    The exit code is 1 if a position is not proven.

    Examples:
        semeai solve a1 --size 3                 the opening a1 of base 3
        semeai solve d4 c3 g7 --size 4 --each    each answer of Black to these three moves
    """
    from semeai.games.havannah.position import COLOURS, HavannahPosition
    from semeai.games.havannah.solver import Proof, Solver
    from semeai.jit import compile_kernels

    solver = Solver(size, memory)
    position = HavannahPosition(size)
    for text in moves or ():
        position.play(position.text_to_move(text))
    if each and position.is_over:
        raise ConfigError(f"--each: there is no move after {' '.join(moves or ())}, the game is over")
    compile_kernels(note)

    def prove(what: str) -> Proof:
        visited = 0
        while True:
            proof = solver.solve(position, min(CHUNK, limit - visited))
            visited += proof.visited
            if proof.is_proven or visited >= limit:
                return replace(proof, visited=visited)
            if not as_json and visited % TOLD_EVERY < CHUNK:
                note(f"{what}: {visited:,} positions …")

    results = []
    for move in solver.different_moves(position) if each else [None]:
        if move is not None:
            position.play(move)
        what = " ".join(position.move_to_text(m) for _, m in position.moves) or "the empty board"
        proof = prove(what)
        winner = None if proof.winner is None else COLOURS[proof.winner]
        by = None if proof.move is None else position.move_to_text(proof.move)
        results.append(
            {"moves": what, "proven": proof.is_proven, "winner": winner, "by": by, "positions": proof.visited}
        )
        if not as_json:
            said = "not proven" if not proof.is_proven else f"{winner} wins" if winner else "a draw"
            say(f"{what}: {said}{f' by {by}' if by else ''} ({proof.visited:,} positions)")
        if move is not None:
            position.undo()
    if as_json:
        print_json(results)
    if not all(result["proven"] for result in results):
        raise typer.Exit(1)
