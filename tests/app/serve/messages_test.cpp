#include "app/serve/messages.h"

#include <doctest/doctest.h>

#include <functional>

#include "app/serve/form.h"
#include "app/serve/http_error.h"

using namespace glossa::serve;

namespace {

int status_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    CHECK(std::string(error.what()).starts_with("expected "));
    return error.status();
  }
  return 200;
}

int status_of_json(const std::string& body) {
  return status_of([&] { translation_request(fields_of_json(body)); });
}

}  // namespace

TEST_CASE("JSON and forms give the same request") {
  for (const Fields& fields :
       {fields_of_json(R"({"q": "a b\n&ü", "source": "en", "target": "hi", "format": "text", "alternatives": 3,
                           "scores": true, "api_key": null, "other": 1})"),
        fields_of_form("q=a+b%0a%26%C3%BC&source=en&target=hi&format=text&alternatives=3&scores=true&other=1&&=x")}) {
    const TranslationRequest request = translation_request(fields);
    CHECK_EQ(request.texts, std::vector<std::string>{"a b\n&ü"});
    CHECK_FALSE(request.is_list);
    CHECK_EQ(request.source, "en");
    CHECK_EQ(request.target, "hi");
    CHECK_EQ(request.alternatives, 3);
    CHECK(request.scores);
    CHECK_FALSE(fields.contains("api_key"));
    CHECK_FALSE(fields.contains(""));
  }
  for (const Fields& fields : {fields_of_json(R"({"q":["a","b"],"source":"en","target":"hi"})"),
                               fields_of_form("q=a&q=b&source=en&target=hi")}) {
    const TranslationRequest request = translation_request(fields);
    CHECK_EQ(request.texts, std::vector<std::string>{"a", "b"});
    CHECK(request.is_list);
    CHECK_EQ(request.alternatives, 0);
    CHECK_FALSE(request.scores);
  }
  CHECK(translation_request(fields_of_json(R"({"q":[],"source":"en","target":"hi"})")).is_list);
  CHECK(translation_request(fields_of_json(R"({"q":["a"],"source":"en","target":"hi"})")).is_list);
  CHECK_EQ(fields_of_form("a=%zz%4&b").at("a").values.front(), "%zz%4");
  CHECK_EQ(fields_of_form("a=%zz%4&b").at("b").values.front(), "");
}

TEST_CASE("a malformed request for a translation is refused with 400") {
  const auto with = [](const std::string& more) {
    return status_of_json(R"({"q":"a","source":"en","target":"hi",)" + more + "}");
  };
  CHECK_EQ(with(R"("alternatives":0)"), 200);
  CHECK_EQ(with(R"("alternatives":"2")"), 200);
  for (const char* more :
       {R"("alternatives":-1)", R"("alternatives":1.5)", R"("alternatives":1e9)",
        R"("alternatives":99999999999999999999)", R"("alternatives":"x")", R"("alternatives":[1])",
        R"("format":"html")", R"("scores":2)", R"("sentences":"yes")", R"("source":["en"])", R"("target":{})",
        R"("q":[["a"]])", R"("q":[{"a":"b"}])", R"("q":{"a":"b"})", R"("q":[null])", R"("q":null)"})
    CHECK_MESSAGE(with(more) == 400, more);
  for (const char* more : {R"("q":42)", R"("q":["a",42])", R"("q":true)", R"("source":1)", R"("format":0)"})
    CHECK_MESSAGE(with(more) == 400, more);
  for (const char* body :
       {"", "{", "[]", "\"a\"", "null", "{}", R"({"q":"a"})", R"({"source":"en","target":"hi"})",
        R"({"q":"a","source":"en"})", "{\"q\":\"\xFF\",\"source\":\"en\",\"target\":\"hi\"}",
        R"({"q":"\ud800","source":"en","target":"hi"})", R"({"q":"a","source":"en","target":"hi"} x)", "{\"q\":1e999}"})
    CHECK_MESSAGE(status_of_json(body) == 400, body);
  const std::string good = R"({"q":"a","source":"en","target":"hi"})";
  CHECK_EQ(status_of_json(good), 200);
  CHECK_EQ(status_of_json(good + std::string("\0x", 2)), 400);
  CHECK_EQ(status_of([] { fields_of_form("q=%FF"); }), 400);
  CHECK_EQ(status_of([] { fields_of_form("%C3=a"); }), 400);
}

TEST_CASE("a missing field is reported with what the client sent instead") {
  const auto error_of = [](const Fields& fields) -> std::string {
    try {
      translation_request(fields);
    } catch (const HttpError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_EQ(error_of(fields_of_json(R"({"text":"a","source":"en"})")),
           "expected the field q in the request; got only source, text");
  CHECK_EQ(error_of(fields_of_json("{}")),
           "expected q in the request; got no field. Hint: send an application/json object or a form");
  CHECK_EQ(error_of(fields_of_form(R"({"q":"a"})")),
           "expected q in the form; got JSON. Hint: send the header Content-Type: application/json");
  CHECK_EQ(error_of(fields_of_json(R"({"q":42,"source":"en","target":"hi"})")),
           "expected q to be a text; got a number or truth value");
}

TEST_CASE("an error quotes at most the start of what a client sent, cut between two characters") {
  const auto quoted = [](const std::string& text) { return std::string(HttpError(400, "<{}>", text).what()); };
  CHECK_EQ(quoted(std::string(200, 'a')), "<" + std::string(200, 'a') + ">");
  CHECK_EQ(quoted(std::string(201, 'a')), "<" + std::string(200, 'a') + "...>");
  CHECK_EQ(quoted(std::string(199, 'a') + "\u00FC"), "<" + std::string(199, 'a') + "...>");
  CHECK_EQ(quoted(std::string(1000, '\x80')), "<...>");
  CHECK_EQ(std::string(HttpError(413, "at most {} of {}", 3, std::string_view("x")).what()), "at most 3 of x");
}

TEST_CASE("deep or long JSON is refused before it is built") {
  const std::string deep(1000000, '[');
  CHECK_EQ(status_of([&] { fields_of_json(deep); }), 400);
  CHECK_EQ(status_of([&] { fields_of_json("{\"q\":" + deep); }), 400);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK_EQ(status_of([&] { fields_of_json(objects); }), 400);
  std::string many = "{\"q\":[1", form = "q=1";
  for (int i = 0; i < 100000; ++i) many += ",1", form += "&q=1";
  CHECK_EQ(status_of([&] { fields_of_json(many + "]}"); }), 413);
  CHECK_EQ(status_of([&] { fields_of_form(form); }), 413);
}

TEST_CASE("answers are lists if the request had one") {
  const TranslatedSentence sentence{"a b", {"b"}, {{"x\"", 0.5, {"x\"", "</s>"}, {0.25, 1}}}};
  const std::vector<TextTranslations> two{{{{"x\"", 0.5, 0.75}, {"y", 0.25, 0.5}}, {sentence}}, {{{"z", 1, 1}}, {}}};
  TranslationRequest request;
  CHECK_EQ(translation_answer(request, {two.data(), 1}), R"({"translatedText":"x\""})");
  request.alternatives = 1;
  CHECK_EQ(translation_answer(request, {two.data(), 1}), R"({"alternatives":["y"],"translatedText":"x\""})");
  request.scores = true;
  CHECK_EQ(translation_answer(request, {two.data(), 1}),
           R"({"alternativeProbabilities":[0.25],"alternativeTokenProbabilities":[0.5],"alternatives":["y"],)"
           R"("probability":0.5,"tokenProbability":0.75,"translatedText":"x\""})");
  request.is_list = true;
  CHECK_EQ(translation_answer(request, two),
           R"({"alternativeProbabilities":[[0.25],[]],"alternativeTokenProbabilities":[[0.5],[]],)"
           R"("alternatives":[["y"],[]],"probability":[0.5,1.0],"tokenProbability":[0.75,1.0],)"
           R"("translatedText":["x\"","z"]})");
  request.scores = false;
  request.alternatives = 0;
  CHECK_EQ(translation_answer(request, {}), R"({"translatedText":[]})");
  request.sentences = true;
  CHECK_EQ(translation_answer(request, two),
           R"({"sentences":[[{"source":"a b","translations":[{"output":["x\"","</s>"],"probabilities":[0.25,1.0],)"
           R"("text":"x\"","tokenProbability":0.5}],"unknown":["b"]}],[]],"translatedText":["x\"","z"]})");
  CHECK_EQ(error_answer("a \"b\"\xFF"), "{\"error\":\"a \\\"b\\\"\uFFFD\"}");
  const std::vector<ServedLanguage> languages{{"en", "English", {"hi", "de"}}};
  CHECK_EQ(languages_answer(languages), R"([{"code":"en","name":"English","targets":["hi","de"]}])");
  ServedModel model{.source = "en", .target = "hi", .trained_on = {"a/b"}, .parameters = 7, .update = 3};
  CHECK_EQ(models_answer({&model, 1}),
           R"([{"parameters":7,"source":"en","target":"hi","trainedOn":["a/b"],"update":3}])");
  model.bleu = 12.5;
  model.validation_beam = 4;
  CHECK_EQ(models_answer({&model, 1}),
           R"([{"bleu":12.5,"parameters":7,"source":"en","target":"hi","trainedOn":["a/b"],"update":3,)"
           R"("validationBeam":4}])");
}
