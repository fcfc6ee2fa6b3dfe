#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A named value of a JSON or form request: a text (numbers and truth values too) or a list of texts.
struct Field {
  std::vector<std::string> values;
  bool is_list = false;
};
using Fields = std::map<std::string, Field, std::less<>>;

/// The members of a JSON object, without those that are null. Throws HttpError 400 for anything but a JSON object in
/// UTF-8 whose values are texts or lists of texts.
Fields fields_of_json(std::string_view body);

/// The fields of an HTML form (`a=b&c=d`); a repeated name makes a list. Throws HttpError 400 if not UTF-8.
Fields fields_of_form(std::string_view body);

/// Returns the value of a field that must be one text. Throws HttpError 400 naming the field if it is absent or a list.
const std::string& text_field(const Fields& fields, std::string_view name);

/// Contents of a POST to /translate.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< true: the texts came as a list, so the answer has lists as well
  std::string source, target;
  std::int64_t alternatives = 0;
  bool scores = false;  ///< the answer includes probabilities
};

/// Maximum alternatives in a request.
constexpr std::int64_t max_alternatives = 20;

/// Throws HttpError 400 for a missing or invalid value.
TranslationRequest translation_request(const Fields& fields);

/// A text's translation.
struct TranslatedText {
  std::string text;
  double probability = 1;
};

/// The answer in JSON: each text's translations, best first.
std::string translation_answer(const TranslationRequest& request,
                               std::span<const std::vector<TranslatedText>> translations);

/// A source language and its target languages.
struct ServedLanguage {
  std::string code, name;
  std::vector<std::string> targets;
};
std::string languages_answer(std::span<const ServedLanguage> languages);

/// {"error": text}
std::string error_answer(std::string_view text);

}  // namespace glossa::serve
