#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "data/text/atomic_file.h"
#include "data/text/counted.h"
#include "train/config/auto_options.h"
#include "train/corpora/corpus_doubts.h"
#include "train/model/memory_check.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/trainer.h"

namespace glossa {

namespace {

/// What a run is, its checkpoint says: the file beside it may have been edited.
Config config_of(const FoundCheckpoint& found) {
  return parse_config(read_training_state(found.reader).config, found.reader.path());
}

/// A fresh run must not write over an old one; a resumed one must be the same run.
void check_continues(const Config& config, const std::string& run, bool resume,
                     const std::optional<FoundCheckpoint>& found) {
  if (found && !resume)
    misuse(run,
           "expected an empty folder for a new run; it holds checkpoints. Hint: go on with --resume, or choose "
           "another --run");
  if (found) check_resume(config_of(*found), config);
}

/// The checkpoint that train.warm_start names: its own, or that of the run. Its vocabulary must be of the kind that is
/// configured; what the model leaves open is as there.
CheckpointReader open_warm_start(Config& config) {
  const std::filesystem::path from = config.train.warm_start;
  check(std::filesystem::exists(from), "train.warm_start", "expected a run or a checkpoint; there is no {}",
        from.string());
  CheckpointReader reader(RunName(from).files().front());
  const Config base = parse_config(read_training_state(reader).config, reader.path());
  check_agree(
      base, config, [](std::string_view key) { return key == "data.tokenizer" || key == "data.shared_vocabulary"; },
      "as the run of train.warm_start has it", "weights mean something only with their vocabulary");
  config = decided_as(base, std::move(config), "model");
  return reader;
}

/// When training will end, in one line, and what its epochs are in updates.
std::string budget(const Config& config, std::int64_t updates_per_epoch) {
  const TrainConfig& train = config.train;
  std::vector<std::string> limits;
  if (!train.max_updates.never()) limits.push_back(counted(train.max_updates.amount, "update"));
  if (!train.max_epochs.never()) limits.push_back(counted(train.max_epochs.amount, "epoch"));
  if (train.max_minutes > 0) limits.push_back(counted(train.max_minutes, "minute"));
  if (train.patience > 0) limits.push_back(counted(train.patience, "validation") + " without improvement");
  const Period& warmup = config.optim.warmup;
  const double updates = std::ceil(warmup.amount * static_cast<double>(updates_per_epoch));
  return fmt::format(
      "trains until {}{}", fmt::join(limits, " or "),
      warmup.unit == Period::Unit::epochs
          ? fmt::format("; warm-up of {}, {}", counted(warmup.amount, "epoch"), counted(updates, "update"))
          : "");
}

/// Which of two batches takes more memory: the one with more rows; of equals, the one with more pairs of them in
/// attention.
std::pair<int, Index> size_in_memory(const Batch& batch) {
  Index pairs = 0;
  for (const auto* spans : {&batch.source_spans, &batch.target_spans})
    for (const Span& span : *spans) pairs += Index{span.length} * span.length;
  return {batch.source_rows + batch.target_rows, pairs};
}

}  // namespace

Trainer::Trainer(Config config, const std::string& config_path, const std::string& run, bool resume)
    : config_(std::move(config)), run_(run) {
  check(config_);
  apply_runtime(config_.runtime);
  const auto keep = static_cast<std::size_t>(config_.train.keep_checkpoints);
  std::optional<FoundCheckpoint> found;
  if (std::filesystem::exists(run)) {
    checkpoints_.emplace(run, keep);
    found = checkpoints_->newest_valid();
  }
  if (found) config_ = decided_as(config_of(*found), std::move(config_));
  check_continues(config_, run, resume, found);
  if (!found) check_not_overwriting(config_, config_path, run);
  std::vector<std::string> notes;
  if (resume && !found) notes.push_back("--resume: no checkpoint in " + run + " yet, starting afresh");

  // Where something is wrong with the input no folder of the run is left.
  std::optional<CheckpointReader> base;
  if (!found && !config_.train.warm_start.empty()) base.emplace(open_warm_start(config_));
  check_training_fits(decided_for({}, config_), 1, 1);  // what is known before text is read, which may take long
  prepare_data(found.has_value(), notes);
  sampler_.emplace(training_, sampler_options(config_.data, static_cast<std::uint64_t>(config_.train.seed)));
  const std::int64_t epoch = updates_per_epoch();
  schedule_ = make_schedule(config_.optim, config_.model.width, epoch);
  for (const auto& warnings : {check(config_), length_doubts(config_, epoch)})
    notes.insert(notes.end(), warnings.begin(), warnings.end());
  state_.vocabulary_hash = tokenizers_.fingerprint();
  state_.data_hash = data_hash(training_, validation_);
  if (found) restore_state(*found);
  begin_epoch();
  make_model_and_optimizer();
  if (found) {
    read_parameters(found->reader, model_->parameters);
    read_moments(found->reader, model_->parameters, *optimizer_, state_);
    for (const std::string& refused : found->refused) notes.push_back("checkpoint passed over: " + refused);
    notes.push_back(
        fmt::format("resumed at update {} (epoch {}, batch {})", state_.update, state_.epoch + 1, state_.batch));
    if (state_.build != build_fingerprint())
      notes.push_back("the checkpoint was written by another build (" + describe_build(state_.build) +
                      "): training goes on, but the same bits as without the stop are not promised");
  } else if (base) {
    warm_start(*base);
    notes.push_back("warm start: weights of " + config_.train.warm_start);
    if (const std::string note = RunName(config_.train.warm_start).note(); !note.empty()) notes.push_back(note);
  }
  average_ = make_average(config_.train, model_->parameters);
  if (average_ && found) read_average(found->reader, model_->parameters, *average_);
  state_.config = dump(config_);
  state_.build = build_fingerprint();
  const bool goes_on = !ending();
  const std::string memory = rehearse();

  if (!checkpoints_) {
    checkpoints_.emplace(run, keep);
    // Another trainer may have begun and ended while this one prepared its data.
    check_continues(config_, run, false, checkpoints_->newest_valid());
  }
  if (new_folder_) new_folder_->keep();
  write_file_atomically(config_file(run), state_.config);
  if (!found) save_tokenizers(tokenizers_, config_.data, run);
  log_.emplace(run, state_.update, stderr, goes_on);
  if (found) restore_links(goes_on);  // after the log, which has forgotten the end: half-way it is told again
  write_head(notes, memory);
}

void Trainer::prepare_data(bool resuming, std::vector<std::string>& notes) {
  const DataConfig& data = config_.data;
  const Corpora corpora = read_corpora(data, static_cast<std::uint64_t>(config_.train.seed));
  const auto& [text, valid, split] = corpora;
  const std::vector<std::string> decided = decide_auto_options(config_, text, split);
  const std::vector<std::string> doubts = corpus_doubts(data, text);
  notes.insert(notes.end(), doubts.begin(), doubts.end());
  if (!checkpoints_) new_folder_.emplace(run_);
  if (resuming)
    tokenizers_ = load_tokenizers(data, run_);
  else if (!config_.train.warm_start.empty())  // weights mean something only with their vocabulary
    tokenizers_ = load_tokenizers(data, RunName(config_.train.warm_start).folder());
  else
    tokenizers_ = train_tokenizers(data, text);
  training_ = encode(data, text, tokenizers_);
  const auto report = [](const char* use, const ParallelCorpus& corpus, const EncodedCorpus& encoded) {
    return fmt::format("{} data {}: {};\n    {}", use, corpus.name, describe(corpus.report), describe(encoded.report));
  };
  data_report_ = report("training", text, training_) + "\n" + first_pair(text);
  for (const std::string& line : decided) data_report_ += "\n" + line;
  if (!valid.source.empty()) {
    validation_ = encode(data, valid, tokenizers_);
    for (const std::size_t pair : validation_.origin) {
      validation_sources_.push_back(valid.source[pair]);
      validation_references_.push_back(valid.target[pair]);
    }
    data_report_ += "\n" + report("validation", valid, validation_);
  }
  if (split.pairs() > 0)
    data_report_ +=
        fmt::format("\ndata.split {}/{}: pairs held out by a hash, for validation and for `glossa evaluate RUN`",
                    split.valid, split.test);
  decide_bleu_tokenizer(text.target);
}

void Trainer::decide_bleu_tokenizer(std::span<const std::string> target) {
  std::optional<BleuTokenizer>& tokenizer = config_.train.bleu_tokenize;
  if (tokenizer) return;
  tokenizer = usual_bleu_tokenizer(config_.data.target, target);
  if (tokenizer == BleuOptions().tokenizer) return;
  data_report_ +=
      fmt::format("\nBLEU counts characters (tok:{}): spaces do not part the words of {}; see train.bleu_tokenize",
                  name(*tokenizer), config_.data.target);
}

void Trainer::restore_state(const FoundCheckpoint& found) {
  TrainingState saved = read_training_state(found.reader);
  check(saved.vocabulary_hash == state_.vocabulary_hash, run_,
        "expected the vocabulary of the checkpoint; the one in the folder is another. Hint: restore it");
  check(saved.data_hash == state_.data_hash, "data.train",
        "expected the training and validation data of the checkpoint; {} or data.valid is different now. Hint: restore "
        "the data, or start a new run "
        "with train.warm_start: {}",
        config_.data.train, run_);
  schedule_.set_plateau(saved.plateau);
  state_ = std::move(saved);
}

/// The links as the state says: a kill may have come before them, and what a run ended with may be called its best,
/// which it is not for one that goes on.
void Trainer::restore_links(bool goes_on) {
  const auto best = static_cast<std::uint64_t>(state_.best_update);
  const bool knows_best = state_.has_best && (goes_on || state_.best_update == state_.update);
  checkpoints_->point_links(static_cast<std::uint64_t>(state_.update),
                            knows_best && checkpoints_->has(best) ? std::optional(best) : std::nullopt);
  if (goes_on && !state_.has_best) checkpoints_->forget_best();
}

void Trainer::warm_start(const CheckpointReader& base) {
  check(read_training_state(base).vocabulary_hash == state_.vocabulary_hash, "train.warm_start",
        "expected a run with the vocabulary that it was trained with; {} has another", config_.train.warm_start);
  read_mean_parameters({&base, 1}, model_->parameters);
}

/// Once it is sure that there is memory for them and for a step of the largest batch, which stays laid out. All epochs
/// have batches of the same shapes.
void Trainer::make_model_and_optimizer() {
  std::size_t largest = 0;
  std::pair<int, Index> most{};
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    fill_batch(batch_, training_, batches_[i], layout(config_.data));
    if (size_in_memory(batch_) <= most) continue;
    most = size_in_memory(batch_);
    largest = i;
  }
  fill_batch(batch_, training_, batches_[largest], layout(config_.data));
  const Index source_vocabulary = tokenizers_.source->vocabulary_size(),
              target_vocabulary = tokenizers_.target->vocabulary_size();
  check_training_fits(config_, source_vocabulary, target_vocabulary, extent_of(batch_));
  model_ =
      make_model(config_.model, source_vocabulary, target_vocabulary, static_cast<std::uint64_t>(config_.train.seed));
  optimizer_ = make_optimizer(config_.optim, model_->parameters);
}

/// One pass forward and back over the batch that is laid out, the largest, for the memory that it takes: the estimate
/// is made sure of before anything is written, and the arena then has its size. Nothing that training reads is left
/// changed.
std::string Trainer::rehearse() {
  context_.backward(loss_of_batch({.training = true}).sum);
  model_->parameters.clear_grads();
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double parameters = mib(model_->parameters.values().size_bytes());
  return fmt::format(
      "memory: parameters {0:.1f} MiB, gradients {0:.1f}, optimizer {1:.1f}{2};\n"
      "    a step of {3} rows {4:.1f}; {5:.0f} in all with program and data, validation apart",
      parameters, mib(moments), average_ ? fmt::format(", average {:.1f}", parameters) : "",
      batch_.source_rows + batch_.target_rows, mib(context_.arena().peak_bytes()), peak_rss_mb());
}

void Trainer::write_head(const std::vector<std::string>& notes, const std::string& memory) {
  if (state_.update == 0) log_->record("configuration\n" + state_.config);
  log_->line(describe_runtime());
  for (const std::string& warning : warnings(surroundings())) log_->line("warning: " + warning);
  log_->line(data_report_);
  log_->line(fmt::format("model: {} parameters; {} source and {} target tokens{}", model_->parameters.count(),
                         tokenizers_.source->vocabulary_size(), tokenizers_.target->vocabulary_size(),
                         tokenizers_.shared() ? ", shared" : ""));
  log_->line(fmt::format("{} an epoch; useful tokens: {:.1f} % of padded boxes{}", counted(batches_.size(), "batch"),
                         100 * useful_share(training_, batches_, Layout::padded),
                         config_.data.layout == DataConfig::Layout::packed ? ", 100 % as packed" : ""));
  log_->line(memory);
  if (average_)
    log_->line(
        fmt::format("the moving average of the weights is validated and translates (train.ema {})", config_.train.ema));
  if (validation_.size() > 0 && config_.train.decode_validation)
    log_->line("BLEU: " + bleu_signature(bleu_options(config_)));
  log_->line(budget(config_, updates_per_epoch()));
  if (sampler_->oversized() > 0)
    log_->line(counted(sampler_->oversized(), "sentence") + " above data.max_tokens alone: a batch each");
  for (const std::string& note : notes) log_->line("note: " + note);
}

}  // namespace glossa
