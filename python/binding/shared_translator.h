#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "decoding/translator.h"
#include "evaluation/run_ensemble.h"
#include "python/binding/computing.h"

namespace glossa::python {

/// Python's `glossa.Translator`: a loaded run. Several Python threads may share it; they wait for each other.
class SharedTranslator {
 public:
  /// Loads a run, or several as an ensemble.
  SharedTranslator(const std::vector<std::string>& runs, const std::string& checkpoint, std::int64_t beam,
                   const Settings& settings, const std::string& split_sentences);

  const LoadedRun& run() const { return run_; }

  using Watch = std::function<void(Index)>;  // called between batches; raises KeyboardInterrupt after Ctrl-C

  /// Returns f(translator, watch), called while no other thread uses the translator. Ctrl-C ends a search after a
  /// batch. Throws an Error if called by a signal handler that interrupts another call.
  template <class F>
  auto use(const F& f) {
    const std::thread::id caller = std::this_thread::get_id();
    if (user_ == caller)
      misuse("translator", "expected one call at a time in a thread; got one from a signal handler, within another");
    Computing computing;
    const std::lock_guard lock(mutex_);
    const Turn turn(user_);
    const Watch watch = [&](Index) { computing.check_signals(); };
    translator_->watch(watch);
    return f(*translator_, watch);
  }

 private:
  /// Records the calling thread as the user while it exists.
  struct Turn {
    std::atomic<std::thread::id>& user;
    explicit Turn(std::atomic<std::thread::id>& user) : user(user) { user = std::this_thread::get_id(); }
    ~Turn() { user = std::thread::id(); }
  };

  std::mutex mutex_;
  std::atomic<std::thread::id> user_ = {};  // thread that holds the mutex
  LoadedRun run_;
  std::optional<Translator> translator_;
};

/// Cleans lines as `glossa translate` does when it reads a file. Throws for line feeds and for unusable lines.
std::vector<std::string> clean_lines(const char* where, const DataConfig& data, const std::vector<std::string>& lines);

}  // namespace glossa::python
