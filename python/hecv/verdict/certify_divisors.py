"""The certificate of a proof about a target that is undefined where a divisor is not positive."""

from __future__ import annotations

from hecv.certificate.errors import Uncertified
from hecv.certificate.format import Form, Stricter
from hecv.graph.divisors import stricter
from hecv.poly.sameness import is_same
from hecv.verdict.case import Case
from hecv.verdict.certify_turns import Anew


def certify(case: Case) -> Stricter:
    """The certificate of what `hecv.verdict.stricter` proves, with functions that are read anew.

    Raises: Uncertified where there is none.
    """
    anew = Anew(case)
    source, target = anew.functions
    made = stricter(anew.pool, source, target)
    if made is None:
        raise Uncertified("dataflow", "no divisor is said to be positive")
    if is_same(anew.pair((source, made))):
        return Stricter(Form())
    return Stricter(anew.proved((source, made))[0])
