#include "Checker.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace hecv {
namespace {

using namespace llvm;
using Clock = std::chrono::steady_clock;

constexpr StringLiteral schema = "hecv.verdict/1";
constexpr std::chrono::seconds grace(2); // for the checker to end its workers when it is asked to end

// A file in the system's folder for temporary files; it is removed with this object, or when a signal ends the process.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile() {
    if (path.empty())
      return;
    sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }

  std::error_code write(StringRef name, StringRef text) {
    int descriptor;
    if (std::error_code error = sys::fs::createTemporaryFile("hecv-" + name, "mlir", descriptor, path))
      return error;
    sys::RemoveFileOnSignal(path);
    raw_fd_ostream out(descriptor, /*shouldClose=*/true);
    out << text;
    out.close();
    std::error_code error = out.error();
    out.clear_error();
    return error;
  }

  StringRef name() const { return path; }

  std::string read() const {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  SmallString<128> path;
};

Answer broken(const Twine &problem, const Twine &help) {
  return {Answer::Failed, json::Object(), false, problem.str(), help.str()};
}

// Waits until the child has ended or the deadline has passed; then the result's Pid is 0. `sys::Wait` with a time sets
// an alarm, which in a process with threads another thread may receive: so this polls.
sys::ProcessInfo waitUntil(const sys::ProcessInfo &child, Clock::time_point deadline, std::string &message) {
  std::chrono::milliseconds pause(1);
  while (true) {
    sys::ProcessInfo ended = sys::Wait(child, 0, &message);
    if (ended.Pid != 0 || Clock::now() >= deadline)
      return ended;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(20));
  }
}

// Asks the child to end, which hecv obeys with its workers, and kills it if it does not.
void stop(const sys::ProcessInfo &child) {
  std::string ignored;
  ::kill(child.Pid, SIGTERM);
  if (waitUntil(child, Clock::now() + grace, ignored).Pid != 0)
    return;
  ::kill(child.Pid, SIGKILL);
  sys::Wait(child, std::nullopt);
}

// The first line that is not empty, quoted, as the end of a sentence.
std::string firstLine(StringRef text) {
  StringRef line = text.trim().split('\n').first.trim();
  return line.empty() ? "" : (": " + line.take_front(200)).str();
}

// True if hecv ends with this status when it has this verdict.
bool agrees(StringRef verdict, int status) {
  if (verdict == "equivalent")
    return status == 0;
  if (verdict == "refines")
    return status == 0 || status == 3;
  if (verdict == "not-equivalent")
    return status == 1;
  if (verdict == "unknown")
    return status == 3;
  return verdict == "error" && (status == 2 || status == 4);
}

std::string replaced(StringRef text, ArrayRef<std::pair<StringRef, StringRef>> names) {
  std::string result = text.str();
  for (auto [from, to] : names)
    for (size_t at = result.find(from.str()); at != std::string::npos; at = result.find(from.str(), at + to.size()))
      result.replace(at, from.size(), to.str());
  return result;
}

Answer read(StringRef output, StringRef said, int status) {
  Expected<json::Value> value = json::parse(output);
  std::string ended = "ended with status " + std::to_string(status);
  if (!value) {
    consumeError(value.takeError());
    return broken("the checker printed no verdict, and " + ended + firstLine(said.trim().empty() ? output : said),
                  tryByHand);
  }
  json::Object *report = value->getAsObject();
  if (!report || report->getString("schema") != StringRef(schema))
    return broken("the checker printed JSON that is no report of the schema " + schema, tryByHand);
  StringRef verdict = report->getString("verdict").value_or("");
  if (!agrees(verdict, status))
    return broken("the checker printed the verdict '" + verdict + "', but " + ended + firstLine(said), tryByHand);
  return {Answer::Verdict, std::move(*report), status == 4, "", ""};
}

} // namespace

Expected<std::string> findChecker(StringRef given) {
  const char *variable = std::getenv("HECV");
  StringRef name = !given.empty() ? given : variable && *variable ? StringRef(variable) : StringRef("hecv");
  StringRef origin = !given.empty() ? "the option checker" : name == "hecv" ? "the PATH" : "the variable HECV";
  ErrorOr<std::string> found = sys::findProgramByName(name);
  if (found && sys::fs::can_execute(*found) && !sys::fs::is_directory(*found))
    return *found;
  return createStringError("there is no program '" + name + "' (from " + origin + "); give the path of hecv in the " +
                           "option checker or the variable HECV, or put it on the PATH");
}

Answer ask(const Question &question) {
  TemporaryFile source, target, output, said;
  std::error_code error = source.write("source", question.source);
  for (auto *file : {&target, &output, &said})
    if (!error)
      error = file->write(file == &target ? "target" : "output", file == &target ? question.target : "");
  if (error)
    return broken("cannot write a temporary file: " + error.message(), "the variable TMPDIR names their folder");

  SmallVector<StringRef> arguments = {question.checker, "check", "--format", "json"};
  arguments.append(question.options.begin(), question.options.end());
  arguments.append({source.name(), target.name()});
  std::optional<StringRef> redirects[] = {StringRef(""), output.name(), said.name()};
  std::string message;
  bool unstarted = false;
  sys::ProcessInfo child = sys::ExecuteNoWait(question.checker, arguments, /*Env=*/std::nullopt, redirects,
                                              /*MemoryLimit=*/0, &message, &unstarted);
  if (unstarted)
    return broken("cannot run " + question.checker + ": " + message, tryByHand);

  auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(question.seconds));
  sys::ProcessInfo ended = waitUntil(child, Clock::now() + limit, message);
  if (ended.Pid == 0) {
    stop(child);
    return {Answer::TimedOut, json::Object(), false, "", ""};
  }
  std::pair<StringRef, StringRef> names[] = {{source.name(), sourceName}, {target.name(), targetName}};
  std::string messages = replaced(said.read(), names);
  if (ended.ReturnCode < 0)
    return broken(question.checker + " crashed: " + message + firstLine(messages), tryByHand);
  return read(replaced(output.read(), names), messages, ended.ReturnCode);
}

} // namespace hecv
