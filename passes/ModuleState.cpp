#include "ModuleState.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>

namespace hecv {

using namespace mlir;

// Flags for the whole text: what the tool's options leave out of its output (--mlir-elide-elementsattrs-if-larger,
// --mlir-print-skip-regions) would hide a difference. The generic form stays an option.
static OpPrintingFlags printingFlags(bool withLocations) {
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(unlimited).elideLargeResourceString(unlimited).skipRegions(false);
  flags.enableDebugInfo(withLocations, /*prettyForm=*/false).useLocalScope(!withLocations).printValueUsers(false);
  return flags;
}

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, printingFlags(/*withLocations=*/false));
  return text;
}

std::vector<std::string> ModuleState::publicFunctions() const {
  std::vector<std::string> names;
  for (auto &[name, function] : functions)
    if (function.isPublic)
      names.push_back(name);
  return names;
}

ModuleState stateOf(ModuleOp module) {
  ModuleState state;
  llvm::raw_string_ostream text(state.text), rest(state.rest);
  // Printed without parents, since only then the text begins with what its aliases stand for.
  OwningOpRef<ModuleOp> alone = module->getParentOp() ? module.clone() : nullptr;
  (alone ? *alone : module)->print(text, printingFlags(/*withLocations=*/true));

  rest << module->getAttrDictionary();
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      rest << "\n" << textOf(&op);
      continue;
    }
    FunctionState &entry = state.functions[function.getSymName().str()];
    entry.location = function.getLoc();
    entry.isPublic = function.isPublic() && !function.isExternal();
    entry.text = textOf(function);
    function.walk([&](Operation *inner) {
      inner->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
        entry.references.insert(symbol.getRootReference().getValue());
      });
    });
  }
  return state;
}

std::vector<std::string> changedFunctions(const ModuleState &before, const ModuleState &after) {
  llvm::StringSet<> changed;
  for (auto &[name, function] : before.functions) {
    auto now = after.functions.find(name);
    if (before.rest != after.rest || now == after.functions.end() || now->second.text != function.text)
      changed.insert(name);
  }
  for (auto &[name, function] : after.functions)
    if (!before.functions.count(name))
      changed.insert(name);
  for (size_t known = 0; known != changed.size();) {
    known = changed.size();
    for (auto &[name, function] : before.functions)
      if (llvm::any_of(function.references, [&](auto &symbol) { return changed.contains(symbol.getKey()); }))
        changed.insert(name);
  }
  std::vector<std::string> names = before.publicFunctions();
  llvm::erase_if(names, [&](StringRef name) { return !changed.contains(name); });
  return names;
}

} // namespace hecv
