#include "app/serve/messages.h"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>  // only here: it compiles slowly

#include "app/serve/http_error.h"
#include "data/text/utf8.h"

namespace glossa::serve {

namespace {

using nlohmann::json;

/// Maximum depth, that of a list's elements: {"q": ["text"]}.
constexpr int max_depth = 2;

std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// Adds a value that is neither object nor list.
void add_value(Field& field, const json& value, const std::string& name) {
  if (!value.is_string() && !value.is_number() && !value.is_boolean())
    throw HttpError(400, "expected {} to be a text; got {}", name, value.type_name());
  field.is_text &= value.is_string();
  field.values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
}

const Field* find(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

/// Throws: a field is missing. The hint depends on what the client did instead.
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

/// A field with one value.
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

/// False unless the field is present.
bool optional_flag(const Fields& fields, std::string_view name) {
  const std::string value = optional_value(fields, name, "false");
  if (value != "true" && value != "false") throw HttpError(400, "expected {} to be true or false; got {}", name, value);
  return value == "true";
}

json json_of(const TranslatedSentence& sentence) {
  json translations = json::array();
  for (const TranslatedSentence::Choice& choice : sentence.translations)
    translations.push_back({{"text", choice.text},
                            {"tokenProbability", choice.token_probability},
                            {"output", choice.output},
                            {"probabilities", choice.probabilities}});
  return {{"source", sentence.source}, {"unknown", sentence.unknown}, {"translations", std::move(translations)}};
}

}  // namespace

Fields fields_of_json(std::string_view body) {
  // The parser would treat a zero byte as the end.
  if (body.find('\0') != body.npos) throw HttpError(400, "expected JSON; got a zero byte in it");
  json object;
  std::size_t values = 0;
  try {
    object = json::parse(body, [&](int depth, json::parse_event_t, const json&) {
      // Stops the parser before anything deep or long is built.
      if (++values > max_values) throw HttpError(413, "expected at most {} values; got more", max_values);
      if (depth > max_depth) throw HttpError(400, "expected an object of texts and lists of texts; got deeper JSON");
      return true;
    });
  } catch (const json::exception& error) {
    const std::string_view text = error.what();  // [json.exception.parse_error.101] parse error at line ...
    throw HttpError(400, "expected JSON in UTF-8; got a {}", utf8::replace_invalid(text.substr(text.find(' ') + 1)));
  }
  if (!object.is_object()) throw HttpError(400, "expected a JSON object; got {}", object.type_name());
  Fields fields;
  for (const auto& [name, value] : object.items()) {
    if (value.is_null()) continue;
    Field& field = fields[name];
    field.is_list = value.is_array();
    if (!field.is_list) {
      add_value(field, value, name);
    } else {
      for (const json& each : value) add_value(field, each, name);
    }
  }
  return fields;
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
  json answer = json::object();
  const auto add = [&](const char* key, const auto& value_of) {
    if (!request.is_list) {
      answer[key] = value_of(translations.front());
      return;
    }
    json list = json::array();
    for (const TextTranslations& each : translations) list.push_back(value_of(each));
    answer[key] = std::move(list);
  };
  const auto add_best = [&](const char* key, auto TranslatedText::*member) {
    add(key, [&](const TextTranslations& each) -> json { return each.texts.front().*member; });
  };
  const auto add_others = [&](const char* key, auto TranslatedText::*member) {
    add(key, [&](const TextTranslations& each) {
      json list = json::array();
      for (const TranslatedText& other : std::span(each.texts).subspan(1)) list.push_back(other.*member);
      return list;
    });
  };
  add_best("translatedText", &TranslatedText::text);
  if (request.alternatives > 0) add_others("alternatives", &TranslatedText::text);
  if (request.scores) {
    add_best("probability", &TranslatedText::probability);
    add_best("tokenProbability", &TranslatedText::token_probability);
  }
  if (request.scores && request.alternatives > 0) {
    add_others("alternativeProbabilities", &TranslatedText::probability);
    add_others("alternativeTokenProbabilities", &TranslatedText::token_probability);
  }
  if (request.sentences)
    add("sentences", [](const TextTranslations& each) {
      json list = json::array();
      for (const TranslatedSentence& sentence : each.sentences) list.push_back(json_of(sentence));
      return list;
    });
  return dump(answer);
}

std::string languages_answer(std::span<const ServedLanguage> languages) {
  json list = json::array();
  for (const ServedLanguage& language : languages)
    list.push_back({{"code", language.code}, {"name", language.name}, {"targets", language.targets}});
  return dump(list);
}

std::string models_answer(std::span<const ServedModel> models) {
  json list = json::array();
  for (const ServedModel& model : models) {
    json& entry = list.emplace_back(json{{"source", model.source},
                                         {"target", model.target},
                                         {"trainedOn", model.trained_on},
                                         {"parameters", model.parameters},
                                         {"update", model.update}});
    if (std::isfinite(model.bleu)) entry["bleu"] = model.bleu;
    if (std::isfinite(model.chrf)) entry["chrf"] = model.chrf;
    if (std::isfinite(model.bleu) || std::isfinite(model.chrf)) entry["validationBeam"] = model.validation_beam;
  }
  return dump(list);
}

std::string error_answer(std::string_view text) { return dump({{"error", text}}); }

}  // namespace glossa::serve
