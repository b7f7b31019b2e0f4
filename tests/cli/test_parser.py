"""The parser of options serves all commands of a process: nothing that one is given is left for the next."""

from hecv.cli.main import parser  # pyright: ignore[reportPrivateUsage]


def test_options_are_not_left_behind() -> None:
    given = parser().parse_args(["check", "a", "b", "--assume", "n >= 1", "--rules", "r.py"])
    after = parser().parse_args(["check", "a", "b"])
    assert (given.assume, given.rules) == (["n >= 1"], ["r.py"])
    assert (after.assume, after.rules) == ([], [])
    assert parser() is parser()
