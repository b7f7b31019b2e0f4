#include "Verdicts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <charconv>

namespace hecv {
namespace {

using namespace mlir;
namespace json = llvm::json;

constexpr double startSeconds = 30;     // for the checker to start, and to read two modules
constexpr double perFunction = 4;       // hecv ends a function after so many time limits by the clock
constexpr size_t longestData = 24;      // elements of a memref that a note has in full
constexpr size_t longestDifference = 6; // elements that differ, where the memref is longer

bool isOfChecker(StringRef file) { return file == sourceName || file == targetName; }

ArrayRef<json::Value> arrayOf(const json::Object &object, StringRef key) {
  const json::Array *array = object.getArray(key);
  return array ? ArrayRef<json::Value>(*array) : ArrayRef<json::Value>();
}

StringRef stringOf(const json::Object &object, StringRef key) { return object.getString(key).value_or(""); }

// Values and results in the report, as text.

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
  SmallVector<StringRef> all, differing;
  for (auto &[key, value] : side) {
    all.push_back(key);
    if (const json::Value *theirs = other ? other->get(key) : &value; !theirs || *theirs != value)
      differing.push_back(key);
  }
  SmallVector<StringRef> &keys = differing.empty() ? all : differing;
  llvm::sort(keys, [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  SmallVector<std::string> texts;
  for (StringRef key : keys)
    showBinding(texts, key, *side.get(key), differing.empty() ? nullptr : other->get(key));
  return texts.empty() ? "returns" : llvm::join(texts, ", ");
}

std::string showTarget(const json::Object &target, const json::Object *source) {
  if (std::optional<StringRef> text = target.getString("undefined"))
    return "undefined behaviour: " + text->str();
  if (std::optional<StringRef> text = target.getString("diverges"))
    return text->str();
  return showSide(target, source);
}

} // namespace

std::string showNumber(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), number).ptr);
}

std::vector<std::string> Validator::chosen(std::vector<std::string> names) const {
  llvm::erase_if(names, [&](StringRef name) { return !checksAll() && !settings.functions.contains(name); });
  return names;
}

InFlightDiagnostic Validator::report(Location location, DiagnosticSeverity severity) {
  hasFailed |= severity == DiagnosticSeverity::Error;
  InFlightDiagnostic diagnostic = severity == DiagnosticSeverity::Error     ? emitError(location)
                                  : severity == DiagnosticSeverity::Warning ? emitWarning(location)
                                                                            : emitRemark(location);
  return std::move(diagnostic << "hecv-validate: ");
}

void Validator::reportUnknown(Location location, const Twine &text, const Twine &help) {
  if (!settings.whereUnknown)
    return;
  InFlightDiagnostic diagnostic = report(location, *settings.whereUnknown);
  diagnostic << text;
  if (!help.isTriviallyEmpty())
    diagnostic.attachNote(location) << "help: " << help;
}

void Validator::compare(const ModuleState &before, const ModuleState &after, ArrayRef<std::string> names,
                        const Step &step) {
  std::vector<std::string> options = settings.options;
  if (names.size() < before.publicFunctions().size())
    for (const std::string &name : names)
      options.push_back("--func=" + name);
  double seconds = settings.clockLimit;
  if (seconds == 0)
    seconds = std::min(longestSeconds, startSeconds + perFunction * settings.timeLimit * names.size());

  Answer answer = ask({settings.checker, options, before.text, after.text, seconds});
  if (answer.kind == Answer::Failed) {
    InFlightDiagnostic error = report(place, DiagnosticSeverity::Error);
    error << answer.problem;
    error.attachNote(place) << "help: " << answer.help;
    return;
  }
  if (answer.kind == Answer::TimedOut)
    return reportUnknown(place, "no verdict on " + step.name + ": the checker did not end in " + showNumber(seconds) +
                                    " s by the clock",
                         "set clock-limit=SECONDS for all functions, or time-limit=SECONDS for each of them");

  for (const json::Value &value : arrayOf(answer.report, "diagnostics"))
    if (const json::Object *said = value.getAsObject())
      reportInput(*said, answer, before, after);
  llvm::StringSet<> missing;
  missing.insert(names.begin(), names.end());
  for (const json::Value &value : arrayOf(answer.report, "functions"))
    if (const json::Object *found = value.getAsObject()) {
      StringRef name = stringOf(*found, "name");
      missing.erase(name);
      reportFunction(*found, name, locationOf(name, before), step);
    }
  if (stringOf(answer.report, "verdict") == "not-equivalent" && !hasFailed)
    report(place, DiagnosticSeverity::Error) << "not equivalent: " << step.name << ", of which the report says no more";
  if (stringOf(answer.report, "verdict") == "error")
    return;
  for (auto &entry : missing)
    reportUnknown(locationOf(entry.getKey(), before), "no verdict on @" + entry.getKey() + ": the report leaves it out",
                  tryByHand);
}

// A text that the checker cannot read leaves the functions without a verdict. An error in its options, or of its own,
// is an error of the pass.
void Validator::reportInput(const json::Object &said, const Answer &answer, const ModuleState &before,
                            const ModuleState &after) {
  StringRef file = stringOf(said, "file"), severity = stringOf(said, "severity");
  bool rejected = stringOf(answer.report, "verdict") == "error" && severity == "error";
  bool ours = rejected && (answer.internal || stringOf(said, "name") == "usage" || file.starts_with("--"));
  if (severity == "note" || (!ours && !settings.whereUnknown))
    return;
  Location location = isOfChecker(file) || file.starts_with("--") ? place : locationOf(said);
  InFlightDiagnostic diagnostic = report(location, ours       ? DiagnosticSeverity::Error
                                                   : rejected ? *settings.whereUnknown
                                                              : DiagnosticSeverity::Warning);
  diagnostic << (rejected ? "no verdict: " : "") << stringOf(said, "message");
  if (isOfChecker(file)) {
    SmallVector<StringRef> lines;
    StringRef(file == sourceName ? before.text : after.text).split(lines, '\n');
    int64_t line = said.getInteger("line").value_or(0);
    if (line > 0 && line <= int64_t(lines.size()))
      diagnostic.attachNote(place) << "in the text of " << file << ": " << lines[line - 1].trim();
  }
  if (std::optional<StringRef> help = said.getString("help"))
    diagnostic.attachNote(location) << "help: " << *help;
}

void Validator::reportFunction(const json::Object &found, StringRef name, Location location, const Step &step) {
  StringRef verdict = stringOf(found, "verdict");
  if (verdict == "not-equivalent") {
    InFlightDiagnostic error = report(location, DiagnosticSeverity::Error);
    error << "not equivalent: " << step.name << " changes what @" << name << " computes";
    attachCounterexample(error, found, location);
    if (!step.detail.empty())
      error.attachNote(location) << "pass: " << step.detail;
    return;
  }
  if (verdict == "equivalent" || (verdict == "refines" && !settings.equivalence)) {
    InFlightDiagnostic remark = report(location, DiagnosticSeverity::Remark);
    remark << verdict << ": @" << name << " before and after " << step.name;
    if (std::optional<StringRef> evidence = found.getString("evidence"))
      remark << " (" << *evidence << (found.getString("engine") ? " by " : "") << stringOf(found, "engine") << ")";
    for (const json::Value &value : arrayOf(found, "assumptions"))
      if (const json::Object *assumption = value.getAsObject();
          assumption && assumed.insert((name + ": " + stringOf(*assumption, "text")).str()).second)
        remark.attachNote(location) << "assumes: " << stringOf(*assumption, "text");
    return;
  }
  std::string reason = "the verdict is '" + verdict.str() + "'";
  if (const json::Object *why = found.getObject("unknown"))
    reason = (stringOf(*why, "reason") + ": " + stringOf(*why, "text")).str();
  else if (verdict == "refines")
    reason = "the result refines the source, and relation=equivalent asks for more";
  reportUnknown(location, "unknown whether " + step.name + " keeps what @" + name + " computes: " + reason);
}

void Validator::attachCounterexample(InFlightDiagnostic &error, const json::Object &found, Location location) const {
  if (const json::Object *example = found.getObject("counterexample")) {
    const json::Object *inputs = example->getObject("inputs"), *source = example->getObject("source"),
                       *target = example->getObject("target");
    if (inputs && !inputs->empty())
      error.attachNote(location) << "input: " << showSide(*inputs, nullptr);
    for (const json::Value &call : arrayOf(*example, "calls"))
      error.attachNote(location) << "call: " << show(call);
    if (source && target) {
      error.attachNote(location) << "source: " << showSide(*source, target);
      error.attachNote(location) << "target: " << showTarget(*target, source);
    }
  }
  if (const json::Object *where = found.getObject("localization"))
    if (const json::Object *at = where->getObject(where->getObject("target") ? "target" : "source"))
      error.attachNote(isOfChecker(stringOf(*at, "file")) ? location : locationOf(*at)) << stringOf(*where, "because");
}

Location Validator::locationOf(StringRef function, const ModuleState &state) const {
  auto found = state.functions.find(function.str());
  return found == state.functions.end() ? place : Location(found->second.location);
}

// A place in the report: in the user's file, since the texts that the checker reads have the module's locations.
Location Validator::locationOf(const json::Object &where) const {
  if (!where.getString("file"))
    return place;
  return FileLineColLoc::get(place.getContext(), stringOf(where, "file"), where.getInteger("line").value_or(0),
                             where.getInteger("column").value_or(0));
}

} // namespace hecv
