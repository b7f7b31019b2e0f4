// hecv-validate: runs a pipeline, and has hecv decide whether the functions still compute the same.
//
// Runs on:    builtin.module.
// Does:       runs the nested pipeline on the module, then `hecv check` on the module before and after it. Every public
//             function gets a diagnostic at its location:
//               not equivalent: an error; its notes have an input and what both versions compute from it
//               equivalent, refines: a remark that says how it was shown, and what is assumed
//               no verdict: a warning with the reason. So is an end at the time limit, and a module hecv cannot read
// Ensures:    where the pass succeeds, no function was refuted. It fails where one was, where the checker is missing or
//             crashes, where the pipeline fails, and, with on-unknown=error, where there is no verdict.
// Options:    pipeline    as `--pass-pipeline` takes it, or only what stands in builtin.module(...). It may have braces
//                         and commas; where it has a space outside of braces, it is put into braces itself
//             each        check after each pass and name the pass; else once, after the pipeline (default)
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

#include "Checker.h"
#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

#include <charconv>
#include <map>

namespace hecv {
namespace {

using namespace mlir;
namespace json = llvm::json;

constexpr double startSeconds = 30;     // for the checker to start, and to read two modules
constexpr double perFunction = 4;       // hecv ends a function after so many time limits by the clock
constexpr double longestSeconds = 1e7;  // that hecv takes as a limit
constexpr size_t longestData = 24;      // elements of a memref that a note has in full
constexpr size_t longestDifference = 6; // elements that differ, where the memref is longer

// Values and results in the report, as text.

std::string showNumber(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), number).ptr);
}

std::string show(const json::Value &value) {
  if (std::optional<StringRef> text = value.getAsString())
    return text->str();
  if (std::optional<int64_t> number = value.getAsInteger())
    return std::to_string(*number);
  if (std::optional<double> number = value.getAsNumber())
    return showNumber(*number);
  const json::Object *object = value.getAsObject();
  if (!object || !object->getArray("data"))
    return object && object->get("poison") ? "poison" : llvm::formatv("{0}", value).str();
  std::string text;
  llvm::raw_string_ostream out(text);
  if (const json::Array *shape = object->getArray("shape"); shape && shape->size() != 1) {
    llvm::interleave(*shape, out, [&](const json::Value &extent) { out << show(extent); }, "x");
    out << (shape->empty() ? "" : " of ");
  }
  ArrayRef<json::Value> data(*object->getArray("data"));
  out << "[";
  llvm::interleaveComma(data.take_front(longestData), out, [&](const json::Value &item) { out << show(item); });
  out << (data.size() > longestData ? ", ...]" : "]");
  return text;
}

// `arg0` is the name of an argument, `result0` that of a result; MLIR prints the first argument as %arg0.
std::string nameOf(StringRef key) { return (key.starts_with("arg") ? "%" : "") + key.str(); }

std::string subscripts(size_t position, const json::Array *shape) {
  SmallVector<std::string> found;
  for (size_t k = shape ? shape->size() : 0; k-- > 0;) {
    size_t extent = std::max<int64_t>(1, (*shape)[k].getAsInteger().value_or(1));
    found.insert(found.begin(), std::to_string(position % extent));
    position /= extent;
  }
  return llvm::join(found, ", ");
}

// Adds `name = value`, or the elements in which a long memref differs from the `other` version's.
void showBinding(SmallVectorImpl<std::string> &texts, StringRef key, const json::Value &value,
                 const json::Value *other) {
  const json::Object *object = value.getAsObject(), *against = other ? other->getAsObject() : nullptr;
  const json::Array *data = object ? object->getArray("data") : nullptr;
  const json::Array *theirs = against ? against->getArray("data") : nullptr;
  if (!data || !theirs || data->size() <= longestData || data->size() != theirs->size()) {
    texts.push_back(nameOf(key) + " = " + show(value));
    return;
  }
  size_t differing = 0;
  for (size_t k = 0; k < data->size(); ++k)
    if ((*data)[k] != (*theirs)[k] && ++differing <= longestDifference)
      texts.push_back(nameOf(key) + "[" + subscripts(k, object->getArray("shape")) + "] = " + show((*data)[k]));
  if (differing > longestDifference)
    texts.push_back("and " + std::to_string(differing - longestDifference) + " more elements");
}

// The bindings in which `side` differs from the `other` side, or all if there is no other or no difference.
std::string showSide(const json::Object &side, const json::Object *other) {
  SmallVector<StringRef> keys;
  for (auto &[key, value] : side)
    keys.push_back(key);
  llvm::sort(keys, [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  SmallVector<std::string> texts;
  for (bool all : {!other, true})
    for (StringRef key : texts.empty() ? ArrayRef(keys) : ArrayRef<StringRef>())
      if (const json::Value *theirs = all ? nullptr : other->get(key); all || !theirs || *theirs != *side.get(key))
        showBinding(texts, key, *side.get(key), theirs);
  return texts.empty() ? "returns" : llvm::join(texts, ", ");
}

std::string showTarget(const json::Object &target, const json::Object *source) {
  if (std::optional<StringRef> text = target.getString("undefined"))
    return "undefined behaviour: " + text->str();
  if (std::optional<StringRef> text = target.getString("diverges"))
    return text->str();
  return showSide(target, source);
}

// What of a module the verdicts on its functions rest on.
struct Function {
  LocationAttr location;
  bool isPublic;
  std::string text;             // without locations
  llvm::StringSet<> references; // symbols that it names
};

struct State {
  std::string text;                          // of the whole module, with locations
  std::map<std::string, Function> functions; // in the module itself
  std::string rest;                          // the texts of everything else in the module, without locations
};

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().useLocalScope());
  return text;
}

State stateOf(ModuleOp module) {
  State state;
  llvm::raw_string_ostream text(state.text), rest(state.rest);
  OpPrintingFlags withLocations;
  withLocations.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  // Printed without parents, since only then the text begins with what its aliases stand for.
  OwningOpRef<ModuleOp> alone = module->getParentOp() ? module.clone() : nullptr;
  (alone ? *alone : module)->print(text, withLocations);

  rest << module->getAttrDictionary();
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      rest << "\n" << textOf(&op);
      continue;
    }
    Function &entry = state.functions[function.getSymName().str()];
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

// The public functions of `before` that may compute something else in `after`: those that have another text or reach a
// function that has; all if anything besides functions differs.
std::vector<std::string> changedFunctions(const State &before, const State &after) {
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
  std::vector<std::string> names;
  for (auto &[name, function] : before.functions)
    if (function.isPublic && changed.contains(name))
      names.push_back(name);
  return names;
}

struct Settings {
  std::string checker;
  std::vector<std::string> options; // of `hecv check`
  bool equivalence;                 // whether `refines` is not enough
  double secondsPerFunction;
  double clockLimit;                              // 0: by the number of functions
  std::optional<DiagnosticSeverity> whereUnknown; // none: say nothing
};

// Has states of a module compared, and turns the answers into diagnostics.
class Validator {
public:
  Validator(Settings settings, Location place) : settings(std::move(settings)), place(place) {}

  // Compares the functions `names` of two states; what lies between them is called `step`. Empty names stand for all.
  void compare(const State &before, const State &after, ArrayRef<std::string> names, const std::string &step) {
    size_t all = llvm::count_if(before.functions, [](auto &entry) { return entry.second.isPublic; });
    std::vector<std::string> options = settings.options;
    if (names.size() < all)
      for (const std::string &name : names)
        options.insert(options.end(), {"--func", name});
    double functions = std::max<size_t>(1, names.empty() ? all : names.size());
    double seconds = std::min(longestSeconds, settings.clockLimit > 0
                                                  ? settings.clockLimit
                                                  : startSeconds + perFunction * functions * settings.secondsPerFunction);
    Answer answer = ask({settings.checker, options, before.text, after.text, seconds});
    if (answer.kind == Answer::Failed) {
      hasFailed = true;
      InFlightDiagnostic error = emitError(place) << "hecv-validate: " << answer.problem;
      error.attachNote() << "help: " << answer.help;
      return;
    }
    if (answer.kind == Answer::TimedOut) {
      std::string text = "no verdict on " + step + ": the checker did not end in " + showNumber(seconds) + " s";
      unknown(place, text, "give it more with clock-limit=S, or each function less with time-limit=S");
      return;
    }
    llvm::StringSet<> missing;
    for (auto &[name, function] : before.functions)
      if (function.isPublic && (names.empty() || llvm::is_contained(names, name)))
        missing.insert(name);
    input(answer.report, before.text, after.text);
    if (answer.report.getString("verdict") == StringRef("error"))
      return;
    if (const json::Array *reports = answer.report.getArray("functions"))
      for (const json::Value &value : *reports)
        if (const json::Object *report = value.getAsObject()) {
          StringRef name = report->getString("name").value_or("");
          missing.erase(name);
          function(*report, name, locationOf(name, before), step);
        }
    for (auto &entry : missing)
      unknown(locationOf(entry.getKey(), before), "no verdict on @" + entry.getKey() + ": the report leaves it out",
              "run `hecv check` by hand");
  }

  bool failed() const { return hasFailed; }

private:
  Location locationOf(StringRef name, const State &state) const {
    auto found = state.functions.find(name.str());
    return found == state.functions.end() ? place : Location(found->second.location);
  }

  // A place in the report. In a module that was read from a file it is the user's; others are of no use here.
  Location locationOf(const json::Object *where) const {
    std::optional<StringRef> file = where ? where->getString("file") : std::nullopt;
    if (!file || *file == "the source" || *file == "the target")
      return place;
    return FileLineColLoc::get(place.getContext(), *file, where->getInteger("line").value_or(0),
                               where->getInteger("column").value_or(0));
  }

  void unknown(Location location, const Twine &text, const Twine &help) {
    if (!settings.whereUnknown)
      return;
    hasFailed |= *settings.whereUnknown == DiagnosticSeverity::Error;
    InFlightDiagnostic diagnostic = emit(location, *settings.whereUnknown);
    diagnostic << "hecv-validate: " << text;
    if (!help.isTriviallyEmpty())
      diagnostic.attachNote() << "help: " << help;
  }

  static InFlightDiagnostic emit(Location location, DiagnosticSeverity severity) {
    return severity == DiagnosticSeverity::Error ? emitError(location) : emitWarning(location);
  }

  // What the checker says of its input: a text it cannot read leaves all functions without a verdict. An error of its
  // own or in its options is an error here.
  void input(const json::Object &report, StringRef source, StringRef target) {
    bool rejected = report.getString("verdict") == StringRef("error");
    const json::Array *diagnostics = report.getArray("diagnostics");
    for (const json::Value &value : diagnostics ? ArrayRef<json::Value>(*diagnostics) : ArrayRef<json::Value>()) {
      const json::Object *said = value.getAsObject();
      if (!said || said->getString("severity") == StringRef("note"))
        continue;
      bool ours = rejected && llvm::is_contained({"usage", "internal"}, said->getString("name").value_or(""));
      hasFailed |= ours;
      if (!ours && !settings.whereUnknown)
        continue;
      DiagnosticSeverity severity = ours      ? DiagnosticSeverity::Error
                                    : rejected ? *settings.whereUnknown
                                               : DiagnosticSeverity::Warning;
      hasFailed |= severity == DiagnosticSeverity::Error;
      InFlightDiagnostic diagnostic = emit(locationOf(said), severity);
      diagnostic << "hecv-validate: " << (rejected ? "no verdict: " : "") << said->getString("message").value_or("");
      StringRef file = said->getString("file").value_or("");
      if (file == "the source" || file == "the target") {
        SmallVector<StringRef> lines;
        (file == "the source" ? source : target).split(lines, '\n');
        int64_t line = said->getInteger("line").value_or(0);
        if (line > 0 && line <= int64_t(lines.size()))
          diagnostic.attachNote() << "in the text of " << file << ": " << lines[line - 1].trim();
      }
      if (std::optional<StringRef> help = said->getString("help"))
        diagnostic.attachNote() << "help: " << *help;
    }
  }

  // The diagnostic of one function.
  void function(const json::Object &report, StringRef name, Location location, const std::string &step) {
    StringRef verdict = report.getString("verdict").value_or("");
    if (verdict == "not-equivalent") {
      hasFailed = true;
      InFlightDiagnostic error = emitError(location);
      error << "hecv-validate: not equivalent: " << step << " changes what @" << name << " computes";
      counterexample(error, report, location);
      return;
    }
    bool refines = verdict == "refines" && !settings.equivalence;
    if (verdict == "equivalent" || refines) {
      InFlightDiagnostic remark = emitRemark(location);
      remark << "hecv-validate: " << verdict << ": @" << name << " before and after " << step;
      if (std::optional<StringRef> evidence = report.getString("evidence"))
        remark << " (" << *evidence << ")";
      if (const json::Array *assumptions = report.getArray("assumptions"))
        for (const json::Value &value : *assumptions)
          if (const json::Object *assumption = value.getAsObject())
            remark.attachNote() << "assumes: " << assumption->getString("text").value_or("");
      return;
    }
    std::string reason = "the verdict is '" + verdict.str() + "'";
    const json::Object *why = report.getObject("unknown");
    if (why)
      reason = (why->getString("reason").value_or("") + ": " + why->getString("text").value_or("")).str();
    else if (verdict == "refines")
      reason = "the result refines the source, but relation=equivalent asks for more";
    unknown(location, "unknown whether " + step + " keeps what @" + name + " computes: " + reason, "");
  }

  void counterexample(InFlightDiagnostic &error, const json::Object &report, Location location) const {
    if (const json::Object *found = report.getObject("counterexample")) {
      const json::Object *inputs = found->getObject("inputs"), *source = found->getObject("source"),
                         *target = found->getObject("target");
      if (inputs && !inputs->empty())
        error.attachNote(location) << "input: " << showSide(*inputs, nullptr);
      if (const json::Array *calls = found->getArray("calls"))
        for (const json::Value &call : *calls)
          error.attachNote(location) << "call: " << show(call);
      if (source && target) {
        error.attachNote(location) << "source: " << showSide(*source, target);
        error.attachNote(location) << "target: " << showTarget(*target, source);
      }
    }
    const json::Object *where = report.getObject("localization");
    if (!where)
      return;
    const json::Object *at = where->getObject("target") ? where->getObject("target") : where->getObject("source");
    error.attachNote(locationOf(at)) << where->getString("because").value_or("here");
  }

  Settings settings;
  Location place;
  bool hasFailed = false;
};

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
    compareWithLast("'" + pass->getArgument().str() + "'");
  }

  // After the last pass: what changed without being seen, and remarks on the functions that no pass changed.
  void finish() {
    if (!validator.failed())
      compareWithLast("the pipeline");
    for (auto &[name, function] : last.functions)
      if (function.isPublic && !compared.contains(name))
        emitRemark(function.location) << "hecv-validate: equivalent: no pass changed @" << name;
  }

private:
  // The pass in which others nest, which the pass manager adds. One that is not known as such is checked as a pass.
  static bool isAdaptor(Pass *pass) { return pass->getName() == "mlir::detail::OpToOpPassAdaptor"; }

  void compareWithLast(const std::string &step) {
    State now = stateOf(module);
    std::vector<std::string> names = changedFunctions(last, now);
    compared.insert(names.begin(), names.end());
    if (!names.empty())
      validator.compare(last, now, names, step);
    last = std::move(now);
  }

  Validator &validator;
  ModuleOp module;
  State last;
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

  StringRef getArgument() const override { return "hecv-validate"; }
  StringRef getDescription() const override { return "Run a pipeline and check that it keeps what functions compute"; }

  LogicalResult initializeOptions(StringRef options,
                                  function_ref<LogicalResult(const Twine &)> errorHandler) override {
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
      module.emitError("hecv-validate: ") << (found ? problem : llvm::toString(found.takeError()));
      return signalPassFailure();
    }
    Validator validator(settings(*found), module.getLoc());
    LogicalResult ran = each ? runChecked(*nested, validator) : runOnce(*nested, validator);
    if (failed(ran) || validator.failed())
      signalPassFailure();
  }

private:
  Settings settings(const std::string &path) const {
    Settings made{path,       {"--relation", relation, "--time-limit", showNumber(timeLimit)}, relation == "equivalent",
                  timeLimit, clockLimit, std::nullopt};
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    SmallVector<const char *> more;
    llvm::cl::TokenizeGNUCommandLine(arguments, saver, more);
    made.options.insert(made.options.end(), more.begin(), more.end());
    if (onUnknown != "ignore")
      made.whereUnknown = onUnknown == "warn" ? DiagnosticSeverity::Warning : DiagnosticSeverity::Error;
    return made;
  }

  LogicalResult runOnce(OpPassManager &nested, Validator &validator) {
    State before = stateOf(getOperation());
    if (failed(runPipeline(nested, getOperation())))
      return failure();
    validator.compare(before, stateOf(getOperation()), {}, "the pipeline");
    return success();
  }

  // In a pass manager of its own, which has the instrumentation. It prints the module between passes on functions, so
  // these may not run side by side; threads are only switched off where none can be running: at the top.
  LogicalResult runChecked(const OpPassManager &nested, Validator &validator) {
    ModuleOp module = getOperation();
    MLIRContext &context = getContext();
    bool threaded = context.isMultithreadingEnabled();
    if (threaded && module->getParentOp())
      return module.emitError("hecv-validate: with each=true in a nested module, other passes may run in threads; "
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
