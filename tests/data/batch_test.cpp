#include "data/batch.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Ids = std::vector<int>;

namespace {

/// The tokens of sentence `b` in one of the lists.
Ids rows(const Ids& tokens, const RowSpan& span) {
  return Ids(tokens.begin() + span.offset, tokens.begin() + span.offset + span.length);
}

}  // namespace

TEST_CASE("a packed batch is all sentences back to back") {
  const EncodedCorpus corpus = encoded_of({{2, 1}, {1, 2}});  // ids 4 5 | 6 and 7 | 8 9
  const Batch batch = make_batch(corpus, Ids{1, 0}, Layout::packed);
  CHECK(batch.sentences == 2);
  CHECK(batch.sentence_ids == std::vector<std::uint32_t>{1, 0});
  CHECK(batch.source == Ids{7, 3, 4, 5, 3});
  CHECK(batch.target_in == Ids{2, 8, 9, 2, 6});
  CHECK(batch.target_out == Ids{8, 9, 3, 6, 3});
  CHECK(batch.source_spans == std::vector<RowSpan>{{0, 2}, {2, 3}});
  CHECK(batch.target_spans == std::vector<RowSpan>{{0, 3}, {3, 2}});
  CHECK(batch.source_rows == 5);
  CHECK(batch.target_rows == 5);
  CHECK(batch.source_tokens == 5);
  CHECK(batch.target_tokens == 5);
  CHECK_FALSE(batch.padded);
}

TEST_CASE("a padded batch is a box whose gaps are padding") {
  const EncodedCorpus corpus = encoded_of({{2, 1}, {1, 2}});
  const Batch batch = make_batch(corpus, Ids{1, 0}, Layout::padded);
  CHECK(batch.source == Ids{7, 3, 1, 4, 5, 3});
  CHECK(batch.target_in == Ids{2, 8, 9, 2, 6, 1});
  CHECK(batch.target_out == Ids{8, 9, 3, 6, 3, 1});
  CHECK(batch.source_spans == std::vector<RowSpan>{{0, 2}, {3, 3}});
  CHECK(batch.target_spans == std::vector<RowSpan>{{0, 3}, {3, 2}});
  CHECK(batch.padded);
  CHECK(batch.source_tokens == 5);
}

TEST_CASE("if padding begins a sentence, all its tokens are learned, and gaps are not") {
  EncodedCorpus corpus = encoded_of({{2, 1}, {1, 2}});
  corpus.specials = {.unk = 1, .pad = 9, .bos = 9, .eos = 0};
  const Batch batch = make_batch(corpus, Ids{1, 0}, Layout::padded);
  CHECK(batch.target_in == Ids{9, 8, 9, 9, 6, 9});
  CHECK(batch.target_out == Ids{8, 9, 0, 6, 0, 9});
}

TEST_CASE("packed and padded batches hold the same sentences") {
  std::vector<std::pair<int, int>> lengths;
  for (int i = 0; i < 40; ++i) lengths.emplace_back(1 + i * 7 % 11, 1 + i * 5 % 13);
  const EncodedCorpus corpus = encoded_of(lengths);
  Ids all(40);
  for (int i = 0; i < 40; ++i) all[static_cast<std::size_t>(i)] = i * 17 % 40;
  const Batch packed = make_batch(corpus, all, Layout::packed);
  const Batch padded = make_batch(corpus, all, Layout::padded);
  CHECK(packed.source_tokens == padded.source_tokens);
  CHECK(packed.target_tokens == padded.target_tokens);
  for (std::size_t b = 0; b < 40; ++b) {
    CHECK(rows(packed.source, packed.source_spans[b]) == rows(padded.source, padded.source_spans[b]));
    CHECK(rows(packed.target_in, packed.target_spans[b]) == rows(padded.target_in, padded.target_spans[b]));
    CHECK(rows(packed.target_out, packed.target_spans[b]) == rows(padded.target_out, padded.target_spans[b]));
    CHECK(rows(packed.source, packed.source_spans[b]) == corpus.source[static_cast<std::size_t>(all[b])]);
  }
  const auto pads = std::count(padded.target_out.begin(), padded.target_out.end(), corpus.specials.pad);
  CHECK(pads == padded.target_rows - padded.target_tokens);
}

TEST_CASE("a batch of two passes has its sentences twice, with other ids and within one box") {
  const EncodedCorpus corpus = encoded_of({{2, 1}, {1, 2}});
  for (const Layout layout : {Layout::packed, Layout::padded}) {
    const Batch twice = make_batch(corpus, Ids{1, 0}, layout, /*passes=*/2);
    Batch expected = make_batch(corpus, Ids{1, 0, 1, 0}, layout);
    CHECK(expected.sentence_ids == std::vector<std::uint32_t>{1, 0, 1, 0});
    expected.sentence_ids = {1, 0, second_pass | 1, second_pass};
    CHECK((twice == expected));
  }
}

TEST_CASE("the layouts of a batch are those of its rows") {
  const Batch batch = make_batch(encoded_of({{2, 1}, {1, 2}}), Ids{1, 0}, Layout::padded);
  for (const auto& [layout, rows, spans] : {std::tuple(batch.source_layout(), batch.source_rows, batch.source_spans),
                                            std::tuple(batch.target_layout(), batch.target_rows, batch.target_spans)}) {
    CHECK(layout.rows == rows);
    CHECK(std::ranges::equal(layout.sequences, spans));
    CHECK(std::ranges::equal(layout.sequence_ids, batch.sentence_ids));
  }
}

TEST_CASE("the share of useful tokens is that of all batches together") {
  const EncodedCorpus corpus = encoded_of({{2, 1}, {1, 2}, {4, 4}});  // rows with special tokens: 3 + 2, 2 + 3, 5 + 5
  const std::vector<Extents> batches = extents_of(corpus, {{0, 1}, {2}});
  CHECK(useful_share(batches, Layout::packed) == 1.0);
  CHECK(useful_share(batches, Layout::padded) == doctest::Approx(20.0 / 22.0));
  const EncodedCorpus lopsided = encoded_of({{1, 4}, {3, 1}});  // 2 + 5, 4 + 2
  CHECK(useful_share(extents_of(lopsided, {{0, 1}}), Layout::padded) == doctest::Approx(13.0 / 18.0));
}

TEST_CASE("a reserved batch is refilled without moving its memory") {
  const EncodedCorpus corpus = encoded_of({{2, 1}, {9, 12}, {1, 2}, {30, 3}});
  const std::vector<Ids> batches{{0}, {1, 2}, {2, 0, 1}, {3}};
  for (const Layout layout : {Layout::packed, Layout::padded}) {
    Batch batch;
    reserve_batch(batch, extents_of(corpus, batches), layout);
    const void* before[] = {batch.sentence_ids.data(), batch.source.data(),       batch.target_in.data(),
                            batch.target_out.data(),   batch.source_spans.data(), batch.target_spans.data()};
    for (const Ids& indices : batches) {
      fill_batch(batch, corpus, indices, layout);
      CHECK((batch == make_batch(corpus, indices, layout)));
    }
    const void* after[] = {batch.sentence_ids.data(), batch.source.data(),       batch.target_in.data(),
                           batch.target_out.data(),   batch.source_spans.data(), batch.target_spans.data()};
    CHECK(std::equal(std::begin(before), std::end(before), after));
  }
}

TEST_CASE("one sentence of one token makes a batch; no sentence or a nonexistent one is an error") {
  const EncodedCorpus corpus = encoded_of({{1, 1}});
  for (const Layout layout : {Layout::packed, Layout::padded})
    CHECK(make_batch(corpus, Ids{0}, layout).source == Ids{4, 3});
  CHECK(contains(error_of<Error>([&] { make_batch(corpus, Ids{}, Layout::packed); }), "at least one sentence"));
  for (const int bad : {-1, 1})
    CHECK(contains(error_of<Error>([&] { make_batch(corpus, Ids{bad}, Layout::packed); }), "from 0 to 0"));
}

TEST_CASE("a batch with more rows than an int can count is refused") {
  const EncodedCorpus corpus = encoded_of({{1, 70'000}});
  const std::vector<int> repeated(40'000, 0);
  for (const Layout layout : {Layout::packed, Layout::padded})
    CHECK(contains(error_of<Error>([&] { make_batch(corpus, repeated, layout); }), "got 2800040000"));
}

TEST_CASE("moved special ids are used") {
  EncodedCorpus corpus = encoded_of({{1, 1}, {2, 2}});
  corpus.specials = {.unk = 3, .pad = 0, .bos = 1, .eos = 2};
  const Batch batch = make_batch(corpus, Ids{0, 1}, Layout::padded);
  CHECK(batch.target_in == Ids{1, 5, 0, 1, 8, 9});
  CHECK(batch.target_out == Ids{5, 2, 0, 8, 9, 2});
}
