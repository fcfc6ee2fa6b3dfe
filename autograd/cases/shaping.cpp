#include <array>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

/// y[i] = x[permuted i]: axis k of the result is axis `axes[k]` of the operand.
Reference permuted(std::array<int, 4> axes) {
  return [axes](InputNumbers x) {
    const auto n = extents4(x[0].shape);
    const std::array<Index, 4> stride = {n[1] * n[2] * n[3], n[2] * n[3], n[3], 1};
    std::vector<double> y;
    for (Index i = 0; i < n[axes[0]]; ++i)
      for (Index j = 0; j < n[axes[1]]; ++j)
        for (Index k = 0; k < n[axes[2]]; ++k)
          for (Index l = 0; l < n[axes[3]]; ++l)
            y.push_back(x[0][i * stride[axes[0]] + j * stride[axes[1]] + k * stride[axes[2]] + l * stride[axes[3]]]);
    return y;
  };
}

/// The inputs [N, D_k], joined side by side.
std::vector<double> side_by_side(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row)
    for (const Tensor<double>& part : x)
      for (Index j = 0; j < part.cols(); ++j) y.push_back(part.row(row)[j]);
  return y;
}

std::vector<double> one_after_another(InputNumbers x) {
  std::vector<double> y;
  for (const Tensor<double>& part : x)
    for (const double v : part.span()) y.push_back(v);
  return y;
}

void add_order_cases(OpCases& cases) {
  const auto to_shape = [](auto... extents) { return [=](auto x) { return reshape(x[0], {extents...}); }; };
  const auto by_axes = [](auto... axes) { return [=](auto x) { return permute(x[0], {axes...}); }; };
  cases.add("reshape.plain", {{2, 6}}, to_shape(3, 4))
      .reference(same)
      .error({{2, 6}}, to_shape(3, 5), {"[2, 6]", "[3, 5]"});
  cases.add("reshape.of_a_result", {{2, 6}}, [](auto x) {
    const auto y = scale(x[0], 2.0);
    return mul(reshape(y, {4, 3}), reshape(y, {4, 3}));
  });
  cases.add("reshape.to_scalar", {{1, 1}}, [](auto x) { return reshape(x[0], {}); }).reference(same);
  cases
      .add("reshape.open_axis", {{2, 6}},
           [](auto x) {
             const auto y = reshape(x[0], {3, -1, 2});
             check(y.shape() == Shape{3, 2, 2}, "reshape", "expected [3, 2, 2]; got {}", y.shape());
             return y;
           })
      .reference(same)
      .error({{2, 6}}, to_shape(5, -1), {"[2, 6]", "12", "5"})
      .error({{2, 6}}, to_shape(-1, 3, -1), {"one -1", "got 3 and 2"})
      .error({{0, 6}}, to_shape(0, -1), {"[0, 6]", "0"});
  cases.add("reshape.open_to_nothing", {{0, 3}}, to_shape(2, -1));
  cases.add("reshape.size_zero", {{0, 3}}, to_shape(2, 0)).reference(same);

  cases.add("transpose.matrix", {{3, 4}}, [](auto x) { return transpose(x[0], 0, 1); })
      .reference(permuted({0, 1, 3, 2}))
      .error({{3, 4}}, [](auto x) { transpose(x[0], 0, 2); }, {"[3, 4]", "2"});
  cases.add("transpose.outer", {{2, 3, 4}}, [](auto x) { return transpose(x[0], -3, 1); })
      .reference(permuted({0, 2, 1, 3}));
  cases.add("transpose.same_axis", {{2, 3}}, [](auto x) { return transpose(x[0], 1, 1); }).reference(same);
  cases.add("transpose.there_and_back", {{2, 3}}, [](auto x) { return transpose(transpose(x[0], 0, 1), 0, 1); })
      .reference(same);
  cases.add("transpose.large", {{150, 170}}, [](auto x) { return transpose(x[0], 0, 1); })
      .reference(permuted({0, 1, 3, 2}))
      .sampling(6);

  cases.add("permute.rank_three", {{2, 3, 4}}, by_axes(2, 0, 1))
      .reference(permuted({0, 3, 1, 2}))
      .error({{2, 3}}, by_axes(0, 0), {"[2, 3]"})
      .error({{2, 3}}, by_axes(0), {"[2, 3]"});
  cases.add("permute.rank_four", {{2, 3, 1, 2}}, by_axes(3, 1, 0, 2)).reference(permuted({3, 1, 0, 2}));
  cases.add("permute.heads_first", {{2, 3, 2, 2}}, by_axes(0, 2, 1, 3)).reference(permuted({0, 2, 1, 3}));
  cases.add("permute.size_zero", {{2, 0, 3}}, by_axes(2, 1, 0));
}

void add_joining_cases(OpCases& cases) {
  const auto along = [](int axis) { return [axis](auto x) { return concat(x, axis); }; };
  cases.add("concat.columns", {{2, 3}, {2, 1}, {2, 2}}, along(1))
      .reference(side_by_side)
      .error({{2, 3}, {3, 3}}, {"[2, 3]", "[3, 3]"})
      .error({{2, 3}, {2}}, [](auto x) { concat(x, 0); }, {"[2, 3]", "[2]"})
      .error({{2, 3}, {2, 3}}, [](auto x) { concat(x, 2); }, {"[2, 3]", "2"});
  cases.add("concat.rows", {{2, 3}, {1, 3}}, along(0)).reference(one_after_another);
  cases.add("concat.middle_axis", {{2, 1, 3}, {2, 2, 3}}, along(-2)).reference([](InputNumbers x) {
    return side_by_side(std::vector{Tensor<double>{x[0].data, {2, 3}}, Tensor<double>{x[1].data, {2, 6}}});
  });
  cases.add("concat.same_twice", {{2, 3}}, [](auto x) { return concat({x[0], x[0]}, 1); });
  cases.add("concat.empty_part", {{2, 0}, {2, 2}}, along(1)).reference(side_by_side);
  cases.add("concat.one_part", {{2, 2}}, along(0)).reference(same);
  cases.add("concat.seven_parts", {{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}}, along(0))
      .reference(one_after_another);
  cases.add("concat.large", {{120, 70}, {120, 110}}, along(1)).reference(side_by_side).sampling(6);

  const auto last_of_three = by_element(4, [](InputNumbers x, Index i) { return x[0][4 + i / 2 * 6 + i % 2]; });
  cases.add("select.middle", {{2, 3, 2}}, [](auto x) { return select(x[0], 1, 2); })
      .reference(last_of_three)
      .error({{2, 3, 2}}, [](auto x) { select(x[0], -2, 3); }, {"[2, 3, 2]", "got 3"})
      .error({{2, 3, 2}}, [](auto x) { select(x[0], 1, -4); }, {"[2, 3, 2]", "got -4"})
      .error({{2, 3, 2}}, [](auto x) { select(x[0], 3, 0); }, {"[2, 3, 2]", "got 3"});
  cases.add("select.from_a_vector", {{3}}, [](auto x) { return select(x[0], -1, 0); });
  cases.add("select.last", {{2, 3, 2}}, [](auto x) { return select(x[0], 1, -1); }).reference(last_of_three);
  cases.add("full.factor", {{2, 3}}, [](auto x) { return mul(x[0], full(x[0].context(), {3}, -1.5)); })
      .reference(elementwise([](double element) { return -1.5 * element; }));
  cases.add("stack.first", {{2, 3}, {2, 3}}, [](auto x) { return stack(x, 0); })
      .reference(one_after_another)
      .error({{2, 3}, {3, 2}}, {"[2, 3]", "[3, 2]"});
  cases.add("stack.middle", {{2, 3}, {2, 3}}, [](auto x) { return stack(x, 1); }).reference(side_by_side);
  cases.add("stack.list", {{2}}, [](auto x) { return stack({x[0], x[0]}, 0); });
  cases.add("stack.last", {{2, 2}, {2, 2}}, [](auto x) { return stack(x, 2); })
      .reference(by_element(8, [](InputNumbers x, Index i) { return x[i % 2][i / 2]; }));
  cases.add("stack.scalars", {{}, {}, {}}, [](auto x) { return stack(x, 0); }).reference(one_after_another);
  cases.add("stack.large", {{120, 110}, {120, 110}}, [](auto x) { return stack(x, 1); })
      .reference(side_by_side)
      .sampling(6);
}

[[maybe_unused]] constexpr Index one_two[] = {1, 2}, two_two[] = {2, 2}, with_empty[] = {2, 0, 1},
                                 fifty_seventy[] = {50, 70};

void add_cutting_cases(OpCases& cases) {
  // Adds a row of split, computed as join(pieces).
  const auto row = [&](const char* what, CaseInput input, std::span<const Index> lengths, int axis,
                       auto join) -> OpCase& {
    return cases
        .add(std::string("split.") + what, {std::move(input)}, [=](auto x) { return join(split(x[0], lengths, axis)); })
        .returning_heap_memory();
  };
  row("columns", {2, 3}, one_two, 1, [](auto pieces) { return mul(pieces[0], pieces[1]); })
      .reference(by_element(4, [](InputNumbers x, Index i) { return x[0][i / 2 * 3] * x[0][i / 2 * 3 + 1 + i % 2]; }))
      .error({{2, 3}}, [](auto x) { split(x[0], two_two, 1); }, {"[2, 3]", "4"});
  row("rows", {3, 2}, one_two, -2, [](auto pieces) { return add(pieces[0], pieces[1]); });
  row("one_unused", {3, 2}, one_two, 0, [](auto pieces) { return square(pieces[1]); });
  row("empty_piece", {3, 2}, with_empty, 0, [](auto pieces) { return concat({pieces[2], pieces[1], pieces[0]}, 0); });
  row("large", {200, 120}, fifty_seventy, 1, [](auto pieces) { return concat(pieces, 1); }).reference(same).sampling(6);

  const auto columns = by_element(4, [](InputNumbers x, Index i) { return x[0][1 + i / 2 * 4 + i % 2]; });
  cases.add("slice.columns", {{2, 4}}, [](auto x) { return slice(x[0], 1, 1, 3); })
      .reference(columns)
      .error({{2, 4}}, [](auto x) { slice(x[0], 1, 2, 5); }, {"[2, 4]", "5"})
      .error({{2, 4}}, [](auto x) { slice(x[0], 1, 3, 2); }, {"[2, 4]", "3", "2"})
      .error({{2, 4}}, [](auto x) { slice(x[0], 2, 0, 1); }, {"[2, 4]", "2"});
  cases.add("slice.from_end", {{2, 4}}, [](auto x) { return slice(x[0], -1, -3, -1); })
      .reference(columns)
      .error({{2, 4}}, [](auto x) { slice(x[0], 1, -5, 4); }, {"[2, 4]", "-5"})
      .error({{2, 4}}, [](auto x) { slice(x[0], 1, -1, -2); }, {"[2, 4]", "-1", "-2"});
  cases.add("slice.rows", {{4, 2}}, [](auto x) { return slice(x[0], -2, 1, 4); });
  cases.add("slice.middle_axis", {{2, 3, 2}}, [](auto x) { return slice(x[0], 1, 2, 3); });
  cases.add("slice.overlapping", {{2, 4}}, [](auto x) { return mul(slice(x[0], 1, 0, 3), slice(x[0], 1, 1, 4)); });
  cases.add("slice.everything", {{2, 2}}, [](auto x) { return slice(x[0], 0, 0, 2); }).reference(same);
  cases.add("slice.large", {{200, 120}}, [](auto x) { return slice(x[0], 1, 10, 110); })
      .reference(by_element(20000, [](InputNumbers x, Index i) { return x[0].row(i / 100)[10 + i % 100]; }))
      .sampling(6);
  cases.add("slice.nothing", {{2, 2}}, [](auto x) { return slice(x[0], 0, 1, 1); });

  cases.add("stop_gradient.one_path", {{2, 3}, CaseInput{2, 3}.stopped()},
            [](auto x) { return mul(x[0], stop_gradient(x[1])); });
}

}  // namespace

void add_shaping_cases(OpCases& cases) {
  add_order_cases(cases);
  add_joining_cases(cases);
  add_cutting_cases(cases);
}

}  // namespace glossa
