#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/input.h"
#include "base/json_line.h"
#include "evaluation/run_ensemble.h"
#include "evaluation/run_scoring.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct ScoreArguments : EnsembleArguments {
  std::string source, target, on_bad_line = "warn";
  bool per_token = false, json = false;
};

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
void check_acts(const Settings& settings, const DecodeOptions& decode) {
  static const std::set<std::string> act{"decode.length_penalty", "decode.alpha", "decode.average", "decode.precision",
                                         "decode.renormalize"};
  for (const Setting& setting : settings) {
    const std::string& key = setting.key();
    if (!key.starts_with("decode.") || act.contains(key)) continue;
    if (key != "decode.forbidden" && key != "decode.min_length")
      setting.refuse(
          "expected decode.length_penalty, decode.alpha, decode.average, decode.precision, decode.renormalize, "
          "decode.forbidden or "
          "decode.min_length; got an option of searching, which score does not do");
    if (!decode.renormalize)
      setting.refuse("expected decode.renormalize=true as well; got {} alone, which has no effect on scores", key);
  }
}

int run(const ScoreArguments& arguments) {
  const std::vector<RunName> names = arguments.names();
  const Config config = arguments.config();
  check_acts(arguments.sets, config.decode);
  BadLines bad_lines(arguments.on_bad_line);
  const LinePairs lines =
      read_line_pairs(arguments.source, arguments.target, config.data.reading.text, bad_lines, bad_lines);
  const LoadedRun run = load_ensemble(names, config);
  apply_runtime(config.runtime);
  const std::vector<std::optional<ScoredTranslation>> scores = score(run, lines, bad_lines.handler());

  const Tokenizer& tokenizer = *run.tokenizers.target;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::int64_t number = static_cast<std::int64_t>(i) + 1;
    const std::optional<ScoredTranslation>& scored = scores[i];
    if (arguments.json)
      fmt::print("{}\n", scored ? in_json(arguments, number, *scored, tokenizer)
                                : JsonLine().add("line", number).add("score", std::nan("")).text());
    else
      fmt::print("{}\n", scored ? in_columns(arguments, *scored, tokenizer) : "");
  }
  return bad_lines.status(arguments.target, std::ranges::count_if(scores, [](const auto& s) { return !s; }),
                          std::ssize(scores), "scored");
}

}  // namespace

void add_score(CommandTable& table) {
  const auto [command, arguments] = table.add<ScoreArguments>(
      {.name = "score", .help = "Compute the log-probability of given translations", .group = "Measure"}, run);
  add_runs(command, arguments);
  command.add_option("--source", arguments.source, "file of source lines")->required();
  command.add_option("--target", arguments.target, "their translations, line by line")->required();
  command.add_flag("--per-token", arguments.per_token, "also print each token with its log-probability");
  command.add_flag("--json", arguments.json, "one JSON object per line");
  add_precision(command, arguments.precision);
  add_on_bad_line(command, arguments.on_bad_line);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
