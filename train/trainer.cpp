#include "train/trainer.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "autograd/stopwatch.h"
#include "data/text/atomic_file.h"
#include "data/text/counted.h"
#include "optim/clip.h"
#include "train/config/config_terms.h"
#include "train/runtime.h"

namespace glossa {

namespace {

/// The position in training from which all numbers of an update follow; updates count from 0.
StepOptions step_options(const Config& config, std::int64_t update) {
  return {.training = true,
          .recording = true,
          .seed = static_cast<std::uint64_t>(config.train.seed),
          .update = static_cast<std::uint64_t>(update)};
}

/// The pass over the corpus, counted from 1, that the last update belongs to.
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
      return "stopped by a signal; go on with --resume";
  }
  return "";
}

/// The number that decides what is best, and whether a larger one is better.
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

/// How much of the way to the limit that comes first is done.
double part_done(const TrainConfig& t, const TrainingState& state, const Progress& progress) {
  const double part = std::max(t.max_updates.part(progress), t.max_epochs.part(progress));
  return t.max_minutes > 0 ? std::max(part, state.seconds / (60 * t.max_minutes)) : part;
}

bool is_best(const TrainingState& state, double metric, bool larger_is_better) {
  return std::isfinite(metric) && (!state.has_best || (larger_is_better ? metric > state.best : metric < state.best));
}

/// All of them in a file of the run.
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
  if (end) log_->line("nothing to do: " + reason(*end, config_) + ". Hint: raise it with --set");
  const TimeLeft time_left(part_done(train, state_, progress()));
  while (!end) {
    const Stopwatch watch;
    const Progress before = progress();
    const Update update = compute_gradients();
    update.finite ? apply(update) : refuse(update);
    if (state_.batch == task_->batches()) {
      ++state_.epoch;
      state_.batch = 0;
      begin_epoch();
    }
    const double seconds = watch.seconds();
    state_.seconds += seconds;
    since_log_.seconds += seconds;

    const Progress now = progress();
    const TrainingReport told = report(update);
    if (train.log_every.due(before, now)) log_update(told);
    const bool best = train.validate_every.due(before, now) && validate();
    end = ending();
    if (!end && signals.stop_signal() != 0) end = TrainingEnd::signal;
    // After a refused update the checkpoints stay as they are: if no good one follows, the newest is from before. A
    // save that was due then waits for a good one.
    save_due_ = signals.take_save_request() || train.save_every.due(before, now) || save_due_;
    const bool good = state_.consecutive_bad == 0;
    if (end || best || (good && save_due_)) save(best);
    if (log_->bar().is_due()) {
      const double part = part_done(train, state_, now);
      log_->bar().draw(part, fmt::format("update {}, epoch {:.2f}, loss {:.3f}, {:.0f} tokens/s{}", now.updates,
                                         now.epochs, told.loss, told.tokens_per_s, time_left.after(part)));
    }
  }
  if (*end != TrainingEnd::signal) validate_end();
  const std::string skipped =
      state_.bad_updates > 0 ? fmt::format(" ({} of them skipped: not finite)", state_.bad_updates) : "";
  log_->line(fmt::format("finished: {}; {}{}, {:.2f} epochs, {:.1f} s of training, peak memory {:.0f} MiB",
                         reason(*end, config_), counted(state_.update, "update"), skipped, progress().epochs,
                         state_.seconds, peak_rss_mb()));
  return *end;
}

void Trainer::begin_epoch() {
  task_->begin_epoch(state_.epoch);
  check(state_.batch < task_->batches(), "resume",
        "expected a position within the {} batches of epoch {}; the checkpoint says {}. Hint: move the file away; "
        "the one before it serves",
        task_->batches(), state_.epoch, state_.batch);
}

Trainer::Update Trainer::compute_gradients() {
  Update update;
  update.first_batch = state_.batch;
  ParameterStore<float>& parameters = task_->parameters();
  // Micro-batches: sums of gradients and of tokens, divided once, so that any cut gives the mean over the same tokens.
  const std::int64_t last = std::min(state_.batch + config_.train.accumulate, task_->batches()) - 1;
  for (; state_.batch <= last; ++state_.batch) {
    parameters.clear_grads();
    const Task::Loss loss = task_->loss(context_, state_.batch, step_options(config_, state_.update));
    context_.backward(loss.sum);
    parameters.fill_unset_grads();
    update.nll_sum = loss.nll_sum;
    const auto add = [&](auto& sum, auto term) { state_.batch < last ? sum.add(term) : sum.finish(term); };
    add(*gradient_sum_, parameters.grads());
    add(nll_sum_, std::span(&update.nll_sum, 1));
    update.target_tokens += loss.target_tokens;
    update.source_tokens += loss.source_tokens;
    update.rows += loss.rows;
  }
  update.grad_norm = optimizer_->grad_norm() / static_cast<double>(update.target_tokens);
  update.finite = std::isfinite(update.nll_sum) && std::isfinite(update.grad_norm);
  ++state_.update;
  return update;
}

void Trainer::apply(const Update& update) {
  lr_ = schedule_.lr(state_.optimizer_steps + 1);
  const double tokens = static_cast<double>(update.target_tokens);
  optimizer_->step(lr_, clip_factor(update.grad_norm, config_.optim.clip_norm) / tokens);
  state_.optimizer_steps = optimizer_->steps();
  if (average_) average_->update(state_.optimizer_steps);
  state_.consecutive_bad = 0;
  state_.target_tokens += update.target_tokens;
  state_.log_loss += update.nll_sum;
  state_.log_tokens += update.target_tokens;
  const std::int64_t both = update.source_tokens + update.target_tokens;
  since_log_.tokens += both;
  work_ = {work_.updates + 1, work_.tokens + both, work_.rows + update.rows};
}

void Trainer::refuse(const Update& update) {
  ++state_.bad_updates;
  ++state_.consecutive_bad;
  log_->line(fmt::format("update {} skipped: loss {} and gradient norm {} are not finite; first seen in {}",
                         state_.update, update.nll_sum, update.grad_norm, first_nonfinite(update)));
  check(state_.consecutive_bad < config_.train.max_bad_updates, fmt::format("update {}", state_.update),
        "expected finite losses; got {} in a row without (train.max_bad_updates). The checkpoints before are "
        "kept. Hint: lower optim.lr or set optim.clip_norm",
        counted(state_.consecutive_bad, "update"));
}

/// Does the micro-batches of a refused update again, watching each op: says where the first bad number came from.
std::string Trainer::first_nonfinite(const Update& update) {
  ParameterStore<float>& parameters = task_->parameters();
  context_.trace_finite(true);
  std::string found;
  for (std::int64_t batch = update.first_batch; batch < state_.batch && found.empty(); ++batch) {
    parameters.clear_grads();
    const Task::Loss loss = task_->loss(context_, batch, step_options(config_, state_.update - 1));
    found = context_.first_nonfinite();
    if (found.empty()) {
      context_.backward(loss.sum);
      parameters.fill_unset_grads();
      if (!std::isfinite(global_norm<float>(parameters.grads()))) found = "the backward pass";
    }
    if (!found.empty()) found += fmt::format(", batch {} of epoch {}", batch + 1, state_.epoch + 1);
  }
  context_.trace_finite(false);
  return found.empty() ? "the sum over micro-batches" : found;
}

/// What there is to say since the last line of the log.
TrainingReport Trainer::report(const Update& update) const {
  // With nothing but refused updates the loss is 0 / 0: NaN, which is shown as such.
  return {.update = state_.update,
          .epoch = epoch_of_last_update(state_),
          .loss = state_.log_loss / static_cast<double>(state_.log_tokens),
          .tokens_per_s = static_cast<double>(since_log_.tokens) / since_log_.seconds,
          .lr = lr_,
          .grad_norm = update.grad_norm};
}

void Trainer::log_update(const TrainingReport& report) {
  log_->training(report);
  state_.log_loss = 0;
  state_.log_tokens = 0;
  since_log_ = {};
}

/// What validation says of the weights as they are, or of their moving average.
ValidationReport Trainer::measure() {
  const AverageInUse<float> in_use(average_.get());
  ValidationReport report = task_->validate(context_, log_->bar());
  report.update = state_.update;
  report.epoch = epoch_of_last_update(state_);
  write_samples(run_, report);
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
  log_->validation(report);
  return best;
}

/// Where a limit came between two validations: what the run ends with may be its best. Who goes on from here comes by
/// without stopping, so nothing of this is state.
void Trainer::validate_end() {
  const bool validates = task_->can_validate() && !config_.train.validate_every.never();
  if (!validates || log_->last_validation() == state_.update) return;
  ValidationReport report = measure();
  const auto [metric, larger_is_better] = decisive_number(report, config_.train.metric);
  report.at_end = true;
  report.stalled = is_best(state_, metric, larger_is_better) ? 0 : state_.stalled + 1;
  const auto update = static_cast<std::uint64_t>(state_.update);
  if (report.stalled == 0) checkpoints_->point_links(update, update);
  log_->validation(report);
}

void Trainer::save(bool is_best) {
  save_due_ = false;
  bool finite = std::isfinite(global_norm<float>(task_->parameters().values()));
  for (const StateBuffer<float>& buffer : optimizer_->state())
    finite = finite && std::isfinite(global_norm<float>(buffer.values));
  check(finite, fmt::format("update {}", state_.update),
        "expected finite parameters and moments to save; got NaN or infinity. The checkpoints before are kept. Hint: "
        "lower optim.lr or set optim.clip_norm");
  CheckpointWriter writer;
  std::string state_bytes;
  add_to_checkpoint(writer, task_->parameters(), *optimizer_, average_.get(), state_, state_bytes);
  checkpoints_->save(static_cast<std::uint64_t>(state_.update), writer, is_best);
}

}  // namespace glossa
