#include <doctest/doctest.h>

#include "base/check.h"
#include "config/config.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::error_of;

TEST_CASE("a configuration is made of names and values, as of YAML") {
  const Config config = config_from({{"data.train", std::vector<std::string>{"a", "b"}},
                                     {"data.source", "en"},
                                     {"model.width", 64},
                                     {"model.bias", true},
                                     {"optim.lr", 1.0 / 3},
                                     {"train.validate_every", "20u"}});
  const std::string yaml =
      "data: {train: [a, b], source: en}\nmodel: {width: 64, bias: true}\noptim: {lr: 0.3333333333333333}\n"
      "train: {validate_every: 20u}\n";
  CHECK(dump(config) == dump(parse_config(yaml, "yaml")));
  CHECK(config.optim.schedule.lr == 1.0 / 3);
  CHECK(dump(config_from({{"model.width", 32}}, config)) == dump(load_config("", {"model.width=32"}, config)));
  const auto error = [](const std::string& key, const GivenValue& value) {
    return error_of<Error>([&] { config_from({{key, value}}); });
  };
  CHECK(error("model.width", "wide").starts_with("[options] model.width: expected a whole number"));
  CHECK(error("model.width", 1.5).ends_with("got '1.5'"));
  CHECK(error("model.bias", 1).starts_with("[options] model.bias: expected true or false; got '1'"));
  CHECK(error("model.widht", 8).find("model.width") != std::string::npos);
  CHECK(error("width", 8).find("model.width") != std::string::npos);
  CHECK(error("data.source", "\xff").starts_with("[options] data.source: expected text in UTF-8"));
}

TEST_CASE("settings apply in order, from a program or the command line, and their errors name the place") {
  const std::map<std::string, GivenValue> options{{"model.width", 32}, {"data.valid", std::vector<std::string>{"v"}}};
  CHECK_EQ(dump(load_config("", options)), dump(load_config("", {"model.width=32", "data.valid=v"})));
  CHECK_EQ(config_from({{"model.width", 32}, {"model.width", 64}}).model.transformer.stack.width, 64);
  CHECK_EQ(config_from({"model.width=32", {"model.width", 64}}).model.transformer.stack.width, 64);

  const auto error = [](const Setting& setting) { return error_of<Error>([&] { config_from({setting}); }); };
  CHECK(error("model.width=x").starts_with("[--set model.width=x] model.width: expected a whole number"));
  CHECK_EQ(error("model.width"), "[--set model.width] expected section.key=value; got 'model.width'");
  CHECK(error("model.width= 8").find("without spaces around =") != std::string::npos);
}

TEST_CASE("a removed option is ignored if it has one of its values") {
  for (const std::string layout : {"packed", "padded"}) {
    CHECK_EQ(dump(parse_config("data:\n  layout: " + layout + "  # of glossa 0.2\n", "yaml")), dump(Config{}));
    CHECK_EQ(dump(config_from({{"data.layout", layout}})), dump(Config{}));
  }
  for (const char* yaml : {"data:\n  layout: dense\n", "data:\n  layout: [packed]\n", "data:\n  layouts: packed\n"})
    CHECK(error_of<Error>([&] { parse_config(yaml, "c.yaml"); }).find("unknown key 'data.layout") != std::string::npos);
}
