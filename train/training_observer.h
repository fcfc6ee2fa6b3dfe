#pragma once

#include "train/training_report.h"

namespace glossa {

/// Follows a training run. The trainer calls these members in its own thread, between updates; `validating` during a
/// validation, and the event `refused` within its update. To stop training, keep a reference to Trainer::requests and
/// call `stop`. If several processes train, each calls its own observers. An exception from an observer ends training
/// like any other error; in a job of several processes call Job::end then, as the others wait.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;

  /// A line of the log.
  virtual void log(const LogLine&) {}

  virtual void event(const TrainingEvent&) {}

  /// After every update.
  virtual void update(const UpdateReport&) {}

  /// After the updates that train.log_every selects.
  virtual void training(const TrainingReport&) {}

  /// During a validation that translates: `done` of `all` sentences are translated.
  virtual void validating(std::int64_t /*done*/, std::int64_t /*all*/) {}

  virtual void validation(const ValidationReport&) {}

  /// Only in process 0.
  virtual void checkpoint(const CheckpointReport&) {}
};

}  // namespace glossa
