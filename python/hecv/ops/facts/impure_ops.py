"""Ops of `stablehlo` and `tosa` that are not functions of their operands: random numbers, state, communication."""

from __future__ import annotations

from typing import Final

OF_ANYTHING: Final = frozenset({"stablehlo.custom_call", "stablehlo.composite", "tosa.custom"})
"""Ops whose meaning is defined elsewhere; a user may declare that one is a function."""

NO_FUNCTIONS: Final = (
    OF_ANYTHING
    | {f"stablehlo.{name}" for name in ("rng", "rng_bit_generator", "partition_id", "replica_id")}
    | {f"stablehlo.{name}" for name in ("infeed", "outfeed", "send", "recv", "after_all", "create_token")}
    | {f"stablehlo.{name}" for name in ("all_gather", "all_reduce", "all_to_all", "reduce_scatter")}
    | {f"stablehlo.{name}" for name in ("collective_broadcast", "collective_permute", "cross-replica-sum")}
    | {f"tosa.{name}" for name in ("variable", "variable_read", "variable_write")}
)
