#include "data/tokenizers/subword_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/toy/corpus.h"

using namespace glossa;
using Ids = std::vector<int>;
using Rule = SubwordSampler::Rule;
using Segmentation = std::vector<std::string>;
using Distribution = std::map<Segmentation, double>;

namespace {

const std::vector<std::string>& toy_lines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> lines;
    for (const ToyPair& pair : toy_corpus(400, 7, "toy").train) {
      lines.push_back(pair.english);
      lines.push_back(pair.hindi);
    }
    return lines;
  }();
  return all;
}

std::unique_ptr<Tokenizer> tokenizer_of(SubwordModel model, int vocabulary = 300) {
  return train_sentencepiece(toy_lines(), {.model = model, .vocabulary_size = vocabulary});
}

Rule rule_of(SubwordModel model) { return model == SubwordModel::bpe ? Rule::bpe_dropout : Rule::unigram; }

/// Text of characters that the vocabulary has, of others, and of spaces.
std::string random_text(RandomStream& random) {
  static const std::vector<std::string> characters{"a", "e", "t", "s", "h", "क", "म", "े", " ", " ", "q", "Ω", "語"};
  std::string text;
  for (std::uint64_t left = 1 + random.below(25); left > 0; --left) text += characters[random.below(characters.size())];
  return text;
}

/// Pieces over the letters a to d, with <unk> as id 0.
std::vector<ScoredPiece> pieces_of(const std::vector<std::pair<std::string, float>>& scores) {
  std::vector<ScoredPiece> pieces{{.text = "<unk>", .score = 0, .is_text = false}};
  for (const auto& [text, score] : scores) pieces.push_back({.text = text, .score = score, .is_text = true});
  return pieces;
}

Ids characters(const std::vector<ScoredPiece>& pieces, std::string_view word) {
  Ids ids;
  for (const char c : word)
    for (std::size_t id = 0; id < pieces.size(); ++id)
      if (pieces[id].text == std::string(1, c)) ids.push_back(static_cast<int>(id));
  return ids;
}

/// Probability of each segmentation by the definition of BPE-dropout: each subset of the possible merges may be left
/// out of a step.
void add_dropouts(const Segmentation& split, const std::map<std::string, float>& scores, double p, double weight,
                  Distribution& result) {
  std::vector<std::size_t> merges;
  for (std::size_t i = 0; i + 1 < split.size(); ++i)
    if (scores.contains(split[i] + split[i + 1])) merges.push_back(i);
  for (unsigned kept = 0; kept < 1U << merges.size(); ++kept) {
    double share = weight;
    std::size_t best = split.size();
    for (std::size_t k = 0; k < merges.size(); ++k) {
      const bool stays = kept >> k & 1;
      share *= stays ? 1 - p : p;
      const auto score = [&](std::size_t i) { return scores.at(split[i] + split[i + 1]); };
      if (stays && (best == split.size() || score(merges[k]) > score(best))) best = merges[k];
    }
    if (best == split.size()) {
      result[split] += share;
      continue;
    }
    Segmentation next = split;
    next[best] += next[best + 1];
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    add_dropouts(next, scores, p, share, result);
  }
}

/// Weight of each segmentation of a word: e to the sum of alpha * score.
void add_paths(const std::string& word, const Segmentation& before, const std::map<std::string, float>& scores,
               double alpha, double sum, Distribution& result) {
  if (word.empty()) result[before] = std::exp(sum);
  for (const auto& [piece, score] : scores) {
    if (!word.starts_with(piece)) continue;
    Segmentation more = before;
    more.push_back(piece);
    add_paths(word.substr(piece.size()), more, scores, alpha, sum + alpha * score, result);
  }
}

/// Compares the shares of 20,000 draws of a word with a distribution, each within 5 standard deviations.
void check_draws(const std::vector<ScoredPiece>& pieces, const SubwordSampler& sampler, const std::string& word,
                 Distribution expected) {
  constexpr int draws = 20000;
  std::map<Segmentation, int> counts;
  RandomStream random(3, "draws");
  const Ids ids = characters(pieces, word);
  for (int k = 0; k < draws; ++k) {
    Segmentation drawn;
    for (const int id : sampler.draw(ids, random)) drawn.push_back(pieces[static_cast<std::size_t>(id)].text);
    ++counts[drawn];
  }
  double whole = 0;
  for (const auto& [split, weight] : expected) whole += weight;
  for (const auto& [split, count] : counts) CHECK(expected.contains(split));
  for (const auto& [split, weight] : expected) {
    const double share = weight / whole, deviation = std::sqrt(share * (1 - share) * draws);
    CHECK(std::abs(counts[split] - share * draws) <= 5 * deviation + 1);
  }
}

}  // namespace

TEST_CASE("without chance, segmentations are the library's") {
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const auto tokenizer = tokenizer_of(model);
    const SubwordSampler sampler(tokenizer->pieces(), rule_of(model), 0);
    CHECK_EQ(SubwordSampler::is_bpe(tokenizer->pieces()), model == SubwordModel::bpe);
    std::vector<std::string> lines = toy_lines();
    RandomStream random(5, "lines");
    for (int k = 0; k < 500; ++k) lines.push_back(random_text(random));
    for (const std::string& line : lines) {
      const Ids ids = tokenizer->encode(line);
      CHECK_EQ(sampler.best(ids), ids);
    }
  }
}

TEST_CASE("drawn segmentations have the same text, whatever they are drawn from") {
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const auto tokenizer = tokenizer_of(model);
    const SubwordSampler sampler(tokenizer->pieces(), rule_of(model), 0.3);
    RandomStream texts(9, "texts");
    int others = 0;
    for (std::uint64_t k = 0; k < 400; ++k) {
      const std::string text = k % 2 ? random_text(texts) : toy_lines()[k];
      const Ids ids = tokenizer->encode(text);
      RandomStream random(1, k), again(1, k);
      const Ids drawn = sampler.draw(ids, random);
      CHECK_EQ(tokenizer->decode(drawn), tokenizer->decode(ids));
      CHECK_EQ(sampler.draw(drawn, again), drawn);
      CHECK_EQ(sampler.best(drawn), ids);
      others += drawn != ids;
    }
    CHECK(others > 200);
  }
}

TEST_CASE("special and unknown tokens stay where they are") {
  const auto tokenizer = tokenizer_of(SubwordModel::bpe);
  const SubwordSampler sampler(tokenizer->pieces(), Rule::bpe_dropout, 1);
  const SpecialIds specials = tokenizer->specials();
  Ids ids{specials.bos};
  for (const int id : tokenizer->encode("the dog")) ids.push_back(id);
  ids.insert(ids.end(), {specials.unk, tokenizer->encode("cat").back(), specials.eos});
  RandomStream random(1, "special");
  const Ids drawn = sampler.draw(ids, random);
  CHECK_EQ(drawn.front(), specials.bos);
  CHECK_EQ(drawn.back(), specials.eos);
  CHECK_EQ(std::ranges::count(drawn, specials.unk), 1);
  for (const int id : drawn) {
    const std::string token = tokenizer->token(id);
    CHECK((specials.contains(id) || token.size() == 1 || token == "\u2581"));  // p = 1 leaves single characters
  }
}

TEST_CASE("BPE-dropout has the distribution that its definition gives") {
  const std::vector<std::pair<std::string, float>> scores{{"a", -9},  {"b", -10},  {"c", -11}, {"d", -12},
                                                          {"ab", 0},  {"cd", -1},  {"bc", -2}, {"abc", -3},
                                                          {"aa", -4}, {"abcd", -5}};
  const std::vector<ScoredPiece> pieces = pieces_of(scores);
  const std::map<std::string, float> table(scores.begin(), scores.end());
  for (const double p : {0.1, 0.5, 0.9})
    for (const std::string word : {"abcd", "aaab", "dcba", "abab"}) {
      Distribution expected;
      Segmentation letters;
      for (const char c : word) letters.emplace_back(1, c);
      add_dropouts(letters, table, p, 1, expected);
      check_draws(pieces, SubwordSampler(pieces, Rule::bpe_dropout, p), word, expected);
    }
}

TEST_CASE("sampling from a unigram model has its smoothed distribution") {
  const std::vector<std::pair<std::string, float>> scores{{"a", -2.5F},  {"b", -3.1F},  {"c", -2.2F},
                                                          {"d", -4.F},   {"ab", -3.5F}, {"bc", -4.5F},
                                                          {"cd", -2.9F}, {"abc", -5.F}, {"bcd", -6.25F}};
  const std::vector<ScoredPiece> pieces = pieces_of(scores);
  const std::map<std::string, float> table(scores.begin(), scores.end());
  for (const double alpha : {0.1, 1.0, 3.0})
    for (const std::string word : {"abcd", "cdab", "aaa", "abcabcd"}) {
      Distribution expected;
      add_paths(word, {}, table, alpha, 0, expected);
      check_draws(pieces, SubwordSampler(pieces, Rule::unigram, alpha), word, expected);
    }
}

TEST_CASE("a draw that would need a character outside the vocabulary is replaced by the usual pieces") {
  const std::vector<ScoredPiece> pieces = pieces_of({{"a", -3}, {"ab", 0}, {"abc", -1}, {"c", -4}});  // no b
  const SubwordSampler sampler(pieces, Rule::bpe_dropout, 0.5);
  RandomStream random(1, "draws");
  std::map<Ids, int> counts;
  for (int k = 0; k < 200; ++k) ++counts[sampler.draw(Ids{3}, random)];
  CHECK_EQ(counts.size(), 2);
  CHECK(counts[Ids{3}] > 0);
  CHECK(counts[(Ids{2, 4})] > 0);
}

TEST_CASE("pieces without an id take part in merges, but are never drawn") {
  std::vector<ScoredPiece> pieces = pieces_of({{"a", -4}, {"b", -5}, {"c", -6}, {"abc", -1}});
  pieces.push_back({.text = "ab", .score = 0, .is_text = true, .has_id = false});
  pieces.push_back({.text = "d", .score = -7, .is_text = true, .has_id = false});
  for (const Rule rule : {Rule::bpe_dropout, Rule::unigram}) {
    const SubwordSampler sampler(pieces, rule, 0.5);
    CHECK_EQ(sampler.best(Ids{1, 2, 3}), Ids{4});
    RandomStream random(1, "draws");
    std::map<Ids, int> counts;
    for (int k = 0; k < 300; ++k) ++counts[sampler.draw(Ids{4}, random)];
    CHECK_EQ(counts.size(), 2);
    CHECK(counts[Ids{4}] > 0);
    CHECK(counts[(Ids{1, 2, 3})] > 0);
  }
}

TEST_CASE("pieces of several words are drawn from as well") {
  const std::vector<ScoredPiece> pieces =
      pieces_of({{"\u2581", -5}, {"a", -6}, {"\u2581a", 0}, {"\u2581a\u2581a", -1}});
  const SubwordSampler sampler(pieces, Rule::bpe_dropout, 0.3);
  CHECK_EQ(sampler.best(Ids{3, 3}), Ids{4});
  RandomStream random(1, "draws");
  std::map<Ids, int> counts;
  for (int k = 0; k < 300; ++k) ++counts[sampler.draw(Ids{4}, random)];
  CHECK(counts[Ids{4}] > 100);
  CHECK(counts[(Ids{3, 3})] > 10);
}
