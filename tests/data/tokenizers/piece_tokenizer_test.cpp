#include "data/tokenizers/piece_tokenizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Sentences = std::vector<std::string>;
using Ids = std::vector<int>;

namespace {

const Sentences english = {"the dog sleeps here", "a small cat is walking home", "how are you today ?"},
                german = {"der Hund schläft hier", "eine kleine Katze läuft nach Hause", "wie geht es dir heute ?"};

/// Two sentencepiece models, and the vocabulary of both: Marian's ids, language codes, all pieces.
struct Pair {
  std::string source = train_sentencepiece(english, {.vocabulary_size = 60})->serialize(),
              target = train_sentencepiece(german, {.vocabulary_size = 60})->serialize();
  std::vector<std::string> tokens{"</s>", "<unk>", ">>deu<<", ">>nld<<"};
  SpecialIds specials{.unk = 1, .eos = 0};

  Pair() {
    std::set<std::string> seen(tokens.begin(), tokens.end());
    for (const std::string& model : {source, target}) {
      const SentencepieceTokenizer pieces(model, "model");
      for (int id = 4; id < pieces.vocabulary_size(); ++id)
        if (seen.insert(pieces.token(id)).second) tokens.push_back(pieces.token(id));
    }
    tokens.emplace_back("<pad>");
    specials.pad = specials.bos = static_cast<int>(tokens.size()) - 1;
  }
  PieceTokenizer of(const std::string& model) const { return {model, tokens, specials, "spm"}; }
};

}  // namespace

TEST_CASE("two sentencepiece models split text, and one vocabulary numbers the pieces") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source), target = pair.of(pair.target);
  CHECK(source.kind() == "pieces");
  CHECK(source.vocabulary_size() == target.vocabulary_size());
  CHECK(source.specials() == pair.specials);
  CHECK(source.fingerprint() != target.fingerprint());
  for (const std::string& text : english) CHECK(source.decode(source.encode(text)) == text);
  for (const std::string& text : german) CHECK(target.decode(target.encode(text)) == text);
  const SentencepieceTokenizer alone(pair.source, "model");
  const Ids ids = source.encode(english[1]), own = alone.encode(english[1]);
  REQUIRE(ids.size() == own.size());
  for (std::size_t i = 0; i < ids.size(); ++i) CHECK(source.token(ids[i]) == alone.token(own[i]));
}

TEST_CASE("pieces that the sentencepiece model lacks are decoded as well") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source), target = pair.of(pair.target);
  for (const std::string& text : german) CHECK(source.decode(target.encode(text)) == text);
}

TEST_CASE("a language code at the start is one token if the vocabulary has it") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source);
  const Ids dog = source.encode("the dog");
  for (const char* text : {">>nld<< the dog", ">>nld<<the dog", ">>nld<<   the dog "}) {
    Ids ids = source.encode(text);
    REQUIRE(!ids.empty());
    CHECK(ids.front() == 3);
    ids.erase(ids.begin());
    CHECK(ids == dog);
  }
  for (const char* text :
       {">>xxx<< the dog", "the dog >>nld<<", ">>nld the dog", "<<nld>> the dog", ">>nld< the dog"}) {
    const Ids ids = source.encode(text);
    CHECK(std::count(ids.begin(), ids.end(), 3) == 0);
    CHECK(ids.size() > dog.size());
  }
  CHECK(source.decode(Ids{3}) == ">>nld<<");
}

TEST_CASE("pieces that the vocabulary lacks are unknown, and text cannot name a special token") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source);
  CHECK(source.encode("\xE2\x98\x83").back() == 1);
  for (const int id : source.encode("the </s> dog <pad> <unk>")) CHECK((id == 1 || !pair.specials.contains(id)));
  Ids ids = source.encode("the dog");
  std::vector<std::string> fewer = pair.tokens;
  fewer[static_cast<std::size_t>(ids.front())] = "other";
  const PieceTokenizer lacks(pair.source, fewer, pair.specials, "spm");
  std::replace(ids.begin(), ids.end(), ids.front(), 1);
  CHECK(lacks.encode("the dog") == ids);
  CHECK(source.encode("").empty());
  CHECK(source.encode("  ").empty());
}

TEST_CASE("special tokens vanish from text, including unk, and white space is trimmed") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source);
  Ids ids = source.encode("the dog");
  const auto blank = std::find(pair.tokens.begin(), pair.tokens.end(), "\xE2\x96\x81") - pair.tokens.begin();
  REQUIRE(blank < source.vocabulary_size());
  ids.insert(ids.begin() + 1, 1);
  ids.insert(ids.begin(), {pair.specials.pad, static_cast<int>(blank)});
  ids.insert(ids.end(), {static_cast<int>(blank), 0, pair.specials.pad});
  CHECK(source.decode(ids) == "the dog");
  CHECK(contains(error_of<Error>([&] { source.decode(Ids{source.vocabulary_size()}); }), "expected an id from 0 to"));
}

TEST_CASE("one file contains everything, and damage is reported with its name") {
  const Pair pair;
  const PieceTokenizer source = pair.of(pair.source);
  const std::string bytes = source.serialize();
  const auto copy = parse_tokenizer(bytes, "source.pieces.model");
  CHECK(copy->kind() == "pieces");
  CHECK(copy->serialize() == bytes);
  CHECK(copy->specials() == pair.specials);
  for (const std::string& text : english) CHECK(copy->encode(text) == source.encode(text));
  CHECK(dynamic_cast<const PieceTokenizer&>(*copy).sentencepiece_model() == pair.source);

  const std::size_t model = bytes.size() - pair.source.size();
  for (const std::size_t size :
       {std::size_t{20}, std::size_t{60}, model - 2, model - 1, model, model + 1, model + 40, bytes.size() - 1}) {
    CAPTURE(size);
    CHECK(contains(error_of<Error>([&] { parse_tokenizer(bytes.substr(0, size), "cut.model"); }), "[cut.model"));
  }
  std::string renamed = bytes;
  renamed.replace(renamed.find("<pad>"), 5, "<qad>");
  CHECK(contains(error_of<Error>([&] { parse_tokenizer(renamed, "cut.model"); }), "expected the special token <pad>"));
  std::vector<std::string> tokens = pair.tokens;
  tokens[5] = "a\nb";
  CHECK(error_of<Error>([&] { PieceTokenizer(pair.source, tokens, pair.specials, "vocab.json"); }) ==
        "[vocab.json] expected tokens without line breaks; got one in token 5");
  CHECK(contains(error_of<Error>([&] { PieceTokenizer("", pair.tokens, pair.specials, "source.spm"); }),
                 "[source.spm] expected a sentencepiece model; got an empty file"));
}
