"""The certificate of a proof about functions with what their assertions say of values."""

from __future__ import annotations

from hecv.kernel.certificate.file_format import Asserted
from hecv.normal.preconditions.assertion_facts import informed
from hecv.prove.pair_context import Case
from hecv.prove.whiles.while_induction_cert import Anew


def certify(case: Case) -> tuple[Asserted, bool]:
    """The certificate of what `hecv.prove.transforms.asserted_values` proves, with functions that are read anew, and
    whether the converse shows, too.

    Raises: Uncertified where there is none.
    """
    anew = Anew(case)
    source, target = (informed(anew.pool, f) for f in anew.functions)
    proof, shown = anew.proved((source, target))
    return Asserted(proof), shown.converse
