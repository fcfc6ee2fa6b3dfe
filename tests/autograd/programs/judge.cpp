#include "tests/autograd/programs/judge.h"

#include <cstring>
#include <optional>

#include "autograd/grad_check.h"
#include "tests/autograd/programs/program_op.h"
#include "tests/autograd/programs/run.h"

namespace glossa::programs {

namespace {

/// What tells two sights apart; empty if nothing does.
template <class T>
std::string difference(const Sight& with, const Sight& without) {
  if (with.what != without.what) return fmt::format("with reuse {}, without {}", with.what, without.what);
  if (with.error != without.error)
    return fmt::format("{}: with reuse \"{}\", without \"{}\"", with.what, with.error, without.error);
  if (with.bits == without.bits) return "";
  if (with.bits.size() != without.bits.size()) return with.what + ": another number of elements";
  for (std::size_t at = 0;; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &with.bits[at], sizeof(T));
    std::memcpy(&b, &without.bits[at], sizeof(T));
    if (std::memcmp(&a, &b, sizeof(T)) != 0)
      return fmt::format("{}: element {} is {} with reuse and {} without", with.what, at / sizeof(T), a, b);
  }
}

template <class T>
Verdict judge_in(const Program& program) {
  Leaves<T> leaves(program);
  Context<T> one, other;
  other.set_reuse(false);
  Run<T> with(program, leaves, one);
  for (int step = 0; step < program.steps; ++step) with.execute_step(step);
  Run<T> without(program, leaves, other, &with.refused());
  for (int step = 0; step < program.steps; ++step) without.execute_step(step);

  Verdict verdict;
  verdict.refused = std::ranges::count(with.refused(), true);
  for (int i = 0; i < std::ssize(program.lines); ++i) verdict.executed.push_back(with.has(i));
  for (const Sight& sight : with.sights()) verdict.compared += static_cast<Index>(sight.bits.size() / sizeof(T));
  const std::size_t count = std::min(with.sights().size(), without.sights().size());
  for (std::size_t i = 0; i < count && verdict.complaint.empty(); ++i)
    verdict.complaint = difference<T>(with.sights()[i], without.sights()[i]);
  if (verdict.complaint.empty() && with.sights().size() != without.sights().size())
    verdict.complaint = "one of the two runs sees more than the other";
  for (const std::string& complaint : {with.complaint, without.complaint})
    if (!complaint.empty()) verdict.complaint = complaint;
  return verdict;
}

}  // namespace

Verdict judge(const Program& program, bool in_float) {
  return in_float ? judge_in<float>(program) : judge_in<double>(program);
}

double error_by_differences(const Program& program) {
  Leaves<double> leaves(program);
  std::vector<Tensor<double>> inputs;
  for (int i = 0; i < std::ssize(program.lines); ++i)
    if (program.lines[i].op->name == "input") inputs.push_back(leaves.numbers(i, program.lines[i]));
  std::optional<Run<double>> run;  // its layouts and ids outlive the function
  const auto function = [&](Context<double>& context, std::span<const Variable<double>> variables) {
    run.emplace(program, leaves, context);
    auto next = variables.begin();
    for (int i = 0; i < std::ssize(program.lines); ++i)
      if (program.lines[i].op->name == "input")
        run->set_variable(i, *next++);
      else
        run->execute(i);
    const int last = static_cast<int>(std::ssize(program.lines)) - 1;
    check(run->has(last), "program", "expected a last line that runs; got {}",
          run->sights().empty() ? "one that the engine refuses" : run->sights().front().error);
    return run->variable(last);
  };
  return grad_check(function, inputs, leaves.store(), {.max_elements = 4}).worst_error;
}

}  // namespace glossa::programs
