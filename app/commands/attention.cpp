#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/input.h"
#include "base/atomic_file.h"
#include "base/console/print.h"
#include "base/json_line.h"
#include "decoding/attention_json.h"
#include "decoding/translator.h"
#include "evaluation/source_lines.h"
#include "pages/page.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

struct AttentionArguments {
  std::string run, checkpoint, input, html;
  std::string on_bad_line = "warn", split_sentences = "auto";
  std::int64_t beam = 0;
  std::optional<std::int64_t> layer, head;  // choice of the user; empty: the default layer, and the mean of its heads
  bool json = false;
  std::vector<std::string> sets;
};

/// Maximum number of sentences on a page, because each may take megabytes.
constexpr std::size_t max_per_page = 200;

/// A sentence with its translation and attention.
struct AttendedSentence {
  std::int64_t line, sentence;  // both counted from 1; `sentence` is 0 for a line's only sentence
  std::string source, translation;
  AttentionMaps maps;
};

std::string in_json(const AttendedSentence& attended) {
  JsonLine json;
  json.add("line", attended.line);
  if (attended.sentence > 0) json.add("sentence", attended.sentence);
  json.add("text", std::string_view(attended.source));
  json.add("translation", std::string_view(attended.translation));
  return add_to(json, attended.maps).text();
}

/// Formats, for each output token, the three source tokens with the most attention, in percent.
std::string as_text(const AttendedSentence& attended, const AttentionMaps::Head& head) {
  const std::string number = attended.sentence > 0 ? fmt::format(".{}", attended.sentence) : "";
  std::string text = fmt::format("{}{}: {}  ->  {}\n", attended.line, number, attended.source, attended.translation);
  for (std::size_t q = 0; q < head.size(); ++q) {
    std::vector<std::size_t> keys(head[q].size());
    std::iota(keys.begin(), keys.end(), 0);
    std::ranges::stable_sort(keys, [&](std::size_t a, std::size_t b) { return head[q][a] > head[q][b]; });
    keys.resize(std::min<std::size_t>(3, keys.size()));
    text += fmt::format("    {:<16}", attended.maps.output[q]);
    for (const std::size_t k : keys)
      text += fmt::format("  {:<12} {:2.0f}%", attended.maps.source[k], 100 * head[q][k]);
    text += '\n';
  }
  return text;
}

/// Returns the layer of cross-attention to print. Throws a misuse error if the model lacks the layer or the chosen
/// head. Throws one if a layer or head is chosen for an output that shows all of them.
std::size_t layer_of(const AttentionArguments& arguments, const ModelConfig& model) {
  if ((arguments.layer || arguments.head) && (arguments.json || !arguments.html.empty()))
    misuse(arguments.layer ? "--layer" : "--head",
           "expected neither --json nor --html, which show every layer and head; got one of them");
  const auto check_within = [](const char* name, std::int64_t value, std::int64_t count) {
    if (value < 0 || value >= count) misuse(name, "expected 0 to {}; got {}", count - 1, value);
  };
  const Index layers = model.transformer.decoder_layers,
              layer = arguments.layer.value_or(usual_alignment_layer(layers));
  check_within("--layer", layer, layers);
  if (arguments.head) check_within("--head", *arguments.head, model.transformer.stack.heads);
  return static_cast<std::size_t>(layer);
}

/// Returns the non-empty sentences of `line`, which `reader` has just read. Throws LineError if a sentence has more
/// than `limit` tokens, or if all are empty.
std::vector<std::string_view> whole_sentences(const Translator& translator, const std::string& line,
                                              const LineReader& reader, std::int64_t limit) {
  std::vector<std::string_view> sentences;
  for (const std::string_view sentence : translator.sentences(line)) {
    const std::int64_t length = std::ssize(translator.source_ids(sentence, reader.name(), reader.line_number()));
    if (length > limit)
      throw LineError(reader.where(),
                      "expected at most {} tokens (model.max_positions); got {}. Hint: split the text, as attention is "
                      "shown only for text read as a whole",
                      limit, length);
    if (length > 0) sentences.push_back(sentence);
  }
  if (sentences.empty())
    throw LineError(reader.where(), "expected text to translate; got an empty line. Hint: remove it");
  return sentences;
}

int run(const AttentionArguments& arguments) {
  if (!arguments.html.empty()) const AtomicFile probe(arguments.html, 0);
  const RunName name_of_run(arguments.run, arguments.checkpoint);
  const Config config = load_run_config(name_of_run.folder(), arguments.sets, arguments.beam);
  const std::size_t layer = layer_of(arguments, config.model);
  const auto chosen = [&](const AttentionMaps& maps) {  // returns a head, or the mean of all heads
    const auto& heads = maps.cross[layer];
    return arguments.head ? heads[static_cast<std::size_t>(*arguments.head)] : mean_of_heads(heads);
  };
  const LoadedRun run = load_run(name_of_run, config);
  apply_runtime(config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, config.data, config.decode);
  translator.split_sentences(splits_sentences(arguments.split_sentences, run.state.text));
  LineReader reader = open_input(arguments.input, config.data.reading.text);

  BadLines bad_lines(arguments.on_bad_line);
  SourceLines source(translator, run, reader.name(), bad_lines.handler());
  const Index limit = run.model->transformer->options().max_positions;
  std::vector<std::string> on_page;
  for (std::optional<std::string> line; bad_lines.next(reader, line);) {
    std::vector<std::string_view> sentences;
    if (line && !bad_lines.pass([&] { sentences = whole_sentences(translator, *line, reader, limit); })) line.reset();
    source.add(line, reader.line_number());
    const Translator::Sources sources = source.take();
    const std::vector<Hypothesis> found = translator.search(sources);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const Translation translation = translator.translation(found[i]);
      const AttendedSentence attended{.line = reader.line_number(),
                                      .sentence = sentences.size() > 1 ? static_cast<std::int64_t>(i) + 1 : 0,
                                      .source = std::string(sentences[i]),
                                      .translation = translation.text,
                                      .maps = translator.attention(sources.ids[i], translation)};
      if (!arguments.html.empty()) {
        if (on_page.size() == max_per_page)
          misuse("--html", "expected at most {} sentences on a page; got more. Hint: --json has no limit",
                 max_per_page);
        on_page.push_back(in_json(attended));
        continue;
      }
      const std::string text = arguments.json ? in_json(attended) + '\n' : as_text(attended, chosen(attended.maps));
      const Uninterrupted whole;
      std::fwrite(text.data(), 1, text.size(), stdout);
      check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
            "cannot write the output. Hint: the disk may be full");
    }
  }
  source.compare();
  if (!arguments.html.empty()) {
    const Uninterrupted whole;
    write_file_atomically(arguments.html,
                          page("attention.html", "glossa-attention", fmt::format("[{}]", fmt::join(on_page, ","))));
    print_note("wrote {}\n", arguments.html);
  }
  return bad_lines.status(reader.name(), source.bad(), reader.line_number(), "shown");
}

}  // namespace

void add_attention(CommandTable& table) {
  const auto [command, arguments] = table.add<AttentionArguments>(
      {.name = "attention", .help = "Show where a model looks as it translates", .group = "Look"}, run);
  add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--input", arguments.input, "file to translate (default: standard input)");
  add_beam(command, arguments.beam);
  command.add_option("--layer", arguments.layer, "cross-attention layer to print, from 0 (default: the last but one)");
  command.add_option("--head", arguments.head, "head to print, from 0 (default: the mean of all)");
  CLI::Option* json =
      command.add_flag("--json", arguments.json, "print every layer and head, one JSON object per sentence");
  command.add_option("--html", arguments.html, "HTML page to write, with every layer and head")->excludes(json);
  add_split_sentences(command, arguments.split_sentences);
  add_on_bad_line(command, arguments.on_bad_line, "is left out of the output");
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
