#include <cmath>
#include <cstdio>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/line_pairs.h"
#include "autograd/check.h"
#include "train/console/json_line.h"
#include "train/corpora/text_watch.h"
#include "train/decoding/scoring.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct ScoreArguments {
  std::string run, checkpoint, source, target;
  std::string on_bad_line = "warn";
  bool per_token = false, json = false;
  std::vector<std::string> sets;
};

/// Encodes the pairs that can be scored; `origin` gets their line numbers.
EncodedCorpus encoded(const ScoreArguments& arguments, const LoadedRun& run, const Translator& translator,
                      BadLines& bad_lines, const LinePairs& lines) {
  EncodedCorpus pairs;
  pairs.specials = run.tokenizers.target->specials();
  const Index max_positions = run.model->transformer->options().max_positions;
  const auto check_length = [&](const std::string& file, std::int64_t number, Index length) {
    const std::string where = fmt::format("{}:{}", file, number);
    if (length == 0) throw LineError(where, "expected text to translate; got an empty line. Hint: remove the pair");
    if (length > max_positions)
      throw LineError(where,
                      "expected at most {} tokens (model.max_positions); got {}. Hint: split the line into sentences",
                      max_positions, length);
  };
  for (std::size_t i = 0; i < lines.source.size(); ++i) {
    const std::optional<std::string>&source = lines.source[i], &target = lines.target[i];
    const std::int64_t number = static_cast<std::int64_t>(i) + 1;
    if (!source || !target) continue;
    bad_lines.pass([&] {
      std::vector<int> x = translator.source_ids(*source, arguments.source, number);
      check_length(arguments.source, number, std::ssize(x));
      std::vector<int> y =
          run.tokenizers.target->encode_line(normalize(run.config.data, *target), arguments.target, number);
      check_length(arguments.target, number, std::ssize(y) + 1);
      pairs.source.push_back(std::move(x));
      pairs.target.push_back(std::move(y));
      pairs.origin.push_back(i);
    });
  }
  return pairs;
}

std::string in_json(const ScoreArguments& arguments, std::int64_t number, const ScoredTranslation& scored,
                    const Tokenizer& tokenizer) {
  JsonLine json;
  json.add("line", number).add("score", scored.score).add("log_probability", scored.log_probability);
  json.add("tokens", scored.tokens.size());
  if (!arguments.per_token) return json.text();
  std::vector<JsonLine> tokens;
  for (const TokenScore& t : scored.tokens)
    tokens.emplace_back()
        .add("token", std::string_view(tokenizer.token(t.token)))
        .add("log_probability", t.log_probability);
  return json.add("per_token", tokens).text();
}

std::string in_columns(const ScoreArguments& arguments, const ScoredTranslation& scored, const Tokenizer& tokenizer) {
  std::string text = fmt::format("{:.6f}\t{:.6f}\t{}", scored.score, scored.log_probability, scored.tokens.size());
  if (!arguments.per_token) return text;
  char before = '\t';
  for (const TokenScore& t : scored.tokens) {
    text += fmt::format("{}{}={:.6f}", before, tokenizer.token(t.token), t.log_probability);
    before = ' ';
  }
  return text;
}

/// Throws a misuse error if an option of decoding given by --set has no effect on scores.
void check_acts(const Settings& settings, const DecodeConfig& decode) {
  for (const Setting& setting : settings) {
    const std::string& key = setting.key();
    const bool divides = key == "decode.length_penalty" || key == "decode.alpha",
               excludes = key == "decode.forbidden" || key == "decode.min_length";
    if (!key.starts_with("decode.") || divides || key == "decode.renormalize") continue;
    if (!excludes)
      setting.refuse(
          "expected decode.length_penalty, decode.alpha, decode.renormalize, decode.forbidden or decode.min_length; "
          "got an option of searching, which score does not do");
    if (!decode.renormalize)
      setting.refuse("expected decode.renormalize=true as well; got {} alone, which has no effect on scores", key);
  }
}

int run(const ScoreArguments& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  const Config config = load_run_config(name.folder(), arguments.sets);
  check_acts(arguments.sets, config.decode);
  BadLines bad_lines(arguments.on_bad_line);
  const LinePairs lines =
      read_line_pairs(arguments.source, arguments.target, text_options(config.data), bad_lines, bad_lines);
  const LoadedRun run = load_run(name, config);
  apply_runtime(config.runtime);
  const Translator translator(*run.model->transformer, run.tokenizers, config.data, config.decode);
  const EncodedCorpus pairs = encoded(arguments, run, translator, bad_lines, lines);
  LengthWatch lengths(run.state.text.usual_words, arguments.source);
  LanguageWatch languages(config.data.source, config.data.target, arguments.source);
  for (const std::size_t line : pairs.origin) {
    lengths.add(*lines.source[line]);
    languages.add(*lines.source[line]);
  }
  lengths.compare();
  languages.compare();
  Context<float> context;
  const std::vector<ScoredTranslation> scores =
      score_translations(context, *run.model->transformer, pairs, config.decode, config.data.max_tokens);

  const Tokenizer& tokenizer = *run.tokenizers.target;
  std::size_t next = 0;
  for (std::size_t i = 0; i < lines.source.size(); ++i) {
    const std::int64_t number = static_cast<std::int64_t>(i) + 1;
    const ScoredTranslation* scored = next < scores.size() && pairs.origin[next] == i ? &scores[next++] : nullptr;
    if (arguments.json)
      fmt::print("{}\n", scored ? in_json(arguments, number, *scored, tokenizer)
                                : JsonLine().add("line", number).add("score", std::nan("")).text());
    else
      fmt::print("{}\n", scored ? in_columns(arguments, *scored, tokenizer) : "");
  }
  return bad_lines.status(arguments.target, std::ssize(lines.source) - pairs.size(), std::ssize(lines.source),
                          "scored");
}

}  // namespace

void add_score(CommandTable& table) {
  const auto [command, arguments] = table.add<ScoreArguments>(
      {.name = "score", .help = "Compute the log-probability of given translations", .group = "Measure"}, run);
  add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--source", arguments.source, "file of source lines")->required();
  command.add_option("--target", arguments.target, "their translations, line by line")->required();
  command.add_flag("--per-token", arguments.per_token, "also print each token with its log-probability");
  command.add_flag("--json", arguments.json, "one JSON object per line");
  add_on_bad_line(command, arguments.on_bad_line);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
