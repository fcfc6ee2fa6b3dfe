#include "train/trainer.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "autograd/stopwatch.h"
#include "data/text/counted.h"
#include "data/text/shell_word.h"
#include "files/atomic_file.h"
#include "train/config/config_terms.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/training_line.h"
#include "train/validation_history.h"

namespace glossa {

namespace {

/// Number of the epoch, counted from 1, that contains the last update.
std::int64_t epoch_of_last_update(const TrainingState& state) { return state.epoch + (state.batch > 0 ? 1 : 0); }

std::string reason(TrainingEnd end, const Config& config) {
  switch (end) {
    case TrainingEnd::max_updates:
      return "train.max_updates " + to_string(config.train.max_updates) + " reached";
    case TrainingEnd::max_epochs:
      return "train.max_epochs " + to_string(config.train.max_epochs) + " reached";
    case TrainingEnd::max_minutes:
      return fmt::format("train.max_minutes {} reached", config.train.max_minutes);
    case TrainingEnd::early_stopping:
      return fmt::format("no improvement in {} (train.patience)", counted(config.train.patience, "validation"));
    case TrainingEnd::signal:
      return "stopped by a signal; continue with --resume";
  }
  return "";
}

/// The limit that ended training, raised by half, as KEY=VALUE; empty if no limit ended it.
std::string raised_limit(TrainingEnd end, const TrainConfig& train) {
  const auto raised = [](Period limit) {
    limit.amount = std::ceil(1.5 * limit.amount);
    return to_string(limit);
  };
  switch (end) {
    case TrainingEnd::max_updates:
      return "train.max_updates=" + raised(train.max_updates);
    case TrainingEnd::max_epochs:
      return "train.max_epochs=" + raised(train.max_epochs);
    case TrainingEnd::max_minutes:
      return fmt::format("train.max_minutes={}", std::ceil(1.5 * train.max_minutes));
    case TrainingEnd::early_stopping:
    case TrainingEnd::signal:
      return "";
  }
  return "";
}

/// The value of train.metric, and true if larger is better.
std::pair<double, bool> decisive_number(const ValidationReport& report, TrainConfig::Metric metric) {
  switch (metric) {
    case TrainConfig::Metric::loss:
    case TrainConfig::Metric::perplexity:
      break;
    case TrainConfig::Metric::bleu:
      return {*report.bleu, true};
    case TrainConfig::Metric::chrf:
      return {*report.chrf, true};
    case TrainConfig::Metric::exact_match:
      return {*report.exact_match, true};
  }
  return {report.loss, false};
}

std::string name(TrainConfig::Metric metric) {
  return TrainConfig::metric_names.begin()[static_cast<std::size_t>(metric)];
}

bool is_best(const TrainingState& state, double metric, bool larger_is_better) {
  return std::isfinite(metric) && (!state.has_best || (larger_is_better ? metric > state.best : metric < state.best));
}

/// Requests, to any process of the job, to stop or to save.
struct Requests {
  bool stop = false, save = false;
};
Requests requests_of_all(const Job& job, SignalWatch& signals, double timeout, std::int64_t update) {
  const Job::Patience patience(job, timeout, fmt::format("update {}", update));
  std::vector<double> requests(static_cast<std::size_t>(2 * job.count()));
  const auto own = static_cast<std::size_t>(2 * job.rank());
  requests[own] = signals.stop_signal() != 0 ? 1 : 0;
  requests[own + 1] = signals.take_save_request() ? 1 : 0;
  job.merge(requests);
  Requests all;
  for (std::size_t i = 0; i < requests.size(); i += 2) {
    all.stop = all.stop || requests[i] > 0;
    all.save = all.save || requests[i + 1] > 0;
  }
  if (all.stop) signals.stop();
  return all;
}

/// Writes all samples of a validation to a file of the run.
void write_samples(const std::string& run, const ValidationReport& report) {
  if (report.samples.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(run) / "samples";
  if (!std::filesystem::is_directory(folder)) create_folder(folder);
  write_file_atomically(folder / fmt::format("update-{:08}.txt", report.update),
                        fmt::format("{}\n\n", fmt::join(report.samples, "\n\n")));
}

}  // namespace

Progress Trainer::progress() const {
  const double part = static_cast<double>(state_.batch) / static_cast<double>(task_->batches());
  return {state_.update, static_cast<double>(state_.epoch) + part, state_.target_tokens};
}

std::int64_t Trainer::updates_per_epoch() const {
  return (task_->batches() + config_.train.accumulate - 1) / config_.train.accumulate;
}

std::optional<TrainingEnd> Trainer::ending() const {
  const TrainConfig& t = config_.train;
  if (t.max_updates.reached(progress())) return TrainingEnd::max_updates;
  if (t.max_epochs.reached(progress())) return TrainingEnd::max_epochs;
  if (t.max_minutes > 0 && state_.seconds >= 60 * t.max_minutes) return TrainingEnd::max_minutes;
  if (t.patience > 0 && state_.stalled >= t.patience) return TrainingEnd::early_stopping;
  return std::nullopt;
}

TrainingEnd Trainer::train() {
  try {
    return update_until_end();
  } catch (const std::exception& error) {
    log_->error(in_config_terms(error.what()));
    throw;
  }
}

TrainingEnd Trainer::update_until_end() {
  SignalWatch signals;
  const TrainConfig& train = config_.train;
  std::optional<TrainingEnd> end = ending();
  if (end) log_->warning("nothing to do: " + reason(*end, config_) + ". Hint: raise the limit with --set");
  if (!end && validate_start() && requests_of_all(job_, signals, config_.runtime.timeout, state_.update).stop)
    end = TrainingEnd::signal;
  const TrainingLine last_line(train, task_->can_validate(), progress(), state_.seconds);
  const std::int64_t begin = state_.update;
  const double seconds_before = state_.seconds;
  bool knows_speed = false;
  while (!end) {
    const Progress before = progress();
    one_update();
    const Progress now = progress();
    const TrainingReport training = report();
    if (train.log_every.due(before, now)) {
      log_update(training);
      if (!std::exchange(knows_speed, true)) warn_about_time(now.updates - begin, state_.seconds - seconds_before);
    }
    const bool best = train.validate_every.due(before, now) && validate();
    const Requests requests = requests_of_all(job_, signals, config_.runtime.timeout, state_.update);
    end = ending();
    if (!end && requests.stop) end = TrainingEnd::signal;
    // After a skipped update no checkpoint is saved, so that the newest one predates a series of skipped updates. A
    // save that is due waits for a good update.
    save_due_ = requests.save || train.save_every.due(before, now) || save_due_;
    const bool good = state_.consecutive_bad == 0;
    if (end || best || (good && save_due_)) save(best);
    if (log_->bar().is_due()) last_line.draw(log_->bar(), now, state_.seconds, training);
  }
  const bool best_at_end = *end != TrainingEnd::signal && validate_end();
  if (checkpoints_)
    if (const std::string note = RunName(run_).note(); !note.empty()) log_->line("note: " + note);
  const bool can_learn_more = schedule_.lr(state_.optimizer_steps + 1) > 0;
  const std::string best_in = best_at_end ? "the best so far" : better_at_end();
  const bool has_trained = state_.update > begin;
  if (const std::string limit = raised_limit(*end, train);
      has_trained && !best_in.empty() && can_learn_more && !limit.empty())
    log_->line(
        fmt::format("note: the last validation was {}; continue with {}", best_in,
                    shell_command({"glossa", "train", "--resume", std::filesystem::path(run_), "--set", limit})));
  if (!doubt_.empty()) log_->warning("warning: at the last validation, " + doubt_);
  if (*end != TrainingEnd::signal && !best_at_end && state_.has_best && state_.best_update == 0)
    log_->line(
        "note: no validation was better than the weights before training, which remain the best checkpoint. Hint: try "
        "another optim.lr, or more text");
  const std::string skipped =
      state_.bad_updates > 0 ? fmt::format(" ({} of them skipped: not finite)", state_.bad_updates) : "";
  log_->line(fmt::format("finished: {}; {}{}, {:.2f} epochs, {:.1f} s of training, peak memory {:.0f} MiB",
                         reason(*end, config_), counted(state_.update, "update"), skipped, progress().epochs,
                         state_.seconds, peak_rss_mb()));
  return *end;
}

void Trainer::begin_epoch(std::int64_t epoch, std::int64_t batch) {
  state_.epoch = epoch;
  state_.batch = batch;
  task_->begin_epoch(epoch);
}

/// Computes the next micro-batches' gradients and takes a step.
void Trainer::one_update() {
  const Job::Patience patience(job_, config_.runtime.timeout, fmt::format("update {}", state_.update + 1));
  const Stopwatch watch;
  const std::int64_t batches = std::min(config_.train.accumulate, task_->batches() - state_.batch);
  const Update update = updater_->gradients(state_.update, state_.batch, batches);
  ++state_.update;
  state_.batch += batches;
  if (update.is_finite())
    apply(update);
  else
    refuse(update);
  if (state_.batch == task_->batches()) begin_epoch(state_.epoch + 1, 0);

  double seconds = watch.seconds();  // as measured by process 0, since the time may end training
  job_.broadcast(std::as_writable_bytes(std::span(&seconds, 1)));
  state_.seconds += seconds;
  since_log_.seconds += seconds;
}

void Trainer::apply(const Update& update) {
  lr_ = schedule_.lr(state_.optimizer_steps + 1);
  grad_norm_ = update.grad_norm;
  updater_->step(update, lr_);
  ++state_.optimizer_steps;
  state_.consecutive_bad = 0;
  state_.target_tokens += update.target_tokens;
  state_.log_loss += update.nll_sum;
  state_.log_tokens += update.target_tokens;
  const std::int64_t both = update.source_tokens + update.target_tokens;
  since_log_.tokens += both;
  work_ = {work_.updates + 1, work_.tokens + both, work_.rows + update.rows};
}

void Trainer::refuse(const Update& update) {
  grad_norm_ = update.grad_norm;
  ++state_.bad_updates;
  ++state_.consecutive_bad;
  log_->warning(fmt::format("update {} skipped: loss {} and gradient norm {} are not finite; first seen in {}",
                            state_.update, update.nll_sum, update.grad_norm,
                            updater_->first_nonfinite(update, state_.epoch)));
  check_in_all(state_.consecutive_bad < config_.train.max_bad_updates, fmt::format("update {}", state_.update),
               "expected finite losses; got {} in a row without one (train.max_bad_updates). Earlier checkpoints are "
               "kept. Hint: lower optim.lr or set optim.clip_norm",
               counted(state_.consecutive_bad, "update"));
}

/// Reports on the updates since the last log line.
TrainingReport Trainer::report() const {
  const bool has_loss = state_.log_tokens > 0;  // false if all updates were skipped
  return {.update = state_.update,
          .epoch = epoch_of_last_update(state_),
          .loss = has_loss ? state_.log_loss / static_cast<double>(state_.log_tokens)
                           : std::numeric_limits<double>::quiet_NaN(),
          .tokens_per_s = static_cast<double>(since_log_.tokens) / since_log_.seconds,
          .lr = lr_,
          .grad_norm = grad_norm_,
          .seconds = state_.seconds};
}

/// Warns if train.max_minutes seems too short, at the speed of these updates.
void Trainer::warn_about_time(std::int64_t updates, double seconds) {
  const double left = 60 * config_.train.max_minutes - state_.seconds;
  const double all = static_cast<double>(state_.update) + left * static_cast<double>(updates) / seconds;
  for (const std::string& doubt : time_doubts(config_, updates_per_epoch(), all)) log_->warning("warning: " + doubt);
}

void Trainer::log_update(const TrainingReport& report) {
  log_->training(report);
  state_.log_loss = 0;
  state_.log_tokens = 0;
  since_log_ = {};
}

/// Validates the current weights, or their moving average.
ValidationReport Trainer::measure() {
  const AverageInUse<float> in_use(updater_->average());
  ValidationReport report = task_->validate(updater_->context(), log_->bar());
  const auto share = [&](auto& scores) {
    for (std::optional<double>* number : {&scores.bleu, &scores.chrf, &scores.exact_match})
      job_.broadcast(std::as_writable_bytes(std::span(number, 1)));
  };
  share(report);
  for (WatchedReport& watched : report.watched) share(watched);
  doubt_ = report.doubt;
  report.update = state_.update;
  report.epoch = epoch_of_last_update(state_);
  report.seconds = state_.seconds;
  if (checkpoints_) {
    checkpoints_->check_in_place();
    write_samples(run_, report);
  }
  job_.meet();
  return report;
}

bool Trainer::validate() {
  if (!task_->can_validate()) return false;
  ValidationReport report = measure();
  const auto [metric, larger_is_better] = decisive_number(report, config_.train.metric);
  schedule_.observe(metric, larger_is_better);
  state_.plateau = schedule_.plateau();
  const bool best = is_best(state_, metric, larger_is_better);
  if (best) {
    state_.has_best = true;
    state_.best = metric;
    state_.best_update = state_.update;
  }
  state_.stalled = best ? 0 : state_.stalled + 1;
  report.stalled = state_.stalled;
  report.metric = name(config_.train.metric);
  log_->validation(report);
  return best;
}

/// Validates the weights of a warm start before their first update, and saves them as the best so far: training need
/// not improve them. A run resumed from there has validated them. Returns whether it validates now.
bool Trainer::validate_start() {
  const bool is_warm = !config_.train.warm_start.empty() && state_.update == 0 && !state_.has_best;
  if (!is_warm || config_.train.validate_every.never()) return false;
  if (validate()) save(true);
  return true;
}

/// If a limit hit between validations, validates the final weights, which may be the best; returns whether they are.
/// Not saved: a resumed run never stops here.
bool Trainer::validate_end() {
  const bool validates = task_->can_validate() && !config_.train.validate_every.never();
  if (!validates) return false;
  if (log_->last_validation() == state_.update) return state_.has_best && state_.best_update == state_.update;
  ValidationReport report = measure();
  const auto [metric, larger_is_better] = decisive_number(report, config_.train.metric);
  report.at_end = true;
  report.metric = name(config_.train.metric);
  report.stalled = is_best(state_, metric, larger_is_better) ? 0 : state_.stalled + 1;
  const auto update = static_cast<std::uint64_t>(state_.update);
  if (report.stalled == 0 && checkpoints_) checkpoints_->point_links(update, update);
  log_->validation(report);
  return report.stalled == 0;
}

/// Returns which figures of a validation at the end are the best so far, although train.metric is not; empty if none.
std::string Trainer::better_at_end() const {
  if (!checkpoints_ || log_->last_validation() != state_.update) return "";
  const std::vector<std::string> best = best_at_last(validation_history(run_));
  return best.empty() ? "" : fmt::format("the best so far in {}", fmt::join(best, ", "));
}

void Trainer::save(bool is_best) {
  save_due_ = false;
  check_in_all(updater_->state_is_finite(), fmt::format("update {}", state_.update),
               "expected finite parameters and moments to save; got NaN or infinity. Earlier checkpoints are kept. "
               "Hint: lower optim.lr or set optim.clip_norm");
  std::vector<float> collected;
  CheckpointWriter writer;
  add_to_checkpoint(writer, task_->parameters(), updater_->optimizer(), updater_->average(), state_, host_fingerprint(),
                    [&](std::span<float> own, const Parameter<float>& parameter) {
                      return job_.collect(own, updater_->optimizer().bounds(), parameter.offset,
                                          parameter.offset + parameter.value.size(), collected);
                    });
  if (checkpoints_)
    checkpoints_->save(static_cast<std::uint64_t>(state_.update), writer, is_best);
  else
    writer.give();
  job_.meet();
}

}  // namespace glossa
