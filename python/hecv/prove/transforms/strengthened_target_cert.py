"""The certificate of a proof about a target that is undefined where a divisor is not positive."""

from __future__ import annotations

from hecv.dataflow.same_normal_form import is_same
from hecv.kernel.certificate.file_format import Form, Stricter
from hecv.kernel.certificate.rejection import Uncertified
from hecv.normal.preconditions.positive_divisors import stricter
from hecv.prove.pair_context import Case
from hecv.prove.whiles.while_induction_cert import Anew


def certify(case: Case) -> Stricter:
    """The certificate of what `hecv.prove.transforms.strengthened_target` proves, with functions that are read anew.

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
