#pragma once

#include <doctest/doctest.h>
#include <stdio.h>

#include <sstream>
#include <string>
#include <vector>

namespace glossa::testing {

/// Runs a command with /bin/sh; returns its standard output. The command must succeed.
inline std::string output_of_shell(const std::string& command) {
  CAPTURE(command);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
  REQUIRE_EQ(::pclose(pipe), 0);
  return output;
}

/// The words into which a shell splits a command; none may be empty or contain a line feed.
inline std::vector<std::string> words_of_shell(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream lines(output_of_shell("printf '%s\\n' " + command));
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  return words;
}

/// True if /bin/sh finds a program.
inline bool has_program(const std::string& name) {
  return output_of_shell("command -v " + name + " >/dev/null && echo yes || true") == "yes\n";
}

/// The part of an error's text after "Hint: ".
inline std::string hint_of(const std::string& error) {
  const std::size_t at = error.find("Hint: ");
  return at == error.npos ? "" : error.substr(at + 6);
}

}  // namespace glossa::testing
