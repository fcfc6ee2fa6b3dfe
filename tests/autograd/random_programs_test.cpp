#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "autograd/parallel.h"
#include "tests/autograd/programs/draw.h"
#include "tests/autograd/programs/judge.h"
#include "tests/autograd/programs/shorten.h"

using namespace glossa;
using namespace glossa::programs;

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int default_count = 500;
#else
constexpr int default_count = 3000;
#endif

int setting(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// One thread: the programs are small.
struct OneThread {
  const int before = threads();
  OneThread() { set_threads(1); }
  ~OneThread() { set_threads(before); }
};

std::string report(const Program& program, const std::function<bool(const Program&)>& fails) {
  return "The shortest program found:\n" + text_of(shortened(program, fails, 2));
}

}  // namespace

TEST_CASE_FIXTURE(OneThread, "random programs see the same with reuse of memory and without") {
  const int count = setting("GLOSSA_PROGRAMS", default_count), seed = setting("GLOSSA_PROGRAM_SEED", 1);
  std::map<std::string, int> executed;
  Index compared = 0, refused = 0;
  int failures = 0;
  for (int i = 0; i < count && failures < 3; ++i) {
    const Program program = Draw(seed * 1000003ull + i, mixed_sizes).program();
    const bool in_float = i % 4 != 0;
    const Verdict verdict = judge(program, in_float);
    compared += verdict.compared;
    refused += verdict.refused;
    for (std::size_t k = 0; k < verdict.executed.size(); ++k)
      executed[verdict.ran.lines[k].op->name] += verdict.executed[k];
    if (verdict.complaint.empty()) continue;
    ++failures;
    const auto fails = [in_float](const Program& other) { return !judge(other, in_float).complaint.empty(); };
    FAIL_CHECK(fmt::format("program {} of seed {}, in {}: {}\n{}", i, seed, in_float ? "float" : "double",
                           verdict.complaint, report(program, fails)));
  }
  MESSAGE(fmt::format("{} programs, {} numbers compared, {} reads refused", count, compared, refused));
  if (count >= default_count && failures == 0)
    for (const ProgramOp& op : program_ops()) CHECK_MESSAGE(executed[op.name] > 0, op.name << " never ran");
}

TEST_CASE_FIXTURE(OneThread, "small random programs have the gradients that differences have") {
  const int count = setting("GLOSSA_PROGRAMS", default_count) / 10, seed = setting("GLOSSA_PROGRAM_SEED", 1);
  constexpr double limit = 1e-6;
  int failures = 0;
  for (int i = 0; i < count && failures < 3; ++i) {
    const Program program = judge(Draw(seed * 1000003ull + i, small_sizes).program(), false).ran;
    const double error = error_by_differences(program);
    if (error <= limit) continue;
    ++failures;
    const auto fails = [](const Program& other) {
      try {
        return error_by_differences(other) > limit;
      } catch (const Error&) {
        return false;
      }
    };
    FAIL_CHECK(
        fmt::format("program {} of seed {}: a relative error of {}\n{}", i, seed, error, report(program, fails)));
  }
}
