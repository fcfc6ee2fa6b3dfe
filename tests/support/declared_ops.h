#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "autograd/shape.h"

namespace glossa::testing {

/// An overload of an op: its name and possible numbers of arguments.
struct Overload {
  std::string op;
  Index min_arguments, max_arguments;
};

/// Counts the arguments in the bracket that opens before `at`, by commas outside inner brackets.
inline Index count_arguments(const std::string& text, std::size_t at) {
  Index depth = 1, commas = 0;
  for (; at < text.size() && depth > 0; ++at) {
    depth += std::ranges::count("([{", text[at]) - std::ranges::count(")]}", text[at]);
    commas += depth == 1 && text[at] == ',';
  }
  return commas + 1;
}

/// Returns the functions in a header that are templates on the scalar type.
inline std::vector<Overload> declared_ops(const std::string& header) {
  const std::string code = std::regex_replace(header, std::regex("//[^\n]*"), "");
  const std::regex declaration(R"(template\s*<class T>\s*[\w:<> ]+?\s+(\w+)\s*\(([^)]*))");
  std::vector<Overload> ops;
  for (std::sregex_iterator match(code.begin(), code.end(), declaration), end; match != end; ++match) {
    const std::string arguments = (*match)[2];
    const Index max_arguments = count_arguments(arguments, 0);
    ops.push_back({(*match)[1], max_arguments - std::ranges::count(arguments, '='), max_arguments});
  }
  return ops;
}

/// True if `text` calls the op with a number of arguments that this overload takes.
inline bool calls(const std::string& text, const Overload& overload) {
  const std::string call = overload.op + '(';
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':' || c == '.'; };
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    if (at > 0 && part_of_name(text[at - 1])) continue;
    const Index arguments = count_arguments(text, at + call.size());
    if (overload.min_arguments <= arguments && arguments <= overload.max_arguments) return true;
  }
  return false;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string ops_header() { return text_of(GLOSSA_SOURCE_DIR "/autograd/ops.h"); }

}  // namespace glossa::testing
