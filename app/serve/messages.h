#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa::serve {

/// A named value of a JSON or form request: a text or a list of texts. JSON numbers and booleans are stored as they are
/// written.
struct Field {
  std::vector<std::string> values;
  bool is_list = false;
  bool is_text = true;  ///< false if a value is a JSON number or boolean
};
using Fields = std::map<std::string, Field, std::less<>>;

/// Maximum number of values in a request: more than any request needs, and few enough to store.
constexpr std::size_t max_values = 20000;

/// Media type of JSON.
constexpr const char* json_type = "application/json";

/// Returns the members of a JSON object, except those that are null. Throws HttpError 400 unless `body` is a JSON
/// object in UTF-8 whose values fit a Field. Throws HttpError 413 for too many values.
Fields fields_of_json(std::string_view body);

/// Returns the value of the field `name`, which must be a single text. If the field is absent or a list, throws
/// HttpError 400 that names it.
const std::string& text_field(const Fields& fields, std::string_view name);

/// Contents of a POST to /translate.
struct TranslationRequest {
  std::vector<std::string> texts;
  bool is_list = false;  ///< true: the request has a list of texts, and the answer must have lists
  std::string source, target;
  std::int64_t alternatives = 0;
  bool scores = false;     ///< true: the answer includes probabilities
  bool sentences = false;  ///< true: the answer includes the sentences
};

/// Maximum value of TranslationRequest::alternatives.
constexpr std::int64_t max_alternatives = 20;

/// Throws HttpError 400 for a missing or invalid value.
TranslationRequest translation_request(const Fields& fields);

/// A text's translation.
struct TranslatedText {
  std::string text;
  double probability = 1;
  double token_probability = 1;  ///< geometric mean over the tokens, including </s>
};

/// A sentence that was translated separately.
struct TranslatedSentence {
  struct Choice {
    std::string text;
    double token_probability = 1;       ///< geometric mean over the tokens, as in TranslatedText
    std::vector<std::string> output;    ///< tokens, including </s>
    std::vector<double> probabilities;  ///< probabilities of the output tokens
  };
  std::string source;
  std::vector<std::string> unknown;  ///< source words that the vocabulary lacks, as `unknown_words` returns them
  std::vector<Choice> translations;  ///< best first
};

/// The answer for a text.
struct TextTranslations {
  std::vector<TranslatedText> texts;          ///< best first
  std::vector<TranslatedSentence> sentences;  ///< sentences of all lines; empty unless requested
};

/// Formats the JSON answer to a request, with the translations of each text.
std::string translation_answer(const TranslationRequest& request, std::span<const TextTranslations> translations);

/// A source language and its target languages.
struct ServedLanguage {
  std::string code, name;
  std::vector<std::string> targets;
};
std::string languages_answer(std::span<const ServedLanguage> languages);

/// A served model, as described to users.
struct ServedModel {
  std::string source, target;
  std::vector<std::string> trained_on;  ///< training corpora, named FOLDER/NAME without outer folders
  std::int64_t parameters = 0, update = 0;
  double bleu = NAN, chrf = NAN;  ///< validation scores; NaN if unknown
  std::int64_t validation_beam = 1;
};
std::string models_answer(std::span<const ServedModel> models);

/// Returns {"error": text}.
std::string error_answer(std::string_view text);

}  // namespace glossa::serve
