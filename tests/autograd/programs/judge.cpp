#include "tests/autograd/programs/judge.h"

#include <cstring>
#include <optional>

#include "autograd/grad_check.h"
#include "tests/autograd/programs/program_op.h"
#include "tests/autograd/programs/run.h"
#include "tests/support/restore_runtime.h"

namespace glossa::programs {

namespace {

/// The difference between two sights; empty if none.
template <class T>
std::string difference(const Observation& with, const Observation& without) {
  if (with.what != without.what) return fmt::format("with reuse {}, without {}", with.what, without.what);
  if (with.is_refused() && without.error.empty()) return "";
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
std::string difference(const std::vector<Observation>& with, const std::vector<Observation>& without) {
  for (std::size_t i = 0; i < std::min(with.size(), without.size()); ++i)
    if (const std::string text = difference<T>(with[i], without[i]); !text.empty()) return text;
  return with.size() == without.size() ? "" : "one of the two runs sees more than the other";
}

template <class T>
Comparison compare_runs_in(const Program& program, Precision precision, int team) {
  Leaves<T> leaves(program);
  Context<T> reusing, plain;
  plain.set_reuse(false);
  Run<T> with(program, leaves, reusing, precision), other(program, leaves, plain, precision);
  const testing::OneThread one;
  set_threads(team);
  with.execute_all();
  set_threads(1);
  if (const int line = with.refused_line(); line >= 0) {
    Comparison comparison = compare_runs_in<T>(without(program, line), precision, team);
    ++comparison.refused;
    return comparison;
  }
  other.execute_all();

  Comparison comparison{.ran = program};
  for (int i = 0; i < std::ssize(program.lines); ++i) comparison.executed.push_back(with.has(i));
  for (const Observation& observation : with.observations()) {
    comparison.compared += static_cast<Index>(observation.bits.size() / sizeof(T));
    comparison.refused += observation.is_refused();
  }
  comparison.complaint = difference<T>(with.observations(), other.observations());
  for (const std::string& complaint : {with.complaint, other.complaint})
    if (!complaint.empty()) comparison.complaint = complaint;
  return comparison;
}

}  // namespace

Comparison compare_runs(const Program& program, Form form, int team) {
  if (form == Form::in_double) return compare_runs_in<double>(program, Precision::full, team);
  return compare_runs_in<float>(program, form == Form::in_bf16 ? Precision::bf16 : Precision::full, team);
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
    check(run->has(last), "program", "expected a last line that runs; got one that does not");
    return run->variable(last);
  };
  return grad_check(function, inputs, leaves.store(), {.max_elements = 4}).worst_error;
}

}  // namespace glossa::programs
