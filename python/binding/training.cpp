#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "base/check.h"
#include "base/console/print.h"
#include "base/own_process.h"
#include "python/binding/arguments.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/settings.h"
#include "train/run.h"
#include "train/trainer.h"
#include "train/training_console.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Python functions to call during training; each may be None.
struct Callbacks {
  nb::object on_update, on_validation, on_checkpoint, on_log;
};

/// Calls Python's functions. If one returns glossa.STOP or raises, or after Ctrl-C, asks training to stop. Training
/// then saves, and `rethrow` raises the callback's exception. A second Ctrl-C ends training at once.
class Callers : public TrainingObserver {
 public:
  Callers(const Callbacks& callbacks, Computing& computing, Requests& requests)
      : callbacks_(callbacks), computing_(computing), requests_(requests) {}

  void log(const LogLine& line) override {
    if (line.kind == LogLine::Kind::error) return;  // the exception already has the text
    call(&callbacks_.on_log, [&](const nb::object& f) { return f(level(line.kind), line.text); });
  }
  void update(const UpdateReport& report) override { call_with(callbacks_.on_update, report); }
  void validating(std::int64_t, std::int64_t) override { call(nullptr, {}); }
  void validation(const ValidationReport& report) override { call_with(callbacks_.on_validation, report); }
  void checkpoint(const CheckpointReport& report) override { call_with(callbacks_.on_checkpoint, report); }

  bool interrupted() const { return interrupted_; }

  /// Raises the first exception of a callback, if any. Call it while holding the interpreter.
  void rethrow() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

 private:
  static const char* level(LogLine::Kind kind) {
    constexpr const char* names[] = {"debug", "info", "info", "warning", "error"};
    return names[static_cast<int>(kind)];
  }

  template <class Report>
  void call_with(const nb::object& callback, const Report& report) {
    call(&callback, [&](const nb::object& f) { return f(nb::cast(report)); });
  }

  /// Checks for signals, then calls f(*callback), unless the callback is null or None. The caller does not hold the
  /// interpreter, so that only `f` may create Python objects.
  void call(const nb::object* callback, const std::function<nb::object(const nb::object&)>& f) {
    computing_.pause([&] {
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (callback == nullptr || callback->is_none() || raised_) return;
        const nb::object answer = f(*callback);
        if (answer.is(stop()))
          requests_.stop();
        else if (!answer.is_none())
          misuse("callback", "expected None or glossa.STOP as the result; got {}", string_of(nb::repr(answer)));
      } catch (nb::python_error& error) {
        if (!process_.is_this()) throw;  // ends the call in a process that the callback forked
        take(error);
      } catch (const Error&) {
        if (!process_.is_this()) throw;
        raised_ = std::current_exception();
        requests_.stop();
      }
    });
  }

  void take(nb::python_error& error) {
    const bool is_interrupt = error.matches(PyExc_KeyboardInterrupt);
    if (is_interrupt && interrupted_) throw;
    if (is_interrupt)
      interrupted_ = true;
    else
      raised_ = std::current_exception();
    requests_.stop();
  }

  static nb::object stop() { return nb::module_::import_("glossa.training").attr("STOP"); }

  const OwnProcess process_;
  const Callbacks& callbacks_;
  Computing& computing_;
  Requests& requests_;
  std::exception_ptr raised_;
  bool interrupted_ = false;
};

const char* name(TrainingEnd end) {
  constexpr const char* names[] = {"max_updates", "max_epochs", "max_minutes", "early_stopping", "stopped"};
  return names[static_cast<int>(end)];
}

/// Trains a run. Returns the reason why training ended.
std::string train(const std::string& config_path, const NamedOptions& options, const std::string& run, bool resume,
                  bool shows_progress, const Callbacks& callbacks) {
  const std::map<std::string, GivenValue> given = to_options(options);
  Released::check_none("train");
  Computing computing;
  const Config config = load_training_config(config_path, given, run, resume);
  Trainer trainer(
      prepare({.config = config, .run = run, .resume = resume, .config_path = config_path, .settings = given}));
  Callers callers(callbacks, computing, trainer.requests());
  std::optional<TrainingConsole> console;
  if (shows_progress) trainer.add(console.emplace());
  trainer.add(callers);
  const TrainingEnd end = trainer.train();
  console.reset();
  computing.pause([&] { callers.rethrow(); });
  return callers.interrupted() && end == TrainingEnd::stopped ? "interrupted" : name(end);
}

}  // namespace

void add_training(nb::module_& m) {
  m.def(
      "train",
      [](const std::string& config_path, const NamedOptions& options, const std::string& run, bool resume,
         bool shows_progress, const nb::object& on_update, const nb::object& on_validation,
         const nb::object& on_checkpoint, const nb::object& on_log) {
        return train(config_path, options, run, resume, shows_progress,
                     {on_update, on_validation, on_checkpoint, on_log});
      },
      "config_path"_a, "options"_a, "run"_a, "resume"_a, "shows_progress"_a, "on_update"_a.none(),
      "on_validation"_a.none(), "on_checkpoint"_a.none(), "on_log"_a.none(), "The function behind glossa.train");
  m.def(
      "is_run", [](const std::string& run) { return std::filesystem::exists(config_file(run)); }, "run"_a);
}

}  // namespace glossa::python
