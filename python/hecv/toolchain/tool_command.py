"""The command line of a tool like mlir-opt: which program it reads, and where it prints the result.

Light: imported before the tool starts.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MARKER: Final = "// -----"
"""What separates the chunks of a file for `--split-input-file`, and those of the output."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VALUED: Final = _names(
    """
    check-functions-filter emit-bytecode-version internalize-public-api-file internalize-public-api-list irdl-file
    load-dialect-plugin load-pass-plugin log-actions-to log-mlir-actions-filter mlir-debug-counter
    mlir-diagnostic-verbosity-level mlir-elide-elementsattrs-if-larger mlir-elide-resource-strings-if-larger
    mlir-generate-reproducer mlir-output-format mlir-pass-pipeline-crash-reproducer mlir-pass-statistics-display
    mlir-print-elementsattrs-with-hex-if-larger mlir-print-ir-after mlir-print-ir-before mlir-print-ir-tree-dir
    mlir-timing-display o output-split-marker pass-pipeline profile-actions-to remark-format remark-policy
    remarks-filter remarks-filter-analyse remarks-filter-failed remarks-filter-missed remarks-filter-passed
    remarks-output-file target-abi threads
    """
)
"""Options of mlir-opt with a value, which may be the next argument."""

FLAGS: Final = _names(
    """
    allow-unregistered-dialect canonicalize convert-linalg-to-loops cse debug dump-pass-pipeline inline lower-affine
    mlir-disable-threading mlir-pretty-debuginfo mlir-print-debuginfo mlir-print-ir-after-all mlir-print-ir-before-all
    mlir-print-local-scope mlir-print-op-generic mlir-print-value-users mlir-timing mlir-use-nameloc-as-prefix
    no-implicit-module sccp show-dialects split-input-file symbol-dce verify-diagnostics verify-each verify-roundtrip
    """
)
"""Options without a value; of others it is asked what they are if a file name follows them."""

INFORMATION: Final = _names(
    "h help help-hidden help-list help-list-hidden list-passes print-all-options show-dialects version"
)
"""Options with which the tool reads no program."""


class ToolCommand(NamedTuple):
    """What is known of a run from its command line.

    `source` is the file that it reads, `-` for standard input; `target` the file that it writes, `-` for standard
    output. `doubtful` is the option before `source` if `source` may be its value. `split` separates the chunks of the
    source, `output_split` those of the target; None if the source is one program. `refusal` says why the run cannot be
    validated.
    """

    source: str = "-"
    target: str = "-"
    doubtful: str | None = None
    split: str | None = None
    output_split: str = MARKER
    refusal: str | None = None


def read_command(arguments: list[str]) -> ToolCommand:
    """Reads the arguments of the tool, without its name."""
    command, sources, rest = ToolCommand(), list[tuple[str, str | None]](), iter(arguments)
    before: str | None = None
    for argument in rest:
        if argument == "--":
            sources += [(name, None) for name in rest]
            break
        if argument.startswith("@"):
            return command._replace(refusal="arguments are in a response file")
        if not argument.startswith("-") or argument == "-":
            sources.append((argument, before))
            before = None
            continue
        name, has_value, value = argument.lstrip("-").partition("=")
        if name in VALUED and not has_value:
            value = next(rest, "")
        before = None if has_value or name in VALUED or name in FLAGS else name
        command = _with_option(command, name, value, bool(has_value))
    if command.refusal is not None:
        return command
    # With an input for sure, what else might be one is the value of an option, or the tool fails.
    sources = [source for source in sources if source[1] is None] or sources
    if len(sources) > 1:
        return command._replace(refusal="the command names several inputs")
    return command._replace(source=sources[0][0], doubtful=sources[0][1]) if sources else command


def _with_option(command: ToolCommand, name: str, value: str, has_value: bool) -> ToolCommand:
    match name:
        case "o":
            return command._replace(target=value)
        case "split-input-file":
            return command._replace(split=value if has_value else MARKER)
        case "output-split-marker":
            return command._replace(output_split=value)
        case "verify-diagnostics":
            return command._replace(refusal="--verify-diagnostics checks messages, not a program")
        case "emit-bytecode":
            return command._replace(refusal="the output is bytecode")
        case _ if name in INFORMATION:
            return command._replace(refusal="the tool only prints information")
        case _:
            return command
