"""Random scalar code on floats of few bits: arithmetic, casts from format to format, bits, and loops over these."""

from __future__ import annotations

from random import Random

from . import widths

BITS = {
    **dict.fromkeys(("f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"), 8),
    **dict.fromkeys(("f16", "bf16"), 16),
    "f32": 32,
}
ROUNDING = ("math.floor", "math.ceil", "math.trunc", "math.roundeven")
UNARY = ("arith.negf", "math.absf", "math.sqrt")
MISFOLDED = ("f8E3M4",)
"""Of a literal of these MLIR makes NaN where it folds what rounds it: 16, which LLVM adds on the way, is too great."""


class Writer(widths.Writer):
    """Writes ops, of floats more often than of integers."""

    def licences(self) -> str:
        """The one flag that is known of formats of 8 bits."""
        return " fastmath<nnan>" if self.random.random() < 0.05 else ""

    def step(self) -> None:
        """One op."""
        ways = (
            *(self.float, self.float, self.float, self.unary, self.recast, self.recast, self.recast, self.bits),
            *(self.converted, self.comparison, self.selection, self.access, self.access, self.integer, self.counted),
        )
        self.random.choice(ways)()

    def unary(self) -> str:
        kind = self.of_floats()
        op = self.random.choice(UNARY if kind in MISFOLDED else (*UNARY, *ROUNDING))
        return self.emit(kind, f"{op} {self.pick(kind)} : {kind}")

    def recast(self) -> str:
        """A float in another format."""
        kind, other = self.of_floats(), self.of_floats()
        value = self.pick(kind)
        if BITS[kind] == BITS[other]:
            return value
        op = "extf" if BITS[kind] < BITS[other] else "truncf"
        return self.emit(other, f"arith.{op} {value} : {kind} to {other}")

    def bits(self) -> str:
        """The bits of a float as an integer, or those of an integer as a float."""
        kind = self.of_floats()
        whole = f"i{BITS[kind]}"
        if whole not in self.kinds:
            return self.unary()
        if self.random.random() < 0.5:
            return self.emit(whole, f"arith.bitcast {self.pick(kind)} : {kind} to {whole}")
        return self.emit(kind, f"arith.bitcast {self.pick(whole)} : {whole} to {kind}")


def program(random: Random) -> str:
    """A function of scalars and memory of three formats, and of integers of 8 bits and another width."""
    floats = random.sample(tuple(BITS), 3)
    kinds = tuple(dict.fromkeys((random.choice(("i4", "i16", "i32")), "i8", "i1", "index", *floats)))
    return widths.written(Writer(random, kinds), random)
