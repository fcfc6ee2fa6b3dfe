#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "data/text/counted.h"
#include "data/text/language_evidence.h"
#include "data/text/shell_word.h"
#include "files/atomic_file.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/checkpoint/disk_need.h"
#include "train/config/auto_options.h"
#include "train/config/exportable.h"
#include "train/corpora/corpus_doubts.h"
#include "train/direction_check.h"
#include "train/model/memory_check.h"
#include "train/model/model_shape.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/scores/bleu.h"
#include "train/start_check.h"
#include "train/stray_checkpoint.h"
#include "train/trainer.h"
#include "train/translation_task.h"

namespace glossa {

namespace {

/// Reads the configuration from the checkpoint, because the run's file may have been edited.
Config config_of(const FoundCheckpoint& found) {
  return parse_config(read_training_state(found.reader).config, found.reader.path());
}

bool may_resume(const Config& old, const Config& now) {
  try {
    check_resume(old, now);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Refuses to overwrite an old run, or to resume a different one.
void check_continues(const Config& config, const std::string& run, bool resume,
                     const std::optional<FoundCheckpoint>& found) {
  if (found && !resume)
    misuse(
        run,
        "expected an empty folder for a new run; got one with checkpoints. Hint: continue with {}, or choose another "
        "--run",
        shell_command({"glossa", "train", "--resume", std::filesystem::path(run)}));
  if (!found) return;
  const auto belongs = [&](const TrainingState& state) {
    return may_resume(parse_config(state.config, found->reader.path()), config);
  };
  check_is_not_stray(run, found->reader.path(), read_training_state(found->reader), belongs);
  check_resume(config_of(*found), config);
}

/// Returns warnings about options that differ from those of the run in train.warm_start, whose weights were trained
/// with its options, vocabulary and languages.
std::vector<std::string> doubts_of_warm_start(const Config& base, const Config& config) {
  const auto binds = [](std::string_view key) {
    if (key.starts_with("model."))
      return key.find("dropout") == key.npos && !key.starts_with("model.init") && key != "model.max_positions";
    return key == "data.lowercase" || key == "data.normalization" || key == "data.vocab_size";
  };
  std::vector<std::string> doubts;
  for (const OptionSection& section : option_sections())
    for (const auto& option : section.options) {
      const std::string key = section.name + "." + option.name, before = option.text(base), now = option.text(config);
      if (binds(key) && now != before && now != "auto")
        doubts.push_back(
            fmt::format("{} is {}, but {} was trained with {}", key, now, config.train.warm_start, before));
    }
  const DataConfig &was = base.data, &is = config.data;
  if (was.source != "source" && !(same_language(was.source, is.source) && same_language(was.target, is.target)))
    doubts.push_back(fmt::format("data.source and data.target are {} and {}, but {} translates {} to {}", is.source,
                                 is.target, config.train.warm_start, was.source, was.target));
  return doubts;
}

/// Opens the checkpoint that train.warm_start names, or the checkpoint of the run that it names. The vocabulary must be
/// of the configured kind, and the model of the same shape. Takes undecided model options from the checkpoint and adds
/// doubts to `warnings`.
CheckpointReader open_warm_start(Config& config, std::vector<std::string>& warnings) {
  const std::filesystem::path from = config.train.warm_start;
  check(std::filesystem::exists(from), "train.warm_start",
        "expected a run or a checkpoint; {} not found. Hint: import a pretrained model with {}", from.string(),
        shell_command({"glossa", "import", "FOLDER", "--run", from}));
  CheckpointReader reader(RunName(from).files().front());
  const Config base = parse_config(read_training_state(reader).config, reader.path());
  check_agree(
      base, config, [](std::string_view key) { return key == "data.tokenizer" || key == "data.shared_vocabulary"; },
      "as in the run of train.warm_start", "weights are useless without their vocabulary");
  const std::uint64_t vocabulary = load_tokenizers(config.data, RunName(from).folder()).fingerprint();
  check(read_training_state(reader).vocabulary_hash == vocabulary, "train.warm_start",
        "expected a run with the vocabulary that it was trained with; got another in {}", from.string());
  config = decided_as(base, std::move(config), "model");
  const std::string unfit = differently_shaped(base, config);
  check_agree(
      base, config, [&](std::string_view key) { return key == unfit; }, "as in the run of train.warm_start",
      "omit the options of the model, which are then taken from that run");
  for (std::string& doubt : doubts_of_warm_start(base, config)) warnings.push_back(std::move(doubt));
  return reader;
}

/// Describes in one line when training ends, and a warm-up given in epochs.
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

/// Reads the corpus of data.test, for comparison with the training text. If this fails, adds the reason to `warnings`:
/// training does not need the corpus. A toy corpus shares no sentence with another split.
std::optional<ParallelCorpus> read_test(const Config& config, const CorpusPlaces& places,
                                        std::vector<std::string>& warnings) {
  if (config.data.test.empty() || toy_pairs("data.test", config.data.test)) return {};
  try {
    return read_test_corpus(config.data, static_cast<std::uint64_t>(config.train.seed), places);
  } catch (const Error& error) {
    warnings.push_back(fmt::format("data.test is not compared with data.train: {}", error.what()));
    return {};
  }
}

/// Returns a resumed run's tokenizers, those of train.warm_start, or new ones.
Tokenizers tokenizers_for(const Config& config, const std::string& run, bool resuming, const ParallelCorpus& text) {
  if (resuming) return load_tokenizers(config.data, run);
  if (!config.train.warm_start.empty())  // weights only fit their own vocabulary
    return load_tokenizers(config.data, RunName(config.train.warm_start).folder());
  return train_tokenizers(config.data, text);
}

/// Chooses BLEU's tokenizer by the text if the configuration does not set one. Returns a log line if it is not the
/// default.
std::vector<std::string> decide_bleu_tokenizer(Config& config, std::span<const std::string> target) {
  std::optional<BleuTokenizer>& tokenizer = config.train.bleu_tokenize;
  if (tokenizer) return {};
  tokenizer = usual_bleu_tokenizer(config.data.target, target);
  if (tokenizer == BleuOptions().tokenizer) return {};
  return {fmt::format("BLEU counts characters (tok:{}): no spaces separate words in {}; see train.bleu_tokenize",
                      name(*tokenizer), config.data.target)};
}

/// Copies process 0's tokenizers.
Tokenizers as_first(const Job& job, const Tokenizers& tokenizers, bool shared) {
  if (!job.is_several()) return tokenizers;
  const auto received = [&](const std::shared_ptr<const Tokenizer>& tokenizer) {
    const std::string bytes = job.broadcast(tokenizer ? tokenizer->serialize() : "");
    return tokenizer ? tokenizer : parse_tokenizer(bytes, job.place().name(0));
  };
  const std::shared_ptr<const Tokenizer> source = received(tokenizers.source);
  return {source, shared ? source : received(tokenizers.target)};
}

/// Describes a job: "4 processes: 2 on first, 2 on second".
std::string describe(const Job& job) {
  std::map<std::string, int> on_host;
  for (const std::string& host : job.place().hosts) ++on_host[host];
  std::vector<std::string> hosts;
  for (const auto& [host, count] : on_host) hosts.push_back(fmt::format("{} on {}", count, host));
  return fmt::format("{}: {}", counted(job.count(), "process"), fmt::join(hosts, ", "));
}

/// Copies process 0's numbers.
void as_first(const Job& job, std::span<float> numbers) { job.broadcast(std::as_writable_bytes(numbers)); }

}  // namespace

Trainer::Trainer(Config config, const std::string& config_path, const std::string& run, bool resume, const Job& job)
    : job_(job), config_(std::move(config)), run_(run) {
  job_.together([&] {
    check(config_);
    if (resume) places_ = CorpusPlaces(run);
    apply_runtime(config_.runtime, job_);
  });
  config_ = agreed(config_, job_);
  given_ = config_;
  if (config_.train.accumulate < job_.count())
    throw CommonError(Error::Kind::misuse, "train.accumulate",
                      fmt::format("expected at least {}, one micro-batch per process and update; got {}. Hint: use {}, "
                                  "or fewer processes",
                                  job_.count(), config_.train.accumulate,
                                  shell_command({"--set", fmt::format("train.accumulate={}", job_.count())})));
  // Checked before a run folder exists, so that faulty input does not leave one behind.
  job_.together([&] {
    if (job_.is_first()) find_run(config_path, resume);
    // Checks what is known before the slow reading of text.
    check_training_fits(decided_for({}, config_), 1, 1, {}, job_);
  });
  make_task();
  restore();
  const bool resumes = !ending();
  std::string memory;
  job_.together([&] { memory = updater_->rehearse(); });
  job_.together([&] {
    if (job_.is_first() && resumes) check_disk_space();
    if (job_.is_first()) open_files(resumes);
  });
  std::int64_t last_validation = log_ ? log_->last_validation() : 0;
  job_.broadcast(std::as_writable_bytes(std::span(&last_validation, 1)));
  if (!log_) log_.emplace(last_validation);
  write_head(memory);
  found_.reset();
  base_.reset();
}

void Trainer::open_checkpoints() {
  checkpoints_.emplace(run_, static_cast<std::size_t>(config_.train.keep_checkpoints));
}

/// Finds the existing state of the run and its starting point.
void Trainer::find_run(const std::string& config_path, bool resume) {
  if (std::filesystem::exists(run_)) {
    open_checkpoints();
    found_ = checkpoints_->newest_valid();
  }
  if (found_) {
    const Config old = config_of(*found_);
    config_ = decided_as(old, std::move(config_));
    config_.train.allow = old.train.allow;  // concerns the start only
  }
  check_continues(config_, run_, resume, found_);
  if (found_) {
    for (const auto& [key, before, now] : differences(config_of(*found_), config_))
      notes_.push_back(fmt::format("{} is now {}; it was {}", key, now, before));
    return;
  }
  begins_ = !resume || !std::filesystem::exists(std::filesystem::path(run_) / "config.yaml");
  check_not_overwriting(config_, config_path, run_);
  if (resume) warnings_.push_back("--resume: no checkpoint in " + run_ + " yet, starting afresh");
  if (!config_.train.warm_start.empty()) base_.emplace(open_warm_start(config_, warnings_));
}

/// Reads the corpora, decides the options that depend on them, and makes tokenizers and model.
void Trainer::make_task() {
  Corpora corpora;
  std::optional<ParallelCorpus> test;
  Tokenizers tokenizers;
  if (job_.is_several()) config_ = parse_config(job_.broadcast(dump(config_)), run_);
  job_.together([&] {
    corpora = read_corpora(config_.data, static_cast<std::uint64_t>(config_.train.seed), places_);
    if (job_.is_first()) test = read_test(config_, places_, warnings_);
    if (begins_ && job_.is_first()) check_new_run(corpora, test ? &*test : nullptr);
    decide_auto_options(config_, corpora.training, corpora.split);
    for (std::string& line : decide_bleu_tokenizer(config_, corpora.training.target)) notes_.push_back(std::move(line));
    if (!job_.is_first()) return;
    if (!checkpoints_) new_folder_.emplace(run_);
    tokenizers = tokenizers_for(config_, run_, found_.has_value(), corpora.training);
  });
  std::vector<const ParallelCorpus*> texts{&corpora.training, &corpora.validation};
  for (const ParallelCorpus& corpus : corpora.watched) texts.push_back(&corpus);
  agree_on_text("data.train and data.valid", texts, job_);
  config_ = agreed(config_, job_);
  tokenizers = as_first(job_, tokenizers, one_tokenizer(config_.data));
  job_.together([&] {
    const VocabularySizes sizes{tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size()};
    check_exportable(config_, sizes);
    exports_ = possible_exports(config_, sizes);
    task_ = std::make_unique<TranslationTask>(config_, corpora, tokenizers, job_);
    const std::int64_t epoch = updates_per_epoch();
    schedule_ = make_schedule(config_.optim, config_.model.width, epoch);
    for (const auto& doubts : {corpus_doubts(config_.data, corpora, test ? &*test : nullptr),
                               size_doubts(config_, corpora), check(config_), length_doubts(config_, epoch)})
      warnings_.insert(warnings_.end(), doubts.begin(), doubts.end());
  });
  state_.vocabulary_hash = task_->vocabulary_hash();
  state_.data_hash = task_->data_hash();
  job_.agree("program and instruction set", job_.is_several() ? program_fingerprint() : "");
}

/// Throws misuse for mistakes that train.allow does not list. Never called for a run that has begun before.
void Trainer::check_new_run(const Corpora& corpora, const ParallelCorpus* test) const {
  std::optional<Config> base;
  if (base_) base = parse_config(read_training_state(*base_).config, base_->path());
  check_start({.config = config_, .corpora = corpora, .base = base ? &*base : nullptr, .test = test});
  if (!base) return;
  const RunName name(config_.train.warm_start);
  check_direction(load_run(name, load_run_config(name.folder())), config_, corpora.training);
}

/// Loads the state to resume from, or the weights of train.warm_start.
void Trainer::restore() {
  ParameterStore<float>& parameters = task_->parameters();
  job_.together([&] {
    if (found_) {
      restore_state(*found_);
      read_parameters(found_->reader, parameters);
    } else if (base_) {
      read_mean_parameters({&*base_, 1}, parameters);
    }
  });
  char resumed = found_ ? 1 : 0;
  job_.broadcast(std::as_writable_bytes(std::span(&resumed, 1)));
  if (job_.is_several()) {
    const TextStatistics text = state_.text;  // is not among the bytes
    state_ = from_bytes<TrainingState>(job_.broadcast(to_bytes(state_)), run_);
    state_.text = text;
    as_first(job_, parameters.values());
    parameters.mark_changed();
  }
  schedule_.set_plateau(state_.plateau);
  job_.together([&] {
    begin_epoch(state_.epoch, state_.batch);
    check(state_.batch < task_->batches(), "resume",
          "expected a position within the {} of epoch {}; got {}. Hint: move the file away to use the one "
          "before it",
          counted(task_->batches(), "batch"), state_.epoch, state_.batch);
    updater_.emplace(config_, *task_, job_);
  });
  if (resumed != 0) {
    read_moments(found_ ? &found_->reader : nullptr, parameters, updater_->optimizer(), state_,
                 [&](std::span<std::byte> moments) { job_.broadcast(moments); });
    if (MovingAverage<float>* average = updater_->average()) {
      if (found_) read_average(found_->reader, parameters, *average);
      as_first(job_, average->average());
    }
  }
  if (found_) {
    for (const std::string& refused : found_->refused) warnings_.push_back("checkpoint skipped: " + refused);
    notes_.push_back(
        fmt::format("resumed at update {} (epoch {}, batch {})", state_.update, state_.epoch + 1, state_.batch));
    constexpr std::string_view inexact = "training continues, but may not match an uninterrupted run bit for bit";
    if (state_.build != build_fingerprint())
      warnings_.push_back(
          fmt::format("the checkpoint was written by another build ({}): {}", describe_build(state_.build), inexact));
    else if (const std::string here = host_fingerprint(), host = writer_host(found_->reader).value_or(here);
             host != here)
      warnings_.push_back(fmt::format(
          "the checkpoint was written on another processor or with other libraries ({}): {}", host, inexact));
  } else if (base_) {
    notes_.push_back("warm start: weights of " + config_.train.warm_start);
    if (const std::string note = RunName(config_.train.warm_start).note(); !note.empty()) notes_.push_back(note);
  }
  state_.text = learned_text();
  state_.config = dump(config_);
  state_.build = build_fingerprint();
}

/// Returns TrainingState::text for the run. The weights of train.warm_start have also learned the lengths of that run's
/// text, which a run that recorded none leaves unknown. Whether a line is one sentence is learned anew.
TextStatistics Trainer::learned_text() const {
  TextStatistics text = task_->text_statistics();
  if (state_.text.several_percent >= 0) text.several_percent = state_.text.several_percent;  // resumed
  if (state_.text.usual_words > 0) {                                                         // resumed
    text.usual_words = state_.text.usual_words;
  } else if (!config_.train.warm_start.empty()) {
    const std::int64_t before = base_ ? read_training_state(*base_).text.usual_words : 0;
    text.usual_words = before > 0 ? std::max(before, text.usual_words) : 0;
  }
  return text;
}

void Trainer::restore_state(const FoundCheckpoint& found) {
  TrainingState saved = read_training_state(found.reader);
  check_is_not_stray(run_, found.reader.path(), saved, [&](const TrainingState& state) {
    return state.vocabulary_hash == state_.vocabulary_hash && state.data_hash == state_.data_hash;
  });
  check(saved.vocabulary_hash == state_.vocabulary_hash, run_,
        "expected the vocabulary of the checkpoint; got another in the folder. Hint: restore it");
  check(saved.data_hash == state_.data_hash, "data.train",
        "expected the training and validation data of the checkpoint; {} or data.valid has changed. Hint: restore the "
        "data, or start a new run with {}",
        config_.data.train.text(), shell_command({"--set", "train.warm_start=" + run_}));
  state_ = std::move(saved);
}

/// Throws, or adds a warning, if the disk is too small for the checkpoints that the run keeps.
void Trainer::check_disk_space() {
  const TrainConfig& train = config_.train;
  const auto epoch = static_cast<double>(updates_per_epoch());
  const auto updates = [&](const Period& period) {  // infinite if unknown
    return period.never() || period.unit == Period::Unit::target_tokens ? HUGE_VAL
           : period.unit == Period::Unit::epochs                        ? epoch * period.amount
                                                                        : period.amount;
  };
  const double left =
      std::min(updates(train.max_updates), updates(train.max_epochs)) - static_cast<double>(state_.update);
  const bool may_save_more = train.save_every.unit == Period::Unit::target_tokens || !std::isfinite(left);
  const double validations = task_->can_validate() ? left / updates(train.validate_every) : 0;
  const double saves = may_save_more ? HUGE_VAL : std::floor(left / updates(train.save_every) + validations) + 1;
  const double kept = static_cast<double>(train.keep_checkpoints) + (task_->can_validate() ? 1 : 0);  // with the best
  const double present = checkpoints_ ? static_cast<double>(checkpoints_->count()) : 0;
  // While a checkpoint is written, the one that it replaces still exists.
  const double files = std::min(saves, std::max(kept + 1 - present, 1.0));
  const double arrays = 1 + static_cast<double>(updater_->optimizer().state().size()) + (updater_->average() ? 1 : 0);
  const double bytes = arrays * static_cast<double>(sizeof(float)) * static_cast<double>(task_->parameters().count());
  const std::string warning =
      check_disk(run_, files, bytes, static_cast<double>(std::filesystem::space(run_).available));
  if (!warning.empty()) warnings_.push_back(warning);
}

/// Opens the run's files in process 0.
void Trainer::open_files(bool resumes) {
  const Uninterrupted whole;
  if (!checkpoints_) {
    open_checkpoints();
    // Another trainer may have used the folder while this one prepared its data.
    check_continues(config_, run_, false, checkpoints_->newest_valid());
  }
  if (new_folder_) new_folder_->keep();
  if (!places_.is_recorded()) record_origin(run_, places_.working_folder());
  write_file_atomically(config_file(run_), state_.config);
  if (!found_) task_->save(run_);
  log_.emplace(run_, found_ ? state_.update : -1, stderr, resumes);
  if (config_.train.tensorboard) log_->begin_events(run_, state_.update, resumes, state_.config);
  if (found_) restore_links(resumes);  // after the log dropped the end: an interruption repeats this
}

/// Sets the links according to the state. A kill may have prevented their update, or they may name the former end of
/// the run as its best, which resuming revokes.
void Trainer::restore_links(bool resumes) {
  const auto best = static_cast<std::uint64_t>(state_.best_update);
  const bool knows_best = state_.has_best && (resumes || state_.best_update == state_.update);
  checkpoints_->point_links(static_cast<std::uint64_t>(state_.update),
                            knows_best && checkpoints_->has(best) ? std::optional(best) : std::nullopt);
  if (resumes && !state_.has_best) checkpoints_->forget_best();
}

void Trainer::write_head(const std::string& memory) {
  // app/report/train_log.cpp recognizes a start by this line.
  std::string start =
      fmt::format("{} run: every option is in {}", state_.update == 0 ? "new" : "resumed", config_file(run_).string());
  for (const std::string& line : decisions(given_, config_)) start += "\n" + line;
  log_->line(start);
  if (state_.update == 0) log_->detail("configuration\n" + state_.config);
  if (job_.is_several()) log_->line(describe(job_));
  log_->line(describe_runtime());
  for (const std::string& warning : warnings(environment())) log_->warning("warning: " + warning);
  for (const std::string& line : task_->head()) log_->line(line);
  log_->line(memory);
  log_->line(exports_);
  if (updater_->average())
    log_->line(fmt::format("validating and translating with the moving average of the weights (train.ema {})",
                           config_.train.ema));
  log_->line(budget(config_, updates_per_epoch()));
  for (const std::string& warning : warnings_) log_->warning("warning: " + warning);
  for (const std::string& note : notes_) log_->line("note: " + note);
}

}  // namespace glossa
