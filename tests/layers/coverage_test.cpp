#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "layers/cases/layer_case.h"

using namespace glossa;

namespace {

/// Classes that need no row, and why.
const std::map<std::string, std::string> without_row{
    {"DecoderCache", "memory of decoding: nothing is differentiated there; see decoder_cache_test"},
    {"Mask", "bools that say what is blocked; see mask_test"},
    {"Stack", "the layers of Encoder and Decoder, which have rows"}};

/// `class X` at the beginning of a line, which leaves out enum classes and template arguments.
std::set<std::string> declared_layers() {
  std::set<std::string> names;
  const std::regex declaration("(^|\n)class (\\w+)");
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GLOSSA_SOURCE_DIR) + "/layers")) {
    if (entry.path().extension() != ".h") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator match(source.begin(), source.end(), declaration), end; match != end; ++match)
      names.insert((*match)[2]);
  }
  return names;
}

}  // namespace

TEST_CASE("every layer has a row in the table of gradient checks") {
  std::set<std::string> proved;
  for (const auto* table : {&layer_cases(), &model_cases()})
    for (const LayerCase& row : *table) proved.insert(row.subject());

  const std::set<std::string> layers = declared_layers();
  CHECK(layers.count("Linear") == 1);
  CHECK(layers.count("Transformer") == 1);
  for (const std::string& layer : layers)
    CHECK_MESSAGE(proved.count(layer) + without_row.count(layer) == 1, "class ", layer,
                  " of layers/ has no row in layers/cases/ (or has one though it is excluded)");
  for (const auto& row : without_row) CHECK_MESSAGE(layers.count(row.first) == 1, row.first, " is gone: ", row.second);
  for (const std::string& name : proved) CHECK_MESSAGE(layers.count(name) == 1, "rows for ", name, ", which is gone");
}
