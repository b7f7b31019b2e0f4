"""`hecv models` as a process: files that give no model, and a torch model against a JAX function."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hecv.base.diagnostics import InputError
from hecv.capture.capture_process import capture
from hecv.capture.value_process import Request, run_graphs
from hecv.tensors.tensor_graph import Leaf, Ref, TensorGraph, TensorType

JAX_AND_TORCH = """
import jax, jax.numpy as jnp
import torch

W = [[0.5, -1.0], [2.0, 0.25], [-0.75, 3.0]]

def function(parameters, x):
    y = jax.nn.gelu(x @ parameters["layer"]["w"], approximate=False)
    return jax.nn.softmax(y, axis=-1)

def jax_model():
    return function, ({"layer": {"w": jnp.array(W)}}, jnp.ones((2, 3)))

class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2, bias=False)
        with torch.no_grad():
            self.linear.weight.copy_(torch.tensor(W).t())
    def forward(self, x):
        return torch.softmax(torch.nn.functional.gelu(self.linear(x)), -1)

def torch_model():
    return Module(), (torch.ones(2, 3),)
"""

BROKEN = """
def three():
    return 3

def fails():
    raise ValueError("no weights")

def ends():
    import os
    os._exit(9)

def sleeps():
    import time
    time.sleep(100)

def needs():
    import jaxlib_that_is_not_there
"""


def run(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "hecv", "models", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.one_in(2)
def test_a_torch_module_against_a_jax_function(tmp_path: Path) -> None:
    file = tmp_path / "both.py"
    file.write_text(JAX_AND_TORCH, encoding="utf-8")
    status, out, err = run(f"{file}:jax_model", f"{file}:torch_model")
    assert (status, err) == (0, "")
    assert out.startswith("equivalent: @jax_model (proved")
    assert "linear.weight = transpose(layer.w, 0, 1)" in " ".join(out.split())
    assert "floats are real numbers" in out


@pytest.mark.one_in(3)
def test_the_example() -> None:
    file = Path(__file__).parents[2] / "examples" / "models" / "attention.py"
    status, out, _ = run(f"{file}:merged", f"{file}:separate")
    assert status == 0
    assert out.startswith("equivalent: @merged (proved")
    assert "k.weight = slice(qkv.weight, 0, 4, 8)" in " ".join(out.split())


def test_a_gpu_that_is_not_there(tmp_path: Path) -> None:
    """None is hidden from torch, so that this runs alike where there is one."""
    graph = TensorGraph("f", (Leaf("x", TensorType((2,), "f32"), "input"),), (), (("y", Ref("x")),), {})
    request = Request(graph, {}, [{"x": np.ones(2)}], ["x"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        assert run_graphs([request], [], 60.0, 8_000, "auto")[0][0]["x"].tolist() == [1.0, 1.0]
        with pytest.raises(InputError) as refused:
            run_graphs([request], [], 60.0, 8_000, "cuda")
    (found,) = refused.value.diagnostics
    assert found.name == "device-unusable" and "finds no GPU" in found.message


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("function", "name", "text"),
    [
        ("three", "not-a-model", "`three` does not return a model and its arguments"),
        ("fails", "model-error", "ValueError: no weights"),
        ("ends", "model-crash", "ended with status 9"),
        ("sleeps", "model-crash", "took longer than the time limit of 3 s"),
        ("needs", "package-missing", "`jaxlib_that_is_not_there` is not installed"),
        ("nothing", "missing-function", "has no function `nothing`"),
    ],
)
def test_files_that_give_no_model(tmp_path: Path, function: str, name: str, text: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(BROKEN, encoding="utf-8")
    status, out, err = run(f"{file}:{function}", f"{file}:{function}", "--time-limit=3")
    assert (status, out) == (2, "")
    assert f"error[{name}]" in err
    assert text in err


def test_a_missing_package_names_its_extra(tmp_path: Path) -> None:
    """As where torch is not installed: a module of that name that says so stands in its place."""
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    file = tmp_path / "model.py"
    file.write_text("def f():\n    import torch\n", encoding="utf-8")
    status, _, err = run(f"{file}:f", f"{file}:f")
    assert status == 2
    assert "pip install 'hecv[torch]'" in err


@pytest.mark.parametrize("spec", ["model.py", "model.py:", ":f", "model.py:f g", "nowhere.py:f", "n" * 3000 + ":f"])
def test_specifications_that_name_nothing(spec: str) -> None:
    status, out, err = run(spec, spec)
    assert (status, out) == (2, "")
    assert any(f"error[{name}]" in err for name in ("usage", "file-not-found", "file-unreadable"))


def test_a_process_that_ends_while_it_writes(tmp_path: Path) -> None:
    """As at a limit: what is there of the answer cannot be read."""
    file = tmp_path / "m.py"
    file.write_text(
        "import os, sys\ndef f():\n    open(sys.argv[3], 'w').write('{')\n    os._exit(9)\n", encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        capture(f"{file}:f", 60, 4096)
    assert [d.name for d in caught.value.diagnostics] == ["model-crash"]
    assert "ended with status" in caught.value.diagnostics[0].message
