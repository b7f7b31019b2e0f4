"""Replays a proof that both functions have one normal form.

The normal forms are made anew (`hecv.dataflow.pair_model`), as for a proof by dataflow; that is trusted.
`hecv.dataflow.same_normal_form` states the theorem.
"""

from __future__ import annotations

from collections.abc import Sequence

from hecv.base.term import Term, TermPool
from hecv.dataflow.model.isl_translation import NotAffine
from hecv.dataflow.pair_model import Pair
from hecv.dataflow.same_normal_form import is_same
from hecv.kernel.certificate.file_format import Options
from hecv.kernel.certificate.rejection import Rejected
from hecv.program.refusal import Refused
from hecv.program.tree import Function


def replay_form(
    pool: TermPool, functions: tuple[Function, Function], constraints: Sequence[Term], options: Options
) -> None:
    """Checks that two functions have one normal form.

    Requires: as for a proof by dataflow (`hecv.kernel.dataflow_check`).
    Raises: Rejected.
    """
    try:
        pair = Pair(pool, *functions, constraints, options.index_width)
    except (Refused, NotAffine) as problem:
        raise Rejected("form", f"isl does not hold {problem.text}") from None
    if not is_same(pair):
        raise Rejected("form", "the functions do not have one normal form")
