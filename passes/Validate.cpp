// hecv-validate: runs a pipeline, and has hecv decide whether the functions still compute the same.
//
// Runs on:    builtin.module.
// Does:       runs the nested pipeline on the module, then `hecv check` on the module before and after it. Every public
//             function gets a diagnostic at its location:
//               not equivalent: an error; its notes have an input and what both versions compute from it
//               equivalent, refines: a remark that says how it was shown, and once for each function what is assumed
//               no verdict: a warning with the reason. So is an end at the time limit, and a module hecv cannot read
// Ensures:    where the pass succeeds, no function was refuted. It fails where one was, where the checker is missing or
//             crashes, where the pipeline fails, and, with on-unknown=error, where there is no verdict.
// Options:    pipeline    as `--pass-pipeline` takes it, or only what stands in builtin.module(...). It may have braces
//                         and commas; where it has a space outside of braces, it is put into braces itself
//             each        check after each pass and name the pass; else once, after the pipeline (default)
//             functions   check only these public functions (default: all)
//             checker     hecv's executable (default: the variable HECV, else `hecv` on the PATH)
//             relation    refines (default) or equivalent
//             on-unknown  ignore, warn (default) or error
//             time-limit  seconds for a function (default 60)
//             clock-limit seconds by the clock for one run of the checker (default: 4 times the time limit for each
//                         function, and 30)
//             args        more options of `hecv check`, for example args={--alias may}
//
// Example:    mlir-opt-22 a.mlir --load-pass-plugin=HecvPasses.so --pass-pipeline='builtin.module(
//               hecv-validate{pipeline=func.func(affine-loop-unroll{unroll-factor=4},canonicalize) each=true})'

#include "Passes.h"
#include "Verdicts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

namespace hecv {
namespace {

using namespace mlir;

// Checks the module after each pass. The module is compared with its state after the pass that last changed it: so
// every change is in one of the comparisons, whoever makes it. A pass that runs others is one with them.
class CheckEachPass : public PassInstrumentation {
public:
  CheckEachPass(Validator &validator, ModuleOp module)
      : validator(validator), module(module), last(stateOf(module)) {}

  void runBeforePass(Pass *pass, Operation *) override { depth += !isAdaptor(pass); }

  void runAfterPassFailed(Pass *pass, Operation *) override { depth -= !isAdaptor(pass); }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (isAdaptor(pass) || --depth > 0 || validator.failed())
      return;
    // Most passes on a function leave it as it is; then no more is printed than this function.
    if (auto function = dyn_cast<func::FuncOp>(op); function && function->getParentOp() == module) {
      auto known = last.functions.find(function.getSymName().str());
      if (known != last.functions.end() && known->second.text == textOf(function))
        return;
    }
    Step step{("'" + pass->getArgument() + "'").str(), ""};
    llvm::raw_string_ostream detail(step.detail);
    pass->printAsTextualPipeline(detail);
    compareWithLast(step);
  }

  // After the last pass: what changed without being seen, and remarks on the functions that no pass changed.
  void finish() {
    if (!validator.failed())
      compareWithLast({"the pipeline", ""});
    if (validator.failed())
      return;
    for (const std::string &name : validator.chosen(last.publicFunctions()))
      if (!compared.contains(name))
        emitRemark(last.functions.at(name).location) << "hecv-validate: equivalent: no pass changed @" << name;
  }

private:
  // The pass in which others nest, which the pass manager adds. One that is not known as such is checked as a pass.
  static bool isAdaptor(Pass *pass) { return pass->getName() == "mlir::detail::OpToOpPassAdaptor"; }

  void compareWithLast(const Step &step) {
    ModuleState now = stateOf(module);
    std::vector<std::string> names = validator.chosen(changedFunctions(last, now));
    compared.insert(names.begin(), names.end());
    if (!names.empty() || (last.rest != now.rest && validator.checksAll()))
      validator.compare(last, now, names, step);
    last = std::move(now);
  }

  Validator &validator;
  ModuleOp module;
  ModuleState last;
  int depth = 0;
  llvm::StringSet<> compared;
};

// The pipeline, of which the part in `builtin.module(...)` may be given alone. On failure `problem` says why.
FailureOr<OpPassManager> parsePipeline(StringRef text, std::string &problem) {
  llvm::raw_string_ostream out(problem);
  text = text.trim();
  if (text.starts_with("builtin.module(") || text.starts_with("any("))
    return parsePassPipeline(text, out);
  OpPassManager manager(ModuleOp::getOperationName());
  if (failed(parsePassPipeline(text, manager, out)))
    return failure();
  return manager;
}

struct ValidatePass : PassWrapper<ValidatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ValidatePass)

  ValidatePass() = default;
  ValidatePass(const ValidatePass &other) : PassWrapper(other) {}

  StringRef getName() const override { return "HecvValidate"; }
  StringRef getArgument() const override { return "hecv-validate"; }
  StringRef getDescription() const override { return "Run a pipeline and check that it keeps what functions compute"; }

  LogicalResult initializeOptions(StringRef options,
                                  llvm::function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(PassWrapper::initializeOptions(options, errorHandler)))
      return failure();
    auto wrong = [&](const Twine &text) { return errorHandler("hecv-validate: " + text); };
    if (StringRef(pipeline).trim().empty())
      return wrong("there is no pipeline; write hecv-validate{pipeline=func.func(canonicalize)}");
    if (!llvm::is_contained({"refines", "equivalent"}, StringRef(relation)))
      return wrong("relation is '" + relation + "', expected refines or equivalent");
    if (!llvm::is_contained({"ignore", "warn", "error"}, StringRef(onUnknown)))
      return wrong("on-unknown is '" + onUnknown + "', expected ignore, warn or error");
    if (!(timeLimit > 0 && timeLimit <= longestSeconds))
      return wrong("time-limit is " + showNumber(timeLimit) + ", expected seconds, more than 0 and at most 10000000");
    if (!(clockLimit >= 0 && clockLimit <= longestSeconds))
      return wrong("clock-limit is " + showNumber(clockLimit) + ", expected seconds, at most 10000000");
    std::string problem;
    if (failed(parsePipeline(pipeline, problem)))
      return wrong("the pipeline '" + pipeline + "' does not parse: " + StringRef(problem).trim());
    // Without spaces outside of braces: MLIR prints the option without quotes, for example in a reproducer.
    std::string compact;
    int depth = 0;
    for (char c : pipeline.getValue()) {
      depth += (c == '{') - (c == '}');
      if (depth > 0 || !llvm::isSpace(c))
        compact += c;
    }
    pipeline = compact;
    return success();
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    std::string problem;
    FailureOr<OpPassManager> nested = parsePipeline(pipeline, problem);
    if (succeeded(nested))
      nested->getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string problem;
    FailureOr<OpPassManager> nested = parsePipeline(pipeline, problem);
    llvm::Expected<std::string> found = findChecker(checker);
    if (failed(nested) || !found) {
      emitError(module.getLoc(), "hecv-validate: ") << (found ? problem : llvm::toString(found.takeError()));
      return signalPassFailure();
    }
    for (const std::string &name : functions)
      if (auto function = module.lookupSymbol<func::FuncOp>(name); !function || !function.isPublic()) {
        emitError(module.getLoc(), "hecv-validate: there is no public function @")
            << name << ", which the option functions names";
        return signalPassFailure();
      }
    Validator validator(settings(*found), module.getLoc());
    LogicalResult ran = each ? runChecked(*nested, validator) : runOnce(*nested, validator);
    if (failed(ran) || validator.failed())
      signalPassFailure();
  }

private:
  Settings settings(const std::string &path) const {
    Settings made;
    made.checker = path;
    made.options = {"--relation", relation, "--time-limit", showNumber(timeLimit)};
    made.equivalence = relation == "equivalent";
    made.timeLimit = timeLimit;
    made.clockLimit = clockLimit;
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    SmallVector<const char *> more;
    llvm::cl::TokenizeGNUCommandLine(arguments, saver, more);
    made.options.insert(made.options.end(), more.begin(), more.end());
    made.functions.insert(functions.begin(), functions.end());
    if (onUnknown != "ignore")
      made.whereUnknown = onUnknown == "warn" ? DiagnosticSeverity::Warning : DiagnosticSeverity::Error;
    return made;
  }

  LogicalResult runOnce(OpPassManager &nested, Validator &validator) {
    ModuleState before = stateOf(getOperation());
    if (failed(runPipeline(nested, getOperation())))
      return failure();
    validator.compare(before, stateOf(getOperation()), validator.chosen(before.publicFunctions()),
                      {"the pipeline", ""});
    return success();
  }

  // In a pass manager of its own, which has the instrumentation. It prints the module between passes on functions, so
  // these may not run side by side; threads are only switched off where none can be running: at the top.
  LogicalResult runChecked(const OpPassManager &nested, Validator &validator) {
    ModuleOp module = getOperation();
    MLIRContext &context = getContext();
    bool threaded = context.isMultithreadingEnabled();
    if (threaded && module->getParentOp())
      return emitError(module.getLoc(),
                       "hecv-validate: with each=true in a nested module, other passes may run in threads; "
                       "run mlir-opt with --mlir-disable-threading");
    context.disableMultithreading();
    PassManager manager(&context);
    static_cast<OpPassManager &>(manager) = nested;
    auto instrumentation = std::make_unique<CheckEachPass>(validator, module);
    CheckEachPass &checks = *instrumentation;
    manager.addInstrumentation(std::move(instrumentation));
    LogicalResult ran = manager.run(module);
    if (succeeded(ran))
      checks.finish();
    context.enableMultithreading(threaded);
    return ran;
  }

  Option<std::string> pipeline{*this, "pipeline", llvm::cl::desc("Passes to run and check")};
  Option<bool> each{*this, "each", llvm::cl::desc("Check after each pass"), llvm::cl::init(false)};
  ListOption<std::string> functions{*this, "functions", llvm::cl::desc("Check only these (default: all public ones)")};
  Option<std::string> checker{*this, "checker", llvm::cl::desc("Path of hecv (default: $HECV, else hecv on the PATH)")};
  Option<std::string> relation{*this, "relation", llvm::cl::desc("What has to hold: refines or equivalent"),
                               llvm::cl::init("refines")};
  Option<std::string> onUnknown{*this, "on-unknown", llvm::cl::desc("Without a verdict: ignore, warn or error"),
                                llvm::cl::init("warn")};
  Option<double> timeLimit{*this, "time-limit", llvm::cl::desc("Seconds for a function"), llvm::cl::init(60)};
  Option<double> clockLimit{*this, "clock-limit", llvm::cl::desc("Seconds by the clock for one run of the checker"),
                            llvm::cl::init(0)};
  Option<std::string> arguments{*this, "args", llvm::cl::desc("More options of `hecv check`")};
};

} // namespace

std::unique_ptr<mlir::Pass> createValidatePass() { return std::make_unique<ValidatePass>(); }

} // namespace hecv
