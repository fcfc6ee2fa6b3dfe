#include "layers/decoder_cache.h"

#include <algorithm>
#include <limits>
#include <random>

#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

namespace {

constexpr Index width = 2, capacity = 3;

/// A cache of one layer whose rows hold 100 * row + position in every key and value.
struct CacheFixture {
  DecoderCache<double> cache;
  std::vector<RowSpan> memory_spans{{0, 2}, {2, 3}};
  RowLayout memory{.rows = 5, .sequences = memory_spans};

  CacheFixture(Index rows, Index tokens) {
    cache.start(1, width, rows, capacity, memory);
    for (Index t = 0; t < tokens; ++t) append(100, static_cast<double>(t));
  }

  void append(double per_row, double base) {
    std::vector<double> qkv(static_cast<std::size_t>(cache.rows() * 3 * width), -1);  // queries are not kept
    for (Index r = 0; r < cache.rows(); ++r)
      std::fill_n(qkv.begin() + r * 3 * width + width, 2 * width, per_row * static_cast<double>(r) + base);
    cache.append(cache.layer(0), {qkv.data(), {cache.rows(), 3 * width}});
    cache.advance();
  }

  /// Row r's values at each position.
  std::vector<double> row(Index r) {
    std::vector<double> result;
    const Index first = cache.layout().past.sequences[r].offset;
    for (Index t = 0; t < cache.position(); ++t) {
      const double* cell = cache.layer(0).past.data() + (first + t) * 2 * width;
      for (Index j = 1; j < 2 * width; ++j) CHECK(cell[j] == cell[0]);
      result.push_back(cell[0]);
    }
    return result;
  }

  /// Offset of the memory that row r reads.
  Index memory_of(Index r) {
    const CacheLayout layout = cache.layout();
    for (Index i = 0; i < layout.readers.sequence_count(); ++i)
      if (const RowSpan rows = layout.readers.sequences[i]; r >= rows.offset && r < rows.offset + rows.length)
        return layout.memory.sequences[i].offset;
    return -1;
  }
};

using Row = std::vector<double>;

}  // namespace

TEST_CASE("rows share the memory of their sequence, and layouts show what a step sees") {
  CacheFixture f(4, 2);
  CHECK(f.cache.rows() == 4);
  CHECK(f.cache.position() == 2);
  for (Index r = 0; r < 4; ++r) CHECK(f.memory_of(r) == (r < 2 ? 0 : 2));
  CHECK(f.row(3) == Row{300, 301});
  const CacheLayout layout = f.cache.layout();
  CHECK(layout.past.rows == 4 * capacity);
  CHECK(layout.past.sequences[2].offset == 2 * capacity);
  CHECK(layout.past.sequences[2].length == 3);  // two earlier ones and its own
  CHECK(layout.memory.rows == 5);
  REQUIRE(layout.memory.sequence_count() == 2);  // each is read by two rows, which count as two queries of it
  CHECK(layout.memory.sequences[1].length == 3);
  CHECK(layout.readers.sequences[1].offset == 2);
  CHECK(layout.readers.sequences[1].length == 2);
  const RowLayout query = f.cache.query_layout();
  CHECK(query.rows == 4);
  CHECK(query.first_position == 2);
  CHECK(query.sequences[3].offset == 3);
  CHECK(query.sequences[3].length == 1);
}

TEST_CASE("a row after an empty sequence reads its own memory, not the previous row's") {
  const RowSpan spans[] = {{0, 0}, {0, 3}};
  DecoderCache<double> cache;
  cache.start(1, width, 2, capacity, {.rows = 3, .sequences = spans});
  const CacheLayout layout = cache.layout();
  REQUIRE(layout.memory.sequence_count() == 2);
  CHECK(layout.memory.sequences[0].length == 0);
  CHECK(layout.memory.sequences[1].length == 3);
  CHECK(layout.readers.sequences[1].offset == 1);
}

TEST_CASE("select reorders, duplicates and compacts") {
  const std::vector<std::vector<Index>> selections{{3, 1, 0, 2},  // reorder
                                                   {1, 0, 3, 2},  // swap
                                                   {0, 0, 2, 2},  // duplicate downwards
                                                   {1, 1, 3, 3},  // duplicate, keep
                                                   {0, 1, 1, 1}, {2, 2, 2, 2}, {1, 3}, {3}, {2, 0}, {0, 1, 2, 3}, {}};
  for (const std::vector<Index>& survivors : selections) {
    CacheFixture f(4, 2);
    f.cache.select(survivors);
    REQUIRE(f.cache.rows() == static_cast<Index>(survivors.size()));
    for (Index r = 0; r < f.cache.rows(); ++r) {
      const auto was = static_cast<double>(survivors[r]);
      CHECK(f.row(r) == Row{100 * was, 100 * was + 1});
      CHECK(f.memory_of(r) == (survivors[r] < 2 ? 0 : 2));
    }
    f.append(1, 7);  // and continues
    for (Index r = 0; r < f.cache.rows(); ++r) CHECK(f.row(r).back() == static_cast<double>(r) + 7);
  }
}

TEST_CASE("ended rows may come back as copies of others, and in greater number than before") {
  CacheFixture f(4, 1);
  f.cache.select(std::vector<Index>{3, 0});
  f.cache.select(std::vector<Index>{1, 0, 0, 1});
  CHECK(f.row(0) == Row{0});
  CHECK(f.row(1) == Row{300});
  CHECK(f.row(2) == Row{300});
  CHECK(f.row(3) == Row{0});
  f.cache.select(std::vector<Index>{3, 2, 1, 0, 0, 1});
  CHECK(f.row(0) == Row{0});
  CHECK(f.row(5) == Row{300});
  CHECK(f.memory_of(5) == 2);
}

TEST_CASE("queries may be wider than keys, and are not kept") {
  CacheFixture f(2, 1);
  std::vector<double> qkv(2 * 5 * width, -1);
  for (const Index r : {0, 1}) std::fill_n(qkv.begin() + r * 5 * width + 3 * width, 2 * width, 7.0 + r);
  f.cache.append(f.cache.layer(0), {qkv.data(), {2, 5 * width}});
  f.cache.advance();
  CHECK(f.row(0) == Row{0, 7});
  CHECK(f.row(1) == Row{100, 8});
  for (const Index cols : {2 * width, 3 * width + 1})
    CHECK_THROWS_WITH_AS(f.cache.append(f.cache.layer(0), {qkv.data(), {2, cols}}),
                         doctest::Contains("[2, n * 2] with n at least 3; got [2, "), Error);
}

TEST_CASE("rows and tokens that do not fit are refused") {
  CacheFixture f(4, 3);
  CHECK_THROWS_WITH_AS(f.append(1, 0), doctest::Contains("at most 3 tokens"), Error);
  CHECK_THROWS_WITH_AS(f.cache.select(std::vector<Index>{4}), doctest::Contains("below 4; got 4"), Error);
  CHECK_THROWS_AS(f.cache.select(std::vector<Index>{-1}), Error);
  CHECK_THROWS_AS(f.cache.start(1, width, 3, capacity, f.memory), Error);  // 3 rows for 2 sequences
}

TEST_CASE("a memory that does not match its layout is refused") {
  Model<double> model(small_options());
  const Pair batch({4, 6}, packed);
  RowLayout source = batch.source.layout();
  model.context.begin({});
  const Variable<double> memory = model.network.encode(model.context, batch.source.ids, source);
  DecoderCache<double> cache;
  CHECK_NOTHROW(model.network.start(cache, memory, source, 2, 6));
  --source.rows;
  CHECK_THROWS_WITH_AS(model.network.start(cache, memory, source, 2, 6), doctest::Contains("[decoder.start]"), Error);
}

TEST_CASE("a used cache is empty again after start") {
  CacheFixture f(4, 3);
  f.cache.start(1, width, 2, capacity, f.memory);
  CHECK(f.cache.rows() == 2);
  CHECK(f.cache.position() == 0);
  f.append(100, 5);
  CHECK(f.row(1) == Row{105});
}

TEST_CASE("after select a model continues as if each row had always been in its place") {
  const OneThread one_thread;
  Model<double> model(small_options());
  const Pair batch({4, 6}, packed);
  const RowLayout source = batch.source.layout();
  const StepOptions inference{.training = false, .recording = false};
  /// Logits of the last token of `prefix`, after sequence `s`.
  const auto whole = [&](Index s, const std::vector<int>& prefix) {
    model.context.begin(inference);
    const Side alone = make_side({s == 0 ? 4 : 6}, 0, packed);
    const RowSpan span{0, static_cast<Index>(prefix.size())};
    const RowLayout target{.rows = span.length, .sequences = {&span, 1}};
    const Tensor<const double> y = model.network(model.context, alone.ids, alone.layout(), prefix, target).value();
    const double* last = y.row(span.length - 1);
    return std::vector<double>(last, last + vocabulary);
  };

  std::vector<std::vector<int>> prefixes{{start}, {start}, {start}, {start}};
  std::vector<Index> sequences{0, 0, 1, 1};
  DecoderCache<double> cache;
  model.context.begin(inference);
  model.network.start(cache, model.network.encode(model.context, batch.source.ids, source), source, 4, 6);
  for (Index i = 0; i < small_options().decoder_layers; ++i)  // what was not written must not be read
    std::ranges::fill(cache.layer(i).past, std::numeric_limits<double>::quiet_NaN());
  const std::vector<std::vector<Index>> selections{{0, 1, 2, 3}, {1, 0, 3, 3}, {1, 1, 2}, {2, 0}, {0}};
  int word = 3;
  for (const std::vector<Index>& survivors : selections) {
    std::vector<int> tokens;
    for (const auto& prefix : prefixes) tokens.push_back(prefix.back());
    model.context.begin(inference);
    const Tensor<const double> logits = model.network.step(model.context, tokens, cache).value();
    std::vector<std::vector<double>> got;
    for (Index r = 0; r < cache.rows(); ++r) got.emplace_back(logits.row(r), logits.row(r) + vocabulary);
    for (Index r = 0; r < cache.rows(); ++r) CHECK(distance(got[r], whole(sequences[r], prefixes[r])) <= 1e-12);

    cache.select(survivors);
    std::vector<std::vector<int>> kept;
    std::vector<Index> kept_sequences;
    for (const Index r : survivors) {
      kept.push_back(prefixes[r]);
      kept.back().push_back(3 + word++ % (vocabulary - 3));  // a different word for each row
      kept_sequences.push_back(sequences[r]);
    }
    prefixes = kept;
    sequences = kept_sequences;
  }
}

TEST_CASE("the state of rows survives growth of the cache and changes of place") {
  constexpr Index longest = 150, rows = 4;
  CacheFixture f(rows, 0);
  f.cache.start(2, width, rows, longest, f.memory);
  CHECK(f.cache.layer(0).past.size() < rows * longest * 2 * width);
  std::vector<Row> expected(rows);
  for (Index t = 0; t < longest; ++t) {
    std::vector<double> qkv(rows * 3 * width);
    for (Index r = 0; r < rows; ++r) {
      expected[r].push_back(static_cast<double>(1000 * r + t));
      std::fill_n(qkv.begin() + r * 3 * width, 3 * width, expected[r].back());
    }
    for (Index layer : {0, 1}) f.cache.append(f.cache.layer(layer), {qkv.data(), {rows, 3 * width}});
    f.cache.advance();
    if (t % 7 == 3) {
      f.cache.select(std::vector<Index>{1, 0, 3, 3});
      expected = {expected[1], expected[0], expected[3], expected[3]};
    }
    const CacheLayout layout = f.cache.layout();
    for (Index layer : {0, 1})
      for (Index r = 0; r < rows; ++r) {
        const double* first = f.cache.layer(layer).past.data() + layout.past.sequences[r].offset * 2 * width;
        for (Index i = 0; i <= t; ++i) REQUIRE(first[i * 2 * width] == expected[r][i]);
      }
  }
  CHECK(f.cache.layer(1).past.size() == rows * longest * 2 * width);
}

TEST_CASE("rows that end and repeat at random remember the tokens they read") {
  std::mt19937 random(7);
  const auto below = [&](Index n) { return static_cast<Index>(random() % static_cast<std::uint32_t>(n)); };
  DecoderCache<double> cache;  // one for all, as in a search
  for (int batch = 0; batch < 50; ++batch) {
    const Index longest = 1 + below(90), sources = 1 + below(4);
    std::vector<RowSpan> memory;
    for (Index s = 0, offset = 0; s < sources; offset += memory[s++].length) memory.push_back({offset, 1 + below(30)});
    const Index memory_rows = memory.back().offset + memory.back().length;
    cache.start(2, width, sources, longest, {.rows = memory_rows, .sequences = memory});
    std::vector<Row> expected(sources);
    std::vector<RowSpan> reads = memory;
    double word = 0;
    for (Index t = 0; t < longest && !expected.empty(); ++t) {
      std::vector<double> qkv(expected.size() * 3 * width);
      for (std::size_t r = 0; r < expected.size(); ++r) {
        expected[r].push_back(++word);
        std::fill_n(qkv.begin() + static_cast<Index>(r) * 3 * width, 3 * width, word);
      }
      const Shape shape{std::ssize(expected), 3 * width};
      for (const Index layer : {0, 1}) cache.append(cache.layer(layer), {qkv.data(), shape});
      cache.advance();
      std::vector<Index> survivors(static_cast<std::size_t>(below(3) == 0 ? below(13) : std::ssize(expected)));
      for (Index& from : survivors) from = below(std::ssize(expected));
      cache.select(survivors);
      std::vector<Row> rows;
      std::vector<RowSpan> spans;
      for (const Index from : survivors) {
        rows.push_back(expected[from]);
        spans.push_back(reads[from]);
      }
      expected = rows;
      reads = spans;
      const CacheLayout layout = cache.layout();
      REQUIRE(layout.past.sequence_count() == std::ssize(expected));
      for (std::size_t r = 0; r < expected.size(); ++r)
        for (const Index layer : {0, 1}) {
          const double* const first = cache.layer(layer).past.data() + layout.past.sequences[r].offset * 2 * width;
          for (Index i = 0; i <= t; ++i) REQUIRE(first[i * 2 * width] == expected[r][i]);
        }
      for (Index i = 0; i < layout.readers.sequence_count(); ++i)
        for (Index k = 0; k < layout.readers.sequences[i].length; ++k)
          REQUIRE(layout.memory.sequences[i] == reads[layout.readers.sequences[i].offset + k]);
    }
  }
}

TEST_CASE("continuing rows reuse the memory of ended ones") {
  constexpr Index longest = 60, rows = 8;
  const RowSpan spans[] = {{0, 4}, {4, 8}};
  DecoderCache<double> cache;
  cache.start(1, width, rows, longest, {.rows = 12, .sequences = spans});
  const double* const where = cache.layer(0).past.data();
  std::vector<double> qkv(rows * 3 * width);
  const auto step = [&] {
    for (Index r = 0; r < cache.rows(); ++r)
      std::fill_n(qkv.begin() + r * 3 * width, 3 * width, static_cast<double>(100 * r + cache.position()));
    cache.append(cache.layer(0), {qkv.data(), {cache.rows(), 3 * width}});
    cache.advance();
  };
  for (int t = 0; t < 15; ++t) step();
  cache.select(std::vector<Index>{7, 5, 2});
  while (cache.position() < longest) {
    step();
    if (cache.position() == 31) cache.select(std::vector<Index>{2});
  }
  CHECK(cache.layer(0).past.data() == where);
  const double* const last = where + cache.layout().past.sequences[0].offset * 2 * width;
  CHECK(last[0] == 200);
  CHECK(last[14 * 2 * width] == 214);
  CHECK(last[16 * 2 * width] == 216);
  CHECK(last[59 * 2 * width] == 59);
}

TEST_CASE("targets as long as their sources have room from the start") {
  const RowSpan spans[] = {{0, 40}, {40, 80}};
  DecoderCache<float> cache;
  cache.start(1, width, 2, 200, {.rows = 120, .sequences = spans});
  CHECK(cache.layer(0).past.size() == 2 * 100 * 2 * width);
  CHECK(cache.layer(0).memory.size() == 120 * 2 * width);
  cache.start(1, width, 2, 50, {.rows = 120, .sequences = spans});  // never above the limit
  CHECK(cache.layer(0).past.size() == 2 * 50 * 2 * width);
}

TEST_CASE("a cache that ran out of memory is as good as new after start") {
  CacheFixture f(4, 2);
  f.cache.start(1, Index{1} << 16, 1, 16, {.rows = 2, .sequences = {f.memory_spans.data(), 1}});
  CHECK_THROWS_WITH_AS(f.cache.select(std::vector<Index>(1000000, 0)), doctest::Contains("[arena]"), Error);
  f.cache.start(1, width, 4, capacity, f.memory);
  f.append(100, 5);
  f.cache.select(std::vector<Index>{3, 3});
  CHECK(f.row(0) == Row{305});
  CHECK(f.row(1) == Row{305});
}
