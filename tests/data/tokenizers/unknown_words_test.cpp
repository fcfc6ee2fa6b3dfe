#include <doctest/doctest.h>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/token_words.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

using namespace glossa;
using Strings = std::vector<std::string>;

TEST_CASE("unknown words are listed, or unknown characters if tokens are smaller") {
  const Strings text{"we love you", "you love us"};
  const auto words = train_word_tokenizer(text), characters = train_character_tokenizer(text);
  CHECK(unknown_words(*words, "I love You and you I") == Strings{"I", "You", "and", "I"});
  CHECK(unknown_words(*words, "you love").empty());
  CHECK(unknown_words(*words, "").empty());
  CHECK(unknown_words(*characters, "I lößve") == Strings{"I", "ö", "ß"});
  CHECK(unknown_words(*characters, "we use").empty());
  const auto subwords = train_sentencepiece(text, {.vocabulary_size = 40});
  CHECK(unknown_words(*subwords, "I love ßyouß") == Strings{"I", "ß", "ß"});
  CHECK(unknown_words(*subwords, "we use").empty());
}

TEST_CASE("a vocabulary without <unk> has no unknown words") {
  const auto words = train_word_tokenizer(Strings{"a b"}, {.specials = {-1, 0, 1, 2}});
  CHECK(unknown_words(*words, "a zebra").empty());
}
