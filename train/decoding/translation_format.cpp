#include "train/decoding/translation_format.h"

#include <fmt/format.h>

#include "train/console/json_line.h"

namespace glossa {

std::string formatted(TranslationFormat format, std::int64_t number, std::span<const Translation> translations) {
  static const Translation nothing;
  if (translations.empty() && format == TranslationFormat::moses) translations = {&nothing, 1};
  const bool empty = translations.empty();
  std::string text;
  std::vector<JsonLine> objects;
  switch (format) {
    case TranslationFormat::text:
      return empty ? "\n" : translations.front().text + '\n';
    case TranslationFormat::text_scores:
      return empty ? "\t\n" : fmt::format("{}\t{:.6f}\n", translations.front().text, translations.front().score);
    case TranslationFormat::moses:
      for (const Translation& t : translations)
        text += fmt::format("{} ||| {} ||| {:.6f}\n", number - 1, t.text, t.score);
      return text;
    case TranslationFormat::json:
      for (const Translation& t : translations) {
        JsonLine& object = objects.emplace_back();
        object.add("text", std::string_view(t.text)).add("score", t.score);
        object.add("log_probability", t.log_probability).add("finished", t.finished);
      }
      return JsonLine().add("line", number).add("translations", objects).text() + '\n';
  }
  return text;
}

}  // namespace glossa
