#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/serve/fair_queue.h"
#include "app/serve/messages.h"
#include "app/serve/server_metrics.h"
#include "train/decoding/translator.h"

namespace glossa::serve {

/// A trained model and how it is used. The model lives elsewhere, at least as long as the service.
struct ServedRun {
  const Transformer<float>* model;
  Tokenizers tokenizers;
  DataConfig data;
  DecodeConfig decode;
};

/// Translates texts that come from many threads: they are cut into sentences, which are gathered into batches, of each
/// text one in turn. Each run has a queue and threads of its own, each of which searches one batch after another:
/// several batches side by side where much waits, each on one thread, and one on all threads where little does.
class TranslationService {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t queue;       ///< sentences that wait, for each run
    std::size_t searches;    ///< at once, for each run
    std::size_t batch;       ///< sentences that are searched together
    Clock::duration gather;  ///< how long one waits for others
  };

  /// Throws misuse where two runs translate the same pair of languages.
  TranslationService(std::vector<ServedRun> runs, const Limits& limits, ServerMetrics& metrics);
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  /// Ends when what waits has been translated.
  ~TranslationService();

  /// The translations of each text, best first: one, and the alternatives that there are. Source "auto" stands for the
  /// one source language there is for the target. A sentence is translated as
  /// `glossa translate` does it as a line of its own; with alternatives, as with --nbest of one more. Alternative k of
  /// a text of several sentences is the k-th best of each. Throws HttpError:
  ///   400  languages that are not served, a sentence that cannot be read
  ///   413  more sentences than may wait
  ///   503  no room for them now, or no answer until the deadline
  std::vector<std::vector<TranslatedText>> translate(const TranslationRequest& request, Clock::time_point deadline);

  /// Where the run looks when it reads `text` and writes `translation`, each as one sentence. Throws HttpError as
  /// `translate`, also for what is empty, and 413 for what is too long to be looked at.
  AttentionMaps attention(std::string_view source, std::string_view target, const std::string& text,
                          const std::string& translation, Clock::time_point deadline);

  /// One entry for each source language, in the order of the runs, then one for each other language, without targets.
  std::vector<ServedLanguage> languages() const;

  /// How many sentences wait.
  std::size_t waiting() const;

 private:
  class Lane;
  Lane& lane(std::string_view source, std::string_view target) const;

  std::atomic<int> at_work_ = 0;  // searches, of all runs
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace glossa::serve
