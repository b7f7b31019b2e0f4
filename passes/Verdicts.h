// Turns the answers of the checker into MLIR's diagnostics.
#ifndef HECV_VERDICTS_H
#define HECV_VERDICTS_H

#include "Checker.h"
#include "ModuleState.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace hecv {

constexpr double longestSeconds = 1e7; // that hecv takes as a limit

// The shortest text that stands for this number.
std::string showNumber(double number);

struct Settings {
  std::string checker;                                  // hecv's executable
  std::vector<std::string> options;                     // of `hecv check`
  bool equivalence;                                     // whether `refines` is not enough
  double timeLimit;                                     // seconds for a function
  double clockLimit;                                    // for one run of the checker; 0: by the number of functions
  std::optional<mlir::DiagnosticSeverity> whereUnknown; // of what has no verdict; none: say nothing
  llvm::StringSet<> functions;                          // to check; empty: all
};

// What lies between two states.
struct Step {
  std::string name;   // for a sentence
  std::string detail; // a pass with its options; may be empty
};

class Validator {
public:
  // What concerns no function is reported at `place`.
  Validator(Settings settings, mlir::Location place) : settings(std::move(settings)), place(place) {}

  bool checksAll() const { return settings.functions.empty(); }
  std::vector<std::string> chosen(std::vector<std::string> names) const;

  // Has the functions `names` compared, which are public in `before`, and reports the verdicts.
  void compare(const ModuleState &before, const ModuleState &after, llvm::ArrayRef<std::string> names,
               const Step &step);

  // True if a function was refuted, the checker failed, or something unknown is an error.
  bool failed() const { return hasFailed; }

private:
  mlir::InFlightDiagnostic report(mlir::Location location, mlir::DiagnosticSeverity severity);
  void reportUnknown(mlir::Location location, const llvm::Twine &text, const llvm::Twine &help = "");
  void reportInput(const llvm::json::Object &said, const Answer &answer, const ModuleState &before,
                   const ModuleState &after);
  void reportFunction(const llvm::json::Object &found, llvm::StringRef name, mlir::Location location, const Step &step);
  void attachCounterexample(mlir::InFlightDiagnostic &error, const llvm::json::Object &found,
                            mlir::Location location) const;
  mlir::Location locationOf(llvm::StringRef function, const ModuleState &state) const;
  mlir::Location locationOf(const llvm::json::Object &where) const;

  Settings settings;
  mlir::Location place;
  llvm::StringSet<> assumed; // of functions, and reported
  bool hasFailed = false;
};

} // namespace hecv

#endif
