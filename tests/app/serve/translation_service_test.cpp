#include "app/serve/translation_service.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "app/serve/http_error.h"
#include "base/check.h"
#include "tests/decoding/translator_fixture.h"
#include "tests/support/few_threads.h"

using namespace glossa;
using namespace glossa::serve;
using namespace glossa::testing;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

/// A service of one run with random weights.
struct Served {
  explicit Served(const DecodeOptions& decode = {}, std::size_t queue = 1000, bool splits_sentences = true)
      : decode(decode),
        splits_sentences(splits_sentences),
        service({run()}, TranslationService::Limits{.queue = queue, .searches = 2, .batch = 8, .gather = 1ms},
                metrics) {}

  ServedRun run() const {
    return {.model = fixture.transformer.get(),
            .tokenizers = fixture.tokenizers,
            .data = fixture.data,
            .decode = decode,
            .splits_sentences = splits_sentences};
  }

  std::vector<std::vector<TranslatedText>> ask(const Lines& texts, std::int64_t alternatives = 0,
                                               const std::string& source = "en", std::chrono::milliseconds time = 60s) {
    TranslationRequest request;
    request.texts = texts;
    request.is_list = texts.size() != 1;
    request.source = source;
    request.target = "de";
    request.alternatives = alternatives;
    std::vector<std::vector<TranslatedText>> answers;
    for (TextTranslations& each : service.translate(request, caller(time))) answers.push_back(std::move(each.texts));
    return answers;
  }

  static Caller caller(std::chrono::milliseconds time = 60s) {
    return {.client = "127.0.0.1", .deadline = std::chrono::steady_clock::now() + time};
  }

  int status(const Lines& texts, std::chrono::milliseconds time = 60s) {
    try {
      ask(texts, 0, "en", time);
    } catch (const HttpError& error) {
      return error.status();
    }
    return 200;
  }

  TranslatorFixture fixture;
  DecodeOptions decode;
  bool splits_sentences;
  serve::ServerMetrics metrics;
  TranslationService service;
};

std::string best(const std::vector<std::vector<TranslatedText>>& answers, std::size_t i = 0) {
  return answers.at(i).at(0).text;
}

}  // namespace

TEST_CASE("a text is translated line by line as by the translator, and keeps its line ends") {
  DecodeOptions decode;
  decode.beam = 3;
  Served served(decode);
  Translator translator = served.fixture.translator(decode);
  const Lines lines{"a1 a2 a3", "", "a5 a1 a1 a2 a3 a4 a1 a2 a3 a4 a5 a6 a1 a2 a3", "a4 a4 a0"};
  const Lines expected = translator.translate(lines, "text");
  CHECK_EQ(best(served.ask({lines[0] + "\r\n" + lines[1] + "\n" + lines[2] + "\n " + lines[3]})),
           expected[0] + "\r\n" + expected[1] + "\n" + expected[2] + "\n" + expected[3]);
  for (const char* ending : {"\n", "\r\n", "\n\n\r\n"})
    CHECK_EQ(best(served.ask({lines[0] + ending})), expected[0] + ending);
  const auto list = served.ask(lines);
  REQUIRE_EQ(list.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK_EQ(best(list, i), expected[i]);
  const std::string several = "a1 a2 a3 a4.  A5 a5 a2 a2";
  translator.split_sentences(true);
  CHECK_EQ(best(served.ask({several})), translator.translate(Lines{several}, "text").front());
  Served whole(decode, 1000, false);
  translator.split_sentences(false);
  CHECK_EQ(best(whole.ask({several})), translator.translate(Lines{several}, "text").front());
  CHECK_NE(best(whole.ask({several})), best(served.ask({several})));
  CHECK_EQ(best(served.ask({""})), "");
  CHECK_EQ(best(served.ask({"\n \n"})), "\n\n");
  CHECK(served.ask({}).empty());
}

TEST_CASE("alternatives are those of the n-best list, with their probabilities") {
  DecodeOptions decode;
  decode.beam = 2;
  Served served(decode);
  const auto list_of = [&](const std::string& line, Index n) {
    DecodeOptions wide = decode;
    wide.beam = std::max<Index>(decode.beam, n);
    Translator translator = served.fixture.translator(wide);
    return translator.n_best(translator.encode(Lines{line}, "text"), n).front();
  };
  constexpr double limit = 1e-4;  // floats, which another batch and transposed weights sum in another order
  for (const Index n : {1, 2, 5}) {
    CAPTURE(n);
    const auto expected = list_of("a1 a2 a3", n);
    const auto found = served.ask({"a1 a2 a3"}, n - 1).front();
    REQUIRE_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK_EQ(found[i].text, expected[i].text);
      CHECK_LT(std::abs(found[i].probability / std::exp(expected[i].log_probability) - 1), limit);
      const double tokens = static_cast<double>(expected[i].tokens.size()) + (expected[i].finished ? 1 : 0);
      CHECK_LT(std::abs(found[i].token_probability / std::exp(expected[i].log_probability / tokens) - 1), limit);
    }
  }
  const auto first = list_of("a1 a2", 2), second = list_of("a5", 2);
  const auto both = served.ask({"a1 a2\na5"}, 1).front();
  REQUIRE_EQ(both.size(), 2);
  CHECK_EQ(both[1].text, first[1].text + "\n" + second[1].text);
  CHECK_LT(std::abs(both[1].probability / std::exp(first[1].log_probability + second[1].log_probability) - 1), limit);
}

TEST_CASE("sentences come with their translations, the probability of each token, and their unknown words") {
  DecodeOptions decode;
  decode.beam = 2;
  Served served(decode);
  TranslationRequest request;
  request.texts = {"a1 new a2 new2.  A5 a2\n\na3"};
  request.source = "en";
  request.target = "de";
  request.alternatives = 1;
  CHECK(served.service.translate(request, Served::caller()).front().sentences.empty());
  request.sentences = true;
  const TextTranslations found = served.service.translate(request, Served::caller()).front();
  REQUIRE_EQ(found.sentences.size(), 3);
  CHECK_EQ(found.sentences[0].source, "a1 new a2 new2.");
  CHECK_EQ(found.sentences[0].unknown, Lines{"new", "new2."});
  CHECK_EQ(found.sentences[1].source, "A5 a2");
  CHECK_EQ(found.sentences[2].source, "a3");
  CHECK(found.sentences[2].unknown.empty());
  double product = 1;
  for (const TranslatedSentence& sentence : found.sentences) {
    REQUIRE_EQ(sentence.translations.size(), 2);
    for (const TranslatedSentence::Choice& choice : sentence.translations) {
      REQUIRE_EQ(choice.output.size(), choice.probabilities.size());
      double own = 1;
      for (const double probability : choice.probabilities) own *= probability;
      CHECK_EQ(std::pow(choice.token_probability, choice.output.size()), doctest::Approx(own));
      if (&choice == &sentence.translations.front()) product *= own;
    }
  }
  CHECK_EQ(product, doctest::Approx(found.texts.front().probability));
  const auto& [first, second, third] = std::tie(found.sentences[0], found.sentences[1], found.sentences[2]);
  CHECK_EQ(found.texts.back().text,
           first.translations[1].text + "  " + second.translations[1].text + "\n\n" + third.translations[1].text);
}

TEST_CASE("samples equal those of the same lines in a file, and have no alternatives") {
  DecodeOptions decode;
  decode.sample = true;
  Served served(decode);
  Translator translator = served.fixture.translator(decode);
  const Lines lines{"a1 a2", "a1 a2", "a5 a1 a1 a2 a3 a4 a1 a2 a3 a4 a5 a6 a1 a2 a3"};
  const Lines expected = translator.translate(lines, "text");
  const auto answer = served.ask({lines[0] + "\n" + lines[1] + "\n" + lines[2]}, 3).front();
  CHECK_EQ(answer.size(), 1);
  CHECK_EQ(answer[0].text, expected[0] + "\n" + expected[1] + "\n" + expected[2]);
}

TEST_CASE("a service whose threads the system refuses is an Error, and leaves none of them") {
  Served served;
  for (const std::size_t granted : {0, 1, 3}) {
    const FewThreads few(granted);
    const TranslationService::Limits limits{.queue = 10, .searches = 4, .batch = 8, .gather = 1ms};
    for (int attempt = 0; attempt < 2; ++attempt)
      CHECK_THROWS_WITH_AS(TranslationService({served.run()}, limits, served.metrics),
                           doctest::Contains("[threads] cannot start a thread"), Error);
  }
}

TEST_CASE("many callers at once get what each would get alone") {
  Served served;
  Translator translator = served.fixture.translator();
  const Lines expected = translator.translate(served.fixture.corpus.source, "text");
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0, asked = 0;
  for (int client = 0; client < 16; ++client)
    clients.emplace_back([&, client] {
      for (std::size_t k = 0; k < 12; ++k, ++asked) {
        const std::size_t i = (k + static_cast<std::size_t>(client)) % expected.size();
        // Some want alternatives, some send unreadable text.
        if (client % 4 == 3) wrong += served.status({std::string("a1\0", 3)}) != 400;
        wrong += best(served.ask({served.fixture.corpus.source[i]}, client % 3)) != expected[i] && client % 3 == 0;
      }
    });
  for (std::thread& client : clients) client.join();
  CHECK_EQ(asked, 16 * 12);
  CHECK_EQ(wrong, 0);
  CHECK_EQ(served.service.waiting(), 0);
}

TEST_CASE("text that cannot be translated is reported with its place") {
  Served served;
  const auto error_of = [&](const Lines& texts, const std::string& source = "en") -> std::string {
    try {
      served.ask(texts, 0, source);
    } catch (const HttpError& error) {
      CHECK_EQ(error.status(), 400);
      return error.what();
    }
    return "";
  };
  CHECK(error_of({"a1\n\xFF"}).starts_with("[q:2:1] expected valid UTF-8"));
  CHECK(error_of({"a1", std::string("a\0", 2)}).starts_with("[q[1]:1:2] expected text; got a NUL byte"));
  CHECK_NE(error_of({"a1"}, "fr").find("en-de; got fr-de"), std::string::npos);
  CHECK_EQ(best(served.ask({"a1"}, 0, "auto")), best(served.ask({"a1"})));
}

TEST_CASE("more than may wait is refused with 413, and a request whose time is over with 503") {
  Served served({}, 4);
  CHECK_EQ(served.status({"a1\na2\na3\na4"}), 200);
  CHECK_EQ(served.status({"a1\na2\na3\na4\na5"}), 413);
  CHECK_EQ(served.status(Lines(5, "")), 413);
  CHECK_EQ(served.status({"a1. B. C. D. E."}), 200);  // may be initials
  CHECK_EQ(served.status({"a1? B? C? D? E?"}), 413);
  CHECK_EQ(served.status({"a1"}, -1s), 503);  // its time is over
  CHECK_EQ(served.status({"a1"}), 200);
}

TEST_CASE("a model that computes NaN fails only the requests that use it") {
  Served served;
  for (float& value : served.fixture.parameters.values()) value = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(served.ask({"a1"}), Error);
  CHECK_THROWS_AS(served.ask({"a1", "a2"}), Error);
  CHECK_EQ(best(served.ask({""})), "");
}

TEST_CASE("runs are distinguished by their languages, and no pair may occur twice") {
  Served served;
  const TranslationService::Limits limits{.queue = 10, .searches = 1, .batch = 4, .gather = 0s};
  ServedRun german = served.run(), french = german, hindi = german;
  french.data.source = "fr";
  hindi.data.target = "hi";
  ServedRun other = german;
  german.name = "runs/a";
  other.name = "runs/b";
  CHECK_THROWS_WITH_AS(TranslationService({german, other}, limits, served.metrics),
                       doctest::Contains("got runs/a and runs/b for en-de"), Error);
  TranslationService service({german, french, hindi}, limits, served.metrics);
  const std::vector<ServedLanguage> languages = service.languages();
  REQUIRE_EQ(languages.size(), 4);
  CHECK_EQ(languages[0].targets, Lines{"de", "hi"});
  CHECK_EQ(languages[1].name, "French");
  CHECK_EQ(languages[2].name, "German");
  CHECK(languages[2].targets.empty());
  const auto status = [&](const char* source, const char* target) {
    try {
      TranslationRequest request;
      request.texts = {"a1"};
      request.source = source;
      request.target = target;
      return service.translate(request, Served::caller()).size() == 1 ? 200 : 0;
    } catch (const HttpError& error) {
      return error.status();
    }
  };
  CHECK_EQ(status("fr", "de"), 200);
  CHECK_EQ(status("auto", "hi"), 200);
  CHECK_EQ(status("EN", "de-AT"), 200);
  for (const auto& [source, target] : {std::pair{"auto", "de"}, {"fr", "hi"}, {"en", "auto"}, {"", "de"}, {"en", ""}})
    CHECK_EQ(status(source, target), 400);
}

TEST_CASE("attention is not computed for a client that has left, nor once the service ends") {
  Served served;
  const auto status = [&](const Caller& caller) {
    try {
      served.service.attention("en", "de", "a1 a2", "b1", caller);
    } catch (const HttpError& error) {
      return error.status();
    }
    return 200;
  };
  Caller caller = Served::caller();
  CHECK_EQ(status(caller), 200);
  caller.has_left = std::make_shared<std::atomic<bool>>(true);
  CHECK_EQ(status(caller), 503);
  served.service.cancel();
  CHECK_EQ(status(Served::caller()), 503);
}

TEST_CASE("attention is computed from a text and its translation") {
  Served served;
  const auto look = [&](const std::string& text, const std::string& translation) {
    return served.service.attention("en", "de", text, translation, Served::caller());
  };
  const AttentionMaps maps = look("a1 a2", "b1 b2 b3");
  CHECK_EQ(maps.source, Lines{"a1", "a2", "</s>"});
  CHECK_EQ(maps.target, Lines{"<s>", "b1", "b2", "b3"});
  CHECK_EQ(maps.output, Lines{"b1", "b2", "b3", "</s>"});
  REQUIRE_EQ(maps.cross.size(), 1);
  REQUIRE_EQ(maps.cross[0].size(), 2);
  const auto status = [&](const std::string& text, const std::string& translation) {
    try {
      look(text, translation);
    } catch (const HttpError& error) {
      return error.status();
    }
    return 200;
  };
  CHECK_EQ(status("", "b1"), 400);
  CHECK_EQ(status("a1", " "), 400);
  CHECK_EQ(status("a1", "\xFF"), 400);
  std::string many;
  for (int i = 0; i < 11; ++i) many += "a1 ";
  CHECK_EQ(status(many, "b1"), 200);  // with </s>, as many as the model has positions
  CHECK_EQ(status(many + "a1", "b1"), 413);
  CHECK_EQ(status("a1", many), 200);
  CHECK_EQ(status("a1", many + "a1"), 413);
}
