#include "train/trainer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/console/failure.h"
#include "base/console/print.h"
#include "base/counted.h"
#include "base/stopwatch.h"
#include "config/config_terms.h"
#include "data/text/shell_word.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/report_figures.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/training_pace.h"
#include "train/validation_history.h"

namespace glossa {

namespace {

constexpr const char* time_format = "%Y-%m-%d %H:%M:%S";

/// Returns the number of the epoch, counted from 1, that contains the last update.
std::int64_t epoch_of_last_update(const TrainingState& state) { return state.epoch + (state.batch > 0 ? 1 : 0); }

/// Returns the name of an end in events; for a limit, this is also its key.
const char* name(TrainingEnd end, Requests::By by = Requests::By::nobody) {
  constexpr const char* names[] = {"max_updates", "max_epochs", "max_minutes", "early_stopping", "request"};
  return end == TrainingEnd::stopped && by == Requests::By::signal ? "signal" : names[static_cast<int>(end)];
}

/// Returns the value of the limit that ended training, increased by half if `raised`; empty if no limit ended it.
std::string limit(TrainingEnd end, const TrainConfig& train, bool raised) {
  const auto value = [&](double amount) { return raised ? std::ceil(1.5 * amount) : amount; };
  const auto text = [&](const Period& period) { return to_string(Period{value(period.amount), period.unit}); };
  if (end == TrainingEnd::max_updates) return text(train.max_updates);
  if (end == TrainingEnd::max_epochs) return text(train.max_epochs);
  return end == TrainingEnd::max_minutes ? fmt::format("{}", value(train.max_minutes)) : "";
}

std::string reason(TrainingEnd end, const TrainConfig& train, Requests::By by = Requests::By::nobody) {
  if (end == TrainingEnd::early_stopping)
    return fmt::format("no improvement in {} (train.patience)", counted(train.patience, "validation"));
  if (end == TrainingEnd::stopped)
    return fmt::format("stopped {}; continue with --resume", by == Requests::By::signal ? "by a signal" : "on request");
  return fmt::format("train.{} {} reached", name(end), limit(end, train, false));
}

struct Decisive {
  double value;
  bool larger_is_better;

  bool is_best(const TrainingState& state) const {
    return std::isfinite(value) && (!state.has_best || (larger_is_better ? value > state.best : value < state.best));
  }
};

/// Returns the value of train.metric.
Decisive decisive_number(const ValidationReport& report, TrainConfig::Metric metric) {
  using enum TrainConfig::Metric;
  if (metric == bleu) return {*report.bleu, true};
  if (metric == chrf) return {*report.chrf, true};
  if (metric == exact_match) return {*report.exact_match, true};
  return {report.loss, false};  // perplexity increases with the loss, so the loss decides
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

std::int64_t PreparedRun::updates_per_epoch() const {
  return (task->batches() + config.train.accumulate - 1) / config.train.accumulate;
}

Progress PreparedRun::progress() const {
  const double part = static_cast<double>(state.batch) / static_cast<double>(task->batches());
  return {state.update, static_cast<double>(state.epoch) + part, state.target_tokens};
}

bool PreparedRun::validates() const { return task->can_validate() && !config.train.validate_every.never(); }

std::string PreparedRun::resumption() const {
  return fmt::format("resumed at update {} (epoch {}, batch {})", state.update, state.epoch + 1, state.batch);
}

std::optional<TrainingEnd> PreparedRun::ending() const {
  const TrainConfig& t = config.train;
  if (t.max_updates.reached(progress())) return TrainingEnd::max_updates;
  if (t.max_epochs.reached(progress())) return TrainingEnd::max_epochs;
  if (t.max_minutes > 0 && state.seconds >= 60 * t.max_minutes) return TrainingEnd::max_minutes;
  if (t.patience > 0 && state.stalled >= t.patience) return TrainingEnd::early_stopping;
  return std::nullopt;
}

Trainer::Trainer(PreparedRun run) : run_(std::move(run)) {
  if (!run_.records) return;
  add(run_.records->log);
  if (run_.records->tensorboard) add(*run_.records->tensorboard);
}

TrainingEnd Trainer::train() {
  try {
    begin();
    return update_until_end();
  } catch (...) {
    if (process_.is_this()) record_failure(in_config_terms(failure_of(std::current_exception())));
    throw;
  }
}

void Trainer::record_failure(const Error& error) noexcept {
  const auto attempt = [](const auto& act) {
    try {
      act();
    } catch (...) {  // the cause, such as a full disk, may also prevent the report
    }
  };
  attempt([&] { log(error.what(), LogLine::Kind::error); });
  attempt([&] { announce({.kind = TrainingEvent::Kind::failure, .update = state_.update, .text = error.what()}); });
}

/// Logs the first lines, and announces the start.
void Trainer::begin() {
  TrainingEvent start{.kind = run_.resumes ? TrainingEvent::Kind::resume : TrainingEvent::Kind::start,
                      .update = state_.update,
                      .text = run_.resumes ? run_.resumption() : "new run",
                      .parameters = run_.task->parameters().count(),
                      .decided = run_.decided};
  for (LogLine& line : run_.head) {
    log(line.text, line.kind);
    if (line.kind != LogLine::Kind::detail) start.head.push_back(std::move(line.text));
  }
  announce(std::move(start));
}

TrainingEnd Trainer::update_until_end() {
  const TrainConfig& train = run_.config.train;
  std::optional<TrainingEnd> end = run_.ending();
  if (end) log("nothing to do: " + reason(*end, train) + ". Hint: raise the limit with --set", LogLine::Kind::warning);
  if (!end) validate_start();
  if (!end && take_requests()) end = TrainingEnd::stopped;
  const TrainingPace pace(train, run_.validates(), run_.progress(), state_.seconds);
  const std::int64_t begin = state_.update;
  const double seconds_before = state_.seconds;
  bool knows_speed = false;
  while (!end) {
    const Progress before = run_.progress();
    const double loss = one_update();
    const Progress now = run_.progress();
    const TrainingReport training = report();
    UpdateReport update = pace.at(now, training);
    update.loss = loss;
    notify([&](TrainingObserver& observer) { observer.update(update); });
    if (train.log_every.due(before, now)) {
      log_update(training);
      if (!std::exchange(knows_speed, true)) warn_about_time(now.updates - begin, state_.seconds - seconds_before);
    }
    const bool best = train.validate_every.due(before, now) && validate();
    const bool stops = take_requests();
    end = run_.ending();
    if (!end && stops) end = TrainingEnd::stopped;
    // A periodic save that is due after a skipped update waits for a good update. The newest checkpoint then predates a
    // series of skipped updates. The last update and the best validation are saved in any case.
    save_due_ = train.save_every.due(before, now) || save_due_;
    const bool good = state_.consecutive_bad == 0;
    if (end || best || (good && save_due_)) save(best);
  }
  const bool best_at_end = *end != TrainingEnd::stopped && validate_end();
  if (*end != TrainingEnd::stopped && state_.update > begin) validate_mean();
  conclude(*end, state_.update > begin, best_at_end);
  return *end;
}

/// Logs how training ended, and suggests the next step.
void Trainer::conclude(TrainingEnd end, bool has_trained, bool best_at_end) {
  if (run_.records)
    if (const std::string remark = RunName(run_.folder).note(); !remark.empty() && run_.config.decode.average == 0)
      log("note: " + remark);
  const TrainConfig& train = run_.config.train;
  const bool can_learn_more = run_.schedule.lr(state_.optimizer_steps + 1) > 0;
  const std::string best_in = best_at_end ? "the best so far" : better_at_end(), higher = limit(end, train, true);
  if (has_trained && !best_in.empty() && can_learn_more && !higher.empty())
    log(fmt::format("note: the last validation was {}; continue with {}", best_in,
                    shell_command({"glossa", "train", "--resume", std::filesystem::path(run_.folder), "--set",
                                   fmt::format("train.{}={}", name(end), higher)})));
  if (!doubt_.empty()) log("warning: at the last validation, " + doubt_, LogLine::Kind::warning);
  const bool stopped = end == TrainingEnd::stopped;
  if (!stopped && !best_at_end && state_.has_best && state_.best_update == 0)
    log("note: no validation was better than the weights before training, which remain the best checkpoint. Hint: try "
        "another optim.lr, or more text");
  const std::string skipped =
      state_.bad_updates > 0 ? fmt::format(" ({} of them skipped: not finite)", state_.bad_updates) : "";
  const Requests::By by = requests_.stopped_by();
  TrainingEvent event{.kind = stopped ? TrainingEvent::Kind::stop : TrainingEvent::Kind::end,
                      .update = state_.update,
                      .reason = name(end, by),
                      .refused = state_.bad_updates,
                      .epochs = run_.progress().epochs,
                      .seconds = state_.seconds,
                      .peak_mib = peak_rss_mb()};
  event.text =
      fmt::format("{}; {}{}, {:.2f} epochs, {:.1f} s of training, peak memory {:.0f} MiB", reason(end, train, by),
                  counted(state_.update, "update"), skipped, event.epochs, event.seconds, event.peak_mib);
  log("finished: " + event.text);
  announce(std::move(event));
}

/// Shares the requests made to each process with all processes of the job. Returns true if any process was asked to
/// stop.
bool Trainer::take_requests() {
  const Job& job = run_.job;
  const Job::Patience patience(job, run_.config.runtime.timeout, fmt::format("update {}", state_.update));
  std::vector<double> requests(static_cast<std::size_t>(2 * job.count()));
  const auto own = static_cast<std::size_t>(2 * job.rank());
  requests[own] = static_cast<double>(requests_.stopped_by());
  requests[own + 1] = requests_.take_save() ? 1 : 0;
  job.merge(requests);
  // Only merged requests count. One that arrives now waits for the next call; otherwise, processes could disagree about
  // it.
  Requests::By stopped_by = Requests::By::nobody;
  for (std::size_t i = 0; i < requests.size(); i += 2) {
    if (requests[i] > 0 && stopped_by == Requests::By::nobody) stopped_by = static_cast<Requests::By>(requests[i]);
    save_due_ = save_due_ || requests[i + 1] > 0;
  }
  if (stopped_by != Requests::By::nobody) requests_.stop(stopped_by);
  return stopped_by != Requests::By::nobody;
}

void Trainer::log(std::string text, LogLine::Kind kind) { log(LogLine{.kind = kind, .text = std::move(text)}); }

void Trainer::log(LogLine line) {
  line.time = local_time(time_format);
  notify([&](TrainingObserver& observer) { observer.log(line); });
}

void Trainer::announce(TrainingEvent event) {
  event.time = local_time(time_format);
  notify([&](TrainingObserver& observer) { observer.event(event); });
}

/// Computes the next micro-batches' gradients and takes a step. Returns the loss per target token.
double Trainer::one_update() {
  const Job::Patience patience(run_.job, run_.config.runtime.timeout, fmt::format("update {}", state_.update + 1));
  const Stopwatch watch;
  const std::int64_t batches = std::min(run_.config.train.accumulate, run_.task->batches() - state_.batch);
  const Update update = run_.updater->gradients(state_.update, state_.batch, batches);
  ++state_.update;
  state_.batch += batches;
  if (update.is_finite())
    apply(update);
  else
    refuse(update);
  if (state_.batch == run_.task->batches()) {
    state_.batch = 0;
    run_.task->begin_epoch(++state_.epoch);
  }

  double seconds = watch.seconds();  // all processes use process 0's time, to agree on train.max_minutes
  run_.job.broadcast(std::as_writable_bytes(std::span(&seconds, 1)));
  state_.seconds += seconds;
  since_log_.seconds += seconds;
  since_log_.waited += run_.task->take_waited();
  return update.nll_sum / static_cast<double>(update.target_tokens);
}

void Trainer::apply(const Update& update) {
  lr_ = run_.schedule.lr(state_.optimizer_steps + 1);
  grad_norm_ = update.grad_norm;
  run_.updater->step(update, lr_);
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
  const std::string text =
      fmt::format("update {} skipped: loss {} and gradient norm {} are not finite; first seen in {}", state_.update,
                  update.nll_sum, update.grad_norm, run_.updater->first_nonfinite(update, state_.epoch));
  log(text, LogLine::Kind::warning);
  announce({.kind = TrainingEvent::Kind::refused, .update = state_.update, .text = text});
  check_in_all(state_.consecutive_bad < run_.config.train.max_bad_updates, fmt::format("update {}", state_.update),
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
          .seconds = state_.seconds,
          .waited = since_log_.waited / since_log_.seconds};
}

/// Warns if train.max_minutes seems too short at the speed of these updates.
void Trainer::warn_about_time(std::int64_t updates, double seconds) {
  const double left = 60 * run_.config.train.max_minutes - state_.seconds;
  const double all = static_cast<double>(state_.update) + left * static_cast<double>(updates) / seconds;
  for (const std::string& doubt : time_doubts(run_.config, run_.updates_per_epoch(), all))
    log("warning: " + doubt, LogLine::Kind::warning);
}

void Trainer::log_update(const TrainingReport& report) {
  notify([&](TrainingObserver& observer) { observer.training(report); });
  log(line_of(report));
  state_.log_loss = 0;
  state_.log_tokens = 0;
  since_log_ = {};
}

/// Validates the parameters as they are. Copies process 0's scores to all processes.
ValidationReport Trainer::validation(bool translates) {
  ValidationReport report = run_.task->validate(
      run_.updater->context(),
      [&](std::int64_t done, std::int64_t all) {
        notify([&](TrainingObserver& observer) { observer.validating(done, all); });
      },
      translates);
  const auto share = [&](auto& scores) {
    for (std::optional<double>* number : {&scores.bleu, &scores.chrf, &scores.exact_match})
      run_.job.broadcast(std::as_writable_bytes(std::span(number, 1)));
  };
  share(report);
  for (WatchedReport& watched : report.watched) share(watched);
  return report;
}

/// Validates the current weights, or their moving average.
ValidationReport Trainer::measure() {
  const AverageInUse<float> in_use(run_.updater->average());
  ValidationReport report = validation(run_.config.train.decode_validation);
  doubt_ = report.doubt;
  report.update = state_.update;
  report.epoch = epoch_of_last_update(state_);
  report.seconds = state_.seconds;
  const TrainConfig::Metric metric = run_.config.train.metric;
  report.metric = TrainConfig::metric_names.begin()[static_cast<std::size_t>(metric)];
  report.stalled = decisive_number(report, metric).is_best(state_) ? 0 : state_.stalled + 1;
  if (run_.records) {
    run_.records->checkpoints->check_in_place();
    write_samples(run_.folder, report);
  }
  run_.job.meet();
  return report;
}

void Trainer::validated(const ValidationReport& report) {
  notify([&](TrainingObserver& observer) { observer.validation(report); });
  run_.last_validation = report.update;
  log(line_of(report));
}

/// Validates between updates, which may lower the learning rate or end training. Returns true if the weights are the
/// best so far.
bool Trainer::validate() {
  if (!run_.validates()) return false;
  const ValidationReport report = measure();
  const Decisive decisive = decisive_number(report, run_.config.train.metric);
  run_.schedule.observe(decisive.value, decisive.larger_is_better);
  state_.plateau = run_.schedule.plateau();
  state_.stalled = report.stalled;
  const bool best = report.stalled == 0;
  if (best) {
    state_.has_best = true;
    state_.best = decisive.value;
    state_.best_update = state_.update;
  }
  validated(report);
  return best;
}

/// Validates the weights of a warm start before their first update. Saves them as the best so far, because training may
/// not improve them. Does nothing in a run resumed from that checkpoint.
void Trainer::validate_start() {
  const bool is_warm = !run_.config.train.warm_start.empty() && state_.update == 0 && !state_.has_best;
  if (is_warm && validate()) save(true);
}

/// If training ended between validations, validates the final weights, which may be the best. Returns true if they are.
/// The result does not enter the training state, because a run with a higher limit would not validate here.
bool Trainer::validate_end() {
  if (!run_.validates()) return false;
  if (run_.last_validation == state_.update) return state_.has_best && state_.best_update == state_.update;
  ValidationReport report = measure();
  report.at_end = true;
  const auto update = static_cast<std::uint64_t>(state_.update);
  if (report.stalled == 0 && run_.records) run_.records->checkpoints->point_links(update, update);
  validated(report);
  return report.stalled == 0;
}

/// Validates the mean of the checkpoints that decode.average selects, if any. Meanwhile, keeps the weights in the
/// gradients' memory, which is free after training; afterwards restores them. A separate copy would need memory that
/// check_training_fits has not counted.
void Trainer::validate_mean() {
  if (!run_.validates() || run_.config.decode.average == 0) return;
  ParameterStore<float>& parameters = run_.task->parameters();
  const std::span<float> weights = parameters.values(), before = parameters.grads();
  parameters.clear_grads();
  std::ranges::copy(weights, before.begin());
  const auto restore = [&] {
    std::ranges::copy(before, weights.begin());
    parameters.mark_changed();
  };
  std::size_t count = 0;
  try {
    run_.job.together([&] {
      if (!run_.records) return;
      std::vector<CheckpointReader> readers;
      for (const auto& file : newest_checkpoints(run_.folder, static_cast<std::size_t>(run_.config.decode.average)))
        readers.emplace_back(file);
      count = readers.size();
      read_mean_parameters(readers, parameters);
    });
  } catch (const Error& error) {  // a checkpoint is damaged, but training has succeeded
    restore();
    return log(fmt::format("warning: the mean of checkpoints was not validated: {}", error.what()),
               LogLine::Kind::warning);
  }
  run_.job.broadcast(std::as_writable_bytes(weights));
  parameters.mark_changed();
  const ValidationReport report = validation(true);
  restore();
  log(LogLine{.kind = LogLine::Kind::figures,
              .text = fmt::format("Mean of the newest {} : {}", counted(count, "checkpoint"), scores_of(report))});
}

/// Returns text that lists the metrics in which the final weights are the best so far. Returns no text if there are no
/// such metrics or the final weights were not validated.
std::string Trainer::better_at_end() const {
  if (!run_.records || run_.last_validation != state_.update) return "";
  const std::vector<std::string> best = best_at_last(validation_history(run_.folder));
  return best.empty() ? "" : fmt::format("the best so far in {}", fmt::join(best, ", "));
}

void Trainer::save(bool is_best) {
  save_due_ = false;
  check_in_all(run_.updater->state_is_finite(), fmt::format("update {}", state_.update),
               "expected finite parameters and moments to save; got NaN or infinity. Earlier checkpoints are kept. "
               "Hint: lower optim.lr or set optim.clip_norm");
  std::vector<float> collected;
  CheckpointWriter writer;
  const auto collect = [&](std::span<float> own, const Parameter<float>& parameter) {
    return run_.job.collect(own, run_.updater->optimizer().bounds(), parameter.offset,
                            parameter.offset + parameter.value.size(), collected);
  };
  add_to_checkpoint(writer, run_.task->parameters(), run_.updater->optimizer(), run_.updater->average(), state_,
                    host_fingerprint(run_.config.train.precision), collect);
  if (run_.records) {
    const auto update = static_cast<std::uint64_t>(state_.update);
    const CheckpointReport report{state_.update, run_.records->checkpoints->save(update, writer, is_best), is_best};
    notify([&](TrainingObserver& observer) { observer.checkpoint(report); });
  } else {
    writer.give();
  }
  run_.job.meet();
}

}  // namespace glossa
