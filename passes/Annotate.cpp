// hecv-annotate: a stable name for every loop and branch of a function, in its location.
//
// Runs on:    func.func.
// Does:       gives each affine.for, affine.parallel, affine.if, scf.for, scf.if, scf.while, scf.parallel and
//             scf.forall the location `"<prefix>.<function>.<n>"(<its old location>)`. `n` counts from 0 in the order
//             in which the ops stand in the text, outer before inner, and passes over numbers that are taken.
// Preserves:  everything that runs: ops, operands, attributes, order. The old location stays as the child. An op that
//             has a name with this prefix, at any depth of its location, keeps it, so a second run changes nothing,
//             and an op that came in from another function keeps the name it got there.
// Ensures:    names given in one run are unique in the function. A pass that runs afterwards may give one name to
//             several ops (an unroller to the copies of a loop, a tiler to all loops of a nest) or lose it.
// Options:    prefix (default `hecv`): the first part of the names, so that two points of a pipeline can be marked
//             apart. It must not be empty.
//
// Why:        names go through passes that drop unknown attributes, so `hecv` can look at them to guess which loop of
//             the target came from which loop of the source. They are hints: a verdict never rests on one.
//
// Example:    affine.for %i = 0 to 8 {...} loc("a.mlir":3:5)
//          -> affine.for %i = 0 to 8 {...} loc("hecv.f.0"("a.mlir":3:5))

#include "Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace hecv {
namespace {

using namespace mlir;

bool isNamed(Operation *op) {
  return isa<affine::AffineForOp, affine::AffineParallelOp, affine::AffineIfOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::ParallelOp, scf::ForallOp>(op);
}

// The names that begin with `start` in a location: more than one after a pass fused locations.
SmallVector<StringRef> namesIn(Location location, StringRef start) {
  SmallVector<StringRef> names;
  location->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (named && named.getName().strref().starts_with(start))
      names.push_back(named.getName().strref());
    return WalkResult::advance();
  });
  return names;
}

struct AnnotatePass : PassWrapper<AnnotatePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AnnotatePass)

  AnnotatePass() = default;
  AnnotatePass(const AnnotatePass &other) : PassWrapper(other) {}

  StringRef getName() const override { return "HecvAnnotate"; }
  StringRef getArgument() const override { return "hecv-annotate"; }
  StringRef getDescription() const override { return "Name every loop and branch in its location"; }

  LogicalResult initialize(MLIRContext *context) override {
    if (prefix.empty())
      return emitError(UnknownLoc::get(context), "hecv-annotate: the prefix is empty, expected a word");
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    std::string start = prefix + ".";
    llvm::StringSet<> taken;
    SmallVector<Operation *> unnamed;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isNamed(op))
        return;
      SmallVector<StringRef> names = namesIn(op->getLoc(), start);
      taken.insert(names.begin(), names.end());
      if (names.empty())
        unnamed.push_back(op);
    });

    size_t number = 0;
    for (Operation *op : unnamed) {
      std::string name;
      do
        name = (start + function.getSymName() + "." + Twine(number++)).str();
      while (taken.contains(name));
      op->setLoc(NameLoc::get(StringAttr::get(&getContext(), name), op->getLoc()));
    }
  }

  Option<std::string> prefix{*this, "prefix", llvm::cl::desc("First part of the names"), llvm::cl::init("hecv")};
};

} // namespace

std::unique_ptr<mlir::Pass> createAnnotatePass() { return std::make_unique<AnnotatePass>(); }

} // namespace hecv
