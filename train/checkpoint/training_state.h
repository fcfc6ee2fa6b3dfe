#pragma once

#include <cstdint>
#include <string>

#include "data/text_statistics.h"
#include "optim/lr_schedule.h"

namespace glossa {

/// All state that training changes, except parameters, moments and moving averages. Random numbers are functions of
/// (seed, update), so training has no other state. A resumed run therefore equals an uninterrupted one. Saved only
/// between updates.
struct TrainingState {
  static constexpr std::uint32_t current_version = 1;

  std::uint32_t version = current_version;  // must stay first: it determines how to read the rest
  std::string config;                       // the effective configuration, as YAML
  std::uint64_t vocabulary_hash = 0;        // hash of the tokenizers
  std::uint64_t data_hash = 0;              // hash of the encoded training and validation pairs
  std::string build;                        // build_fingerprint(); results are bit-identical only within one build

  TextStatistics text;  // stored as separate entries, which older checkpoints lack; not in state_sha256

  std::int64_t update = 0;           // attempted updates, including skipped ones; keys the random numbers
  std::int64_t optimizer_steps = 0;  // updates that moved the parameters
  std::int64_t epoch = 0;            // completed epochs; also the index of the current epoch
  std::int64_t batch = 0;            // completed batches of the current epoch
  std::int64_t target_tokens = 0;    // number of target tokens trained on so far
  std::int64_t bad_updates = 0;      // total number of updates skipped because of non-finite numbers
  std::int64_t consecutive_bad = 0;

  // Sums since the last log line. Excluded from state_sha256, because train.log_every may change.
  double log_loss = 0;
  std::int64_t log_tokens = 0;

  // Results of validations:
  bool has_best = false;
  double best = 0;
  std::int64_t best_update = 0;
  std::int64_t stalled = 0;
  PlateauState plateau;

  // Training time so far, which is shown to people and limited by train.max_minutes. Excluded from state_sha256.
  double seconds = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(version, config, vocabulary_hash, data_hash, build, update, optimizer_steps, epoch, batch, target_tokens,
      bad_updates, consecutive_bad, log_loss, log_tokens, has_best, best, best_update, stalled, plateau.seen,
      plateau.best, plateau.bad, plateau.reductions, seconds);
  }
};

}  // namespace glossa
