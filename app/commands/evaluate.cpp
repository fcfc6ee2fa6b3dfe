#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>
#include <utility>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/input.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/console/progress_bar.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "data/found_corpora.h"
#include "data/missing_corpus.h"
#include "data/text/utf8.h"
#include "data/toy/corpus.h"
#include "decoding/scores/paired_bootstrap.h"
#include "evaluation/held_out_check.h"
#include "evaluation/run_ensemble.h"
#include "evaluation/run_evaluation.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct EvaluateArguments : EnsembleArguments {
  std::string source, test;             // --source and --test; both empty: the run's own test corpus
  std::vector<std::string> references;  // references for `source`
  std::string tokenize;                 // tokenization for BLEU; empty: the run's setting
  std::optional<std::string> compare;   // name of the other system
  std::int64_t resamples = 1000;        // number of resamples for the comparison
  std::string on_bad_line = "warn", split_sentences = "off";
  bool json = false;
};

/// Sources and references, with the number of unusable sources, which become empty lines.
struct Texts {
  ParallelCorpus corpus;  // all_targets has the references if there are several
  std::int64_t bad = 0;
  bool is_held_out = false;  // true: the pairs that the run's data.split holds out
  std::vector<std::string> reference_files = {};

  /// Returns the name of a reference, for messages.
  std::string reference_name(std::size_t reference) const {
    if (!reference_files.empty()) return reference_files[reference];
    return corpus.all_targets.empty() ? corpus.target_name
                                      : fmt::format("{}, reference {}", corpus.target_name, reference + 1);
  }
};

/// Reads a text and its references line by line. Called before a model is loaded, so that errors show early.
Texts read_files(const std::string& source, const std::vector<std::string>& references, const DataConfig& data,
                 BadLines& bad_lines) {
  Texts texts;
  ParallelCorpus& corpus = texts.corpus;
  corpus.name = corpus.source_name = source;
  corpus.target_name = references.front();
  const TextOptions options = data.reading.text;
  BadLines stop("stop");
  const LinePairs pairs = read_line_pairs(source, references.front(), options, bad_lines, stop);
  for (const std::optional<std::string>& line : pairs.source) {
    corpus.source.push_back(normalize(data, line.value_or("")));
    if (!line) ++texts.bad;
  }
  for (const std::optional<std::string>& line : pairs.target) corpus.target.push_back(normalize(data, *line));
  texts.reference_files = references;
  if (references.size() > 1) corpus.all_targets.push_back(corpus.target);
  for (const std::string& reference : std::span(references).subspan(1)) {
    std::vector<std::string>& lines = corpus.all_targets.emplace_back(read_lines(reference, options));
    check_line_count(source, corpus.source.size(), reference, lines.size());
    for (std::string& line : lines) line = normalize(data, line);
  }
  check(!corpus.source.empty(), source,
        "expected at least one line; got an empty file. Hint: name a file with one sentence per line");
  return texts;
}

/// Reads the files or the corpus that the command line names, otherwise the run's test corpus. A corpus PREFIX is read
/// like files: no pair is left out.
Texts read_texts(const EvaluateArguments& arguments, const std::string& run, const Config& config,
                 BadLines& bad_lines) {
  if (!arguments.source.empty()) return read_files(arguments.source, arguments.references, config.data, bad_lines);
  DataConfig data = config.data;
  if (!arguments.test.empty()) data.test = arguments.test;
  const CorpusPlaces places = arguments.test.empty() ? CorpusPlaces(run) : CorpusPlaces();
  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  if (data.test.empty() && !toy_pairs_alone("data.train", data.train)) {
    const bool holds_out = !data.split || data.split->test > 0;
    const auto prepared = holds_out ? prepared_training(config, run) : nullptr;
    return {read_test_corpus(data, seed, places, prepared ? &prepared->record().text : nullptr), 0,
            /*is_held_out=*/true};
  }
  if (data.test.empty() || is_one_file(data.test) || toy_pairs("data.test", data.test))
    return {read_test_corpus(data, seed, places), 0, /*is_held_out=*/false};
  data.test = places.find(data.test, data);
  if (names_several(data.test, data.source, data.target))
    return {read_test_corpus(data, seed), 0, /*is_held_out=*/false};
  const std::string source = side_of(data.test, data.source), reference = side_of(data.test, data.target);
  return read_files(source, {reference}, data, bad_lines);
}

/// Reports pairs of a test corpus that are not scored, and columns of a table that are not read.
void report_unused(const ParallelCorpus& corpus) {
  const CorpusReport& report = corpus.report;
  if (!left_out(report).empty())
    warn("[{}] {}", corpus.name, describe(report));
  else if (report.unused_columns > 0)
    print_note("note: {}: {}\n", corpus.name, describe(report));
}

/// Warns about blank references for sources with text.
void report_blank_references(const Texts& texts) {
  const auto is_blank = [](const std::string& line) { return line.find_first_not_of(' ') == line.npos; };
  const std::vector<std::string>& sources = texts.corpus.source;
  const std::vector<std::span<const std::string>> references = references_of(texts.corpus);
  for (std::size_t k = 0; k < references.size(); ++k) {
    std::int64_t blank = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) blank += is_blank(references[k][i]) && !is_blank(sources[i]);
    if (blank > 0)
      warn(
          "[{}] blank references: {} of {}. Each counts as a reference without words, as in sacreBLEU's command. Hint: "
          "fill them in, or remove these lines from all files",
          texts.reference_name(k), blank, sources.size());
  }
}

std::vector<std::string> names_of_checkpoints(const LoadedRun& run) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : run.checkpoints) names.push_back(file.string());
  return names;
}

/// The other system of `glossa evaluate --compare OTHER`: a run, or a file with one translation per line.
class OtherSystem {
 public:
  /// `named` is a run if it is a folder or a checkpoint in a run's folder, otherwise a text. Throws Error if the path
  /// does not exist, or if the folder is not a run. `policy` and `split_sentences` are the values of --on-bad-line and
  /// --split-sentences.
  OtherSystem(const std::string& named, std::string_view policy, const std::string& split_sentences)
      : named_(named), name_(named), split_sentences_(split_sentences), bad_lines_(policy) {
    if (!std::filesystem::exists(named))
      fail(named.empty() ? "--compare" : named,
           "expected a run, or a file with a translation per line; not found. Hint: {}", hint_about_file(named));
    if (!std::filesystem::is_directory(named) && !std::filesystem::is_regular_file(named)) return;  // `named` is a pipe
    if (const RunName run(named); run.is_of_run()) config_ = load_run_config(run.folder());
  }

  /// Returns the run's configuration; empty for a text.
  const std::optional<Config>& config() const { return config_; }

  /// Reads the file's lines. Throws Error unless it has one line for each source. Does nothing for a run.
  void read(const ParallelCorpus& corpus, const DataConfig& data) {
    if (config_) return;
    lines_ = read_lines(named_, data.reading.text);
    check_line_count(corpus.source_name, corpus.source.size(), named_, lines_.size());
  }

  /// Returns the translations of the corpus, normalized as `data` requires. The processes of `job` divide a run's work
  /// among themselves. `options` supplies the function that shows progress.
  std::vector<std::string> translations(ParallelCorpus corpus, const DataConfig& data, EvaluationOptions options,
                                        const Job& job) {
    if (config_) {
      const LoadedRun run = load_run(RunName(named_), *config_, job);
      name_ = fmt::format("{} (update {})", fmt::join(names_of_checkpoints(run), ", "), run.state.update);
      options.split_sentences = splits_sentences(split_sentences_, run.state.text);
      options.bad_line = bad_lines_.handler();
      CorpusTranslation found = translate_corpus(run, corpus, options, job);
      untranslated_ = found.untranslated;
      lines_ = std::move(found.translations);
    }
    for (std::string& line : lines_) line = normalize(data, line);
    return std::move(lines_);
  }

  /// Returns the file's path, or the run's checkpoints and update.
  const std::string& name() const { return name_; }

  /// Reports the lines that the run could not translate. Returns the command's exit status.
  int status(std::size_t lines) const {
    return bad_lines_.status(named_, untranslated_, static_cast<std::int64_t>(lines), "translated");
  }

 private:
  std::string named_, name_, split_sentences_;
  std::optional<Config> config_;
  std::vector<std::string> lines_;
  BadLines bad_lines_;
  std::int64_t untranslated_ = 0;
};

/// Formats a comparison as lines for a terminal: scores of both systems, and the p-values.
std::string comparison_table(const PairedBootstrap& found, const std::string& other) {
  std::string table =
      fmt::format("compared with {}: paired bootstrap, {}\n", other, counted(found.resamples, "resample"));
  table += fmt::format("{:<6}{:<24}{:<24}{:>10}  {}\n", "", "RUN (mean ± 95 % CI)", "OTHER (mean ± 95 % CI)",
                       "difference", "p");
  for (const auto& [name, score] :
       {std::pair{"BLEU", found.bleu}, std::pair{"chrF2", found.chrf}, std::pair{"TER", found.ter}}) {
    const auto side = [](const ResampledScore& of) {
      return fmt::format("{:.2f} ({:.2f} ± {:.2f})", of.score, of.mean, of.interval);
    };
    table += fmt::format("{:<6}{:<24}{:<24}{:>+10.2f}  {}\n", name, side(score.system), side(score.other),
                         score.difference(), std::isnan(score.p_value) ? "-" : fmt::format("{:.4f}", score.p_value));
  }
  return table;
}

/// Formats a comparison as JSON, which docs/translating.md describes.
std::string comparison_json(const PairedBootstrap& found, const std::string& other) {
  JsonLine json;
  json.add("other", other).add("resamples", found.resamples);
  for (const auto& [key, score] :
       {std::pair{"bleu", found.bleu}, std::pair{"chrf", found.chrf}, std::pair{"ter", found.ter}}) {
    const auto side = [](const ResampledScore& of) {
      return JsonLine().add("score", of.score).add("mean", of.mean).add("interval", of.interval);
    };
    json.add(key, JsonLine()
                      .add("run", side(score.system))
                      .add("other", side(score.other))
                      .add("difference", score.difference())
                      .add("p", score.p_value));
  }
  return json.text();
}

/// Returns the sentences of `texts`, as the other run must read them. If only this run has data.lowercase, reads them
/// again with their capitals. data.split depends on letter case; throws if it then holds out other sentences.
ParallelCorpus corpus_for(const Config& other, const EvaluateArguments& arguments, const std::string& run,
                          Config config, const Texts& texts) {
  const ParallelCorpus& corpus = texts.corpus;
  const DataConfig& data = other.data;
  for (const auto& [side, theirs, ours] :
       {std::tuple{"source", data.source, config.data.source}, std::tuple{"target", data.target, config.data.target}})
    if (theirs != ours)
      warn("[--compare] data.{} of {} is {}, and {} of {}", side, *arguments.compare, theirs, ours, run);
  if (!config.data.reading.lowercase || data.reading.lowercase) return corpus;
  config.data.reading.lowercase = false;
  BadLines bad_lines(arguments.on_bad_line);
  ParallelCorpus again =
      texts.is_held_out ? read_held_out_test(config, run) : read_texts(arguments, run, config, bad_lines).corpus;
  check(
      std::ranges::equal(again.source, corpus.source, {}, utf8::lower_case), "--compare",
      "expected a run with data.lowercase: true, as data.split holds out other pairs otherwise; got false. Hint: name "
      "the test set with --test");
  return again;
}

/// Compares the translations of the run in `folder` with those of the other system.
PairedBootstrap compared(const RunEvaluation& found, OtherSystem& other, const EvaluateArguments& arguments,
                         const Config& config, const Texts& texts, const std::string& folder,
                         const EvaluationOptions& options, const Job& job) {
  const ParallelCorpus& corpus = texts.corpus;
  const std::vector<std::string> translations =
      other.translations(other.config() ? corpus_for(*other.config(), arguments, folder, config, texts) : corpus,
                         config.data, options, job);
  if (translations == found.translations) warn("[--compare] all translations are the same");
  return paired_bootstrap(found.translations, translations, references_of(corpus), found.bleu_options,
                          arguments.resamples);
}

/// The measured figures of the run and, if given, of the other system.
struct Report {
  const LoadedRun& run;
  const Texts& texts;
  const RunEvaluation& found;
  Precision precision;
  std::optional<PairedBootstrap> comparison{};
  std::string other{};  // name of the other system

  Index sentences() const { return std::ssize(found.translations); }
  Index untranslated() const { return texts.bad + found.untranslated; }
};

void print_json(const Report& report) {
  const RunEvaluation& found = report.found;
  JsonLine json;
  json.add("test", report.texts.corpus.source_name)
      .add("held_out", report.texts.is_held_out)
      .add("checkpoints", names_of_checkpoints(report.run))
      .add("update", report.run.state.update)
      .add("precision", name_of(report.precision));
  json.add("loss", found.loss).add("perplexity", std::exp(found.loss));
  json.add("bleu", found.bleu.score).add("chrf", found.chrf).add("ter", found.ter);
  json.add("exact_match", found.exact_match);
  json.add("sentences", report.sentences()).add("untranslated", report.untranslated());
  json.add("in_pieces", found.in_pieces).add("seconds", found.seconds).add("signature", found.bleu_signature);
  if (report.comparison) json.add_json("compare", comparison_json(*report.comparison, report.other));
  std::puts(json.text().c_str());
}

void print_text(const Report& report) {
  const RunEvaluation& found = report.found;
  const BleuScore& bleu = found.bleu;
  const std::string sentences = counted(report.sentences(), "sentence");
  fmt::print("{} of {}{}, translated by {}{}{}\n", sentences, report.texts.corpus.source_name,
             report.texts.is_held_out ? " (held out of training)" : "",
             fmt::join(names_of_checkpoints(report.run), ", "),
             report.run.others.empty() ? fmt::format(" (update {})", report.run.state.update) : "",
             report.precision == Precision::full ? "" : fmt::format(", products in {}", name_of(report.precision)));
  fmt::print("loss {:.4f} per target token, perplexity {:.3f}\n", found.loss, std::exp(found.loss));
  fmt::print("BLEU {:.2f} ({:.1f}/{:.1f}/{:.1f}/{:.1f}, BP {:.3f}, ratio {:.3f})  {}\n", bleu.score, bleu.precisions[0],
             bleu.precisions[1], bleu.precisions[2], bleu.precisions[3], bleu.brevity_penalty, bleu.ratio,
             found.bleu_signature);
  fmt::print("chrF2 {:.2f}  {}\n", found.chrf, found.chrf_signature);
  fmt::print("TER {:.2f}  {}\n", found.ter, found.ter_signature);
  fmt::print("exact match {:.2f} % of {}, decoded in {:.2f} s\n", 100 * found.exact_match, sentences, found.seconds);
  if (found.in_pieces > 0) fmt::print("{} of the sentences translated in pieces\n", found.in_pieces);
  if (report.untranslated() > 0)
    fmt::print("{} of the sentences not translated: scored as empty\n", report.untranslated());
  if (report.comparison) fmt::print("{}", comparison_table(*report.comparison, report.other));
}

int run(const EvaluateArguments& arguments, const Job& job) {
  const std::vector<RunName> names = arguments.names();
  const std::string& folder = names.front().folder();
  Config config = arguments.config();
  std::optional<OtherSystem> other;
  if (arguments.compare) other.emplace(*arguments.compare, arguments.on_bad_line, arguments.split_sentences);
  if (arguments.split_sentences != "off" &&
      (config.data.reading.lowercase || (other && other->config() && other->config()->data.reading.lowercase)))
    misuse("--split-sentences",
           "expected off with data.lowercase: true, as capital letters show where sentences begin; "
           "got {}",
           arguments.split_sentences);
  BadLines bad_lines(arguments.on_bad_line);
  const Texts texts = read_texts(arguments, folder, config, bad_lines);
  const ParallelCorpus& corpus = texts.corpus;
  if (other) other->read(corpus, config.data);
  report_unused(corpus);
  report_blank_references(texts);
  if (!arguments.tokenize.empty()) config.train.bleu_tokenize = bleu_tokenizer_of(arguments.tokenize);
  const LoadedRun run = load_ensemble(names, config, job);
  if (texts.is_held_out) {
    check_still_held_out(run, folder);
    for (const RunName& name : std::span(names).subspan(1))
      check_holds_out_the_same(config.data, load_run_config(name.folder()).data, name.folder());
    if (other && other->config()) check_holds_out_the_same(config.data, other->config()->data, *arguments.compare);
  }
  apply_runtime(config.runtime, job);

  job.agree("--split-sentences", arguments.split_sentences);
  job.agree("--compare", !other ? "nothing" : other->config() ? "a run" : "a text");
  ProgressBar bar;
  std::optional<CountProgress> progress;
  const auto watch = [&](Index sentences, Index all) {
    if (sentences > 0)
      progress->add(sentences);
    else
      progress.emplace(bar, "sentence", all);
  };
  const EvaluationOptions options{.split_sentences = splits_sentences(arguments.split_sentences, run.state.text),
                                  .bad_line = bad_lines.handler(),
                                  .watch = watch};
  const RunEvaluation found = evaluate(run, corpus, options, job);
  Report report{run, texts, found, config.decode.precision};
  if (other) {
    report.comparison = compared(found, *other, arguments, config, texts, folder, options, job);
    report.other = other->name();
  }
  bar.clear();
  arguments.json ? print_json(report) : print_text(report);
  const int status = bad_lines.status(corpus.source_name, report.untranslated(), report.sentences(), "translated");
  return other ? std::max(status, other->status(found.translations.size())) : status;
}

}  // namespace

void add_evaluate(CommandTable& table) {
  const auto [command, arguments] = table.add<EvaluateArguments>(
      {.name = "evaluate", .help = "Measure loss and translation quality on a test set", .group = "Measure"}, run);
  add_runs(command, arguments);
  CLI::Option* source = command.add_option("--source", arguments.source, "file to translate");
  CLI::Option* reference =
      command.add_option("--reference", arguments.references, "its reference translation; repeatable")
          ->allow_extra_args(false)
          ->needs(source);
  source->needs(reference);
  command
      .add_option("--test", arguments.test,
                  "test corpus: PREFIX, FILE.tsv or FILE.tmx (default: the run's data.test or data.split)")
      ->excludes(source);
  constexpr auto tokenizers = bleu_tokenizer_names;
  command.add_option("--tokenize", arguments.tokenize, "tokenizer for BLEU (default: the run's)")
      ->check(CLI::IsMember(std::vector<std::string>(tokenizers.begin(), tokenizers.end())));
  CLI::Option* compare = command.add_option(
      "--compare", arguments.compare,
      "another RUN, or a file with a translation per line: p-values of the differences, by paired bootstrap");
  command.add_option("--resamples", arguments.resamples, "resamples of the test set for --compare")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->needs(compare);
  add_beam(command, arguments.beam);
  add_precision(command, arguments.precision);
  command.add_flag("--json", arguments.json, "one JSON object");
  add_split_sentences(command, arguments.split_sentences);
  add_on_bad_line(command, arguments.on_bad_line, "is scored as an empty translation");
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
