#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "base/atomic_file.h"
#include "base/counted.h"
#include "config/auto_options.h"
#include "config/exportable.h"
#include "data/corpora/corpus_doubts.h"
#include "data/text/shell_word.h"
#include "decoding/scores/bleu.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/checkpoint/checkpoint.h"
#include "train/model/memory_check.h"
#include "train/prepared/corpus_cache.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/start_check.h"
#include "train/stray_checkpoint.h"
#include "train/trainer.h"
#include "train/validation_history.h"
#include "train/warm_start.h"

namespace glossa {
namespace {

/// Reads the configuration from the checkpoint, because the run's file may have been edited.
Config config_of(const FoundCheckpoint& found) {
  return parse_config(read_training_state(found.reader).config, found.reader.path());
}

/// Throws a misuse error if the folder of a new run already has a valid checkpoint.
void check_is_unused(const std::string& run, const std::optional<FoundCheckpoint>& found) {
  if (found)
    misuse(run,
           "expected an empty folder for a new run; got one with checkpoints. Hint: continue with {}, choose another "
           "--run, or delete the folder",
           shell_command({"glossa", "train", "--resume", std::filesystem::path(run)}));
}

/// Throws unless the run may resume from the checkpoint with the options `now`. `old` are the checkpoint's options.
void check_continues(const std::string& run, const FoundCheckpoint& found, const Config& old, const Config& now) {
  const std::string path = found.reader.path();
  const auto belongs = [&](const TrainingState& state) {
    try {
      check_resume(parse_config(state.config, path), now);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  check_is_not_stray(run, path, read_training_state(found.reader), belongs);
  check_resume(old, now);
}

/// Describes in one line when training ends. If the warm-up is given in epochs, the line also has it in updates.
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

/// Describes the active regularization methods for small data: "trains with R-Drop (train.r_drop 5)". Empty if none is
/// active.
std::string regularization(const Config& config) {
  std::vector<std::string> methods;
  const auto add = [&](std::string_view method, std::string_view key, double strength) {
    if (strength > 0) methods.push_back(fmt::format("{} ({} {})", method, key, strength));
  };
  add("BPE-dropout", "data.bpe_dropout", config.data.bpe_dropout);
  add("unigram sampling", "data.unigram_sampling", config.data.unigram_sampling);
  add("R-Drop", "train.r_drop", config.train.r_drop);
  add("word dropout", "train.word_dropout", config.train.word_dropout);
  return methods.empty() ? "" : fmt::format("trains with {}", fmt::join(methods, ", "));
}

/// Reads the corpus of data.test, to compare it with the training text. If this fails, adds the reason to `warnings`,
/// because training does not need the corpus. Skips toy corpora, whose splits are disjoint.
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

/// Returns a resumed run's tokenizers or those of train.warm_start; empty if tokenizers have to be learned.
Tokenizers existing_tokenizers(const Config& config, const std::string& run, bool resuming) {
  return resuming ? load_tokenizers(config.data, run) : warm_start_tokenizers(config);
}

/// Unless the configuration sets BLEU's tokenizer, chooses one by language and text. Notes a non-default choice.
void decide_bleu_tokenizer(Config& config, std::span<const std::string> target, std::vector<std::string>& notes) {
  std::optional<BleuTokenizer>& tokenizer = config.train.bleu_tokenize;
  if (tokenizer) return;
  tokenizer = usual_bleu_tokenizer(config.data.target, target);
  if (tokenizer != BleuOptions().tokenizer)
    notes.push_back(
        fmt::format("BLEU counts characters (tok:{}): no spaces separate words in {}; see train.bleu_tokenize",
                    name(*tokenizer), config.data.target));
}

/// Returns process 0's tokenizers, if it has any.
Tokenizers as_first(const Job& job, const Tokenizers& tokenizers, bool shared) {
  if (!job.is_several()) return tokenizers;
  const auto received = [&](const std::shared_ptr<const Tokenizer>& tokenizer) {
    const std::string bytes = job.broadcast(tokenizer ? tokenizer->serialize() : "");
    return tokenizer || bytes.empty() ? tokenizer : parse_tokenizer(bytes, job.place().name(0));
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

/// Starting point of a run: its own checkpoint, one of train.warm_start, or nothing. Only process 0 searches for it.
struct Origin {
  std::unique_ptr<CheckpointFolder> checkpoints = {};  // null until the run's folder exists
  std::unique_ptr<NewRunFolder> new_folder = {};       // removes the folder if the preparation fails
  std::optional<FoundCheckpoint> found = {};           // checkpoint to resume from
  std::optional<CheckpointReader> base = {};           // checkpoint of train.warm_start
  bool begins = false;                                 // false if the run began earlier, even without a checkpoint
};

/// Texts for the head of the log.
struct Remarks {
  std::string memory, exports;
  std::vector<std::string> warnings, notes;

  void warn(const std::vector<std::string>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); }
};

void check_every_process_works(const Config& config, const Job& job) {
  if (config.train.accumulate < job.count())
    throw CommonError(
        Error::Kind::misuse, "train.accumulate",
        "expected at least {}, one micro-batch per process and update; got {}. Hint: use {}, or fewer processes",
        job.count(), config.train.accumulate,
        shell_command({"--set", fmt::format("train.accumulate={}", job.count())}));
}

std::unique_ptr<CheckpointFolder> open_checkpoints(const std::string& run, const Config& config) {
  return std::make_unique<CheckpointFolder>(run, static_cast<std::size_t>(config.train.keep_checkpoints));
}

/// Finds a run's checkpoint or warm start, and sets the options in `config` that it decides.
Origin find_origin(const TrainingOrder& order, Config& config, Remarks& remarks) {
  Origin origin;
  if (std::filesystem::exists(order.run)) {
    origin.checkpoints = open_checkpoints(order.run, config);
    origin.found = origin.checkpoints->newest_valid();
  }
  if (!order.resume) check_is_unused(order.run, origin.found);
  if (origin.found) {
    const Config old = config_of(*origin.found);
    config = decided_as(old, std::move(config));
    config.train.allow = old.train.allow;  // train.allow matters only when a run starts
    check_continues(order.run, *origin.found, old, config);
    for (const auto& [key, before, now] : differences(old, config))
      remarks.notes.push_back(fmt::format("{} is now {}; it was {}", key, now, before));
    return origin;
  }
  origin.begins = !order.resume || !std::filesystem::exists(std::filesystem::path(order.run) / "config.yaml");
  check_not_overwriting(config, order.config_path, order.run);
  if (order.resume) remarks.warnings.push_back("--resume: no checkpoint in " + order.run + " yet, starting afresh");
  if (!config.train.warm_start.empty()) origin.base.emplace(open_warm_start(config, remarks.warnings));
  return origin;
}

/// Throws a misuse error for mistakes that train.allow does not list. Never called for a run that began earlier.
void check_new_run(const Config& config, const Origin& origin, const Corpora& corpora, const ParallelCorpus* test) {
  std::optional<Config> base;
  if (origin.base) base = parse_config(read_training_state(*origin.base).config, origin.base->path());
  check_start({.config = config, .corpora = corpora, .base = base ? &*base : nullptr, .test = test});
  if (base) check_direction(*base, config, corpora.training);
}

/// Reads the corpora, decides the options that depend on them, and makes tokenizers and model.
void make_task(PreparedRun& run, Origin& origin, const CorpusPlaces& places, Remarks& remarks) {
  const Job& job = run.job;
  Config& config = run.config;
  Corpora corpora;
  std::optional<ParallelCorpus> test;
  Tokenizers tokenizers;
  std::shared_ptr<const PreparedCorpus> prepared;
  if (job.is_several()) config = parse_config(job.broadcast(dump(config)), run.folder);
  job.together([&] {
    if (job.is_first()) tokenizers = existing_tokenizers(config, run.folder, origin.found.has_value());
  });
  tokenizers = as_first(job, tokenizers, one_tokenizer(config.data));
  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  bool prepares = false;
  const auto prepare_text = [&] { prepared = CorpusCache(config.data, places).get(config, places, tokenizers); };
  job.together([&] {
    prepares = is_large(config.data, places);
    const PreparedTraining nothing;
    if (prepares) read_corpora(config.data, seed, places, &nothing);  // checks data.valid before the slow preparation
    if (prepares && job.is_first()) prepare_text();
  });
  job.together([&] {
    if (prepares && !job.is_first()) prepare_text();  // a process on the host of process 0 finds the prepared text
    corpora = read_corpora(config.data, seed, places, prepared ? &prepared->record().text : nullptr);
    if (prepared) corpora.prepared = prepared->hashes();
    if (origin.begins) {
      test = read_test(config, places, remarks.warnings);
      check_new_run(config, origin, corpora, test ? &*test : nullptr);
    }
    decide_auto_options(config, prepared ? prepared->record().size : size_of(corpora.training), corpora.split);
    decide_bleu_tokenizer(config, corpora.training.target, remarks.notes);
    if (!job.is_first()) return;
    if (const std::string note = note_on_ignored(config.data, places); !note.empty()) remarks.notes.push_back(note);
    if (!origin.checkpoints) origin.new_folder = std::make_unique<NewRunFolder>(run.folder);
    if (prepared || !tokenizers.source)
      tokenizers = prepared ? prepared->tokenizers() : learn_tokenizers(config.data, corpora.training);
  });
  job.agree("prepared pairs of data.train", prepared ? std::to_string(prepared->fingerprint()) : "");
  std::vector<const ParallelCorpus*> texts{&corpora.training, &corpora.validation};
  for (const ParallelCorpus& corpus : corpora.watched) texts.push_back(&corpus);
  agree_on_text("data.train and data.valid", texts, job);
  config = agreed(config, job);
  tokenizers = as_first(job, tokenizers, one_tokenizer(config.data));
  job.together([&] {
    const VocabularySizes sizes{tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size()};
    check_exportable(config, sizes);
    remarks.exports = possible_exports(config, sizes);
    run.task = std::make_unique<TranslationTask>(config, corpora, tokenizers, job, prepared);
    for (const auto& doubts : {corpus_doubts(config.data, corpora, test ? &*test : nullptr),
                               size_doubts(config.data, corpora, !config.train.warm_start.empty()),
                               option_doubts(config), length_doubts(config, run.updates_per_epoch())})
      remarks.warn(doubts);
    if (prepared) prepared->release();
  });
  job.agree("program and instruction set", job.is_several() ? program_fingerprint(config.train.precision) : "");
}

/// Returns the state in the checkpoint to resume from, after checking that it belongs to this run.
TrainingState state_in(const FoundCheckpoint& found, const PreparedRun& run) {
  const std::uint64_t vocabulary = run.task->vocabulary_hash(), data = run.task->data_hash();
  TrainingState saved = read_training_state(found.reader);
  check_is_not_stray(run.folder, found.reader.path(), saved, [&](const TrainingState& state) {
    return state.vocabulary_hash == vocabulary && state.data_hash == data;
  });
  check(saved.vocabulary_hash == vocabulary, run.folder,
        "expected the vocabulary of the checkpoint; got another in the folder. Hint: restore it");
  check(saved.data_hash == data, "data.train",
        "expected the training and validation data of the checkpoint; got others, as {} or data.valid has changed. "
        "Hint: restore the data, or start a new run with {}",
        run.config.data.train.text(), shell_command({"--set", "train.warm_start=" + run.folder}));
  return saved;
}

/// Returns TrainingState::text for the run. The weights of train.warm_start have also learned the lengths of that run's
/// text. If that run recorded none, `usual_words` is therefore unknown. `several_percent` comes from the new text.
TextStatistics learned_text(const PreparedRun& run, const Origin& origin) {
  TextStatistics text = run.task->text_statistics();
  const TextStatistics& resumed = run.state.text;
  if (resumed.several_percent >= 0) text.several_percent = resumed.several_percent;
  if (resumed.usual_words > 0) {
    text.usual_words = resumed.usual_words;
  } else if (!run.config.train.warm_start.empty()) {
    const std::int64_t before = origin.base ? read_training_state(*origin.base).text.usual_words : 0;
    text.usual_words = before > 0 ? std::max(before, text.usual_words) : 0;
  }
  return text;
}

/// Makes the optimizer, and loads the state to resume from, or the weights of train.warm_start.
void restore(PreparedRun& run, const Origin& origin) {
  const Job& job = run.job;
  TrainingState& state = run.state;
  ParameterStore<float>& parameters = run.task->parameters();
  state.vocabulary_hash = run.task->vocabulary_hash();
  state.data_hash = run.task->data_hash();
  run.resumes = origin.found.has_value();
  job.together([&] {
    if (origin.found) {
      state = state_in(*origin.found, run);
      read_parameters(origin.found->reader, parameters);
    } else if (origin.base) {
      read_mean_parameters({&*origin.base, 1}, parameters);
    }
  });
  job.broadcast(std::as_writable_bytes(std::span(&run.resumes, 1)));
  if (job.is_several()) {
    const std::string first = job.broadcast(to_bytes(state));
    if (!job.is_first()) state = from_bytes<TrainingState>(first, run.folder);
    job.broadcast(std::as_writable_bytes(parameters.values()));
    parameters.mark_changed();
  }
  job.together([&] {
    run.schedule = make_schedule(run.config.optim, run.config.model.transformer.stack.width, run.updates_per_epoch());
    run.schedule.set_plateau(state.plateau);
    run.task->begin_epoch(state.epoch);
    check(state.batch < run.task->batches(), "resume",
          "expected a position within the {} of epoch {}; got {}. Hint: move the file away to use the one "
          "before it",
          counted(run.task->batches(), "batch"), state.epoch, state.batch);
    run.updater = std::make_unique<Updater>(run.config, *run.task, job);
  });
  if (run.resumes) {
    read_moments(origin.found ? &origin.found->reader : nullptr, parameters, run.updater->optimizer(), state,
                 [&](std::span<std::byte> moments) { job.broadcast(moments); });
    if (MovingAverage<float>* average = run.updater->average()) {
      if (origin.found) read_average(origin.found->reader, parameters, *average);
      job.broadcast(std::as_writable_bytes(average->average()));
    }
  }
}

void remark_on_origin(const PreparedRun& run, const Origin& origin, Remarks& remarks) {
  const TrainingState& state = run.state;
  if (origin.found) {
    for (const Error& refused : origin.found->refused)
      remarks.warnings.push_back(fmt::format("checkpoint skipped: {}", refused.what()));
    remarks.notes.push_back(run.resumption());
    constexpr std::string_view inexact = "training continues, but may not match an uninterrupted run bit for bit";
    if (state.build != build_fingerprint())
      remarks.warnings.push_back(
          fmt::format("the checkpoint was written by another build ({}): {}", describe_build(state.build), inexact));
    else if (const std::string here = host_fingerprint(config_of(*origin.found).train.precision),
             host = text_in_checkpoint(origin.found->reader, host_entry).value_or(here);
             host != here) {
      const std::string_view kind = bf16_kind_of(here), kind_before = bf16_kind_of(host);
      const bool only_kind =
          host.substr(0, host.size() - kind_before.size()) == here.substr(0, here.size() - kind.size());
      if (!only_kind)
        remarks.warnings.push_back(fmt::format(
            "the checkpoint was written on another processor or with other libraries ({}): {}", host, inexact));
      else if (run.config.train.precision == Precision::bf16)
        remarks.warnings.push_back(fmt::format("products in bf16 are by {}; before the checkpoint they were by {}: {}",
                                               kind, kind_before, inexact));
    }
  } else if (origin.base) {
    const std::string& base = run.config.train.warm_start;
    remarks.notes.push_back("warm start: weights of " + base);
    if (const std::string note = RunName(base).note(); !note.empty()) remarks.notes.push_back(note);
  }
}

/// Throws or warns if the disk is too small for the checkpoints that the run keeps.
void check_disk_space(const PreparedRun& run, const Origin& origin, Remarks& remarks) {
  const TrainConfig& train = run.config.train;
  const auto epoch = static_cast<double>(run.updates_per_epoch());
  const auto updates = [&](const Period& period) {  // infinite if unknown
    return period.never() || period.unit == Period::Unit::target_tokens ? HUGE_VAL
           : period.unit == Period::Unit::epochs                        ? epoch * period.amount
                                                                        : period.amount;
  };
  const double left =
      std::min(updates(train.max_updates), updates(train.max_epochs)) - static_cast<double>(run.state.update);
  const bool may_save_more = train.save_every.unit == Period::Unit::target_tokens || !std::isfinite(left);
  const double validations = run.validates() ? left / updates(train.validate_every) : 0;
  const double saves = may_save_more ? HUGE_VAL : std::floor(left / updates(train.save_every) + validations) + 1;
  const double kept = static_cast<double>(train.keep_checkpoints) + (run.validates() ? 1 : 0);  // plus the best
  const double present = origin.checkpoints ? static_cast<double>(origin.checkpoints->count()) : 0;
  // While a checkpoint is being written, the one that it replaces still exists.
  const double files = std::min(saves, std::max(kept + 1 - present, 1.0));
  const double arrays =
      1 + static_cast<double>(run.updater->optimizer().state().size()) + (run.updater->average() ? 1 : 0);
  const double bytes =
      arrays * static_cast<double>(sizeof(float)) * static_cast<double>(run.task->parameters().count());
  const auto available = static_cast<double>(std::filesystem::space(run.folder).available);
  if (const std::string warning = check_disk(run.folder, files, bytes, available); !warning.empty())
    remarks.warnings.push_back(warning);
}

/// Sets the links `last` and `best` according to the state. A killed trainer may not have updated them. `best` may also
/// name the final weights of an earlier session (validate_end), which do not count once training continues.
void restore_links(const CheckpointFolder& checkpoints, const TrainingState& state, bool trains) {
  const auto best = static_cast<std::uint64_t>(state.best_update);
  const bool knows_best = state.has_best && (trains || state.best_update == state.update);
  checkpoints.point_links(static_cast<std::uint64_t>(state.update),
                          knows_best && checkpoints.has(best) ? std::optional(best) : std::nullopt);
  if (trains && !state.has_best) checkpoints.forget_best();
}

/// Opens the run's files in process 0. `trains` is false for a finished run.
std::unique_ptr<RunRecords> open_records(const PreparedRun& run, Origin& origin, const CorpusPlaces& places,
                                         bool trains, const Settings& settings, Remarks& remarks) {
  const Uninterrupted whole;
  const TrainingState& state = run.state;
  if (!origin.checkpoints) {
    origin.checkpoints = open_checkpoints(run.folder, run.config);
    // Another trainer may have used the folder while this one prepared its data.
    check_is_unused(run.folder, origin.checkpoints->newest_valid());
  }
  if (origin.new_folder) origin.new_folder->keep();
  if (!places.is_recorded()) record_origin(run.folder, places.working_folder());
  const Config written = run.resumes ? with_own_decoding(run.folder, run.config, settings, remarks.notes) : run.config;
  write_file_atomically(config_file(run.folder), dump(written));
  if (!run.resumes) run.task->save(run.folder);
  const std::int64_t updates_done = run.resumes ? state.update : -1;
  std::unique_ptr<RunRecords> records(
      new RunRecords{.checkpoints = std::move(origin.checkpoints), .log = RunLog(run.folder, updates_done, trains)});
  if (run.config.train.tensorboard) records->tensorboard.emplace(run.folder, updates_done + 1, state.config);
  // Only after the log has dropped the validation at the end: if a kill comes between, the next resume repeats both.
  if (run.resumes) restore_links(*records->checkpoints, state, trains);
  return records;
}

/// Returns the first lines of the log.
std::vector<LogLine> head_of(const PreparedRun& run, const Remarks& remarks) {
  const Config& config = run.config;
  std::vector<LogLine> head;
  const auto add = [&](std::string text, LogLine::Kind kind = LogLine::Kind::note) {
    head.push_back({.kind = kind, .text = std::move(text)});
  };
  const bool is_new = !run.resumes;
  // report/train_log.cpp recognizes a start by this line.
  std::string start =
      fmt::format("{} run: every option is in {}", is_new ? "new" : "resumed", config_file(run.folder).string());
  for (const std::string& line : run.decided) start += "\n" + line;
  add(start);
  if (is_new) add("configuration\n" + run.state.config, LogLine::Kind::detail);
  if (run.job.is_several()) add(describe(run.job));
  add(describe_runtime(config.train.precision));
  for (const std::string& warning : warnings(environment(), config.train.precision))
    add("warning: " + warning, LogLine::Kind::warning);
  for (const std::string& line : run.task->head()) add(line);
  add(remarks.memory);
  add(remarks.exports);
  if (const std::string methods = regularization(config); !methods.empty()) add(methods);
  if (run.updater->average())
    add(fmt::format("validating and translating with the moving average of the weights (train.ema {})",
                    config.train.ema));
  add(budget(config, run.updates_per_epoch()));
  for (const std::string& warning : remarks.warnings) add("warning: " + warning, LogLine::Kind::warning);
  for (const std::string& note : remarks.notes) add("note: " + note);
  return head;
}

}  // namespace

PreparedRun prepare(const TrainingOrder& order, const Job& job) {
  PreparedRun run{.job = job, .folder = order.run, .config = order.config};
  std::string record;  // places of a resumed run's corpora
  job.together([&] {
    validate(run.config);
    if (order.resume && job.is_first()) record = CorpusPlaces::record(run.folder);
    apply_runtime(run.config.runtime, job);
  });
  record = job.broadcast(std::move(record));
  CorpusPlaces places;
  job.together([&] {
    if (order.resume) places = CorpusPlaces(run.folder, record);
  });
  run.config = agreed(run.config, job);
  const Config given = run.config;  // options may still be `auto`
  check_every_process_works(given, job);
  // Checked before a run folder exists, because faulty input must not leave one behind.
  Remarks remarks;
  Origin origin;
  job.together([&] {
    if (job.is_first()) origin = find_origin(order, run.config, remarks);
    check_training_fits(decided_for({}, run.config), 1, 1, {}, job);  // a lower bound, before the slow reading of text
  });
  make_task(run, origin, places, remarks);
  restore(run, origin);
  remark_on_origin(run, origin, remarks);
  run.state.text = learned_text(run, origin);
  run.state.config = dump(run.config);
  run.state.build = build_fingerprint();
  const bool trains = !run.ending();
  if (trains) run.task->order_ahead();
  job.together([&] { remarks.memory = run.updater->rehearse(); });
  job.together([&] {
    if (!job.is_first()) return;
    if (trains) check_disk_space(run, origin, remarks);
    run.records = open_records(run, origin, places, trains, order.settings, remarks);
    run.last_validation = last_validation(run.folder);
  });
  job.broadcast(std::as_writable_bytes(std::span(&run.last_validation, 1)));
  run.decided = decisions(given, run.config);
  run.head = head_of(run, remarks);
  return run;
}

}  // namespace glossa
