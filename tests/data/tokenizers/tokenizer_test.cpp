#include "data/tokenizers/tokenizer.h"

#include <doctest/doctest.h>

#include "data/text/text_file.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Sentences = std::vector<std::string>;
using Ids = std::vector<int>;

namespace {

// Conjuncts, vowel signs, a nukta and a zero-width joiner; and a letter with a combining mark of its own.
const Sentences multilingual = {"नमस्ते दुनिया", "ज़मीन क्‍ष", "cafe\xCC\x81 au lait", "hello world"};

void check_saved(const Tokenizer& tokenizer) {
  const TemporaryFolder folder;
  const std::string path = folder / "vocabulary.source.txt";
  tokenizer.save(path);
  const auto copy = load_tokenizer(path);
  CHECK(copy->kind() == tokenizer.kind());
  CHECK(copy->specials() == tokenizer.specials());
  CHECK(copy->vocabulary_size() == tokenizer.vocabulary_size());
  CHECK(copy->fingerprint() == tokenizer.fingerprint());
  for (const std::string& text : multilingual) CHECK(copy->encode(text) == tokenizer.encode(text));
}

}  // namespace

TEST_CASE("words are split at runs of any white space and joined by single spaces") {
  const auto words = train_word_tokenizer(Sentences{"a dog , a cat"});
  CHECK(words->kind() == "words");
  CHECK(words->encode("a dog") == Ids{4, 7});
  CHECK(words->decode(words->encode("  a\tdog\xC2\xA0 , \xE3\x80\x80 cat ")) == "a dog , cat");
  CHECK(words->encode(" ").empty());
  CHECK(words->decode(Ids{}).empty());
}

TEST_CASE("characters are code points; a space is a visible token") {
  const auto characters = train_character_tokenizer(Sentences{"ab b"});
  CHECK(characters->kind() == "characters");
  CHECK(characters->vocabulary_size() == 7);
  CHECK(characters->token(4) == "b");
  CHECK(characters->decode(characters->encode("a  bb ")) == "a  bb ");
  CHECK(characters->token(characters->encode(" ").at(0)) == "\xE2\x96\x81");
  CHECK(characters->encode("é").size() == 1);
}

TEST_CASE("Devanagari and combining marks survive words and characters, before and after saving") {
  const auto words = train_word_tokenizer(multilingual);
  const auto characters = train_character_tokenizer(multilingual);
  for (const std::string& text : multilingual) {
    CHECK(words->decode(words->encode(text)) == text);
    CHECK(characters->decode(characters->encode(text)) == text);
  }
  check_saved(*words);
  check_saved(*characters);
  CHECK(words->fingerprint() != characters->fingerprint());
}

TEST_CASE("special ids are dropped from text, and unknown tokens are shown") {
  const auto words = train_word_tokenizer(Sentences{"a b"});
  CHECK(words->decode(Ids{2, 4, 0, 5, 3, 1, 1}) == "a <unk> b");
  CHECK(words->encode("a </s> x") == Ids{4, 0, 0});
  CHECK(contains(error_of<Error>([&] { words->decode(Ids{4, 99}); }), "expected an id from 0 to 5; got 99"));
}

TEST_CASE("without <unk> an unknown token is an error that names it") {
  const auto words = train_word_tokenizer(Sentences{"a b"}, {.specials = {-1, 0, 1, 2}});
  CHECK(words->encode("b a") == Ids{4, 3});
  CHECK(contains(error_of<Error>([&] { words->encode("a zebra"); }), "got `zebra`"));
}

TEST_CASE("the same sentences give the same vocabulary in any order") {
  Sentences sentences, reversed;
  for (int i = 0; i < 500; ++i) sentences.push_back(fmt::format("w{} w{}", i % 97, i % 31));
  reversed.assign(sentences.rbegin(), sentences.rend());
  CHECK(train_word_tokenizer(sentences)->serialize() == train_word_tokenizer(reversed)->serialize());
}

TEST_CASE("files that are not tokenizers are refused by name") {
  const TemporaryFolder folder;
  const auto message = [&](std::string_view bytes) {
    return error_of<Error>([&] { load_tokenizer(folder.write("bad.txt", bytes)); });
  };
  CHECK(contains(message(""), (folder / "bad.txt").string()));
  CHECK(contains(message("just a text\n"), "expected a vocabulary or a sentencepiece model"));
  CHECK(contains(message("glossa-vocabulary syllables unk=0 pad=1 bos=2 eos=3\n"), "got one of `syllables`"));
  CHECK(contains(message("glossa-vocabulary words unk=0 pad=1 bos=2 eos=3\n<unk>\n"), "bad.txt"));
  CHECK(contains(error_of<Error>([&] { load_tokenizer(folder / "none"); }), "No such file"));
}
