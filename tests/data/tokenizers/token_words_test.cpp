#include "data/tokenizers/token_words.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

using namespace glossa;

namespace {

const std::vector<std::string> text{"the dog runs", "the dogs run to the house", "a house runs"};

std::vector<int> words(const Tokenizer& tokenizer, std::string_view line) {
  return words_of_tokens(tokenizer, tokenizer.encode(line));
}

}  // namespace

TEST_CASE("each token belongs to its word") {
  using Words = std::vector<int>;
  const auto by_word = train_word_tokenizer(text);
  CHECK(words(*by_word, "the dog  runs") == Words{0, 1, 2});
  CHECK(words(*by_word, "unheard dog of") == Words{0, 1, 2});
  const auto by_character = train_character_tokenizer(text);
  CHECK(words(*by_character, "a dog to") == Words{0, -1, 1, 1, 1, -1, 2, 2});
  CHECK(words(*by_character, "a ?? b?") == Words{0, -1, 1, 1, -1, 2, 2});
  const SpecialIds& specials = by_character->specials();
  std::vector<int> ids = by_character->encode("ab a");
  ids.insert(ids.begin(), specials.bos);
  ids.push_back(specials.eos);
  ids.push_back(specials.pad);
  CHECK(words_of_tokens(*by_character, ids) == Words{-1, 0, 0, -1, 1, -1, -1});
  CHECK(words(*by_character, "").empty());
}

TEST_CASE("sentencepiece's pieces belong to the words they are in, known or not") {
  const auto tokenizer = train_sentencepiece(text, {.vocabulary_size = 30});
  for (const std::string line : {"the dogs run to a house", "the d\u2603gs \u2603 run", "dog"}) {
    CAPTURE(line);
    const std::vector<int> of_whole = words(*tokenizer, line);
    std::vector<int> of_each;
    int number = 0;
    for (const std::string_view word : split_words(line)) {
      for (const int inner : words(*tokenizer, word)) of_each.push_back(inner < 0 ? -1 : number + inner);
      ++number;
    }
    CHECK(of_whole == of_each);
    CHECK(*std::ranges::max_element(of_whole) == number - 1);
  }
}
