#include "tests/autograd/programs/program.h"

#include <fmt/ranges.h>

#include <regex>
#include <sstream>

#include "base/check.h"
#include "tests/autograd/programs/program_op.h"

namespace glossa::programs {

namespace {

std::string line_text(const Instruction& line) {
  std::string text =
      fmt::format("{}({}{})", line.op->name, line.operands.empty() ? "" : "x", fmt::join(line.operands, ", x"));
  if (line.op->is_shaped) text += " " + line.shape.str();
  for (const int number : line.numbers) text += fmt::format(" {}", number);
  return text;
}

std::vector<int> integers_in(const std::string& text) {
  static const std::regex integer("-?[0-9]+");
  std::vector<int> integers;
  for (std::sregex_iterator match(text.begin(), text.end(), integer), end; match != end; ++match)
    integers.push_back(std::stoi(match->str()));
  return integers;
}

Instruction instruction_of(const std::string& text) {
  static const std::regex form(R"(x\d+ = ([\w.]+)\(([^)]*)\)(?: \[([^\]]*)\])?([-\d ]*))");
  std::smatch match;
  check(std::regex_match(text, match, form), "program", "expected \"x1 = op(x0) [2, 3] 1\"; got \"{}\"", text);
  Instruction line{&op_named(match.str(1)), integers_in(match.str(2)), integers_in(match.str(4))};
  for (const int extent : integers_in(match.str(3))) line.shape = line.shape.inserted(line.shape.rank(), extent);
  return line;
}

}  // namespace

Program without(const Program& program, int i, int instead) {
  Program rest{.steps = program.steps};
  std::vector<int> position(program.lines.size(), -1);
  for (int k = 0; k < std::ssize(program.lines); ++k) {
    if (k == i) {
      if (instead >= 0) position[k] = position[instead];
      continue;
    }
    Instruction line = program.lines[k];
    for (int& operand : line.operands) operand = position[operand];
    if (std::ranges::count(line.operands, -1) > 0) continue;
    position[k] = static_cast<int>(std::ssize(rest.lines));
    rest.lines.push_back(std::move(line));
  }
  return rest;
}

std::string text_of(const Program& program) {
  std::string text = fmt::format("steps {}\n", program.steps);
  for (std::size_t i = 0; i < program.lines.size(); ++i)
    text += fmt::format("x{} = {}\n", i, line_text(program.lines[i]));
  return text;
}

Program program_of(std::string_view text) {
  Program program;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("steps"))
      program.steps = integers_in(line).at(0);
    else if (!line.empty())
      program.lines.push_back(instruction_of(line));
  return program;
}

}  // namespace glossa::programs
