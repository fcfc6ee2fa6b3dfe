#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/corpora/datasets.h"
#include "train/decoding/translator.h"
#include "train/model/criterion.h"
#include "train/model/model_factory.h"
#include "train/processes/job.h"
#include "train/task.h"

namespace glossa {

/// A Transformer that learns to translate a corpus.
class TranslationTask : public Task {
 public:
  /// Creates a newly initialized model as `config` describes, and encodes `corpora` with the tokenizers. Throws if a
  /// corpus cannot be encoded or training would not fit in memory. Keeps a reference to `job`, whose processes validate
  /// together.
  TranslationTask(const Config& config, const Corpora& corpora, const Tokenizers& tokenizers, const Job& job);

  ParameterStore<float>& parameters() override { return model_->parameters; }
  void begin_epoch(std::int64_t epoch) override;
  std::int64_t batches() const override { return std::ssize(batches_); }
  Loss loss(Context<float>& context, std::int64_t batch, const StepOptions& options) override;
  Loss largest_loss(Context<float>& context, const StepOptions& options) override;
  bool can_validate() const override { return !validations_.empty(); }
  ValidationReport validate(Context<float>& context, ProgressBar& bar) override;
  std::uint64_t vocabulary_hash() const override { return tokenizers_.fingerprint(); }
  std::uint64_t data_hash() const override { return data_hash_; }
  TextStatistics text_statistics() const override { return text_statistics_; }
  std::vector<std::string> head() const override;
  void save(const std::string& run) const override { save_tokenizers(tokenizers_, config_.data, run); }

 private:
  TranslationTask(const Config& config, const Corpora& corpora, EncodedCorpora encoded, const Tokenizers& tokenizers,
                  const Job& job);

  /// Validation pairs, as ids and as text.
  struct Validation {
    std::string name;
    EncodedCorpus pairs;
    std::vector<std::string> sources = {}, references = {};
  };

  void add_validation(const ParallelCorpus& text, EncodedCorpus pairs);
  void find_largest_batch();
  Loss loss_of_batch(Context<float>& context, const StepOptions& options);
  template <class Scores>
  std::vector<std::string> measure(const Validation& validation, Context<float>& context, Translator& translator,
                                   Scores& scores) const;
  std::vector<std::string> samples(std::span<const std::string> outputs) const;
  std::vector<AttentionMaps> attention(Context<float>& context) const;

  const Job& job_;
  Config config_;
  Tokenizers tokenizers_;
  std::uint64_t data_hash_;
  EncodedCorpus training_;
  TextStatistics text_statistics_;
  std::vector<Validation> validations_;  // the first selects the best checkpoint, the others are only reported
  EncodedCorpus looked_at_;              // pairs of the first validation corpus whose attention is logged
  std::string data_report_;
  Sampler sampler_;
  std::vector<std::vector<int>> batches_;  // of the current epoch
  std::vector<int> largest_;
  Batch batch_;
  BatchRows rows_;
  std::unique_ptr<Model> model_;
};

}  // namespace glossa
