// Ownership of a value and reuse of its memory, by the rule of docs/architecture.md, "Memory".

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "autograd/frame.h"
#include "autograd/ops.h"
#include "autograd/poison.h"
#include "autograd/sanitizer.h"
#include "base/available_memory.h"

using namespace glossa;

namespace {

using Vector = std::vector<double>;

constexpr Index n = 64;  // n x n numbers are worth reusing
constexpr RowSpan all{0, n};
const RowLayout whole{.rows = n, .sequences = {&all, 1}};

Vector random_numbers(Index count, const char* name) {
  Vector numbers(static_cast<std::size_t>(count));
  RandomStream random(1, name);
  for (double& x : numbers) x = random.normal();
  return numbers;
}

/// A context in training, with leaves large enough for their memory to be reused.
struct TrainingStep {
  Vector numbers = random_numbers(n * n, "x"), weights = random_numbers(n * n, "weight"), ones = Vector(n, 1);
  Context<double> context;
  Variable<double> x, weight, gain, bias;

  TrainingStep() { begin({.training = true, .update = 0}); }

  void begin(const StepOptions& options) {
    context.begin(options);
    x = context.input({numbers.data(), {n, n}});
    weight = context.input({weights.data(), {n, n}});
    gain = context.input({ones.data(), {n}});
    bias = context.input({ones.data(), {n}});
  }

  /// Takes the memory of `branch` if allowed.
  Variable<double> add_and_norm(const Variable<double>& branch) {
    return add_layer_norm(x, branch, 0.1, whole, gain, bias, 1e-5);
  }
};

Vector copy(const Tensor<const double>& x) { return {x.data, x.data + x.size()}; }
Vector copy(const Variable<double>& x) { return copy(x.value()); }

/// A loss of the branch after it was added, and of `read` from it before; with its gradients.
template <class Read>
std::pair<double, Vector> loss_and_gradient(bool reuse, const Read& read) {
  TrainingStep step;
  step.context.set_reuse(reuse);
  const Variable<double> branch = linear(step.x, step.weight);
  const Variable<double> other = read(step, branch);
  const Variable<double> normed = step.add_and_norm(branch);  // before `other` is read
  const Variable<double> loss = add(sum(square(normed)), sum(mul(other, step.x)));
  step.context.backward(loss);
  return {loss.value()[0], copy(step.weight.grad())};
}

}  // namespace

TEST_CASE("values read from a branch stay valid, although its memory could be reused") {
  const auto same = [](const auto& read) { CHECK(loss_and_gradient(true, read) == loss_and_gradient(false, read)); };
  same([](TrainingStep&, const auto& branch) { return stop_gradient(branch); });
  same([](TrainingStep& step, const auto& branch) { return step.context.constant(branch.value()); });
  same([](TrainingStep&, const auto& branch) { return reshape(branch, {n, n}); });
  same([](TrainingStep&, const auto& branch) { return stop_gradient(reshape(reshape(branch, {n * n}), {n, n})); });
  same([](TrainingStep&, const auto& branch) { return tanh(branch); });
}

TEST_CASE_FIXTURE(TrainingStep, "a tensor handed out keeps its numbers until the end of the step") {
  const auto branch = linear(x, weight), detached = stop_gradient(tanh(branch)), view = reshape(branch, {n * n});
  const Tensor<const double> held = branch.value();
  const Vector before = copy(held), before_detached = copy(detached);
  context.backward(sum(square(add_and_norm(branch))));
  CHECK(copy(held) == before);
  CHECK(copy(branch) == before);
  CHECK(copy(view) == before);
  CHECK(copy(detached) == before_detached);
}

TEST_CASE_FIXTURE(TrainingStep, "a view made in a custom op keeps what it refers to") {
  const auto y = tanh(x);
  const auto view = context.record("same", {y}, context.read(y), [](Backward<double>& back) {
    const Tensor<const double> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
  });
  context.backward(sum(exp(view)));
  CHECK(view.value()[5] == std::tanh(numbers[5]));
}

TEST_CASE_FIXTURE(TrainingStep, "without reuse every value is readable after backward, and the numbers are the same") {
  const auto gradient = [&] {
    const auto y = tanh(linear(x, weight)), z = tanh(y);
    context.backward(sum(square(add_and_norm(z))));
    return std::pair(y, copy(weight.grad()));
  };
  const auto [lost, expected] = gradient();
  CHECK_THROWS_WITH_AS(lost.value(), doctest::Contains("retain_grad"), Error);
  context.set_reuse(false);
  begin({.training = true, .update = 0});
  const auto [kept, got] = gradient();
  CHECK_NOTHROW(kept.value());
  CHECK(got == expected);
}

TEST_CASE("a value in bf16 that a caller has read may be multiplied again after backward") {
  std::vector<float> numbers(static_cast<std::size_t>(n * n), 0.5f);
  const Tensor<float> matrix{numbers.data(), {n, n}};
  Context<float> context;
  context.begin({.update = 0, .precision = Precision::bf16});
  const Variable<float> w = context.input(matrix), y = linear(context.input(matrix), w, Use::products);
  CHECK(y.value()[0] == n / 4);
  const Variable<float> z = linear(y, w);
  const float first = z.value()[0];
  context.backward(sum(z));
  CHECK(linear(y, w).value()[0] == first);
}

TEST_CASE_FIXTURE(TrainingStep, "a derivative added to an input whose shape does not broadcast is refused") {
  const auto adding = [&](const Shape& input, const Shape& value) {
    const auto in = reshape(x, {n * n});
    const auto part = reshape(slice(in, 0, 0, input.size()), input);
    const Tensor<double> zeros = context.tensor(value);
    std::ranges::fill(zeros.span(), 0.0);
    const auto y = context.record("careless", {part}, zeros,
                                  [](Backward<double>& back) { back.add(0, [](Index) { return 1.0; }); });
    const Vector cotangent(static_cast<std::size_t>(value.size()), 1.0);
    context.backward(y, {cotangent.data(), value}, true);
  };
  CHECK_NOTHROW(adding({5}, {6, 5}));
  CHECK_NOTHROW(adding({6, 1}, {6, 5}));
  CHECK_THROWS_WITH_AS(adding({6, 5}, {6}), doctest::Contains("[careless] expected an input of the value's shape [6]"),
                       Error);
  CHECK_THROWS_WITH_AS(adding({6, 5}, {6}), doctest::Contains("got [6, 5]"), Error);
  CHECK_THROWS_AS(adding({6}, {6, 5}), Error);
  CHECK_THROWS_AS(adding({1, 5}, {5}), Error);
}

TEST_CASE_FIXTURE(TrainingStep, "an op that calls another keeps its own scratch") {
  const Arena::Mark mark = context.scratch_mark();
  const Tensor<double> own = context.scratch({n, n});
  std::iota(own.data, own.data + own.size(), 0.0);
  norm(x, 1);  // uses scratch as well
  add(x, gain);
  double wrong = 0;
  for (Index i = 0; i < own.size(); ++i) wrong += own[i] != static_cast<double>(i);
  CHECK(wrong == 0);
}

TEST_CASE("scratch is released when its mark ends, even if an op throws") {
  Arena arena;
  {
    const Arena::Mark outer(arena);
    arena.allocate(100);
    for (int i = 0; i < 3; ++i) {
      const Arena::Mark inner(arena);
      for (const std::size_t bytes : {64, 200000, 5000000}) arena.allocate(bytes);
    }
    CHECK(arena.bytes_used() == 128);
    try {
      const Arena::Mark inner(arena);
      arena.allocate(1000);
      fail("test", "thrown");
    } catch (const Error&) {
    }
    CHECK(arena.bytes_used() == 128);
  }
  CHECK(arena.bytes_used() == 0);
}

TEST_CASE("memory behind a mark is reused, memory before it never") {
  RandomStream random(1, "marks");
  Arena arena;
  struct Piece {
    unsigned char* data;
    std::size_t bytes;
    unsigned char mark;
  };
  std::vector<Piece> held;
  const auto intact = [&] {
    return std::ranges::all_of(held, [](const Piece& piece) {
      return std::all_of(piece.data, piece.data + piece.bytes, [&](unsigned char c) { return c == piece.mark; });
    });
  };
  const auto nest = [&](const auto& self, int depth) -> void {
    Arena::Mark mark(arena);
    const std::size_t before = held.size(), used = arena.bytes_used();
    for (std::uint64_t k = random.below(5); k-- > 0;) {
      const std::size_t bytes = std::size_t{1} << random.below(19);
      const auto fill = static_cast<unsigned char>(random.below(256));
      auto* const data = static_cast<unsigned char*>(arena.allocate(bytes));
      std::fill_n(data, bytes, fill);
      held.push_back({data, bytes, fill});
      if (depth > 0 && random.below(2) == 0) self(self, depth - 1);
    }
    CHECK(intact());
    held.resize(before);
    mark.release();
    CHECK(arena.bytes_used() == used);
  };
  for (int round = 0; round < 100; ++round) {
    nest(nest, 4);
    if (round % 10 == 9) arena.reset();
  }
}

TEST_CASE("a frame releases its memory except what is kept; the rest is no longer readable") {
  TrainingStep step;
  step.begin({.recording = false});
  const auto layer = [](const auto& x) { return tanh(tanh(scale(x, 0.5))); };
  Variable<double> expected = step.x;
  for (int i = 0; i < 50; ++i) expected = layer(expected);
  const Vector numbers = copy(expected);

  step.begin({.recording = false});
  Variable<double> y = step.x, inner;
  {
    Frame<double> frame(step.context, inputs_stay);
    for (int i = 0; i < 50; ++i) {
      if (i == 49) inner = y;
      y = frame.keep(layer(y));
    }
    CHECK_THROWS_WITH_AS(inner.value(), doctest::Contains("frame"), Error);
    inner = neg(y);
    CHECK_NOTHROW(inner.value());
  }
  CHECK(copy(y) == numbers);
  CHECK(step.context.arena().bytes_used() == n * n * sizeof(double));
  CHECK_THROWS_WITH_AS(neg(inner), doctest::Contains("[neg]"), Error);
  CHECK_NOTHROW(neg(step.x));
  CHECK(copy(neg(neg(y))) == numbers);
}

TEST_CASE("a frame in a loop replaces the value that the last one kept") {
  Context<float> context;
  std::vector<float> numbers(1000 * 64, 0.5f);
  const auto peak = [&](int layers) {
    context.begin({.recording = false});
    Variable<float> x = context.input({numbers.data(), {1000, 64}});
    for (int i = 0; i < layers; ++i) {
      Frame frame(x);
      const Variable<float> inner = [&] {
        Frame nested(x);  // x was kept by a frame, but belongs to the outer one
        return nested.keep(scale(neg(x), 0.5));
      }();
      x = frame.keep(tanh(add(inner, inner)));
    }
    CHECK(context.arena().bytes_used() == numbers.size() * sizeof(float));
    return context.peak_bytes();
  };
  const std::size_t few = peak(2);
  CHECK(peak(64) == few);
}

TEST_CASE("a frame says so if its inputs stay, because in a loop it would keep a value per iteration") {
  static_assert(!std::is_constructible_v<Frame<float>, Context<float>&>);
  static_assert(std::is_constructible_v<Frame<float>, Context<float>&, InputsStay>);
}

TEST_CASE("a frame around a value that it must not replace leaves it readable") {
  TrainingStep step;
  step.begin({.recording = false});
  const auto kept = [&](const Variable<double>& x) {
    Frame<double> frame(step.context, inputs_stay);
    return frame.keep(tanh(neg(x)));
  };
  const auto framed = [](const Variable<double>& x) {
    Frame frame(x);
    return frame.keep(neg(x));
  };
  const Vector numbers = copy(kept(step.x));

  const Variable<double> memory = kept(step.x), computed = neg(step.x);  // `computed` is newer than `memory`
  const Variable<double> first = framed(computed), second = framed(memory);
  CHECK(copy(memory) == numbers);
  CHECK(copy(second) == copy(neg(memory)));
  CHECK(copy(first) == step.numbers);
  CHECK(copy(computed) == copy(neg(step.x)));

  const Variable<double> last = kept(step.x), view = reshape(last, {n * n});
  const Variable<double> replaced = framed(view);  // of the same memory
  CHECK(copy(replaced) == copy(neg(memory)));
  CHECK_THROWS_WITH_AS(last.value(), doctest::Contains("frame"), Error);
  CHECK_THROWS_WITH_AS(view.value(), doctest::Contains("frame"), Error);
  Variable<double> x = kept(step.x);
  const Variable<double> constant = step.context.constant({numbers.data(), {n, n}});
  for (int i = 0; i < 2; ++i) {
    Frame frame(x);
    x = frame.keep(mul(x, constant));
  }
  CHECK(copy(constant) == numbers);
  CHECK(copy(x) == copy(mul(mul(memory, constant), constant)));

  const Variable<double> newest = kept(step.x);
  {
    Frame frame(newest);
    neg(newest);
  }
  CHECK_THROWS_WITH_AS(newest.value(), doctest::Contains("frame"), Error);
  CHECK(copy(memory) == numbers);
}

TEST_CASE("frames nest, may keep outside values or nothing, and end with the step") {
  TrainingStep step;
  step.begin({.recording = false});
  Frame<double> outer(step.context, inputs_stay);
  Variable<double> y = tanh(step.x);
  const Vector numbers = copy(y);
  {
    Frame<double> frame(step.context, inputs_stay);
    frame.keep(neg(y));
    y = frame.keep(reshape(y, {n * n}));  // a view of outside memory
    CHECK(copy(y) == numbers);
  }
  CHECK(copy(y) == numbers);
  {
    Frame<double> nothing(step.context, inputs_stay);
    neg(y);
  }
  CHECK(copy(y) == numbers);
  const Variable<double> before = step.x;
  {
    Frame<double> frame(step.context, inputs_stay);
    frame.keep(dropout(before, 0.5));  // itself, as this is not training
  }
  CHECK(copy(before) == step.numbers);
  y = outer.keep(y);
  CHECK(copy(y) == numbers);
  CHECK(step.context.arena().bytes_used() == n * n * sizeof(double));
  step.begin({.recording = false});
  const auto z = neg(step.x);
  CHECK_THROWS_AS(outer.keep(y), Error);
  CHECK_NOTHROW(z.value());
}

TEST_CASE("frames around random chains of random sizes change neither results nor outside values") {
  RandomStream random(1, "frames");
  TrainingStep step;
  for (int round = 0; round < 300; ++round) {
    std::vector<Index> rows;
    for (std::uint64_t k = 2 + random.below(6); k-- > 0;) rows.push_back(1 + static_cast<Index>(random.below(300)));
    const std::uint64_t framed = random.below(1u << rows.size());  // which results are kept at once
    const auto chain = [&](bool with_frame) {
      step.begin({.recording = false});
      const Variable<double> outside = tanh(step.x);
      Variable<double> y = outside;
      {
        std::optional<Frame<double>> frame;
        if (with_frame) frame.emplace(step.context, inputs_stay);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          // [rows, 1] times [1, n] of the first row, so that sizes go up and down.
          const Variable<double> row = reshape(slice(reshape(y, {y.size()}), 0, 0, n), {1, n});
          const Variable<double> column = full(step.context, {rows[i], 1}, 1.0 + 0.1 * static_cast<double>(i));
          y = scale(add(mul(column, row), slice(outside, 0, 0, 1)), 0.5);
          if (frame && (framed >> i & 1)) y = frame->keep(y);
        }
        if (frame) y = frame->keep(y);
      }
      const Variable<double> later = square(y);  // may be where the frame was
      Vector numbers = copy(y);
      for (const Variable<double>& x : {later, outside}) {
        const Vector more = copy(x);
        numbers.insert(numbers.end(), more.begin(), more.end());
      }
      return numbers;
    };
    REQUIRE(chain(true) == chain(false));
  }
}

TEST_CASE_FIXTURE(TrainingStep, "a frame does nothing while the tape records") {
  Frame<double> frame(context, inputs_stay);
  const auto y = tanh(x), z = frame.keep(square(y));
  context.backward(sum(z));
  CHECK(copy(x.grad())[3] == doctest::Approx(2 * std::tanh(numbers[3]) * (1 - std::pow(std::tanh(numbers[3]), 2))));
}

TEST_CASE("a forward pass does not write to parameters or their gradients") {
  ParameterStore<double> store;
  Parameter<double>& weight =
      store.declare("weight", {n, n}, [](std::span<double> values, const Shape&, RandomStream& random) {
        for (double& value : values) value = random.normal();
      });
  store.allocate(1);
  std::ranges::fill(store.grads(), 7.0);
  const Vector before(store.values().begin(), store.values().end());
  TrainingStep step;
  const std::vector<int> targets(n, 3);
  const auto loss = linear_cross_entropy<double>(linear(step.x, step.context.parameter(weight)),
                                                 step.context.parameter(weight), targets, -1);
  CHECK(std::isfinite(loss.nll_sum));
  CHECK(std::ranges::equal(store.values(), before));
  CHECK(std::ranges::count(store.grads(), 7.0) == std::ssize(store.grads()));
}

TEST_CASE("allocating more than the machine has is refused at once") {
  Arena arena;
  REQUIRE(available_memory() > 0);
  REQUIRE(available_memory() < std::size_t{1} << 41);
  CHECK_THROWS_WITH_AS(arena.allocate(std::size_t{1} << 41), doctest::Contains("bytes: the machine has"), Error);
  CHECK_THROWS_AS(arena.allocate(available_memory() + (std::size_t{1} << 30)), Error);
  CHECK(arena.bytes_used() == 0);
  CHECK_NOTHROW(arena.allocate(std::size_t{1} << 25));
}

#if GLOSSA_SANITIZES(address)
TEST_CASE_FIXTURE(TrainingStep, "released memory is poisoned") {
  Arena arena;
  const char* stale = nullptr;
  {
    const Arena::Mark mark(arena);
    stale = static_cast<char*>(arena.allocate(100));
    CHECK_FALSE(__asan_address_is_poisoned(stale + 99));
    CHECK(__asan_address_is_poisoned(stale + 100));
  }
  CHECK(__asan_address_is_poisoned(stale));
  const auto step = [&] {
    const auto y = tanh(x);
    const double* const inside = context.read(y).data;
    context.backward(sum(square(linear(y, weight))));
    begin({});
    return inside;
  };
  step();  // from here on the arena is one lasting block; several are returned to the system
  const double* const inside = step();
  CHECK(__asan_address_is_poisoned(inside + n * n / 2));
}
#endif
