#include "tests/integration/served_run.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

namespace glossa::testing {

ServedRun::ServedRun() {
  succeeded(tiny.train(
      "run", {"train.max_updates=150", "model.width=32", "optim.lr=5e-3", "model.dropout=0", "decode.beam=2"}));
  lines = lines_of(read_bytes(tiny / "toy/test.en"));
  lines.resize(60);
  translated = translate(lines);
}

Strings ServedRun::translate(const Strings& sources) const {
  return lines_of(succeeded(glossa_program({"translate", run()}, fmt::format("{}\n", fmt::join(sources, "\n")))).out);
}

const ServedRun& fixture() {
  static const ServedRun fixture;
  return fixture;
}

std::string in_json(const std::string& text) { return json_object(translation(text)).at("q"); }

std::string translated(int port, const std::string& text, const std::string& more) {
  const Answer answer = ask(port, post("/translate", translation(text, more)));
  REQUIRE_MESSAGE(answer.status == 200, answer.body);
  return json_object(answer.body).at("translatedText");
}

void check_error(const Answer& answer, int status, const std::string& part) {
  CAPTURE(answer.body);
  CHECK_EQ(answer.status, status);
  REQUIRE_FALSE(answer.body.empty());
  CHECK_NE(answer.head.find("Content-Type: application/json"), answer.head.npos);
  CHECK_NE(json_object(answer.body).at("error").find(part), std::string::npos);
}

}  // namespace glossa::testing
