// A module's text at one point of a pipeline, and which functions differ between two points.
#ifndef HECV_MODULESTATE_H
#define HECV_MODULESTATE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <string>
#include <vector>

namespace hecv {

struct FunctionState {
  mlir::LocationAttr location;
  bool isPublic;                // hecv compares public functions that have a body
  std::string text;             // without locations
  llvm::StringSet<> references; // the symbols that it names
};

struct ModuleState {
  std::string text;                               // of the whole module, with locations
  std::map<std::string, FunctionState> functions; // the func.func in the module itself
  std::string rest;                               // the texts of everything else in the module, without locations

  std::vector<std::string> publicFunctions() const;
};

ModuleState stateOf(mlir::ModuleOp module);

// The text of an op without locations.
std::string textOf(mlir::Operation *op);

// The public functions of `before` that may compute something else in `after`: those that have another text or reach a
// function that has; all of them if anything besides functions differs.
std::vector<std::string> changedFunctions(const ModuleState &before, const ModuleState &after);

} // namespace hecv

#endif
