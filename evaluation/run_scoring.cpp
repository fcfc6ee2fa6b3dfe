#include "evaluation/run_scoring.h"

#include "base/check.h"
#include "decoding/translator.h"
#include "evaluation/text_watch.h"

namespace glossa {

namespace {

/// Encodes the pairs that can be scored and stores their indices in `origin`.
EncodedCorpus encoded(const LoadedRun& run, const Translator& translator, const LinePairs& lines,
                      const LineErrorHandler& bad_line) {
  EncodedCorpus pairs;
  pairs.specials = run.tokenizers.target->specials();
  const Index max_positions = run.models().max_positions();
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
    pass_line(bad_line, [&] {
      std::vector<int> x = translator.source_ids(*source, lines.source_name, number);
      check_length(lines.source_name, number, std::ssize(x));
      std::vector<int> y =
          run.tokenizers.target->encode_line(normalize(run.config.data, *target), lines.target_name, number);
      check_length(lines.target_name, number, std::ssize(y) + 1);
      pairs.source.push_back(std::move(x));
      pairs.target.push_back(std::move(y));
      pairs.origin.push_back(i);
    });
  }
  return pairs;
}

}  // namespace

void check_line_count(const std::string& source, std::size_t expected, const std::string& path, std::size_t lines) {
  check(lines == expected, path,
        "expected as many lines as in {}, {}; got {}. Hint: line n of one file translates line n of the other", source,
        expected, lines);
}

std::vector<std::optional<ScoredTranslation>> score(const LoadedRun& run, const LinePairs& lines,
                                                    const LineErrorHandler& bad_line) {
  check_line_count(lines.source_name, lines.source.size(), lines.target_name, lines.target.size());
  const Config& config = run.config;
  const Translator translator(run.models(), run.tokenizers, config.data, config.decode);
  const EncodedCorpus pairs = encoded(run, translator, lines, bad_line);
  LengthWatch lengths(run.state.text.usual_words, lines.source_name);
  LanguageWatch languages(config.data.source, config.data.target, lines.source_name);
  for (const std::size_t line : pairs.origin) {
    lengths.add(*lines.source[line]);
    languages.add(*lines.source[line]);
  }
  lengths.compare();
  languages.compare();
  Context<float> context;
  std::vector<ScoredTranslation> scores =
      score_translations(context, run.models(), pairs, config.decode, config.data.batches.max_tokens);
  std::vector<std::optional<ScoredTranslation>> of_lines(lines.source.size());
  for (std::size_t i = 0; i < scores.size(); ++i) of_lines[pairs.origin[i]] = std::move(scores[i]);
  return of_lines;
}

}  // namespace glossa
