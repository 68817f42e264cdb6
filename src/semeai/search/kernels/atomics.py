"""Atomic operations on fields of the tree, for threads that search it together: LLVM's own, without a lock.

The order of memory is acquire and release where one thread makes a node's children visible to the others, and relaxed
where numbers are only counted.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic as untyped_intrinsic

from semeai.search.kernels.tree import NODE, TREE


def intrinsic(build: Callable[..., Any]) -> Any:
    """Numba's, whose type does not say that the first argument is not the caller's."""
    return untyped_intrinsic(build)


def _offset(dtype: Any, field: str) -> int:
    return int(dtype.fields[field][1])


_VISITS, _WINS, _FIRST = (_offset(NODE, name) for name in ("visits", "wins", "first"))
_N_NODES, _SIMULATIONS = (_offset(TREE, name) for name in ("n_nodes", "simulations"))


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, offset: int, kind: Any) -> Any:
    """Where a field of record ``index`` of a contiguous array is."""
    data = context.make_array(array_type)(context, builder, array).data
    start = builder.ptrtoint(data, ir.IntType(64))
    skipped = builder.mul(index, ir.Constant(ir.IntType(64), array_type.dtype.size))
    place = builder.add(builder.add(start, skipped), ir.Constant(ir.IntType(64), offset))
    return builder.inttoptr(place, kind.as_pointer())


def _adder(offset: int, operation: str, kind: Any) -> Any:
    """An intrinsic ``add(array, index, amount)`` that adds to a field of a record; what it was before."""

    def add(typing: Any, array: Any, index: Any, amount: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            records, at, value = arguments
            place = _address(context, builder, signature.args[0], records, at, offset, value.type)
            return builder.atomic_rmw(operation, place, value, "monotonic")

        return kind(array, types.int64, kind), build

    return intrinsic(add)


add_visits = _adder(_VISITS, "fadd", types.float32)
add_wins = _adder(_WINS, "fadd", types.float32)
add_simulations = _adder(_SIMULATIONS, "add", types.int64)
add_nodes = _adder(_N_NODES, "add", types.int64)


@intrinsic
def first_child(typing: Any, nodes: Any, node: Any) -> Any:
    """``nodes[node].first``, and with it all that was written before it was published."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.IntType(32)
        nodes, node = arguments
        place = _address(context, builder, signature.args[0], nodes, node, _FIRST, kind)
        return builder.sext(builder.load_atomic(place, "acquire", 4), ir.IntType(64))

    return types.int64(nodes, types.int64), build


@intrinsic
def publish_children(typing: Any, nodes: Any, node: Any, before: Any, first: Any) -> Any:
    """Set ``nodes[node].first`` if it is still ``before``; whether it was."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, old, new = arguments
        kind = ir.IntType(32)
        place = _address(context, builder, signature.args[0], array, index, _FIRST, kind)
        found = builder.cmpxchg(place, builder.trunc(old, kind), builder.trunc(new, kind), "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(nodes, types.int64, types.int64, types.int64), build
