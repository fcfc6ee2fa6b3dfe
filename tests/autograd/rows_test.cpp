#include "autograd/rows.h"

#include <doctest/doctest.h>

#include "autograd/cases/layouts.h"

using namespace glossa;

namespace {

/// Two sequences of one query row each, which read the same three keys.
struct SharedKeys {
  static constexpr RowSpan one_each[] = {{0, 1}, {1, 1}}, same[] = {{0, 3}, {0, 3}};
  RowLayout query{.rows = 2, .sequences = one_each}, key{.rows = 3, .sequences = same};
  std::vector<double> numbers{0.5, -1, 2, 0.25, 1, -0.5, 1.5, 0.75, -2, 0.5, 1, 0.125};
  Tensor<double> q{numbers.data(), {2, 2}}, kv{numbers.data(), {3, 4}};
};

}  // namespace

TEST_CASE("sequences that share keys attend as if each had its own") {
  const SharedKeys shared;
  Context<double> context;
  context.begin({});
  const Variable<double> q = context.input(shared.q), kv = context.constant(shared.kv);
  const Variable<double> y = cross_attention(q, kv, shared.query, shared.key, {});
  for (Index row = 0; row < 2; ++row) {
    const Variable<double> alone = cross_attention(slice(q, 0, row, row + 1), kv, one_of_1(), one_of_3(), {});
    for (Index j = 0; j < 2; ++j) CHECK(y.value().row(row)[j] == alone.value()[j]);
  }
}

TEST_CASE("keys that get a gradient may not be shared") {
  const SharedKeys shared;
  const char* const why = "expected sequences in order and disjoint; got sequence 1 from row 0";
  for (const bool recording : {true, false}) {
    Context<double> context;
    context.begin({.recording = recording});
    const Variable<double> q = context.input(shared.q), kv = context.input(shared.kv);
    const Variable<double> k = slice(kv, 1, 0, 2), constant = stop_gradient(k);
    const auto attend = [&](const Variable<double>& keys, const Variable<double>& values) {
      attention(q, keys, values, shared.query, shared.key, {});
    };
    attend(constant, constant);
    if (recording) {
      CHECK_THROWS_WITH_AS(cross_attention(q, kv, shared.query, shared.key, {}), doctest::Contains(why), Error);
      CHECK_THROWS_WITH_AS(attend(k, constant), doctest::Contains(why), Error);
      CHECK_THROWS_WITH_AS(attend(constant, k), doctest::Contains(why), Error);
    } else {
      attend(k, k);
    }
  }
}

TEST_CASE("a layout that does not fit its matrix is refused") {
  const Shape matrix{5, 2};
  CHECK_NOTHROW(check_layout("op", packed_2_3(), matrix));
  CHECK_NOTHROW(check_layout("op", overlapping_of_5(), matrix, /*may_overlap=*/true));
  CHECK_THROWS_WITH_AS(check_layout("op", packed_2_3(), {4, 2}), doctest::Contains("[op]"), Error);
  CHECK_THROWS_AS(check_layout("op", packed_2_3(), {5}), Error);
  CHECK_THROWS_WITH_AS(check_layout("op", {.rows = 5}, matrix),
                       doctest::Contains("Hint: one sequence is RowSpan{0, 5}"), Error);
  CHECK_NOTHROW(check_layout("op", {.rows = 0}, {0, 2}));
  CHECK_THROWS_AS(check_layout("op", overlapping_of_5(), matrix), Error);
  CHECK_THROWS_AS(check_layout("op", beyond_5(), matrix, /*may_overlap=*/true), Error);
  constexpr RowSpan backwards[] = {{3, 2}, {0, 3}}, negative[] = {{0, -1}}, before[] = {{-1, 2}};
  for (const std::span<const RowSpan> spans : {std::span<const RowSpan>(backwards), {negative}, {before}})
    CHECK_THROWS_AS(check_layout("op", {.rows = 5, .sequences = spans}, matrix), Error);
  constexpr std::uint32_t one_id[] = {7};
  RowLayout layout = packed_2_3();
  layout.sequence_ids = one_id;
  CHECK_THROWS_WITH_AS(check_layout("op", layout, matrix), doctest::Contains("expected 2 sequence ids or none; got 1"),
                       Error);
  layout = packed_2_3();
  layout.first_position = -1;
  CHECK_THROWS_AS(check_layout("op", layout, matrix), Error);
}
