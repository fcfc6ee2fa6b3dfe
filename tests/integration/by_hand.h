#pragma once

#include <functional>
#include <memory>
#include <string>

#include "data/batch.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "data/tokenizers/tokenizer.h"
#include "layers/transformer.h"
#include "optim/lr_schedule.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "tests/integration/tiny_run.h"
#include "train/checkpoint/checkpoint_file.h"

/// A training loop written directly with the library's classes. It checks `glossa train` independently, as it does not
/// use config/, model_factory or trainer.
namespace glossa::testing {

/// Sentence pairs and their tokenizers.
struct Texts {
  ParallelCorpus corpus;
  std::shared_ptr<const Tokenizer> source, target;

  EncodedCorpus encoded(const EncodeOptions& options) const { return encode_corpus(corpus, *source, *target, options); }
};

/// Reads the files PART.en and PART.hi of the tiny run's corpus.
ParallelCorpus toy(const TinyRun& tiny, const char* part, const CorpusOptions& options = {});

/// The lines of both sides, source first: input for learning a shared vocabulary.
Strings both_sides(const ParallelCorpus& corpus);

struct Network {
  ParameterStore<float> parameters;
  Transformer<float> transformer;

  Network(const TransformerOptions& options, std::uint64_t seed) : transformer(parameters, options) {
    parameters.allocate(seed);
  }

  /// Loads a checkpoint's weights.
  void read(const CheckpointReader& checkpoint);
};

/// Training settings other than model, optimizer and learning rate.
struct LoopOptions {
  SamplerOptions sampler;
  double label_smoothing = 0, clip_norm = 0;
  int accumulate = 1, updates = 0;
  std::uint64_t seed = 1;
};

/// Runs the training loop. Calls `after(n)` after update n, counted from 1.
void train(Network& network, Optimizer<float>& optimizer, const Schedule& schedule, const EncodedCorpus& corpus,
           const LoopOptions& options, const std::function<void(int)>& after = {});

/// Computes the loss per target token of a corpus, without dropout and smoothing.
double mean_loss(const Network& network, const EncodedCorpus& corpus, std::int64_t max_tokens);

/// Checks that the parameters, moments and moving average (if any) in a run's last checkpoint have the same bits as the
/// arguments.
void check_same(const TinyRun& tiny, const std::string& run, const Network& network, const Optimizer<float>& optimizer,
                const MovingAverage<float>* average = nullptr);

}  // namespace glossa::testing
