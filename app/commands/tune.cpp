#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <span>
#include <system_error>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/atomic_file.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/console/progress_bar.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "data/corpora/corpus_names.h"
#include "evaluation/held_out_check.h"
#include "evaluation/run_ensemble.h"
#include "evaluation/run_tuning.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct TuneArguments : EnsembleArguments {
  std::string test;  // corpus to translate; empty: the run's validation corpus
  std::string metric = "bleu";
  std::vector<std::int64_t> beams = TuningOptions().beams;
  bool write = false, json = false;
};

/// Returns the corpus that the command line names, otherwise the one that selected the run's best checkpoint.
ParallelCorpus corpus_of(const TuneArguments& arguments, const std::string& folder, const Config& config) {
  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  DataConfig data = config.data;
  data.test = arguments.test;
  if (!arguments.test.empty()) return read_test_corpus(data, seed);
  if (!data.valid.empty() && !toy_pairs("data.valid", *data.valid.begin())) {
    data.test = *data.valid.begin();
    return read_test_corpus(data, seed, CorpusPlaces(folder));  // needs no training text, which may be gone
  }
  const bool holds_out = data.valid.empty() && (!data.split || data.split->valid > 0);
  const auto prepared = holds_out ? prepared_training(config, folder) : nullptr;
  const PreparedTraining nothing;
  const PreparedTraining* const training = !holds_out ? &nothing : prepared ? &prepared->record().text : nullptr;
  ParallelCorpus corpus = read_corpora(config.data, seed, CorpusPlaces(folder), training).validation;
  if (corpus.source.empty())
    misuse("--test", "expected a corpus to search with, as the run has no validation corpus; got none");
  return corpus;
}

std::string in_json(const Tuning& tuning, std::size_t i) {
  const TunedSearch& search = tuning.searches[i];
  return JsonLine()
      .add("beam", search.beam)
      .add("alpha", search.alpha)
      .add("bleu", search.bleu.score)
      .add("chrf", search.chrf)
      .add("ratio", search.bleu.ratio)
      .add("seconds", search.seconds)
      .add("own", i == 0)
      .add("best", i == tuning.best)
      .text();
}

void print_table(const Tuning& tuning, std::size_t sentences) {
  fmt::print("beam  alpha   BLEU  chrF2  length  ms/sentence\n");
  for (std::size_t i = 0; i < tuning.searches.size(); ++i) {
    const TunedSearch& search = tuning.searches[i];
    std::string remark = i == tuning.best ? "  best" : "";
    if (i == 0) remark += "  the run's own options";
    fmt::print("{:>4}  {:>5}  {:>5.2f}  {:>5.2f}  {:>6.3f}  {:>11.2f}{}\n", search.beam,
               search.beam == 1 ? "" : fmt::format("{:.1f}", search.alpha), search.bleu.score, search.chrf,
               search.bleu.ratio, 1000 * search.seconds / static_cast<double>(sentences), remark);
  }
}

/// Prints the options to pass for the best search, and how certain its gain is.
void print_result(const Tuning& tuning, const Config& config, bool by_chrf) {
  const PairedScore& score = by_chrf ? tuning.compared.chrf : tuning.compared.bleu;
  const TunedSearch& best = tuning.searches[tuning.best];
  if (tuning.best == 0) {
    fmt::print("the run's own options are the best of these\n");
    return;
  }
  const Config tuned = with_search(config, best);
  std::vector<std::string> sets;
  for (const OptionDifference& option : differences(config, tuned))
    sets.push_back("--set " + option.key + "=" + option.after);
  fmt::print("best: {}, {:+.2f} {} (p = {:.3f}), in {:.1f} times the time\n", fmt::join(sets, " "), score.difference(),
             by_chrf ? "chrF2" : "BLEU", score.p_value, best.seconds / tuning.searches.front().seconds);
}

/// Throws a misuse error for arguments that --write cannot store: other decode options, several runs, or a checkpoint.
void check_writable(const TuneArguments& arguments) {
  for (const std::string& set : arguments.sets)
    if (set.starts_with("decode."))
      misuse("--write",
             "expected no other options of decode, as only the best search is written; got {}. Hint: put them into the "
             "run's config.yaml first",
             set);
  if (arguments.runs.size() > 1)
    misuse("--write", "expected one run; got an ensemble. Hint: pass the best options to the command that translates");
  std::error_code unreadable;  // ignored: opening the run reports the error
  if (!arguments.checkpoint.empty() || std::filesystem::is_regular_file(arguments.runs.front(), unreadable))
    misuse("--write",
           "expected the checkpoint that translates by default; got another choice. Hint: see decode.average");
}

int run(const TuneArguments& arguments) {
  if (arguments.write) check_writable(arguments);
  const std::vector<RunName> names = arguments.names();
  const std::string& folder = names.front().folder();
  const Config config = arguments.config();
  ParallelCorpus corpus = corpus_of(arguments, folder, config);
  const std::size_t sentences = corpus.source.size();
  const std::string text = corpus.source_name;
  const LoadedRun run = load_ensemble(names, config);
  if (arguments.test.empty() && config.data.valid.empty() && !toy_pairs_alone("data.train", config.data.train)) {
    check_still_held_out(run, folder);
    for (const RunName& name : std::span(names).subspan(1))
      check_holds_out_the_same(config.data, load_run_config(name.folder()).data, name.folder());
  }
  apply_runtime(config.runtime);
  ProgressBar bar;
  std::optional<CountProgress> progress;
  const bool by_chrf = arguments.metric == "chrf";
  const Tuning tuning =
      tune(run, std::move(corpus),
           {.beams = arguments.beams, .by_chrf = by_chrf, .watch = [&](std::int64_t, std::int64_t all) {
              if (!progress)
                progress.emplace(bar, "search", all);
              else
                progress->add(1);
            }});
  bar.clear();
  if (arguments.json) {
    for (std::size_t i = 0; i < tuning.searches.size(); ++i) fmt::print("{}\n", in_json(tuning, i));
  } else {
    fmt::print("{} of {}, {}\n", counted(sentences, "sentence"), text,
               run.others.empty() ? fmt::format("update {}", run.state.update)
                                  : fmt::format("ensemble of {} runs", names.size()));
    print_table(tuning, sentences);
    print_result(tuning, config, by_chrf);
  }
  if (arguments.write && tuning.best > 0) {
    const std::string file = config_file(folder);
    write_file_atomically(file, dump(with_search(load_config(file), tuning.searches[tuning.best])));
    print_note("note: wrote these options to {}\n", file);
  }
  return 0;
}

}  // namespace

void add_tune(CommandTable& table) {
  const auto [command, arguments] = table.add<TuneArguments>(
      {.name = "tune", .help = "Find the beam and the length penalty that translate best", .group = "Measure"}, run);
  add_runs(command, arguments);
  command.add_option("--test", arguments.test,
                     "corpus to translate: PREFIX, FILE.tsv or FILE.tmx (default: the run's validation corpus)");
  command.add_option("--metric", arguments.metric, "score to choose by")
      ->check(CLI::IsMember({"bleu", "chrf"}))
      ->capture_default_str();
  command.add_option("--beams", arguments.beams, "beams to try, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  add_precision(command, arguments.precision);
  command.add_flag("--write", arguments.write, "write the best options to the run's config.yaml");
  command.add_flag("--json", arguments.json, "one JSON object per search");
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
