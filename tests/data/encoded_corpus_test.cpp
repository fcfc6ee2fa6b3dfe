#include "data/encoded_corpus.h"

#include <doctest/doctest.h>

#include "base/parallel.h"
#include "data/batch.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/data/data_test.h"
#include "tests/support/restore_threads.h"

using namespace glossa;
using namespace glossa::testing;
using Ids = std::vector<int>;
using Sentences = std::vector<std::string>;

TEST_CASE("sources have the requested special tokens, targets none") {
  const ParallelCorpus corpus = corpus_of({"a b"}, {"x"});
  const auto source = train_word_tokenizer(corpus.source), target = train_word_tokenizer(corpus.target);
  CHECK(encode_corpus(corpus, *source, *target).source.at(0) == Ids{4, 5, 3});
  CHECK(encode_corpus(corpus, *source, *target, {.source_bos = true}).source.at(0) == Ids{2, 4, 5, 3});
  CHECK(encode_corpus(corpus, *source, *target, {.source_eos = false}).source.at(0) == Ids{4, 5});
  const EncodedCorpus encoded = encode_corpus(corpus, *source, *target);
  CHECK(encoded.target.at(0) == Ids{4});
  CHECK(encoded.source_length(0) == 3);
  CHECK(encoded.target_length(0) == 2);
}

TEST_CASE("pairs that are too long, including special tokens, are left out and counted") {
  const ParallelCorpus corpus = corpus_of({"a a", "a a a", "a", "a"}, {"x", "x", "x x x", "x x"});
  const auto source = train_word_tokenizer(corpus.source), target = train_word_tokenizer(corpus.target);
  const EncodedCorpus encoded = encode_corpus(corpus, *source, *target, {.max_length = 3});
  CHECK(encoded.size() == 2);
  CHECK(encoded.origin == std::vector<std::size_t>{0, 3});
  CHECK(encoded.report.too_long == 2);
  CHECK(encoded.report.first_too_long == "line 2");
  CHECK(contains(describe(encoded.report), "left out: length 2 (first: line 2)"));
  CHECK(encode_corpus(corpus, *source, *target, {.max_length = 0}).size() == 4);
  CHECK(contains(error_of<Error>([&] { encode_corpus(corpus, *source, *target, {.max_length = 1}); }),
                 "[corpus] expected at least one pair to train on"));
}

TEST_CASE("pairs with token counts too unequal, without special ones and prefix, are left out and counted") {
  const ParallelCorpus corpus = corpus_of({"a a a", "a", "a a a a"}, {"x", "x x x", "x"});
  const auto source = train_word_tokenizer(Sentences{"a >>de<<"}), target = train_word_tokenizer(corpus.target);
  for (const char* prefix : {"", ">>de<<"}) {
    const EncodedCorpus encoded = encode_corpus(corpus, *source, *target, {.source_prefix = prefix, .max_ratio = 3.0});
    CHECK(encoded.origin == std::vector<std::size_t>{0, 1});
    CHECK(contains(describe(encoded.report), "; left out: ratio 1 (first: line 3)"));
  }
  CHECK(encode_corpus(corpus, *source, *target, {.max_ratio = 2.9, .may_be_empty = true}).size() == 0);
}

TEST_CASE("a prefix precedes every source, and a line without a token has no ids") {
  const ParallelCorpus corpus = corpus_of({"a", " "}, {"x", "x"});
  const auto source = train_word_tokenizer(Sentences{"a a >>de<<"}), target = train_word_tokenizer(corpus.target);
  const EncodeOptions options{.source_bos = true, .source_prefix = ">>de<<"};
  const EncodedCorpus encoded = encode_corpus(corpus, *source, *target, options);
  CHECK(encoded.source == std::vector<Ids>{{2, 5, 4, 3}});
  CHECK(encoded.target == std::vector<Ids>{{4}});
  CHECK(encoded.report.empty == 1);
  CHECK(encode_source(*source, "a", "line", 1, options) == encoded.source[0]);
  CHECK(encode_source(*source, " ", "line", 1, options).empty());
}

TEST_CASE("an error in joined corpora names the corpus it is in") {
  ParallelCorpus first = corpus_of({"a"}, {"b"}), second = corpus_of({"a", "a a a", "a zebra"}, {"b", "b", "b"});
  second.name = "second";
  second.source_name = "second.en";
  second.lines = {1, 4, 9};
  const auto tokenizer = train_word_tokenizer(Sentences{"a b"}, {.specials = {-1, 0, 1, 2}});
  std::vector<ParallelCorpus> both{first, second};
  CHECK(contains(error_of<Error>([&] { encode_corpus(joined(both), *tokenizer, *tokenizer); }), "[second.en:9]"));
  both[1].source[2] = "a";
  CHECK(encode_corpus(joined(both), *tokenizer, *tokenizer, {.max_length = 3}).report.first_too_long == "second:4");
}

TEST_CASE("any number of threads gives the same ids, and the error of the first bad pair") {
  std::vector<std::string> source, target;
  for (int i = 0; i < 3000; ++i) {
    source.push_back(i % 5 == 0 ? "a b" : "b a b");
    target.push_back(i % 11 == 0 ? " " : "b");
  }
  ParallelCorpus corpus = corpus_of(source, target);
  const auto tokenizer = train_word_tokenizer(Sentences{"a b"}, {.specials = {-1, 0, 1, 2}});
  const RestoreThreads restore;
  std::vector<std::uint64_t> hashes;
  for (const int team : {1, 2, 4}) {
    set_threads(team);
    hashes.push_back(encode_corpus(corpus, *tokenizer, *tokenizer).fingerprint());
    ParallelCorpus bad = corpus;
    for (const std::size_t pair : {2999U, 2001U, 1001U}) bad.source[pair] = "zebra";
    CHECK(contains(error_of<Error>([&] { encode_corpus(bad, *tokenizer, *tokenizer); }), "[corpus.en:1002]"));
  }
  CHECK_EQ(hashes, std::vector(3, hashes[0]));
}

TEST_CASE("pairs without a token on a side never reach a batch") {
  const ParallelCorpus corpus = corpus_of({"a", " ", "a"}, {"x", "x", " "});
  const auto source = train_word_tokenizer(corpus.source), target = train_word_tokenizer(corpus.target);
  const EncodedCorpus encoded = encode_corpus(corpus, *source, *target);
  CHECK(encoded.size() == 1);
  CHECK(encoded.report.empty == 2);
}

TEST_CASE("a corpus with no pair left is an error, unless it may be empty") {
  const auto tokenizer = train_word_tokenizer(Sentences{"a b"});
  const ParallelCorpus corpus = corpus_of({"a b", " "}, {"a", "a"});
  CHECK(contains(error_of<Error>([&] { encode_corpus(corpus, *tokenizer, *tokenizer, {.max_length = 2}); }),
                 "with a maximum length of 2. Hint: raise EncodeOptions::max_length"));
  const EncodedCorpus encoded = encode_corpus(corpus, *tokenizer, *tokenizer, {.max_length = 2, .may_be_empty = true});
  CHECK(encoded.size() == 0);
  CHECK(encoded.report.too_long == 1);
}

TEST_CASE("unknown tokens are counted for each side") {
  const auto tokenizer = train_word_tokenizer(Sentences{"a b"});
  const EncodedCorpus encoded = encode_corpus(corpus_of({"a q b r"}, {"a b"}), *tokenizer, *tokenizer);
  CHECK(encoded.report.source_unknown == 2);
  CHECK(encoded.report.target_unknown == 0);
  CHECK(describe(encoded.report) == "1 pair, 4 source tokens (50.00 % unknown), 2 target tokens (0.00 % unknown)");
}

TEST_CASE("an unknown token without <unk> is an error naming the side's file, line and token") {
  const auto tokenizer = train_word_tokenizer(Sentences{"a b"}, {.specials = {-1, 0, 1, 2}});
  ParallelCorpus corpus = corpus_of({"a", "a zebra"}, {"b", "b"});
  corpus.lines = {1, 7};
  const auto message = [&] { return error_of<Error>([&] { encode_corpus(corpus, *tokenizer, *tokenizer); }); };
  CHECK(contains(message(), "[corpus.en:7]"));
  CHECK(contains(message(), "`zebra`"));
  std::swap(corpus.source, corpus.target);
  CHECK(contains(message(), "[corpus.de:7]"));
  corpus.target_name = "memory.tmx";
  CHECK(contains(message(), "[memory.tmx, unit 7]"));
}

TEST_CASE("each side has the special ids of its own vocabulary") {
  const auto one = train_word_tokenizer(Sentences{"a b"});
  const auto other = train_word_tokenizer(Sentences{"a b"}, {.specials = {.unk = 3, .pad = 0, .bos = 0, .eos = 1}});
  const EncodedCorpus encoded =
      encode_corpus(corpus_of({"a x", "b"}, {"a x", "a b"}), *one, *other, {.source_bos = true, .source_eos = true});
  CHECK(encoded.specials == other->specials());
  CHECK(encoded.source == std::vector<Ids>{{2, 4, 0, 3}, {2, 5, 3}});
  CHECK(encoded.target == std::vector<Ids>{{2, 3}, {2, 4}});
  CHECK(encoded.report.source_unknown == 1);
  CHECK(encoded.report.target_unknown == 1);
  const Batch batch = make_batch(encoded, Ids{0, 1}, Layout::padded);
  CHECK(batch.source == Ids{2, 4, 0, 3, 2, 5, 3, 1});
  CHECK(batch.target_in == Ids{0, 2, 3, 0, 2, 4});
  CHECK(batch.target_out == Ids{2, 3, 1, 2, 4, 1});
}

TEST_CASE("the fingerprint depends on every id, boundary and side, and is the same everywhere") {
  EncodedCorpus corpus;
  corpus.source = {{4, 5}, {6}};
  corpus.target = {{7}, {8, 9}};
  const std::uint64_t reference = corpus.fingerprint();
  CHECK(reference == 0x7906001c89860073u);
  EncodedCorpus changed = corpus;
  changed.source[0][1] = 6;
  CHECK(changed.fingerprint() != reference);
  changed = corpus;
  changed.source = {{4}, {5, 6}};
  CHECK(changed.fingerprint() != reference);
  changed = corpus;
  std::swap(changed.source, changed.target);
  CHECK(changed.fingerprint() != reference);
}
