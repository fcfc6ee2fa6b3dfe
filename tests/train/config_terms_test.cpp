#include "config/config_terms.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "config/config.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "train/model/model_factory.h"

using namespace glossa;

namespace {

/// The whole source, with multi-line texts joined.
std::string library_source() {
  std::ostringstream text;
  for (const char* room : {"base", "autograd", "layers", "optim", "data"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(GLOSSA_SOURCE_DIR "/") + room))
      if (entry.path().extension() == ".cpp") text << std::ifstream(entry.path()).rdbuf();
  return std::regex_replace(text.str(), std::regex("\"\n *\""), "");
}

/// True if `text` names a key of the configuration, or the section that precedes a key.
bool names_a_key(const std::string& text) {
  for (const OptionSection& section : option_sections()) {
    if (text == section.name + ".") return true;
    for (const Option<Config>& option : section.options)
      if (text.find(section.name + "." + option.name) != text.npos) return true;
  }
  return false;
}

template <class F>
std::string message(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return in_config_terms(error).what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("errors of the library name configuration keys when the program prints them") {
  ParameterStore<float> store;
  store.declare("weight", {3, 2}, init::constant(1));
  store.allocate(1);
  CHECK(message([&] { make_optimizer({.adam = {.beta1 = 1}}, store); }) ==
        "[optim.beta1] expected a number in [0, 1); got 1");
  CHECK(message([&] { make_optimizer({.name = OptimConfig::Name::sgd, .sgd = {.momentum = 1}}, store); }) ==
        "[optim.momentum] expected a number in [0, 1); got 1");
  CHECK(message([&] { make_optimizer({.weight_decay = -1}, store); }) ==
        "[optim.weight_decay] expected a finite number of at least 0; got -1");
  CHECK(message([&] { make_optimizer({.freeze = {"bias"}}, store); }) ==
        "[optim.freeze] expected a pattern that matches the name of a parameter; got 'bias'. Hint: `glossa inspect` "
        "lists the names; * matches any text");
  CHECK(message([] {
          make_schedule({.schedule = {.kind = ScheduleOptions::Kind::cosine}, .warmup = {5}, .total_updates = {5}}, 8);
        }) == "[optim.total_updates] expected more than the warmup (5); got 5");
  CHECK(message([] { make_schedule({.schedule = {.kind = ScheduleOptions::Kind::noam}}, 0); }) ==
        "[model.width] expected at least 1; got 0");
  CHECK(message([] { make_model(ModelConfig{}, 5, 6, 1); }) ==
        "[model.tied] expected one vocabulary for both sides to tie their embeddings; got 5 and 6 tokens. Hint: "
        "use model.tied: output");
  CHECK(message([] { Sampler(EncodedCorpus(), {.max_tokens = 0}); }) == "[data.max_tokens] expected 1 or more; got 0");
}

TEST_CASE("an error without such names is unchanged, and so are names within its arguments") {
  const auto unchanged = [](Error::Parts parts) {
    const Error error(Error::Kind::failure, parts), same = in_config_terms(error);
    return same.kind() == error.kind() && same.what() == std::string(error.what());
  };
  CHECK(unchanged(Error::Parts::of("softmax", "expected [N, D]; got [{}]", 3)));
  CHECK(unchanged(Error::Parts::of("freeze.txt", "expected {}; got {}", "AdamOptions::beta1", "Tied::output")));
  CHECK(unchanged(Error::Parts::of("text:2", "cannot encode the text: {}", "use fewer rows at a time")));
}

TEST_CASE("every term is used by the library and stands for an existing key") {
  const std::string source = library_source();
  for (const std::span<const ConfigTerm> terms : {place_terms(), hint_terms()})
    for (const ConfigTerm& term : terms) {
      CAPTURE(term.code);
      CHECK(source.find(term.code) != source.npos);
      CHECK((names_a_key(term.config) || std::string_view(term.config).find("`glossa ") != std::string_view::npos));
    }
}

TEST_CASE("option members in the library's errors become names of keys, if a key can set them") {
  const std::set<std::string> beyond_configuration{
      "ParameterGroup::pattern", "ParameterGroup::lr_factor", "Segment::lr_factor",
      "Segment::betas",          "Segment::weight_decay",     "AdamBetas::beta1",
      "AdamBetas::beta2",        "SgdOptions::nesterov",      "TransformerOptions::start_row"};
  const std::string source = library_source();
  const std::regex literal("\"[^\"\n]*\""), member("[A-Z][A-Za-z0-9]*::[a-z_0-9]+");
  int found = 0;
  for (std::sregex_iterator text(source.begin(), source.end(), literal), end; text != end; ++text) {
    std::string words = text->str().substr(1, text->length() - 2);
    for (const std::string& name : beyond_configuration) words = std::regex_replace(words, std::regex(name), "");
    if (!std::regex_search(words, member)) continue;
    ++found;
    CAPTURE(words);
    // A sentence with its hint, a hint alone, or a place.
    const bool is_hint = words.find(' ') != words.npos;
    const std::size_t hint = words.find(". Hint: ");
    Error::Parts parts{.where = is_hint ? "place" : words, .problem = "cannot"};
    if (hint != words.npos) parts.problem = words.substr(0, hint);
    if (is_hint) parts.hint = words.substr(hint == words.npos ? 0 : hint + 8);
    const std::string message = in_config_terms(Error(Error::Kind::misuse, parts)).what();
    CAPTURE(message);
    CHECK_FALSE(std::regex_search(message, member));
    CHECK((names_a_key(message) || message.find("`glossa inspect`") != message.npos));
  }
  CHECK_GT(found, 12);
}
