"""The names that reports print and that are no rule, pass, prover or operator: what each of them means, in a sentence.

Options and their help stand in the command line; here are the values that they take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct


class Named(Struct, frozen=True):
    """A meaning of a name: what kind of thing it names, and a sentence."""

    kind: str
    text: str


_VERDICTS: Final = {
    "equivalent": "proved: each program refines the other",
    "refines": "proved: the target does what the source does wherever that is defined; it may remove undefined "
    "behaviour or poison",
    "not-equivalent": "both programs were run on one input, and the target does not refine the source there",
    "unknown": "neither proved nor refuted; the report says where the proof stopped and what would help",
    "error": "bad input or usage, or a bug of hecv",
}

_EXITS: Final = {
    "0": "equivalent, or refines",
    "1": "not equivalent; of `hecv replay` rejected, of `hecv rules --audit` a law that failed, of `hecv lit` a "
    "directive that does not hold, of `hecv report` a run that is refuted",
    "2": "bad input or usage, or an answer that could not be written; of `hecv doctor` something is missing",
    "3": "unknown; also refines under `--relation equivalent`",
    "4": "a bug of hecv",
    "127": "of `hecv wrap`: there is no such tool",
    "130": "it was interrupted",
    "141": "what read the answer closed its pipe",
    "143": "it was ended by a signal, as `timeout` sends it",
}

_REASONS: Final = {
    "unsupported-op": "an op, a type or an attribute has no semantics here; the text names it and its place",
    "no-proof": "everything was read and tried, and there is neither a proof nor an input that shows a difference",
    "budget": "a limit ended the proof: of time, of memory, of isl operations, of rewrites",
    "solver": "a solver gave no answer",
    "crash": "the process that decided crashed: a bug of hecv or of a library",
}

_STOPS: Final = {
    "time-limit": "the seconds of `--time-limit` were used up, or those of one prover",
    "memory-limit": "the megabytes of `--memory-limit` were used up",
    "node-limit": "the e-graph of a question grew to the e-nodes of `--node-limit`",
    "iteration-limit": "the e-graph was saturated for as many rounds as a question may take",
    "saturated": "no rule added anything more to the e-graph, and the programs are not equal in it",
    "exact-arithmetic": "loop theorems calculate exactly, and index arithmetic of the program may overflow",
    "failed": "the e-graph engine failed on a question, which stays open",
}

_COUNTEREXAMPLES: Final = {
    "value": "a result, or an element of memory, has another value",
    "undefined-behavior": "the target is undefined on an input on which the source is defined",
    "poison": "the target has poison where the source has a value",
    "race": "iterations of a parallel loop of the target race, and those of the source do not",
    "nontermination": "the target does not end where the source does",
    "calls": "the target calls functions without a body otherwise than the source",
}

_EVIDENCE: Final = {
    "proved": "every step is proved",
    "tested": "a rule that the proof uses is not proved, and tests agree with it",
    "trusted": "a rule that the proof uses is not proved, and nothing is known of it",
    "inapplicable": "the conditions of the rule hold for no operands of the types that were tried",
    "failed": "the rule is false; the audit names operands",
}

_PARTS: Final = {
    "static": "a rule that is an equation by itself: its instances are all true",
    "dynamic": "a rule that is applied to a match, whose conditions are shown for that match",
    "identity": "the target is the source",
    "form": "both functions have one normal form",
    "sweep": "SAT sweeping of long code, term by term",
    "invariant": "an invariant by which a while computes a formula",
    "simulation": "a simulation between the loop headers of both functions",
    "inputs": "runs on all inputs, of functions of few bits",
    "validated": "of `hecv report`: what a tool made of a function is proved to refine it",
    "identical": "of `hecv report`: a tool left the function as it was",
    "refuted": "of `hecv report`: a tool changed what a function does",
    "passed": "of `hecv lit`: the directive holds",
    "failed": "of `hecv lit`: the directive does not hold",
    "skipped": "of `hecv lit`: the directive says that it is not to be checked",
    "not-run": "a pass that was not run, or not checked, because of what happened before it",
}

_VALUES: Final = {
    "strict": "of --fp: floats are IEEE-754; fast-math flags license what they say",
    "reassoc": "of --fp: float sums and products may be computed in any order",
    "real": "of --fp: floats are real numbers, and nothing is rounded",
    "exclude": "of --index-overflow: index arithmetic is assumed not to overflow",
    "wrap": "of --index-overflow: index arithmetic wraps; proved only where no value can leave its range",
    "distinct": "of --alias: memref arguments do not overlap",
    "may": "of --alias: memref arguments may overlap in any way",
    "auto": "of --engine: all provers, in the order of hecv/prove/portfolio.py; of --device: a GPU, or else the CPU",
    "cpu": "of --device: torch runs models on the CPU",
    "cuda": "of --device: torch runs models on an NVIDIA GPU",
    "dataflow": "of --engine, and as what proved: array dataflow and the provers around it",
    "theorems": "of --engine, and as what proved: loop theorems and laws in an e-graph",
    "refines": "of --relation: the target may be more defined than the source",
    "equivalent": "of --relation: each has to refine the other; else the exit status is 3",
    "nonneg": "of --assume: every integer argument with a sign is at least 0",
    "text": "of --format: for people, in 80 columns",
    "json": "of --format: one object; keys are only ever added",
    "sarif": "of --format: SARIF 2.1.0, for what annotates a change",
    "junit": "of --format: JUnit XML, a test case for each function",
    "toml": "of --format: the output relation as the table [outputs] of a relation file",
    "python": "of --format: a function that rebuilds the sequential outputs from those of the ranks",
    "dot": "of --format of `hecv graph`: Graphviz",
    "32": "of --index-width: index has 32 bits",
    "64": "of --index-width: index has 64 bits",
    "z3": "of --solver of `hecv replay`: obligations are given to Z3",
    "cvc5": "of --solver of `hecv replay`: obligations are given to cvc5",
}

_ASSUMPTIONS: Final = {
    "buffers-rounded": "buffers of two models that differ by the rounding of their storage are taken as equal",
    "capture-trusted": "the recorded ops are what the models compute, by definitions that were compared with torch",
    "finite-elements": "of models: elements of tensors are finite",
    "nonzero-divisor": "of models: divisors are not zero",
    "literals-equal": "of models: literals that differ by at most 1e-9, relative, are equal",
    "large-negative-inf": "of models: large negative literals stand for minus infinity",
    "nonnegative-under-a-root": "of models: what roots are taken of is not negative",
    "positive-argument-of-log": "of models: what logarithms are taken of is positive",
    "exp-inf-0": "of models: exp(-inf) is 0",
    "nonempty-maximum": "of models: of what a maximum is taken there is at least one element",
    "opaque-op": "of models: ops without a definition give equal results for equal operands",
    "index-in-range": "indices that the source does not look up are within the tables that the target looks them up in",
    "integers-exact": "integers of 32 and 64 bits of models do not overflow",
    "mask-infinite": "the least finite number in a mask stands for minus infinity",
    "index-in-table": "JAX fills in NaN where a look-up leaves its table: that it does not is assumed",
    "literals-exact": "float literals of JAX stand for the numbers that were rounded to them, which are listed",
    "table-sampled": "a table of numbers follows the formula that was found for it, to the precision of its storage",
    "inputs-proper": "what a function is given holds no poison",
    "args-distinct": "two memref arguments, or an argument and a global, share no element; `--alias may` drops it",
    "args-said-distinct": "arguments are distinct, as memref.distinct_objects or llvm.noalias of the source says",
    "args-aligned": "an argument is aligned, as memref.assume_alignment of the source says",
    "elements-distinct": "no two elements of an argument with dynamic strides are one; `--alias may` drops it",
    "strides-within": "accesses through an offset and strides that are not known lie within the memref",
    "tensor-buffers": "the target was bufferized: the buffer of a tensor argument is read by nobody after the call",
    "index-overflow": "no sum or product of an index leaves its range; `--index-overflow wrap` drops it",
    "index-width": "the width of index that the certificate was made for",
    "opaque-functions": "an op without semantics here gives equal results for equal operands and attributes",
    "opaque-total": "an op without semantics here is defined on all operands",
    "calls-return": "a function without a body returns, and frees nothing",
    "undeclared-ops": "an op that nobody declares does no more than a function without a body may do",
    "narrow-functions": "a function of math on f16 or bf16 is that on f32, rounded",
    "powers-squared": "math.fpowi by a literal multiplies by squaring, and rounds each product",
    "rsqrt-rounded": "math.rsqrt is one by the square root, both rounded",
    "one-value": "an op that leaves its result open gives the same for the same operands",
    "library-constants": "a function of math of constants is what the C library of this machine computes",
    "scalable-lanes": "scalable vectors have at least one lane, and every lane computes what one lane does",
    "launch-threads": "gpu.launch runs each thread once, in any order, and none where a size is not positive",
    "contract-rounds": "vector.contract rounds each product before it adds it",
    "floats-reassoc": "float sums and products may be computed in any order, because of `--fp reassoc`",
    "floats-real": "floats are real numbers, because of `--fp real`",
    "literals-rounded": "a float literal stands for the simplest number that rounds to it",
    "infinite-literals": "an infinite literal is beyond all numbers, and exp(-inf) is 0",
    "assume": "what `--assume` says of the arguments",
    "functions-chosen": "only the functions of `--func` were certified",
    "rule-trusted": "a rule of the user that is not proved holds, because of `--trust`",
    "lowering-tosa": "ops of tosa are what MLIR lowers them to",
    "lowering-stablehlo": "ops of stablehlo are what MLIR lowers them to",
    "lowering-trusted": "the lowering of a model of torch or JAX to MLIR is right",
    "inputs-related": "how the parameters of the target are made of those of the source; `--inputs` says otherwise",
    "buffers-constant": "a buffer of a model keeps the value that it has",
    "arguments-constant": "an argument of a model that is no tensor is part of the program",
    "tensors-constant": "a tensor of a model that is neither parameter nor buffer keeps the value that it has",
}

_DIAGNOSTICS: Final = {
    "usage": "the command line is wrong",
    "internal-error": "hecv failed: please report it",
    "proof-contradicts-run": "a proof and a run exclude each other: a bug of hecv",
    "certificate-rejected": "the checker refuses a proof that hecv found: a bug of hecv",
    "not-replayed": "HECV_REPLAY=1 was set, and a proof has no certificate",
    "no-certificate": "no proof was written, or the file is no certificate",
    "no-server": "no server of `hecv serve` answers at its socket",
    "socket": "a server cannot listen at the socket, or it is another user's",
    "no-solver": "the solver that was asked for is not installed",
    "answer-unwritable": "the answer could not be written to stdout, as on a full disk",
    "system-error": "the system refused something that hecv needs, such as a process or a file",
    "file-not-found": "there is no such file",
    "file-is-directory": "a folder is named where a file is expected",
    "file-unreadable": "the system does not let hecv read the file",
    "file-unwritable": "the system does not let hecv write the file or folder",
    "file-empty": "the file has no text: what should have written it may have failed",
    "file-not-text": "the file is binary or not UTF-8",
    "unreadable": "a rule file cannot be read as text",
    "parse-error": "MLIR's parser refuses the text",
    "invalid-mlir": "MLIR's verifier refuses the program",
    "parser-crashed": "MLIR's parser crashes on the text: a bug of MLIR",
    "nested-too-deep": "the text nests so deep that MLIR's parser would overflow its stack",
    "string-not-text": "a string of the program is not UTF-8",
    "too-many-results": "a value is one of more results than any op has",
    "attribute-ignored": "an attribute of the module is not valid in this MLIR, and the file was read without it",
    "chunks-differ": "the two files are split into different numbers of programs by a line such as // -----",
    "no-function": "the file has no public function: private ones count only through their callers",
    "missing-function": "a function is in one of the two files only, or is asked for and not there",
    "extra-function": "a function is public in the target only, and is compared with nothing",
    "signature-mismatch": "the two functions have different types: a transformation has to keep them",
    "invalid-assumption": "an `--assume` is no linear constraint on the arguments",
    "no-normal-form": "`hecv graph --after` was asked for a function that array dataflow does not hold",
    "invalid-pipeline": "the text of a pass pipeline does not parse",
    "unknown-pass": "there is no pass of this name",
    "invalid-pass": "a pass refuses its options",
    "pass-anchor": "a pass cannot run on the op that the pipeline names",
    "pass-failed": "a pass ran and reported an error",
    "pass-crashed": "a pass crashed: a bug of the pass",
    "pass-stopped": "a pass met a limit of time or memory",
    "source-missing": "a target with a directive has no file with its source beside it",
    "directive-malformed": "a line // HECV: is not what a directive may be",
    "no-directives": "no file of the folder has a directive // HECV:",
    "folder-not-found": "there is no such folder",
    "report-unreadable": "a file in the folder is no report of `hecv wrap`",
    "unreadable-step": "the program before a pass could not be read, so there is nothing to check the pass against",
    "tool-not-found": "there is no program of the name that --tool gives",
    "tool-not-runnable": "the program that --tool gives cannot be started, or is no mlir-opt",
    "not-a-model": "the function does not return a model and its arguments",
    "not-python": "a model has to be in a Python file",
    "model-error": "the function that gives a model raised an exception, or the model cannot be exported",
    "model-crash": "the process that reads a model ended without one",
    "lowering-failed": "torch-mlir does not lower the model",
    "package-missing": "a Python package that the file needs is not installed",
    "devices-mismatch": "a program of JAX needs another number of devices than --ranks has",
    "device-unusable": "torch cannot use the device of --device",
    "dynamic-shapes": "torch.export does not take the symbolic sizes that a model file returns",
    "definition-error": "the file of --definitions does not define an op, or not as the op computes",
    "rule-library": "the file of --rule-library is no library of rules of models, or rules are not made here",
    "rule-refused": "a rule of --rule-library that is not shown again: it proposes nothing",
    "relation-error": "the file of --inputs is no relation of parameters",
    "parameter-ambiguous": "two parameters of a model have one name",
    "parameter-unused": "parameters of the source are used by no parameter of the target",
    "result-undefined": "results that are compared are NaN in places where both models are run",
    "unknown-name": "there is no rule, pass, option or operator of this name",
    "rule-file": "a rule file cannot be run to its end",
    "rule-duplicate": "two rules have one name",
    "rule-false": "a law of the user is false: the report names operands",
    "rule-one-way": "a law of the user holds in one direction only, and is not used",
    "rule-unproved": "a law of the user is not proved, and not used without `--trust`",
    "rule-untested": "a loop rule applies to too few examples for an audit, and is not used",
    "syntax": "a rule file is no Python",
    "too-deep": "a pattern nests too deep, or calls itself without end",
    "no-effect": "a condition of a rule file is compared and not asserted",
    "guard-never-holds": "a guard is false of every match",
    "loop-rules": "rules of loops have no JSON form",
    "invalid-json": "a rule file in JSON has not the form of one",
    "invalid-rewrite": "a rule makes something that is no op, or a value of another type",
    "missing-pattern": "the rule file has no pattern of this name",
    "two-meanings": "an op that a rule introduces stands for different things in two places",
    "bad-name": "a rule, pattern or operator has a name that names nothing",
    "name-taken": "a rule, pattern or operator has the name of another one",
    "parameters": "parameters of a rule file are plain names without defaults",
    "duplicate-parameter": "two parameters of a pattern have one name",
    "call-arity": "a pattern is used with another number of parameters than it has",
    "rule-arity": "a rule has another number of parameters than its pattern",
    "function-arity": "an operator variable is used with different numbers of operands",
    "wrong-arity": "a rule file gives something another number of operands or parameters than it takes",
    "wrong-operand": "a rule file uses something as a value or operator that is none",
    "wrong-attribute": "a rule file asks for an attribute value that an op never has",
    "wrong-sort": "a variable of a rule file is a value in one place and an operator in another",
    "unknown-attribute": "an op or value has no attribute of this name",
    "unknown-definition": "a rule or pattern uses a pattern that is not defined",
    "unknown-family": "there is no family of operators of this name",
    "unknown-function": "there is no function on attributes of this name",
    "unknown-op": "there is no op of this name",
    "unknown-pattern": "there is no pattern of this name",
    "unbound-variable": "a variable of a rule file is never bound by a match",
    "unbound-local": "a local variable of a pattern is bound on some ways through it only",
    "unbound-parameter": "a parameter of a pattern is bound on some ways through it only",
    "left-recursion": "a pattern calls itself before it matches an operator, and so without end",
    "no-base-case": "every way through a pattern calls it again, so that it matches nothing",
    "no-pattern": "the body of a pattern, rule or law gives nothing that can be matched or built",
    "no-operator": "a Python operator on values does not say which op is meant",
    "not-known-yet": "a rule asks for a property of what it builds only then",
    "one-result": "a value is unpacked, and is one",
    "outside-pattern": "a condition of rules stands outside of the body of a pattern or rule",
    "match-as-condition": "a match constraint is used as a condition, and is a statement",
    "match-in-rule": "a rule matches something, which only its pattern may do",
    "rule-body": "the body of a rule computes with attributes what cannot be computed",
    "too-large": "a rule or pattern written out has too many operators",
    "too-many-branches": "the body of a rule has too many ways through it",
    "unsteady-body": "the body of a rule asks other conditions each time that it is run",
    "value-as-condition": "a value is used as a condition",
    "values-compared": "two values are compared, which only their attributes can be",
    "rule-not-applied": "a rule matched, and its result cannot be built there",
    "meaning-unknown": "what an op of a rule stands for cannot be written out there",
    "search-cut": "the search for matches of a pattern was cut, and there may be more",
}


def _names() -> Mapping[str, tuple[Named, ...]]:
    kinds = (
        ("verdict", _VERDICTS),
        ("exit status", _EXITS),
        ("reason of an unknown verdict", _REASONS),
        ("why a search stopped", _STOPS),
        ("kind of counterexample", _COUNTEREXAMPLES),
        ("evidence of a rule", _EVIDENCE),
        ("word of reports", _PARTS),
        ("value of an option", _VALUES),
        ("assumption", _ASSUMPTIONS),
        ("diagnostic", _DIAGNOSTICS),
    )
    found: dict[str, tuple[Named, ...]] = {}
    for kind, texts in kinds:
        for name, text in texts.items():
            found[name] = (*found.get(name, ()), Named(kind, text))
    return found


NAMES: Final = _names()
"""All meanings of each name."""
