#include "decoding/translation_format.h"

#include <fmt/ranges.h>

#include "base/json_line.h"

namespace glossa {

namespace {

/// Formats each word pair with `form`, and joins the pairs with `between`.
std::string pairs_of_words(const Alignment& alignment, fmt::string_view form, std::string_view between) {
  std::vector<std::string> pairs;
  for (const auto& [read, written] : alignment) pairs.push_back(fmt::format(fmt::runtime(form), read, written));
  return fmt::format("{}", fmt::join(pairs, between));
}

JsonLine in_json(const Translation& t, bool aligned) {
  JsonLine object;
  object.add("text", std::string_view(t.text)).add("score", t.score);
  object.add("log_probability", t.log_probability).add("finished", t.finished);
  return aligned ? object.add_json("alignment", fmt::format("[{}]", pairs_of_words(t.alignment, "[{},{}]", ",")))
                 : object;
}

}  // namespace

std::string formatted(TranslationFormat format, std::int64_t number, std::span<const Translation> translations,
                      bool aligned) {
  static const Translation nothing;
  const Translation& best = translations.empty() ? nothing : translations.front();
  if (translations.empty() && format == TranslationFormat::moses) translations = {&nothing, 1};
  const auto words = [&](const Translation& t) {
    return aligned ? fmt::format(" ||| {}", pairs_of_words(t.alignment, "{}-{}", " ")) : std::string();
  };
  std::string text;
  std::vector<JsonLine> objects;
  switch (format) {
    case TranslationFormat::text:
      return best.text + words(best) + '\n';
    case TranslationFormat::text_scores:
      return best.text + words(best) + (translations.empty() ? "\t\n" : fmt::format("\t{:.6f}\n", best.score));
    case TranslationFormat::moses:
      for (const Translation& t : translations)
        text += fmt::format("{} ||| {} ||| {:.6f}{}\n", number - 1, t.text, t.score, words(t));
      return text;
    case TranslationFormat::json:
      for (const Translation& t : translations) objects.push_back(in_json(t, aligned));
      return JsonLine().add("line", number).add("translations", objects).text() + '\n';
  }
  return text;
}

}  // namespace glossa
