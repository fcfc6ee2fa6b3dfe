#pragma once

#include <cstdint>

namespace glossa {

/// Shape of the learning-rate schedule. Updates are counted from 1.
struct ScheduleOptions {
  enum class Kind { constant, noam, inverse_sqrt, cosine, linear, plateau };

  Kind kind = Kind::constant;
  double lr = 1e-3;                   // peak, reached at update `warmup`; not used by noam
  std::int64_t warmup = 0;            // number of updates of linear increase from warmup_init_lr; 0: no warm-up
  double warmup_init_lr = 0;          // learning rate at the start of the warm-up; not used by noam
  double min_lr = 0;                  // lower bound after the warm-up
  std::int64_t total_updates = 0;     // for cosine and linear: the update that reaches min_lr
  double factor = 1;                  // for noam: factor of the formula
  std::int64_t width = 512;           // for noam: model width
  double plateau_factor = 0.5;        // for plateau: factor applied to lr, in (0, 1)
  std::int64_t plateau_patience = 3;  // for plateau: validations without improvement before lr is reduced
};

/// State of a plateau schedule; saved in checkpoints.
struct PlateauState {
  bool seen = false;  // true if `best` is set
  double best = 0;
  std::int64_t bad = 0;         // validations since the best one or the last reduction, whichever is later
  std::int64_t reductions = 0;  // number of reductions of lr

  friend bool operator==(const PlateauState&, const PlateauState&) = default;
};

/// Learning rate as a function of the update n (and, for plateau, of the metrics seen so far). The formulas hold after
/// the warm-up. From its end, t rises from 0 to 1 at total_updates, and then stays 1:
///   constant      lr
///   inverse_sqrt  lr sqrt(warmup / n), as in fairseq
///   cosine        min_lr + (lr - min_lr) (1 + cos(pi t)) / 2 (Loshchilov and Hutter 2017, without restarts)
///   linear        lr + (min_lr - lr) t
///   plateau       lr plateau_factor^reductions, as PyTorch's ReduceLROnPlateau with threshold 0
/// noam has its own warm-up (Vaswani et al. 2017, 5.3): factor width^-0.5 min(n^-0.5, n warmup^-1.5).
class Schedule {
 public:
  /// Throws a misuse error for options that leave the formula undefined.
  explicit Schedule(const ScheduleOptions& options);

  /// Learning rate of an update; 0 means the start of the warm-up. Throws a misuse error if `update` is negative.
  double lr(std::int64_t update) const;

  /// Passes a validation's metric to a plateau schedule. Other schedules ignore it. NaN is not an improvement.
  void observe(double metric, bool larger_is_better);

  const PlateauState& plateau() const { return plateau_; }
  void set_plateau(const PlateauState& state) { plateau_ = state; }

 private:
  double after_warmup(double update) const;

  ScheduleOptions options_;
  PlateauState plateau_;
};

}  // namespace glossa
