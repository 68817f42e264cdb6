"""Atomic operations on fields of records, for threads that search one tree together: LLVM's own, without a lock.

The memory order is acquire and release where one thread makes a node's children visible to the others, and relaxed
where numbers are only counted.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic as untyped_intrinsic

from semeai.search.kernels.tree import NODE, TREE

_BYTE, _INT32, _INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def intrinsic(build: Callable[..., Any]) -> Any:
    """Apply numba's decorator, whose type does not say that callers leave out the first argument."""
    return untyped_intrinsic(build)


def _address(builder: Any, record: Any, dtype: Any, field: str, kind: Any) -> Any:
    """Compute where a field is; kernels hold a record as the address of its first byte."""
    start = builder.bitcast(record, _BYTE.as_pointer())
    place = builder.gep(start, [ir.Constant(_INT64, int(dtype.fields[field][1]))])
    return builder.bitcast(place, kind.as_pointer())


def _adder(dtype: Any, field: str, operation: str, kind: Any) -> Any:
    """Make an intrinsic ``add(record, amount)`` that adds to a field and returns what it was before."""

    def add(typing: Any, record: Any, amount: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _address(builder, arguments[0], dtype, field, arguments[1].type)
            return builder.atomic_rmw(operation, place, arguments[1], "monotonic")

        return kind(record, kind), build

    return intrinsic(add)


add_visits = _adder(NODE, "visits", "fadd", types.float32)
add_wins = _adder(NODE, "wins", "fadd", types.float32)
add_simulations = _adder(TREE, "simulations", "add", types.int64)
add_nodes = _adder(TREE, "n_nodes", "add", types.int64)


@intrinsic
def load_first_child(typing: Any, node: Any) -> Any:
    """Read ``node.first_child``, and make visible all that was written before it was published."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(builder, arguments[0], NODE, "first_child", _INT32)
        return builder.sext(builder.load_atomic(place, "acquire", 4), _INT64)

    return types.int64(node), build


@intrinsic
def swap_first_child(typing: Any, node: Any, before: Any, first: Any) -> Any:
    """Set ``node.first_child`` to ``first`` if it is still ``before``. Returns whether it was."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        record, old, new = arguments
        place = _address(builder, record, NODE, "first_child", _INT32)
        found = builder.cmpxchg(place, builder.trunc(old, _INT32), builder.trunc(new, _INT32), "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(node, types.int64, types.int64), build
