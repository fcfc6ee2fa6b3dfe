#include "app/serve/messages.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>  // only in this file, because it compiles slowly

#include "app/serve/http_error.h"
#include "base/json_line.h"
#include "data/text/utf8.h"

namespace glossa::serve {

namespace {

using nlohmann::json;

// The destructor of a json list or object allocates, and ends the process if memory runs out. Therefore, json values
// here are only texts and numbers.

/// Formats a text, number or boolean as JSON.
template <class Value>
std::string dump(const Value& value) {
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Formats a JSON list with dump(item) for each item.
template <class Items, class Dump>
std::string list_of(const Items& items, const Dump& dump) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += ',';
    list += dump(item);
  }
  return list + "]";
}

template <class Items>
std::string list_of(const Items& items) {
  return list_of(items, [](const auto& item) { return dump(item); });
}

/// Reads the fields of a JSON object. Values are texts, numbers, booleans, and lists of these: {"q": ["text"]}.
class FieldReader : public nlohmann::json_sax<json> {
 public:
  Fields take() { return std::move(fields_); }

  bool null() override {
    if (place() == Place::list) throw_no_text("null");
    fields_.erase(name_);
    return true;
  }
  bool boolean(bool value) override { return add("boolean", dump(value)); }
  bool number_integer(number_integer_t value) override { return add("number", dump(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add("number", dump(value)); }
  bool number_float(number_float_t value, const string_t&) override { return add("number", dump(value)); }
  bool string(string_t& value) override { return add("string", std::move(value), /*is_text=*/true); }
  bool binary(binary_t&) override { return false; }  // JSON has no binary values

  bool start_object(std::size_t) override {
    count();
    if (place_ != Place::outside) throw_no_text("object");
    place_ = Place::object;
    return true;
  }
  bool key(string_t& name) override {
    count();
    name_ = std::move(name);
    return true;
  }
  bool end_object() override {
    count();
    place_ = Place::outside;
    return true;
  }
  bool start_array(std::size_t) override {
    if (place("array") == Place::list) throw_no_text("array");
    fields_[name_] = {.values = {}, .is_list = true};
    place_ = Place::list;
    return true;
  }
  bool end_array() override {
    count();
    place_ = Place::object;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string_view text = error.what();  // [json.exception.parse_error.101] parse error at line ...
    throw HttpError(400, "expected JSON in UTF-8; got a {}", utf8::replace_invalid(text.substr(text.find(' ') + 1)));
  }

 private:
  enum class Place { outside, object, list };

  void count() {
    if (++values_ > max_values) throw HttpError(413, "expected at most {} values; got more", max_values);
  }

  /// Counts a value of a JSON type. Returns its place: in the object or in a list.
  Place place(const char* type = "null") {
    count();
    if (place_ == Place::outside) throw HttpError(400, "expected a JSON object; got {}", type);
    return place_;
  }

  [[noreturn]] void throw_no_text(const char* type) const {
    throw HttpError(400, "expected {} to be a text; got {}", name_, type);
  }

  bool add(const char* type, std::string value, bool is_text = false) {
    if (place(type) == Place::object) fields_[name_] = {};
    Field& field = fields_[name_];
    field.is_text &= is_text;
    field.values.push_back(std::move(value));
    return true;
  }

  Fields fields_;
  std::string name_;  // name of the current field
  Place place_ = Place::outside;
  std::size_t values_ = 0;
};

const Field* find(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

/// Throws the error about a missing field. The hint depends on what the request has instead.
[[noreturn]] void throw_missing(const Fields& fields, std::string_view name) {
  if (fields.empty())
    throw HttpError(400, "expected {} in the request; got no field. Hint: send an application/json object or a form",
                    name);
  if (fields.begin()->first.starts_with('{'))
    throw HttpError(400, "expected {} in the form; got JSON. Hint: send the header Content-Type: application/json",
                    name);
  std::string got;
  for (const auto& [key, value] : fields) got += (got.empty() ? "" : ", ") + key;
  throw HttpError(400, "expected the field {} in the request; got only {}", name, got);
}

/// Returns a field that has one value.
const Field& single_field(const Fields& fields, std::string_view name) {
  const Field* field = find(fields, name);
  if (!field) throw_missing(fields, name);
  if (field->is_list || field->values.size() != 1) throw HttpError(400, "expected {} to be one text; got a list", name);
  return *field;
}

void check_is_text(const Field& field, std::string_view name) {
  if (!field.is_text) throw HttpError(400, "expected {} to be a text; got a number or truth value", name);
}

std::string optional_value(const Fields& fields, std::string_view name, std::string otherwise) {
  return find(fields, name) ? single_field(fields, name).values.front() : otherwise;
}

/// Returns a boolean field; false if it is absent.
bool optional_flag(const Fields& fields, std::string_view name) {
  const std::string value = optional_value(fields, name, "false");
  if (value != "true" && value != "false") throw HttpError(400, "expected {} to be true or false; got {}", name, value);
  return value == "true";
}

// Formats a choice, with keys in alphabetical order.
std::string choice_answer(const TranslatedSentence::Choice& choice) {
  return JsonLine()
      .add("output", choice.output)
      .add_json("probabilities", list_of(choice.probabilities))
      .add("text", choice.text)
      .add("tokenProbability", choice.token_probability)
      .text();
}

std::string sentence_answer(const TranslatedSentence& sentence) {
  return JsonLine()
      .add("source", sentence.source)
      .add_json("translations", list_of(sentence.translations, choice_answer))
      .add("unknown", sentence.unknown)
      .text();
}

}  // namespace

Fields fields_of_json(std::string_view body) {
  // The parser would treat a zero byte as the end.
  if (body.find('\0') != body.npos) throw HttpError(400, "expected JSON; got a zero byte in it");
  FieldReader reader;
  json::sax_parse(body, &reader);
  return reader.take();
}

const std::string& text_field(const Fields& fields, std::string_view name) {
  const Field& field = single_field(fields, name);
  check_is_text(field, name);
  return field.values.front();
}

TranslationRequest translation_request(const Fields& fields) {
  TranslationRequest request;
  const Field* texts = find(fields, "q");
  if (!texts) throw_missing(fields, "q");
  check_is_text(*texts, "q");
  request.texts = texts->values;
  request.is_list = texts->is_list;
  request.source = text_field(fields, "source");
  request.target = text_field(fields, "target");
  if (const std::string format = find(fields, "format") ? text_field(fields, "format") : "text"; format != "text")
    throw HttpError(400, "expected format to be text; got {}", format);
  const std::string alternatives = optional_value(fields, "alternatives", "0");
  const auto [end, error] =
      std::from_chars(alternatives.data(), alternatives.data() + alternatives.size(), request.alternatives);
  if (error != std::errc{} || end != alternatives.data() + alternatives.size() || request.alternatives < 0 ||
      request.alternatives > max_alternatives)
    throw HttpError(400, "expected 0 to {} alternatives; got {}", max_alternatives, alternatives);
  request.scores = optional_flag(fields, "scores");
  request.sentences = optional_flag(fields, "sentences");
  return request;
}

std::string translation_answer(const TranslationRequest& request, std::span<const TextTranslations> translations) {
  JsonLine answer;
  const auto add = [&](const char* key, const auto& value_of) {
    answer.add_json(key, request.is_list ? list_of(translations, value_of) : value_of(translations.front()));
  };
  const auto add_best = [&](const char* key, auto TranslatedText::*member) {
    add(key, [&](const TextTranslations& each) { return dump(each.texts.front().*member); });
  };
  const auto add_others = [&](const char* key, auto TranslatedText::*member) {
    add(key, [&](const TextTranslations& each) {
      return list_of(std::span(each.texts).subspan(1),
                     [&](const TranslatedText& other) { return dump(other.*member); });
    });
  };
  const bool has_alternatives = request.alternatives > 0;
  if (request.scores && has_alternatives) {
    add_others("alternativeProbabilities", &TranslatedText::probability);
    add_others("alternativeTokenProbabilities", &TranslatedText::token_probability);
  }
  if (has_alternatives) add_others("alternatives", &TranslatedText::text);
  if (request.scores) add_best("probability", &TranslatedText::probability);
  if (request.sentences)
    add("sentences", [](const TextTranslations& each) { return list_of(each.sentences, sentence_answer); });
  if (request.scores) add_best("tokenProbability", &TranslatedText::token_probability);
  add_best("translatedText", &TranslatedText::text);
  return answer.text();
}

std::string languages_answer(std::span<const ServedLanguage> languages) {
  return list_of(languages, [](const ServedLanguage& language) {
    return JsonLine().add("code", language.code).add("name", language.name).add("targets", language.targets).text();
  });
}

std::string models_answer(std::span<const ServedModel> models) {
  return list_of(models, [](const ServedModel& model) {
    const bool has_bleu = std::isfinite(model.bleu), has_chrf = std::isfinite(model.chrf);
    JsonLine entry;
    if (has_bleu) entry.add("bleu", model.bleu);
    if (has_chrf) entry.add("chrf", model.chrf);
    entry.add("parameters", model.parameters)
        .add("source", model.source)
        .add("target", model.target)
        .add("trainedOn", model.trained_on)
        .add("update", model.update);
    if (has_bleu || has_chrf) entry.add("validationBeam", model.validation_beam);
    return entry.text();
  });
}

std::string error_answer(std::string_view text) { return JsonLine().add("error", text).text(); }

}  // namespace glossa::serve
