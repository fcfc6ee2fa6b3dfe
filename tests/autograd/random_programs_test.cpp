#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "tests/autograd/programs/draw.h"
#include "tests/autograd/programs/judge.h"
#include "tests/autograd/programs/shorten.h"
#include "tests/support/declared_ops.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"

using namespace glossa;
using namespace glossa::programs;

namespace {

constexpr int default_count = testing::sanitized ? 500 : 3000;

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

std::string report(const Program& program, const std::function<bool(const Program&)>& fails) {
  return "The shortest program found:\n" + text_of(shortened(program, fails, 2));
}

/// Settings under which a program runs.
struct Way {
  Form form;
  int team;
};

/// Compares the runs of random programs, of program i in the way `way(i)`. GLOSSA_PROGRAMS sets another number of
/// programs.
void compare_random_programs(int usual, const std::function<Way(int)>& way) {
  const int count = setting("GLOSSA_PROGRAMS", usual), seed = setting("GLOSSA_PROGRAM_SEED", 1);
  std::map<std::string, int> executed;
  Index compared = 0, refused = 0;
  int failures = 0;
  for (int i = 0; i < count && failures < 3; ++i) {
    const Program program = Draw(seed * 1000003ull + i, mixed_sizes).program();
    const auto [form, team] = way(i);
    const auto compare = [form = form, team = team](const Program& any) { return compare_runs(any, form, team); };
    const Comparison comparison = compare(program);
    compared += comparison.compared;
    refused += comparison.refused;
    for (std::size_t k = 0; k < comparison.executed.size(); ++k)
      executed[comparison.ran.lines[k].op->name] += comparison.executed[k];
    if (comparison.complaint.empty()) continue;
    ++failures;
    const auto fails = [&](const Program& other) { return !compare(other).complaint.empty(); };
    const char* const names[] = {"double", "float", "bf16"};
    FAIL_CHECK(fmt::format("program {} of seed {}, in {} on {} threads: {}\n{}", i, seed, names[static_cast<int>(form)],
                           team, comparison.complaint, report(program, fails)));
  }
  MESSAGE(fmt::format("{} programs, {} numbers compared, {} reads refused", count, compared, refused));
  if (count >= 500 && failures == 0)  // enough for every op to run
    for (const ProgramOp& op : program_ops()) CHECK_MESSAGE(executed[op.name] > 0, op.name << " never ran");
}

}  // namespace

TEST_CASE("programs are drawn from every overload of every declared op") {
  const std::string table = testing::text_of(GLOSSA_SOURCE_DIR "/tests/autograd/programs/library_ops.cpp");
  const auto has_entry = [&](const testing::Overload& overload) {
    const auto is_of = [&](const ProgramOp& op) { return op.name.substr(0, op.name.find('.')) == overload.op; };
    return std::ranges::any_of(program_ops(), is_of) && testing::calls(table, overload);
  };
  const auto declared = testing::declared_ops(testing::ops_header());
  REQUIRE(declared.size() > 50);
  for (const auto& overload : declared)
    CHECK_MESSAGE(has_entry(overload), overload.op
                                           << " of " << overload.max_arguments
                                           << " arguments has no entry in tests/autograd/programs/library_ops.cpp");
  CHECK_FALSE(has_entry({"novel", 1, 1}));
  CHECK_FALSE(has_entry({"tanh", 2, 2}));
}

TEST_CASE("a program survives the round trip through its text") {
  for (int seed = 0; seed < 20; ++seed) {
    const Program program = Draw(seed, mixed_sizes).program();
    CHECK(text_of(program_of(text_of(program))) == text_of(program));
  }
  CHECK_THROWS_WITH_AS(program_of("x0 = novel(x1)"), doctest::Contains("novel"), Error);
  CHECK_THROWS_WITH_AS(program_of("x0 := tanh x1"), doctest::Contains("tanh x1"), Error);
}

TEST_CASE("programs that once saw different numbers now agree") {
  for (const char* watched : {"value", "stop_gradient", "constant_of"})
    for (const char* taking : {"x6 = add_dropout(x0, x3) 0 0 4", "x6 = add_layer_norm(x0, x3, x2, x2) 0 0 0"}) {
      const std::string text = fmt::format(R"(x0 = input() [64, 32] 0 1
x1 = input() [32, 32] 0 2
x2 = input() [32] 0 3
x3 = linear(x0, x1)
x4 = {}(x3)
x5 = mul(x0, x4)
{}
x7 = add(x5, x6)
x8 = backward(x7) 0 5
x9 = value(x4)
)",
                                           watched, taking);
      for (const Form form : {Form::in_double, Form::in_float, Form::in_bf16}) {
        INFO(text);
        CHECK_EQ(compare_runs(program_of(text), form).complaint, "");
      }
    }
}

TEST_CASE("a failing program is shortened") {
  const auto fails = [](const Program& program) {  // something reads a gelu
    for (const Instruction& line : program.lines)
      for (const int operand : line.operands)
        if (program.lines[operand].op->name == "gelu" && program.lines[operand].operands.size() == 1) return true;
    return false;
  };
  const Program program = program_of(R"(steps 2
x0 = input() [64, 32] 0 17
x1 = declare() [32, 32] 0 1 5
x2 = parameter(x1)
x3 = linear(x0, x2)
x4 = gelu(x3)
x5 = value(x3)
x6 = slice(x4) 1 2 6
x7 = sum(x6)
x8 = backward(x7) 0 3
)");
  REQUIRE(fails(program));
  CHECK(text_of(shortened(program, fails, 10)) == R"(steps 1
x0 = input() [1, 1] 0 0
x1 = gelu(x0)
x2 = slice(x1) 0 0 0
)");
}

TEST_CASE_FIXTURE(testing::OneThread, "random programs see the same numbers with and without reuse of memory") {
  compare_random_programs(default_count, [](int i) {
    return Way{i % 4 != 0 ? Form::in_float : Form::in_double, i % 32 == 31 ? 2 : 1};
  });
}

TEST_CASE_FIXTURE(
    testing::OneThread,
    "in bf16, random programs see the same numbers with 1, 2, 4 and 8 threads, and with and without reuse") {
  compare_random_programs(default_count / 3, [](int i) { return Way{Form::in_bf16, 1 << i % 4}; });
}

TEST_CASE_FIXTURE(testing::OneThread, "small random programs have the gradients given by finite differences") {
  const int count = setting("GLOSSA_PROGRAMS", default_count) / 10, seed = setting("GLOSSA_PROGRAM_SEED", 1);
  constexpr double limit = 1e-6;
  int failures = 0;
  for (int i = 0; i < count && failures < 3; ++i) {
    const Program program = compare_runs(Draw(seed * 1000003ull + i, small_sizes).program(), Form::in_double).ran;
    const double error = error_by_differences(program);
    if (error <= limit) continue;
    ++failures;
    const auto fails = [](const Program& other) { return error_by_differences(other) > limit; };
    FAIL_CHECK(
        fmt::format("program {} of seed {}: a relative error of {}\n{}", i, seed, error, report(program, fails)));
  }
}
