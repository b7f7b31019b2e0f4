"""Programs of JAX on four devices, under `shard_map` and by shardings, against their sequential forms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import jax.numpy as jnp
import pytest
from tests.refine.test_layers import run

from hecv.jax.sharded_capture import capture_sharded
from hecv.parameters.captured_model import Failure
from hecv.refine.relation_file import RelationFile
from hecv.refine.stated_relation import with_stated
from hecv.refinement import Degree, RefinementReport, Settings, decide
from hecv.report.refinement_report import as_json, text
from hecv.tensors.graph_files import graph_from_plain, read_archive
from hecv.tensors.tensor_graph import TensorGraph
from hecv.torch.graph_runner import NotRun

PROGRAMS = Path(__file__).parent / "programs" / "jax_programs.py"

REFINES = (
    ("sequential_mlp", "mlp_summed"),
    ("sequential_mlp", "mlp_by_rows"),
    ("sequential_mlp", "mlp_by_own_rows"),
    ("sequential_mlp", "mlp_in_two_axes"),
    ("sequential_mlp", "mlp_by_shardings"),
    ("sequential_mlp", "mlp_by_shardings_in_two_axes"),
    ("sequential_gradient", "gradient_summed"),
    ("sequential_turned", "turned_after_exchange"),
    ("sequential_turned", "turned_around"),
    ("sequential_words", "words_clipped"),
    ("sequential_logged", "logged_summed"),
    ("sequential_logged", "logged_by_shardings"),
    ("sequential_logged_gradient", "logged_gradient"),
)
LOOKED_UP = (("sequential_words", "words_masked"), ("sequential_words", "words_filled"))
LOGGED = (("sequential_logged", "logged_other"),)
WRONG = (
    ("sequential_mlp", "mlp_averaged"),
    ("sequential_mlp", "mlp_by_next_rows"),
    ("sequential_mlp", "mlp_summed_over_the_wrong_axis"),
    ("sequential_mlp", "gelu_by_shardings"),
    ("sequential_gradient", "gradient_left"),
    ("sequential_turned", "turned_without_way_back"),
    ("sequential_turned", "turned_one_too_far"),
    ("sequential_words", "words_one_off"),
)

CAPTURE = """
import sys
from pathlib import Path
from hecv.capture.rank_worker import capture_all
folder, file = sys.argv[1:3]
for name in sys.argv[3:]:
    place = Path(folder) / name
    place.mkdir()
    capture_all(file, name, 1 if name.startswith("sequential") else 4, place)
"""

Programs = Mapping[str, tuple[list[TensorGraph], Mapping[str, Mapping[str, str]]]]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """All programs, captured by one process with four devices."""
    folder = tmp_path_factory.mktemp("jax")
    names = sorted({name for pair in (*REFINES, *LOOKED_UP, *LOGGED, *WRONG) for name in pair})
    command = [sys.executable, "-c", CAPTURE, str(folder), str(PROGRAMS), *names]
    subprocess.run(command, check=True, env=os.environ, timeout=300)
    found: dict[str, tuple[list[TensorGraph], Mapping[str, Mapping[str, str]]]] = {}
    for name in names:
        graphs, stated = list[TensorGraph](), {}
        for archive in sorted((folder / name).iterdir()):
            plain, arrays = read_archive(archive)
            graphs.append(graph_from_plain(plain, arrays))
            stated |= plain.get("shardings", {})
        found[name] = graphs, stated
    return found


def answer(programs: Programs, sequential: str, sharded: str) -> Degree:
    (ours,), _ = programs[sequential]
    theirs, stated = programs[sharded]
    assert len(theirs) == 4
    given = with_stated(RelationFile(), stated["leaves"], stated["outputs"], ours, theirs)
    return decide(ours, theirs, given, Settings(), run=run, of_jax=(True, True))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sequential", "sharded"), REFINES)
def test_refines(captured: Programs, sequential: str, sharded: str) -> None:
    found = answer(captured, sequential, sharded)
    assert found.verdict == "refines", found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sequential", "sharded"), WRONG)
def test_what_the_shardings_say_fails_on_a_run(captured: Programs, sequential: str, sharded: str) -> None:
    found = answer(captured, sequential, sharded)
    assert found.verdict == "not-equivalent", found
    assert found.counterexample is not None
    if sharded == "gelu_by_shardings":
        assert found.blocked is not None and found.blocked.place is not None
        assert found.blocked.place.file == str(PROGRAMS)


def test_that_indices_are_in_their_tables_is_assumed(captured: Programs) -> None:
    found = answer(captured, *LOOKED_UP[0])
    assert found.verdict == "refines", found
    assert found.assumptions["index-in-table"] > 0
    report = RefinementReport(("f", "g"), found.verdict, (found,), 0.0)
    assert "index-in-table: indices of look-ups are within their tables, where JAX fills" in text(
        report, {}, False, False
    )
    assert json.loads(as_json(report, {}, False, False))["assumptions"]["index-in-table"] > 0
    assert "index-in-table" not in answer(captured, "sequential_mlp", "mlp_summed").assumptions


def test_that_indices_of_a_device_are_in_its_part_is_not_assumed(captured: Programs) -> None:
    try:
        verdict = answer(captured, *LOOKED_UP[1]).verdict
    except NotRun as problem:
        verdict = "unknown"
        assert "out of range" in str(problem)
    assert verdict == "unknown"


@pytest.mark.parametrize(
    ("sequential", "sharded", "hidden"),
    [
        ("sequential_logged", "logged_summed", "concat(mlp.hidden, dim=1)"),
        ("sequential_logged", "logged_by_shardings", "concat(mlp.hidden, dim=1)"),
        ("sequential_logged_gradient", "logged_gradient", "concat(mlp.hidden, dim=1)"),
        ("sequential_logged", "logged_other", ""),
    ],
)
def test_values_that_are_logged_have_their_names(
    captured: Programs, sequential: str, sharded: str, hidden: str
) -> None:
    found = answer(captured, sequential, sharded)
    assert found.logged["mlp.hidden"] == hidden, found.logged
    assert (found.verdict == "refines") == bool(hidden)


def test_outside_a_capture_nothing_is_logged() -> None:
    import jax

    from hecv import log_tensor

    x = jnp.arange(6.0).reshape(2, 3)
    assert log_tensor(x, "x") is x
    for made in (lambda x: log_tensor(x * 2, "y"), jax.vmap(lambda x: log_tensor(x * 2, "y"))):
        assert str(jax.make_jaxpr(made)(x)) == str(jax.make_jaxpr(lambda x: x * 2.0)(x))
    assert jax.grad(lambda x: log_tensor(x * x, "y").sum())(x).tolist() == (2 * x).tolist()


def test_shardings_are_the_relation(captured: Programs) -> None:
    _, stated = captured["mlp_in_two_axes"]
    assert stated["leaves"]["up"] == "concat(replicate(up@0, up@2), replicate(up@1, up@3), dim=1)"
    assert stated["outputs"]["out"] == "concat(replicate(out@0, out@1), replicate(out@2, out@3), dim=0)"
    _, stated = captured["mlp_by_shardings"]
    assert stated["outputs"]["out"] == "concat(out@0, out@1, out@2, out@3, dim=0)"


def test_a_program_on_another_number_of_devices() -> None:
    found = capture_sharded(lambda x: x * 2, (jnp.arange(4.0),), "f", 2)
    assert isinstance(found, Failure)
    assert (found.name, found.unsupported) == ("devices-mismatch", False)
    assert found.text == "the program runs on 1 devices, expected 2"


SORTS = """
import jax.numpy as jnp
def f():
    return jnp.sort, (jnp.arange(4.0),)
"""


@pytest.mark.one_in(3)
def test_a_sequential_program_that_is_not_read_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "sorts.py"
    file.write_text(SORTS, encoding="utf-8")
    command = [sys.executable, "-m", "hecv", "refine", f"{file}:f", f"{file}:f", "--ranks=2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ)
    assert (done.returncode, done.stderr) == (3, "")
    assert "no definition of stablehlo.sort" in done.stdout


@pytest.mark.one_in(4)
def test_as_a_command(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "refine" / "jax_block.py"
    command = [sys.executable, "-m", "hecv", "refine", f"{example}:sequential", f"{example}:partitioned", "--ranks=2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("refines: partitioned on 2 ranks\n  out = replicate(out)\n")
