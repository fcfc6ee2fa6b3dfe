#include "tests/autograd/programs/draw.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace glossa::programs {

namespace {

constexpr Index some_rows[] = {1, 2, 5, 17, 32, 33, 64, 64}, some_widths[] = {1, 4, 8, 24, 32, 32, 40};
constexpr Index few_rows[] = {1, 2, 3, 4}, small_widths[] = {2, 4};
constexpr Index max_elements = 8192;
constexpr double largest = 1000;

bool needs_grad(const Variable<double>& x) { return x.requires_grad(); }

[[noreturn]] int nothing_fits() { fail("draw", "expected an operand that fits; not found"); }

}  // namespace

const Size mixed_sizes{.lines = 12, .rows = some_rows, .widths = some_widths};
const Size small_sizes{.lines = 5, .rows = few_rows, .widths = small_widths, .checkable = true};

Draw::Draw(std::uint64_t seed, const Size& size)
    : random_(seed, "program"),
      size_(size),
      rows_(one_of(size.rows)),
      width_(one_of(size.widths)),
      program_(declarations()),
      leaves_(program_),
      run_(program_, leaves_, context_) {
  context_.set_reuse(false);
  run_.begin(0);
  for (int i = 0; i < std::ssize(program_.lines); ++i) run_.execute(i);
}

/// Weights available to later lines: whole and in two parts, trained and frozen.
Program Draw::declarations() {
  const Shape shapes[] = {{width_}, {width_, width_}, {rows_, width_}, {2 * width_, width_}, {3 * width_, width_}};
  Program program{.steps = 1 + one_in(3)};
  for (const Shape& shape : shapes) {
    const bool in_parts = shape.rows() > std::max(rows_, width_);
    program.lines.push_back(
        {&op_named("declare"), {}, {static_cast<int>(in_parts * width_), one_in(6), seed()}, shape});
  }
  return program;
}

const Program& Draw::program() {
  draw_lines(size_.lines / 2 + below(size_.lines));
  if (size_.checkable || !find(needs_grad)) return program_;
  int root = requiring_grad();
  for (int more = 0; more < 3; ++more) root = std::max(root, requiring_grad());  // above much of the program
  program_.lines.push_back({&op_named("backward"), {root}, {0, seed()}});        // not run here: it may be refused
  if (one_in(3)) draw_lines(3);
  return program_;
}

void Draw::draw_lines(int count) {
  static const std::vector<const ProgramOp*> urn = [] {
    std::vector<const ProgramOp*> urn;
    for (const ProgramOp& op : program_ops()) urn.insert(urn.end(), op.weight, &op);
    return urn;
  }();
  for (int tries = 0; count > 0 && tries < 100; ++tries) {
    const ProgramOp& op = *urn[below(std::ssize(urn))];
    if (size_.checkable && !op.is_checkable) continue;
    try {
      add(op, op.draw(*this));
      --count;
    } catch (const Error&) {  // nothing fits: another op
    }
  }
}

int Draw::add(const char* op, Instruction line) { return add(op_named(op), std::move(line)); }

int Draw::add(const ProgramOp& op, Instruction line) {
  line.op = &op;
  program_.lines.push_back(std::move(line));
  const int at = static_cast<int>(std::ssize(program_.lines)) - 1;
  const auto is_tame = [](const Tensor<const double>& y) {
    return y.size() <= max_elements &&
           std::ranges::all_of(y.span(), [](double number) { return std::abs(number) <= largest; });
  };
  if (run_.execute(at) && is_tame(run_.variable(at).value())) return at;
  program_.lines.pop_back();
  run_.forget_from(at);
  nothing_fits();
}

template <class Fits>
std::optional<int> Draw::find(const Fits& fits) {
  std::vector<int> found;
  for (int i = 0; i < std::ssize(program_.lines); ++i)
    if (run_.has(i) && program_.lines[i].op->name != "declare" && fits(run_.variable(i))) found.push_back(i);
  if (found.empty()) return std::nullopt;
  return found[std::max(below(std::ssize(found)), below(std::ssize(found)))];
}

int Draw::any_with_axes(int min_rank) {
  const auto found = find([&](const auto& x) { return x.shape().rank() >= min_rank; });
  return found && !one_in(8) ? *found : of({rows(), width()});
}

int Draw::any() { return any_with_axes(0); }

int Draw::matrix() {
  const int x = any_with_axes(2);
  if (shape(x).rank() == 2) return x;
  return add("reshape", {.operands = {x}, .shape = {shape(x).rows(), shape(x).cols()}});
}

int Draw::of(const Shape& wanted) {
  const int way = below(8);
  std::optional<int> x;
  if (way < 4 && (x = find([&](const auto& v) { return v.shape() == wanted; }))) return *x;
  if (way == 4 && (x = find([&](const auto& v) { return v.size() == wanted.size() && v.shape() != wanted; })))
    return add("reshape", {.operands = {*x}, .shape = wanted});
  if (way == 5 && wanted.rank() == 2 && (x = projectable(wanted[0])))
    return add("linear", {.operands = {*x, leaf({wanted[1], shape(*x)[1]})}});
  return leaf(wanted);
}

std::optional<int> Draw::projectable(Index rows) {
  return find([&](const auto& v) { return v.shape().rank() == 2 && v.shape()[0] == rows; });
}

int Draw::leaf(const Shape& wanted) {
  std::vector<Instruction> parameters;
  for (int i = 0; i < std::ssize(program_.lines) && program_.lines[i].op->name == "declare"; ++i) {
    const Shape& whole = program_.lines[i].shape;
    const int first = program_.lines[i].numbers[0];
    if (first == 0 && whole == wanted) parameters.push_back({&op_named("parameter"), {i}});
    for (const int part : {0, 1})
      if (first > 0 && whole.with(0, part ? whole[0] - first : first) == wanted)
        parameters.push_back({&op_named("part"), {i}, {part}});
  }
  const int way = below(8);
  if (way < 5 && !parameters.empty()) {
    const Instruction& chosen = parameters[below(std::ssize(parameters))];
    return add(*chosen.op, chosen);
  }
  return add(way == 7 ? "constant" : "input", {.numbers = {0, seed()}, .shape = wanted});
}

int Draw::positive(const Shape& wanted) {
  const auto fits = [&](const auto& v) {
    return v.shape() == wanted && std::ranges::all_of(v.value().span(), [](double number) { return number > 0.125; });
  };
  const auto found = find(fits);
  return found ? *found : add("input", {.numbers = {1, seed()}, .shape = wanted});
}

int Draw::broadcasting(const Shape& shape) {
  Shape other = shape;
  if (one_in(3) && other.rank() > 0) other = other.with(below(other.rank()), 1);
  while (one_in(3) && other.rank() > 0) other = other.without(0);
  return of(other);
}

int Draw::branch(const Shape& wanted) {
  const auto x = projectable(wanted[0]);
  if (!x || one_in(4)) return of(wanted);
  const int branch = add("linear", {.operands = {*x, leaf({wanted[1], shape(*x)[1]})}});
  constexpr std::array watched{"stop_gradient", "constant_of", "value"};
  if (!size_.checkable && one_in(3)) add(watched[below(watched.size())], {.operands = {branch}});
  return branch;
}

int Draw::requiring_grad() {
  const auto found = find(needs_grad);
  return found ? *found : nothing_fits();
}

std::vector<int> Draw::layout(Index rows) { return {below(std::min<Index>(rows, 4)), below(8) + (one_in(4) ? 8 : 0)}; }

}  // namespace glossa::programs
