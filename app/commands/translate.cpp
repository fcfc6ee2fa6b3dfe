#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/input.h"
#include "base/atomic_file.h"
#include "base/console/print.h"
#include "base/console/progress_bar.h"
#include "base/counted.h"
#include "config/unknown_name.h"
#include "data/tokenizers/token_words.h"
#include "decoding/mbr.h"
#include "decoding/output_watch.h"
#include "decoding/translation_format.h"
#include "evaluation/run_ensemble.h"
#include "evaluation/source_lines.h"
#include "train/runtime.h"
#include "train/shared_search.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

struct TranslateArguments : EnsembleArguments {
  std::string input, output;
  std::string format;  // empty: text or, with --nbest, moses
  std::string on_bad_line = "warn", split_sentences = "auto";
  std::int64_t nbest = 0;  // 0: a single translation, not in the n-best format
  bool scores = false;
  bool alignment = false;
  std::optional<std::int64_t> alignment_layer;  // empty: the usual layer
};

/// Maximum number of lines translated together: enough for full batches, few enough for early output. If the next line
/// is not available yet, fewer lines are translated at once.
constexpr std::size_t lines_at_once = 1024;

/// Destination of translations: standard output, written as they become ready, or a file that appears when all are
/// done. If a signal stops the program, FILE.part gets the translations so far.
class Output {
 public:
  /// Throws if the file cannot be written, instead of failing after hours of translating.
  Output(const std::string& file, const std::string& input) : file_(file) {
    if (file.empty()) return;
    std::error_code missing;
    if (std::filesystem::equivalent(input.empty() ? "/dev/stdin" : input, file, missing))
      misuse("--output", "expected a file other than the input; got {}", file);
    const Uninterrupted whole;
    const AtomicFile probe(file, 0);
    when_interrupted_.emplace([this] {
      if (text_.empty()) return;
      write_file_atomically(file_ + ".part", text_);
      print_note("note: {} has the first {}\n", file_ + ".part", counted(std::ranges::count(text_, '\n'), "line"));
    });
  }

  void write(std::string_view lines) {
    const Uninterrupted whole;
    if (!file_.empty()) {
      text_ += lines;
      return;
    }
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
          "cannot write the translations. Hint: the disk may be full");
  }

  void finish() {
    if (file_.empty()) return;
    const Uninterrupted whole;
    write_file_atomically(file_, text_);
    when_interrupted_.reset();
  }

 private:
  std::string file_, text_;
  std::optional<WhenInterrupted> when_interrupted_;
};

/// Counts words that the vocabulary lacks and, with -v, reports each line that has such words.
class UnknownWords {
 public:
  void look_at(const std::vector<std::string>& words, const std::string& where) {
    if (words.empty()) return;
    words_ += std::ssize(words);
    ++lines_;
    std::map<std::string, std::int64_t> times;
    for (const std::string& word : words) ++times[word];
    std::vector<std::string> all;
    for (const auto& [word, count] : times) {
      different_.insert(word);
      all.push_back(count == 1 ? word : fmt::format("{} ({} times)", word, count));
    }
    print_detail("note: [{}] unknown: {}\n", where, fmt::join(all, " "));
  }

  void report() const {
    if (words_ == 0) return;
    print_note("note: {} in {}, {} distinct, read as <unk>{}\n", counted(words_, "unknown word"),
               counted(lines_, "line"), different_.size(), verbosity() == Verbosity::verbose ? "" : "; -v lists them");
  }

 private:
  std::int64_t words_ = 0, lines_ = 0;
  std::set<std::string> different_;
};

TranslationFormat format_of(const TranslateArguments& arguments) {
  const bool is_list = arguments.nbest > 0;
  if (arguments.format == "json") return TranslationFormat::json;
  if (arguments.format == "moses" || (arguments.format.empty() && is_list)) return TranslationFormat::moses;
  if (arguments.nbest > 1)
    misuse("--format", "expected moses or json for more than one translation per line; got text");
  return arguments.scores ? TranslationFormat::text_scores : TranslationFormat::text;
}

/// Returns the run's configuration, with a beam large enough for the requested number of translations.
Config config_of(const TranslateArguments& arguments) {
  Config config = arguments.config();
  if (config.decode.mbr == 0 && arguments.beam > 0 && arguments.nbest > arguments.beam)
    misuse("--nbest", "expected at most the beam, {}; got {}", arguments.beam, arguments.nbest);
  if (arguments.nbest > 1 && config.decode.sample)
    misuse("--nbest", "expected 1 with decode.sample: true, which draws one translation; got {}", arguments.nbest);
  if (config.decode.mbr == 0) config.decode.beam = std::max(config.decode.beam, arguments.nbest);
  if (config.decode.mbr > 0 && arguments.nbest > mbr_candidates(config.decode))
    misuse("--nbest", "expected at most {}, the candidates of decode.mbr: {}; got {}", mbr_candidates(config.decode),
           config.decode.mbr, arguments.nbest);
  return config;
}

/// Returns the cross-attention layer to align by.
Index alignment_layer(const TranslateArguments& arguments, const ModelConfig& model) {
  const Index layer = arguments.alignment_layer.value_or(usual_alignment_layer(model.transformer.decoder_layers));
  if (layer < 0 || layer >= model.transformer.decoder_layers)
    misuse("--alignment-layer", "expected a decoder layer, 0 to {}; got {}", model.transformer.decoder_layers - 1,
           layer);
  return layer;
}

int run(const TranslateArguments& arguments, const Job& job) {
  const TranslationFormat format = format_of(arguments);
  if (arguments.alignment_layer && !arguments.alignment)
    misuse("--alignment-layer", "expected --alignment as well; got --alignment-layer alone");
  Output output(job.is_first() ? arguments.output : "", arguments.input);
  for (const std::string& named : std::span(arguments.runs).subspan(1))
    if (std::filesystem::exists(named) ? !RunName(named).is_of_run() : std::filesystem::path(named).has_extension())
      throw Error(Error::Kind::misuse, unknown_name("translate", "run", named, {"--input " + named}, ""));
  const std::vector<RunName> names = arguments.names();
  const LoadedRun run = load_ensemble(names, config_of(arguments), job);
  apply_runtime(run.config.runtime, job);
  Translator translator(run.models(), run.tokenizers, run.config.data, run.config.decode);
  translator.split_sentences(splits_sentences(arguments.split_sentences, run.state.text));
  translator.divide(divided_among(job));
  if (arguments.alignment) {
    const Index layer = alignment_layer(arguments, run.config.model);
    if (job.is_first()) translator.align(layer);
  }
  ProgressBar bar;
  CountProgress progress(bar, "sentence");
  translator.watch([&](Index sentences) { progress.add(sentences); });
  const Index n_best = std::max<Index>(1, arguments.nbest);
  if (!job.is_first()) {  // this process helps the first, which reads and writes
    while (const auto sources = sources_of_first(job, nullptr)) translator.n_best(*sources, n_best);
    return 0;
  }
  LineReader reader = open_input(arguments.input, run.config.data.reading.text);
  const std::string& name = reader.name();
  BadLines bad_lines(arguments.on_bad_line);
  SourceLines source(translator, run, name, bad_lines.handler());
  UnknownWords unknown;
  OutputWatch outputs;
  std::int64_t in_pieces = 0, written = 0;
  std::vector<std::string> lines;
  std::optional<std::string> next;
  for (bool more = true; more;) {
    more = bad_lines.next(reader, next);
    if (more) {
      const std::string& line = lines.emplace_back(source.add(next, reader.line_number()));
      unknown.look_at(unknown_words(*run.tokenizers.source, normalize(run.config.data, line)), reader.where());
      if (lines.size() < lines_at_once && !reader.would_wait()) continue;
    }
    const Translator::Sources sources = source.take();
    if (sources.count == 0) break;
    if (job.is_several()) sources_of_first(job, &sources);
    std::string text;
    for (std::size_t i = 0; const std::vector<Translation>& found : translator.n_best(sources, n_best)) {
      if (!found.empty()) outputs.add(lines[i], found.front().text);
      text += formatted(format, ++written, found, arguments.alignment);
      ++i;
    }
    bar.clear();
    output.write(text);
    in_pieces += sources.in_pieces;
    lines.clear();
  }
  if (job.is_several()) sources_of_first(job, nullptr);
  output.finish();
  unknown.report();
  source.compare();
  if (const std::string doubt = outputs.doubt(); !doubt.empty()) warn("[{}] {}", name, doubt);
  if (in_pieces > 0)
    print_note("note: {} longer than model.max_positions, translated in pieces\n", counted(in_pieces, "line"));
  return bad_lines.status(name, source.bad(), written, "translated");
}

}  // namespace

void add_translate(CommandTable& table) {
  const auto [command, arguments] = table.add<TranslateArguments>(
      {.name = "translate", .help = "Translate lines of text", .group = "Translate"}, run);
  add_runs(command, arguments);
  command.add_option("--input", arguments.input, "file to translate (default: standard input)");
  command.add_option("--output", arguments.output, "file to write at the end (default: standard output)");
  add_beam(command, arguments.beam);
  add_precision(command, arguments.precision);
  command.add_option("--nbest", arguments.nbest, "print the N best translations of each line")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--format", arguments.format,
                  "text; moses: number ||| text ||| score; json (default: text, or moses with --nbest)")
      ->check(CLI::IsMember({"text", "moses", "json"}));
  command.add_flag("--scores", arguments.scores,
                   "text: append a tab and the score to each translation; the other formats always have it");
  command.add_flag("--alignment", arguments.alignment,
                   "also print the word alignment, as source-target pairs: 0-0 1-2");
  command.add_option("--alignment-layer", arguments.alignment_layer,
                     "decoder layer to align by, from 0 (default: the last but one)");
  add_split_sentences(command, arguments.split_sentences);
  add_on_bad_line(command, arguments.on_bad_line);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
