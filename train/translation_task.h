#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpora/datasets.h"
#include "data/text_statistics.h"
#include "decoding/translator.h"
#include "train/batch_reader.h"
#include "train/model/criterion.h"
#include "train/model/model_factory.h"
#include "train/prepared/prepared_corpus.h"
#include "train/processes/job.h"
#include "train/training_observer.h"

namespace glossa {

/// A Transformer that learns to translate a corpus: parameters, the batches of an epoch with their losses, and
/// validation of the current parameters.
class TranslationTask {
 public:
  /// Loss of a batch, on the tape.
  struct Loss {
    Variable<float> sum;  ///< sum over the target tokens; the objective
    double nll_sum = 0;   ///< sum without label smoothing
    std::int64_t target_tokens = 0, source_tokens = 0;
    std::int64_t rows = 0;  ///< computed rows of both sides, including padding
  };

  /// Creates a newly initialized model as `config` describes, and encodes `corpora` with the tokenizers. Throws if a
  /// corpus cannot be encoded or training would not fit in memory. Keeps a reference to `job`, whose processes validate
  /// together. `prepared` has the training pairs if the text is large (data.prepare_above); `corpora` then has only a
  /// sample.
  TranslationTask(const Config& config, const Corpora& corpora, const Tokenizers& tokenizers, const Job& job,
                  const std::shared_ptr<const PreparedCorpus>& prepared = {});

  ParameterStore<float>& parameters() { return model_->parameters; }

  /// Begins an epoch; epochs count from 0.
  void begin_epoch(std::int64_t epoch);

  /// Lets a thread order the epoch's batches in the background. Otherwise, the first `loss` of the epoch orders them.
  void order_ahead();

  /// Returns the number of batches per epoch, which is the same in every epoch.
  std::int64_t batches() const { return std::ssize(sampler_.lengths()); }

  /// Begins a step in `context` and computes the loss of a batch of the current epoch. `next` is the batch of the
  /// following call; -1 if unknown.
  Loss loss(Context<float>& context, std::int64_t batch, const StepOptions& options, std::int64_t next = -1);

  /// As `loss`, for the batch that needs the most memory. If subwords are drawn, takes the largest of several batches
  /// in epoch 0.
  Loss largest_loss(Context<float>& context, const StepOptions& options);

  /// Returns the seconds that steps have waited for their batches since the last call of this function.
  double take_waited() { return reader_.take_waited(); }

  /// True if validation data exists.
  bool can_validate() const { return !validations_.empty(); }

  /// Validates the current parameters; returns figures and samples. If it `translates`, calls `progress` with the
  /// number of finished sentences and the total.
  ValidationReport validate(Context<float>& context,
                            const std::function<void(std::int64_t done, std::int64_t all)>& progress, bool translates);

  /// Content hash of the vocabulary, and one of the training and validation data. A resumed run must have the same
  /// hashes.
  std::uint64_t vocabulary_hash() const { return tokenizers_.fingerprint(); }
  std::uint64_t data_hash() const { return data_hash_; }

  /// Statistics of the training text.
  TextStatistics text_statistics() const { return text_statistics_; }

  /// Describes the task for the head of a log, one string per line.
  std::vector<std::string> head() const;

  /// Writes the tokenizers to a run's folder.
  void save(const std::string& run) const { save_tokenizers(tokenizers_, config_.data, run); }

 private:
  /// Validation pairs, as ids and as text.
  struct Validation {
    std::string name;
    EncodedCorpus pairs;
    std::vector<std::string> sources = {}, references = {};
  };

  void add_validation(const ParallelCorpus& text);
  const Batches& order();
  std::vector<int> largest_batch();
  Loss loss_of(Batch& batch, Context<float>& context, const StepOptions& options);
  template <class Scores>
  std::vector<std::string> measure(const Validation& validation, Context<float>& context, Translator* translator,
                                   Scores& scores) const;
  std::vector<std::string> samples(std::span<const std::string> outputs) const;

  const Job& job_;
  Config config_;
  Tokenizers tokenizers_;
  TextStatistics text_statistics_;
  std::uint64_t data_hash_;
  std::vector<Validation> validations_;  // the first selects the best checkpoint, the others are only reported
  std::string data_report_;
  std::size_t before_text_;  // number of ids that precede a source's text
  BatchReader reader_;
  Sampler sampler_;  // batches by lengths without drawn subwords; their number is the same in every epoch
  std::int64_t epoch_ = 0;
  Batches batches_;  // batches of the epoch, made on first use
  std::future<Batches> ordering_;
  std::vector<int> largest_;
  std::unique_ptr<Model> model_;
};

}  // namespace glossa
