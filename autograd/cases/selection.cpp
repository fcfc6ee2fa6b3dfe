#include <algorithm>
#include <functional>

#include "autograd/cases/layouts.h"
#include "autograd/cases/reference.h"

namespace glossa {

namespace {

constexpr double root_of_width = 1.7;

std::vector<double> rows_of(const Tensor<double>& table, std::span<const int> ids) {
  std::vector<double> y;
  for (const int id : ids) y.insert(y.end(), table.row(id), table.row(id) + table.cols());
  return y;
}

/// factor * table[id] + positions[position in the sequence]; zeros in gap rows.
Reference embed_reference(std::vector<int> ids, RowLayout layout) {
  return [ids, layout](InputNumbers x) {
    const Index d = x[0].cols();
    std::vector<double> y(layout.rows * d);
    for (const RowSpan sequence : layout.sequences)
      for (Index t = 0; t < sequence.length; ++t)
        for (Index j = 0; j < d; ++j) {
          const Index row = sequence.offset + t;
          y[row * d + j] = root_of_width * x[0].row(ids[row])[j] + x[1].row(layout.first_position + t)[j];
        }
    return y;
  };
}

constexpr int some_ids[] = {0, 3, 1, 3, 3}, padded_ids[] = {2, 0, 0, 3, 1, 3}, one_id[] = {2}, low[] = {-1},
              high[] = {4};

/// The first `count` of 12000 unsorted numbers below 47.
std::span<const int> many_ids(std::size_t count) {
  static const std::vector<int> ids = [] {
    std::vector<int> many(12000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(i * i % 47);
    return many;
  }();
  return std::span(ids).first(count);
}

void add_embedding_cases(OpCases& cases) {
  const auto row = [&](const char* what, CaseInput table, std::span<const int> ids) -> OpCase& {
    return cases
        .add(std::string("embedding.") + what, {std::move(table)}, [ids](auto x) { return embedding(x[0], ids); })
        .reference([ids](InputNumbers x) { return rows_of(x[0], ids); });
  };
  row("repeated_ids", {4, 3}, some_ids)
      .error({{4, 3}}, [](auto x) { embedding(x[0], low); }, {"[4, 3]", "-1"})
      .error({{4, 3}}, [](auto x) { embedding(x[0], high); }, {"[4, 3]", "4"})
      .error({{4}}, [](auto x) { embedding(x[0], one_id); }, {"[4]"});
  row("one_row", {3, 1}, one_id);
  row("no_ids", {3, 2}, {});
  row("large", {50, 150}, many_ids(900)).sampling(6);

  cases.add("index_select.repeated", {{4, 3}}, [](auto x) { return index_select(x[0], some_ids); })
      .reference([](InputNumbers x) { return rows_of(x[0], some_ids); })
      .error({{4, 3}}, [](auto x) { index_select(x[0], high); }, {"[4, 3]", "4"})
      .error({{4}}, [](auto x) { index_select(x[0], one_id); }, {"[4]"});

  const auto embed = [](double p, std::span<const int> ids, const RowLayout& layout) {
    return [=](auto x) { return embed_tokens(x[0], ids, root_of_width, x[1], p, layout); };
  };
  cases.add("embed_tokens.packed", {{4, 3}, {3, 3}}, embed(0, some_ids, packed_2_3()))
      .reference(embed_reference({0, 3, 1, 3, 3}, packed_2_3()))
      .error({{4, 3}, {2, 3}}, {"2", "3"})
      .error({{4, 3}, {3, 2}}, {"[3, 2]"})
      .error({{3, 3}, {3, 3}}, {"[3, 3]"})
      .error({{4, 3}, {3, 3}}, embed(0, some_ids, padded_2_3()), {"6", "5"})
      .error({{4, 3}, {5, 3}}, embed(0, some_ids, overlapping_of_5()), {"sequence 1"})
      .error({{4, 3}, {5, 3}}, embed(0, some_ids, beyond_5()), {"sequence 1"});
  cases.add("embed_tokens.padded", {{4, 3}, {5, 3}}, embed(0, padded_ids, padded_2_3()))
      .reference(embed_reference({2, 0, 0, 3, 1, 3}, padded_2_3()));
  cases.add("embed_tokens.dropout", {{4, 3}, {3, 3}}, embed(0.3, some_ids, packed_2_3()));
  cases.add("embed_tokens.dropout_padded", {{4, 3}, {4, 3}}, embed(0.3, padded_ids, padded_2_3()));
  cases.add("embed_tokens.large", {{50, 150}, {200, 150}}, embed(0.3, many_ids(300), packed_100_200())).sampling(6);
  const auto embed_alone = [](double p, std::span<const int> ids, const RowLayout& layout) {
    return [=](auto x) { return embed_tokens(x[0], ids, root_of_width, p, layout); };
  };
  cases.add("embed_tokens.without_positions", {{4, 3}}, embed_alone(0, some_ids, packed_2_3()))
      .reference([](InputNumbers x) {
        std::vector<double> y = rows_of(x[0], some_ids);
        for (double& number : y) number *= root_of_width;
        return y;
      })
      .error({{3, 3}}, {"[3, 3]"})
      .error({{4, 3}}, embed_alone(0, some_ids, beyond_5()), {"sequence 1"});
  cases.add("embed_tokens.without_positions_padded", {{4, 3}}, embed_alone(0.3, padded_ids, padded_2_3()));
  cases.add("embed_tokens.large_without_positions", {{50, 150}}, embed_alone(0.3, many_ids(300), packed_100_200()))
      .sampling(6);
  RowLayout later = packed_2_3();
  later.first_position = 2;
  cases.add("embed_tokens.later_position", {{4, 3}, {6, 3}}, embed(0, some_ids, later))
      .reference(embed_reference({0, 3, 1, 3, 3}, later));
}

/// The k largest of each row, largest first.
Reference topk_reference(Index k) {
  return [k](InputNumbers x) {
    std::vector<double> y;
    for (Index row = 0; row < x[0].rows(); ++row) {
      std::vector<double> numbers(x[0].row(row), x[0].row(row) + x[0].cols());
      std::ranges::sort(numbers, std::greater<>());
      y.insert(y.end(), numbers.begin(), numbers.begin() + k);
    }
    return y;
  };
}

void add_topk_cases(OpCases& cases) {
  const auto row = [&](const char* what, CaseInput input, Index k) -> OpCase& {
    return cases.add(std::string("topk.") + what, {std::move(input)}, [k](auto x) { return topk(x[0], k).values; })
        .reference(topk_reference(k));
  };
  row("two", {3, 5}, 2)
      .error({{3, 5}}, [](auto x) { topk(x[0], 6); }, {"[3, 5]", "got 6"})
      .error({{3, 5}}, [](auto x) { topk(x[0], -1); }, {"[3, 5]", "got -1"})
      .error({{}}, [](auto x) { topk(x[0], 1); }, {"[]"});
  row("all_of_a_vector", {5}, 5);
  row("none", {2, 3}, 0);
  row("no_rows", {0, 3}, 2);
  cases.add("topk.indices", {{2, 2, 4}}, [](auto x) { return gather(x[0], topk(x[0], 3).indices); })
      .reference(topk_reference(3));
  row("large", {300, 50}, 7).sampling(4);
}

}  // namespace

void add_selection_cases(OpCases& cases) {
  add_embedding_cases(cases);
  add_topk_cases(cases);

  static constexpr int indices[] = {0, 3, 3, 2, 1, 2}, one_each[] = {1, 0, 2}, outside[] = {0, 4};
  cases.add("gather.repeated", {{2, 4}}, [](auto x) { return gather(x[0], indices); })
      .reference(by_element(6, [](InputNumbers x, Index k) { return x[0].row(k / 3)[indices[k]]; }))
      .error({{2, 4}}, [](auto x) { gather(x[0], outside); }, {"[2, 4]", "4"})
      .error({{4, 4}}, [](auto x) { gather(x[0], one_each); }, {"[4, 4]", "3"});
  cases.add("gather.one_a_row", {{3, 1, 3}}, [](auto x) { return gather(x[0], one_each); })
      .reference(by_element(3, [](InputNumbers x, Index k) { return x[0].row(k)[one_each[k]]; }));
  cases.add("gather.large", {{300, 50}}, [](auto x) { return gather(x[0], many_ids(12000)); })
      .reference(by_element(12000, [](InputNumbers x, Index k) { return x[0].row(k / 40)[many_ids(12000)[k]]; }))
      .sampling(6);
}

}  // namespace glossa
