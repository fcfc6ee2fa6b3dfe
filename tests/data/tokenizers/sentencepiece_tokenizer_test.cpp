#include "data/tokenizers/sentencepiece_tokenizer.h"

#include <doctest/doctest.h>

#include <set>

#include "data/text/text_file.h"
#include "data/text/utf8.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Sentences = std::vector<std::string>;
using Ids = std::vector<int>;

namespace {

Sentences small_corpus() {
  const Sentences subjects = {"the dog", "a small cat", "der große Hund", "मेरा घर", "यह किताब"};
  const Sentences verbs = {"sleeps here", "is walking home", "läuft nach Hause", "बहुत अच्छा है", "क्या है"};
  Sentences sentences;
  for (const std::string& subject : subjects)
    for (const std::string& verb : verbs) sentences.push_back(subject + " " + verb);
  return sentences;
}

}  // namespace

TEST_CASE("both models train in memory, round-trip, and give the same bytes again") {
  std::set<std::string> models;
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const SentencepieceOptions options{.model = model, .vocabulary_size = 80};
    const auto tokenizer = train_sentencepiece(small_corpus(), options);
    CHECK(tokenizer->kind() == "sentencepiece");
    CHECK(tokenizer->vocabulary_size() <= 80);
    CHECK(tokenizer->specials() == SpecialIds{});
    CHECK(tokenizer->token(3) == "</s>");
    for (const std::string& text : small_corpus()) {
      const Ids ids = tokenizer->encode(text);
      CHECK(tokenizer->decode(ids) == text);
      for (const int id : ids) CHECK_FALSE(tokenizer->specials().contains(id));
    }
    CHECK(train_sentencepiece(small_corpus(), options)->serialize() == tokenizer->serialize());
    models.insert(tokenizer->token(10));
  }
  CHECK(models.size() == 2);  // and the two differ
}

TEST_CASE("a corpus too small for the vocabulary gives a smaller one instead of an error") {
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const auto tokenizer =
        train_sentencepiece(Sentences{"hello world", "how are you"}, {.model = model, .vocabulary_size = 10000});
    CHECK(tokenizer->vocabulary_size() < 100);
    CHECK(tokenizer->decode(tokenizer->encode("hello you")) == "hello you");
  }
}

TEST_CASE("special ids may be moved; <unk> is required") {
  const SpecialIds moved{.unk = 3, .pad = 0, .bos = 1, .eos = 2};
  const auto tokenizer = train_sentencepiece(small_corpus(), {.vocabulary_size = 80, .specials = moved});
  CHECK(tokenizer->specials() == moved);
  CHECK(tokenizer->token(0) == "<pad>");
  const SpecialIds padded{.unk = 1, .pad = 7, .bos = 7, .eos = 0};
  const auto starts_with_padding = train_sentencepiece(small_corpus(), {.vocabulary_size = 80, .specials = padded});
  CHECK(starts_with_padding->specials() == padded);
  CHECK(starts_with_padding->token(7) == "<pad>");
  CHECK(contains(error_of<Error>([] { train_sentencepiece(small_corpus(), {.specials = {-1, 0, 1, 2}}); }), "<unk>"));
}

TEST_CASE("text cannot name a special token, and unknown characters show as U+2047") {
  const auto tokenizer = train_sentencepiece(small_corpus(), {.vocabulary_size = 80});
  for (const int id : tokenizer->encode("the </s> dog <pad>")) CHECK((id == 0 || id > 3));
  CHECK(contains(tokenizer->decode(tokenizer->encode("the \xE2\x98\x83")), "\xE2\x81\x87"));
  Ids framed = tokenizer->encode("the dog");
  framed.insert(framed.begin(), 2);
  framed.insert(framed.end(), {3, 1, 1});
  CHECK(tokenizer->decode(framed) == "the dog");
}

TEST_CASE("no line is too long to learn from") {
  Sentences sentences = small_corpus();
  std::string longest;
  while (longest.size() < 20000) longest += "xylophone ";
  sentences.push_back(longest);
  const auto tokenizer = train_sentencepiece(sentences, {.vocabulary_size = 200});
  CHECK(tokenizer->decode(tokenizer->encode("xylophone")) == "xylophone");
}

TEST_CASE("a line with one of the library's own marks is learned from") {
  for (const std::string mark : {"\t", "\xE2\x96\x85"}) {
    CAPTURE(mark);
    Sentences sentences = small_corpus();
    sentences.push_back("wyvern" + mark + mark + " wyvern");
    const auto tokenizer = train_sentencepiece(sentences, {.vocabulary_size = 100, .normalization = "identity"});
    CHECK(tokenizer->decode(tokenizer->encode("wyvern")) == "wyvern");
  }
}

TEST_CASE("text that names special tokens keeps its characters in the vocabulary") {
  // The last two normalize to a name: wide characters, and a control character that is dropped.
  for (const std::string name : {"<unk>", "<s>", "</s>", "<pad>", "\uFF1C\uFF53\uFF1E", "<\u0001s>"})
    for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram})
      for (const std::string rule : {"nmt_nfkc", "identity"}) {
        CAPTURE(name);
        CAPTURE(rule);
        Sentences sentences(10, "old " + name + "wyvern" + name + name + "red");
        const auto tokenizer =
            train_sentencepiece(sentences, {.model = model, .vocabulary_size = 60, .normalization = rule});
        for (const int id : tokenizer->encode(sentences[0])) CHECK_FALSE(SpecialIds{}.contains(id));
        for (int id = 4; id < tokenizer->vocabulary_size(); ++id) CHECK(tokenizer->token(id).size() < 10);
        if (name == "<unk>") CHECK_EQ(tokenizer->decode(tokenizer->encode(sentences[0])), sentences[0]);
      }
}

TEST_CASE("of all characters the library's trainer loses only U+2585, which becomes unknown, and U+2581, a space") {
  Sentences sentences;
  for (char32_t c = 1; c < 0x1FFFF; c += c < 0x800 || (c >= 0x2000 && c < 0x2800) || (c >> 8) == 0xFF ? 1 : 97) {
    if ((c >= 0xD800 && c < 0xE000) || utf8::is_space(c)) continue;
    utf8::append(sentences.emplace_back("a"), c);
    sentences.back() += 'b';
  }
  const auto tokenizer = train_sentencepiece(sentences, {.vocabulary_size = 9000, .normalization = "identity"});
  Sentences unknown, changed;
  for (const std::string& text : sentences) {
    const Ids ids = tokenizer->encode(text);
    if (std::ranges::count(ids, 0) > 0)
      unknown.push_back(text);
    else if (tokenizer->decode(ids) != text)
      changed.push_back(text);
  }
  CHECK_EQ(unknown, Sentences{"a\u2585b"});
  CHECK_EQ(changed, Sentences{"a\u2581b"});
}

TEST_CASE("no word is too long to learn from") {
  std::string word;
  for (std::uint32_t i = 1; word.size() < 70'000; i = i * 1'103'515'245 + 12'345)
    word += static_cast<char>('a' + (i >> 16) % 26);
  const Sentences sentences = {"wyvern " + word, std::string(5000, 'x')};
  const auto tokenizer = train_sentencepiece(sentences, {.vocabulary_size = 40});
  CHECK_EQ(tokenizer->decode(tokenizer->encode("wyvern")), "wyvern");
  // U+FDFA becomes 18 characters, in four words.
  std::string ligatures;
  while (ligatures.size() < 30'000) ligatures += "\uFDFA\uFEFB";
  CHECK_FALSE(train_sentencepiece(Sentences{ligatures}, {.vocabulary_size = 40})->encode(ligatures).empty());
}

TEST_CASE("a model from elsewhere needs all special tokens but <s>, for which padding may stand") {
  const std::string whole = train_sentencepiece(small_corpus(), {.vocabulary_size = 80})->serialize();
  const auto without = [&](std::string_view name) {
    std::string model = whole;
    return model.replace(model.find(name), name.size(), std::string(name.size(), 'q'));
  };
  for (const char* name : {"<pad>", "</s>"}) {
    CAPTURE(name);
    CHECK(contains(error_of<Error>([&] { parse_tokenizer(without(name), "other.model"); }),
                   "[other.model] expected special ids from 0 to"));
  }
  CHECK(parse_tokenizer(without("<s>"), "other.model")->specials() == SpecialIds{.bos = SpecialIds().pad});
}

TEST_CASE("the saved file is the library's model, verbatim") {
  const TemporaryFolder folder;
  const auto tokenizer = train_sentencepiece(small_corpus(), {.vocabulary_size = 80});
  const std::string path = folder / "sentencepiece.model";
  tokenizer->save(path);
  CHECK(read_file(path) == tokenizer->serialize());
  const auto copy = load_tokenizer(path);
  CHECK(copy->fingerprint() == tokenizer->fingerprint());
  CHECK(copy->encode("das ist der Hund") == tokenizer->encode("das ist der Hund"));
}

TEST_CASE("a vocabulary too small for the characters is refused with the smallest that works") {
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const auto error_with = [&](int size) {
      return error_of<Error>([&] { train_sentencepiece(small_corpus(), {.model = model, .vocabulary_size = size}); });
    };
    const std::string error = error_with(20), before = "[SentencepieceOptions::vocabulary_size] expected at least ";
    REQUIRE(error.starts_with(before));
    CHECK(contains(error, "got 20. Hint: raise it, or lower SentencepieceOptions::character_coverage"));
    const int minimum = std::stoi(error.substr(before.size()));
    CHECK(contains(error_with(minimum - 1), fmt::format("at least {},", minimum)));
    CHECK_EQ(error_with(minimum), "");
  }
}

TEST_CASE("damaged models, ids out of range and impossible options are errors") {
  const auto tokenizer = train_sentencepiece(small_corpus(), {.vocabulary_size = 80});
  const std::string model = tokenizer->serialize();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{40}, model.size() / 2, model.size() - 1}) {
    CAPTURE(size);
    CHECK(contains(error_of<Error>([&] { parse_tokenizer(model.substr(0, size), "cut.model"); }), "[cut.model"));
  }
  CHECK(contains(error_of<Error>([] { parse_tokenizer("", "empty.model"); }), "got an empty file"));
  const int size = tokenizer->vocabulary_size();
  CHECK(contains(error_of<Error>([&] { tokenizer->token(size); }), "expected an id from 0 to"));
  CHECK(contains(error_of<Error>([&] { tokenizer->decode(Ids{-1}); }), "got -1"));
  CHECK(contains(error_of<Error>([] { train_sentencepiece(Sentences{}); }), "got none"));
  CHECK(contains(error_of<Error>([] { train_sentencepiece(Sentences{"", " "}); }), "got none"));
  CHECK(contains(error_of<Error>([] { train_sentencepiece(small_corpus(), {.normalization = "nothing"}); }),
                 "sentencepiece"));
}
