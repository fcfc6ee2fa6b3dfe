#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "python/binding/computing.h"
#include "train/decoding/translator.h"
#include "train/run.h"

namespace glossa::python {

/// Python's `glossa.Translator`: a loaded run. Several Python threads may share it; they wait for each other.
class SharedTranslator {
 public:
  SharedTranslator(const std::string& run, const std::string& checkpoint, std::int64_t beam, const Settings& settings,
                   const std::string& split_sentences);

  const LoadedRun& run() const { return run_; }

  /// Returns f(translator) while no other thread uses it. Ctrl-C ends a search after a batch.
  template <class F>
  auto use(const F& f) {
    Computing computing;
    const std::lock_guard lock(mutex_);
    const std::thread::id caller = std::this_thread::get_id();
    translator_->watch([&](Index) {
      if (std::this_thread::get_id() != caller) return;
      computing.pause([] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
    });
    return f(*translator_);
  }

 private:
  std::mutex mutex_;
  LoadedRun run_;
  std::optional<Translator> translator_;
};

/// The lines as `glossa translate` reads them from a file. Throws for line feeds and for unusable lines.
std::vector<std::string> clean_lines(const char* where, const DataConfig& data, const std::vector<std::string>& lines);

}  // namespace glossa::python
