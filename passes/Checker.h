// Runs `hecv check` on two texts and reads what it answers.
#ifndef HECV_CHECKER_H
#define HECV_CHECKER_H

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace hecv {

// The path of the checker: `given` if it is not empty, else the environment variable HECV, else `hecv`; a name without
// a slash is looked up on the PATH. Fails with a text that says what was looked for and what to do.
llvm::Expected<std::string> findChecker(llvm::StringRef given);

// What the checker's messages call the two texts.
constexpr llvm::StringLiteral sourceName = "the source", targetName = "the target";

constexpr llvm::StringLiteral tryByHand =
    "run `hecv check --format json` by hand; the option checker or the variable HECV has to name hecv's executable";

struct Question {
  std::string checker;              // an executable file
  std::vector<std::string> options; // of `hecv check`
  llvm::StringRef source, target;   // MLIR texts
  double seconds;                   // by the clock, in which the checker has to end
};

struct Answer {
  enum Kind { Verdict, TimedOut, Failed };

  Kind kind;
  llvm::json::Object report; // of a verdict: schema hecv.verdict/1, whose verdict the exit status confirms
  bool internal;             // of the verdict `error`: a bug of the checker
  std::string problem;       // of a checker that failed: what happened
  std::string help;          // and what to do
};

// Asks the checker. It runs without a shell and without input. Its texts and its output are in temporary files, which
// are gone when this returns or a signal ends the process.
Answer ask(const Question &question);

} // namespace hecv

#endif
