#include "train/trainer.h"

#include <cmath>
#include <filesystem>

#include "autograd/stopwatch.h"
#include "data/text/atomic_file.h"
#include "data/text/counted.h"
#include "optim/clip.h"
#include "train/config/config_terms.h"
#include "train/decoding/translator.h"
#include "train/runtime.h"
#include "train/scores/chrf.h"

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

}  // namespace

Progress Trainer::progress() const {
  const double part = batches_.empty() ? 0 : static_cast<double>(state_.batch) / static_cast<double>(batches_.size());
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

/// How much of the way to the limit that comes first is done.
double Trainer::part_done() const {
  const TrainConfig& t = config_.train;
  const double part = std::max(t.max_updates.part(progress()), t.max_epochs.part(progress()));
  return t.max_minutes > 0 ? std::max(part, state_.seconds / (60 * t.max_minutes)) : part;
}

std::int64_t Trainer::updates_per_epoch() const {
  return (std::ssize(sampler_->epoch(0, true)) + config_.train.accumulate - 1) / config_.train.accumulate;
}

Trainer::EpochSize Trainer::epoch_size() const {
  const auto batches = sampler_->epoch(0, true);
  Batch batch;
  std::int64_t tokens = 0;
  for (const std::vector<int>& indices : batches) {
    fill_batch(batch, training_, indices, layout(config_.data));
    tokens += batch.source_tokens + batch.target_tokens;
  }
  return {updates_per_epoch(), tokens, useful_share(training_, batches, layout(config_.data))};
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
  std::optional<TrainingEnd> end = ending();
  if (end) log_->line("nothing to do: " + reason(*end, config_) + ". Hint: raise it with --set");
  const TimeLeft time_left(part_done());
  while (!end) {
    const Stopwatch watch;
    const Progress before = progress();
    const Update update = compute_gradients();
    update.finite ? apply(update) : refuse(update);
    if (state_.batch == static_cast<std::int64_t>(batches_.size())) {
      ++state_.epoch;
      state_.batch = 0;
      begin_epoch();
    }
    const double seconds = watch.seconds();
    state_.seconds += seconds;
    log_seconds_ += seconds;

    const Progress now = progress();
    const TrainingReport told = report(update);
    if (config_.train.log_every.due(before, now)) log_update(told);
    const bool best = config_.train.validate_every.due(before, now) && validate();
    end = ending();
    if (!end && signals.stop_signal() != 0) end = TrainingEnd::signal;
    // After a refused update the checkpoints stay as they are: if no good one follows, the newest is from before. A
    // save that was due then waits for a good one.
    save_due_ = signals.take_save_request() || config_.train.save_every.due(before, now) || save_due_;
    const bool good = state_.consecutive_bad == 0;
    if (end || best || (good && save_due_)) save(best);
    if (log_->bar().is_due())
      log_->bar().draw(part_done(),
                       fmt::format("update {}, epoch {:.2f}, loss {:.3f}, {:.0f} tokens/s{}", now.updates, now.epochs,
                                   told.loss, told.tokens_per_s, time_left.after(part_done())));
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
  batches_ = sampler_->epoch(static_cast<int>(state_.epoch), true);
  reserve_batch(batch_, training_, batches_, layout(config_.data));
  check(state_.batch < static_cast<std::int64_t>(batches_.size()), "resume",
        "expected a position within the {} batches of epoch {}; the checkpoint says {}. Hint: move the file away; "
        "the one before it serves",
        batches_.size(), state_.epoch, state_.batch);
}

CrossEntropy<float> Trainer::batch_loss_at(std::int64_t batch, const StepOptions& options) {
  fill_batch(batch_, training_, batches_[static_cast<std::size_t>(batch)], layout(config_.data));
  return loss_of_batch(options);
}

CrossEntropy<float> Trainer::loss_of_batch(const StepOptions& options) {
  rows_.assign(batch_);
  context_.begin(options);
  return batch_loss(context_, *model_->transformer, batch_, rows_, training_.specials.pad,
                    config_.train.label_smoothing);
}

Trainer::Update Trainer::compute_gradients() {
  Update update;
  update.first_batch = state_.batch;
  ParameterStore<float>& parameters = model_->parameters;
  parameters.clear_grads();
  // Micro-batches: sums of gradients and of tokens, divided once, so that any cut gives the mean over the same tokens.
  for (std::int64_t i = 0; i < config_.train.accumulate && state_.batch < std::ssize(batches_); ++i, ++state_.batch) {
    const CrossEntropy<float> loss = batch_loss_at(state_.batch, step_options(config_, state_.update));
    context_.backward(loss.sum);
    update.nll_sum += loss.nll_sum;
    update.target_tokens += loss.count;
    update.source_tokens += batch_.source_tokens;
  }
  parameters.fill_unset_grads();
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
  log_source_tokens_ += update.source_tokens;
  log_target_tokens_ += update.target_tokens;
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
  ParameterStore<float>& parameters = model_->parameters;
  context_.trace_finite(true);
  std::string found;
  for (std::int64_t batch = update.first_batch; batch < state_.batch && found.empty(); ++batch) {
    parameters.clear_grads();
    const CrossEntropy<float> loss = batch_loss_at(batch, step_options(config_, state_.update - 1));
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
          .tokens_per_s = static_cast<double>(log_source_tokens_ + log_target_tokens_) / log_seconds_,
          .lr = lr_,
          .grad_norm = update.grad_norm};
}

void Trainer::log_update(const TrainingReport& report) {
  log_->training(report);
  state_.log_loss = 0;
  state_.log_tokens = 0;
  log_source_tokens_ = log_target_tokens_ = 0;
  log_seconds_ = 0;
}

/// What validation says of the weights as they are, or of their moving average.
ValidationReport Trainer::measure() {
  const AverageInUse<float> in_use(average_.get());
  ValidationReport report;
  report.update = state_.update;
  report.epoch = epoch_of_last_update(state_);
  report.loss = corpus_loss(context_, *model_->transformer, validation_, config_.data).per_token();
  if (config_.train.decode_validation) {
    Translator translator(*model_->transformer, tokenizers_, config_.data, config_.decode);
    CountProgress progress(log_->bar(), "sentence", std::ssize(validation_sources_));
    translator.watch([&](Index sentences) { progress.add(sentences); });
    const std::vector<std::string> outputs = translator.translate(validation_sources_, "data.valid");
    report.bleu = corpus_bleu(outputs, validation_references_, bleu_options(config_)).score;
    report.chrf = corpus_chrf(outputs, validation_references_);
    report.exact_match = exact_match(outputs, validation_references_);
    report.sample = write_samples(validation_sources_, validation_references_, outputs);
  }
  return report;
}

bool Trainer::is_best(double metric, bool larger_is_better) const {
  return std::isfinite(metric) &&
         (!state_.has_best || (larger_is_better ? metric > state_.best : metric < state_.best));
}

bool Trainer::validate() {
  if (validation_.size() == 0) return false;
  ValidationReport report = measure();
  const auto [metric, larger_is_better] = decisive_number(report, config_.train.metric);
  schedule_.observe(metric, larger_is_better);
  state_.plateau = schedule_.plateau();
  const bool best = is_best(metric, larger_is_better);
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
  const bool validates = validation_.size() > 0 && !config_.train.validate_every.never();
  if (!validates || log_->last_validation() == state_.update) return;
  ValidationReport report = measure();
  const auto [metric, larger_is_better] = decisive_number(report, config_.train.metric);
  report.at_end = true;
  report.stalled = is_best(metric, larger_is_better) ? 0 : state_.stalled + 1;
  const auto update = static_cast<std::uint64_t>(state_.update);
  if (report.stalled == 0) checkpoints_->point_links(update, update);
  log_->validation(report);
}

/// All of them in a file of the run; returns the first one, as lines below another.
std::string Trainer::write_samples(std::span<const std::string> sources, std::span<const std::string> references,
                                   std::span<const std::string> outputs) {
  std::string text, first;
  const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(config_.train.samples), sources.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k * sources.size() / count;  // spread over the corpus, the same ones each time
    const std::string sample =
        fmt::format("source     {}\nreference  {}\noutput     {}", sources[i], references[i], outputs[i]);
    text += sample + "\n\n";
    if (first.empty()) first = "\n" + sample;
  }
  if (text.empty()) return first;
  const std::filesystem::path folder = std::filesystem::path(run_) / "samples";
  if (!std::filesystem::is_directory(folder)) create_folder(folder);
  write_file_atomically(folder / fmt::format("update-{:08}.txt", state_.update), text);
  return first;
}

void Trainer::save(bool is_best) {
  save_due_ = false;
  bool finite = std::isfinite(global_norm<float>(model_->parameters.values()));
  for (const StateBuffer<float>& buffer : optimizer_->state())
    finite = finite && std::isfinite(global_norm<float>(buffer.values));
  check(finite, fmt::format("update {}", state_.update),
        "expected finite parameters and moments to save; got NaN or infinity. The checkpoints before are kept. Hint: "
        "lower optim.lr or set optim.clip_norm");
  CheckpointWriter writer;
  std::string state_bytes;
  add_to_checkpoint(writer, model_->parameters, *optimizer_, average_.get(), state_, state_bytes);
  checkpoints_->save(static_cast<std::uint64_t>(state_.update), writer, is_best);
}

}  // namespace glossa
