#include "decoding/translator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "data/text/line_pieces.h"
#include "data/text/sentences.h"
#include "data/tokenizers/token_words.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "decoding/mbr.h"
#include "decoding/scoring.h"

namespace glossa {

namespace {

/// Returns, for each of a line's pieces in order, the index of its first word.
std::vector<Index> first_words_of(std::string_view line, std::span<const std::string_view> pieces) {
  const std::vector<std::string_view> words = split_words(line);
  std::vector<Index> first;
  Index word = 0;
  for (const std::string_view piece : pieces) {
    while (word < std::ssize(words) && words[word].data() + words[word].size() <= piece.data()) ++word;
    first.push_back(word);
  }
  return first;
}

/// Keeps the first of translations with equal texts, which may be segmented into different tokens.
void keep_distinct(std::vector<Translation>& found) {
  std::set<std::string_view> texts;
  std::vector<Translation> kept;
  kept.reserve(found.size());  // keeps elements in place: `texts` has views of them
  for (Translation& translation : found)
    if (!texts.contains(translation.text)) texts.insert(kept.emplace_back(std::move(translation)).text);
  found = std::move(kept);
}

/// Returns the tokens that the decoder has read: all its output except the last, which is </s> or, at the length limit,
/// another token.
std::vector<int> read_tokens(const Hypothesis& translation) {
  std::vector<int> tokens = translation.tokens;
  if (!translation.finished && !tokens.empty()) tokens.pop_back();
  return tokens;
}

}  // namespace

std::int64_t piece_number(std::int64_t line, std::int64_t piece) { return line + (piece << 40); }

Translator::Translator(const Ensemble<float>& models, const Tokenizers& tokenizers, const DataConfig& data,
                       const DecodeOptions& decode)
    : models_(models), tokenizers_(tokenizers), data_(data), options_(decode) {}

std::vector<int> Translator::source_ids(std::string_view line, std::string_view name, std::int64_t number) const {
  return encode_source(*tokenizers_.source, normalize(data_, line), name, number, data_.encoding);
}

void Translator::add(Sources& sources, std::string_view line, std::string_view name, std::int64_t number,
                     const std::function<void()>& interrupt) const {
  const std::size_t index = sources.count++;
  const Index max_length = std::min<Index>(models_.max_positions(), data_.encoding.max_length);
  std::vector<std::vector<int>> pieces;
  std::vector<std::string_view> texts;
  const auto fits = [&](std::string_view piece) {
    if (interrupt) interrupt();
    return std::ssize(source_ids(piece, name, number)) <= max_length;
  };
  bool is_cut = false;
  for (const std::string_view sentence : sentences(line)) {
    if (interrupt && !texts.empty()) interrupt();
    std::vector<int> ids = source_ids(sentence, name, number);
    if (std::ssize(ids) <= models_.max_positions()) {
      pieces.push_back(std::move(ids));
      texts.push_back(sentence);
      continue;
    }
    is_cut = true;
    for (const std::string_view piece : cut_line(sentence, fits)) {
      if (interrupt) interrupt();
      pieces.push_back(source_ids(piece, name, number));
      texts.push_back(piece);
      if (std::ssize(pieces.back()) > max_length)
        throw LineError(
            fmt::format("{}:{}", name, number),
            "expected at most {} tokens (model.max_positions, data.max_length); got {} for `{}` alone. Hint: "
            "train with a larger limit",
            max_length, pieces.back().size(), piece);
    }
  }
  if (is_cut) ++sources.in_pieces;
  const std::vector<Index> first_words = pieces.size() > 1 ? first_words_of(line, texts) : std::vector<Index>{0};
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (pieces[k].empty()) continue;
    sources.ids.push_back(std::move(pieces[k]));
    sources.numbers.push_back(piece_number(number, static_cast<std::int64_t>(k)));
    sources.lines.push_back(index);
    sources.first_words.push_back(first_words[k]);
    sources.gaps.push_back(k > 0 ? gap_between(texts[k - 1], texts[k]) : Gap{});
    sources.texts.emplace_back(texts[k]);
  }
}

std::vector<std::string_view> Translator::sentences(std::string_view line) const {
  std::vector<std::string_view> sentences;
  if (splits_sentences_) sentences = glossa::split_sentences(line, data_.source);
  if (sentences.size() < 2) return {line};
  return sentences;
}

auto Translator::encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line) const
    -> Sources {
  Sources sources;
  for (const std::string& line : lines) add(sources, line, name, first_line + static_cast<std::int64_t>(sources.count));
  return sources;
}

void Translator::watch(std::function<void(Index)> watch) {
  const Index searches = options_.mbr > 0 ? mbr_candidates(options_) : 1;  // number of searches per piece
  searcher_.watch([watch = std::move(watch), searches, done = Index{0}](Index count) mutable {
    const Index before = done / searches;
    done += count;
    if (watch) watch(done / searches - before);
  });
}

/// Returns the n best hypotheses of each piece.
std::vector<std::vector<Hypothesis>> Translator::n_best_of_pieces(const Sources& sources, Index n) {
  const Tokenizer& target = *tokenizers_.target;
  const SpecialIds& specials = target.specials();
  if (options_.mbr == 0) return searcher_.n_best(models_, sources.ids, specials, options_, n, sources.numbers);
  if (n < 1 || n > mbr_candidates(options_))
    misuse("n_best", "expected 1 to {} translations (the candidates of decode.mbr); got {}", mbr_candidates(options_),
           n);
  // Processes few enough pieces at a time to bound the samples' memory, but enough for full batches.
  constexpr Index max_samples = 16384;
  const Index at_once = std::max<Index>(1, max_samples / options_.mbr), count = std::ssize(sources.ids);
  std::vector<std::vector<Hypothesis>> best;
  for (Index begin = 0; begin < count; begin += at_once) {
    const auto part = [&](const auto& all) {
      return std::span(all).subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(std::min(at_once, count - begin)));
    };
    std::vector<std::vector<Hypothesis>> found =
        searcher_.sample(models_, part(sources.ids), specials, options_, options_.mbr, part(sources.numbers));
    if (options_.beam > 1)
      for (std::size_t i = 0; Hypothesis & hypothesis :
                              searcher_.decode(models_, part(sources.ids), specials, options_, part(sources.numbers)))
        found[i++].push_back(std::move(hypothesis));
    parallel_for(std::ssize(found), [&](Index i) {
      found[i] = mbr_best(std::move(found[i]), options_.mbr, target, options_.mbr_utility, n);
    });
    std::ranges::move(found, std::back_inserter(best));
  }
  return best;
}

std::vector<Hypothesis> Translator::search(const Sources& sources) {
  std::vector<Hypothesis> best;
  for (std::vector<Hypothesis>& found : n_best_of_pieces(sources, 1)) best.push_back(std::move(found.front()));
  return best;
}

std::vector<std::vector<Translation>> Translator::n_best(const Sources& sources, Index n) {
  std::vector<std::vector<Translation>> found;
  for (const std::vector<Hypothesis>& piece : n_best_of_pieces(sources, n)) found.push_back(translations(piece));
  if (alignment_layer_) align(sources, found);
  std::vector<std::vector<Translation>> results(sources.count);
  for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    while (end < found.size() && sources.lines[end] == sources.lines[begin]) ++end;
    results[sources.lines[begin]] =
        joined(std::span(found).subspan(begin, end - begin), std::span(sources.gaps).subspan(begin, end - begin));
  }
  return results;
}

Translation Translator::translation(const Hypothesis& hypothesis) const {
  return {hypothesis, tokenizers_.target->decode(hypothesis.tokens)};
}

std::vector<Translation> Translator::translations(std::span<const Hypothesis> hypotheses) const {
  std::vector<Translation> found;
  for (const Hypothesis& hypothesis : hypotheses) found.push_back(translation(hypothesis));
  keep_distinct(found);
  return found;
}

std::vector<Translation> Translator::joined(std::span<std::vector<Translation>> pieces,
                                            std::span<const Gap> gaps) const {
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return std::move(pieces.front());
  std::vector<Translation> results(std::ranges::max(pieces, {}, &std::vector<Translation>::size).size());
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    Translation& whole = results[rank];
    whole.finished = true;
    Index length = 0, words = 0;
    double utility = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (pieces[k].empty()) continue;
      const Translation& piece = pieces[k][std::min(rank, pieces[k].size() - 1)];
      if (append_piece(whole.text, piece.text, gaps[k])) --words;
      length += std::ssize(piece.tokens) + (piece.finished ? 1 : 0);
      whole.log_probability += piece.log_probability;
      utility += piece.score / static_cast<double>(pieces.size());
      whole.finished = whole.finished && piece.finished;
      whole.tokens.insert(whole.tokens.end(), piece.tokens.begin(), piece.tokens.end());
      whole.token_log_probabilities.insert(whole.token_log_probabilities.end(), piece.token_log_probabilities.begin(),
                                           piece.token_log_probabilities.end());
      for (const auto& [read, written] : piece.alignment) whole.alignment.emplace_back(read, written + words);
      words += std::ssize(split_words(piece.text));
    }
    whole.score = options_.mbr > 0 ? utility : penalized(whole.log_probability, length, options_);
  }
  keep_distinct(results);
  return results;
}

/// Returns the index of each id's word in the line. It is -1 for a token without a word, and for the prefix, which is
/// not part of the line.
std::vector<int> Translator::words_of_line(std::span<const int> ids) const {
  std::vector<int> words = words_of_tokens(*tokenizers_.source, ids);
  const int before = static_cast<int>(split_words(data_.encoding.source_prefix).size());
  for (int& word : words) word = std::max(word - before, -1);
  return words;
}

void Translator::align(const Sources& sources, std::vector<std::vector<Translation>>& found) {
  EncodedCorpus pairs;
  pairs.specials = tokenizers_.target->specials();
  std::vector<Translation*> translations;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (Translation& translation : found[i]) {
      pairs.source.push_back(sources.ids[i]);
      pairs.target.push_back(read_tokens(translation));
      pairs.origin.push_back(i);
      translations.push_back(&translation);
    }
  for_each_attention(
      context_, *models_.models().front(), tokenizers_, pairs, options_, [&](int k, const AttentionMaps& maps) {
        const std::size_t i = pairs.origin[static_cast<std::size_t>(k)];
        Translation& translation = *translations[static_cast<std::size_t>(k)];
        std::vector<int> output_words = words_of_tokens(*tokenizers_.target, translation.tokens);
        if (translation.finished) output_words.push_back(-1);
        translation.alignment = align_words(mean_of_heads(maps.cross[static_cast<std::size_t>(*alignment_layer_)]),
                                            words_of_line(sources.ids[i]), output_words);
        for (auto& pair : translation.alignment) pair.first += sources.first_words[i];
      });
}

AttentionMaps Translator::attention(std::vector<int> source, const Hypothesis& translation) {
  EncodedCorpus pair;
  pair.specials = tokenizers_.target->specials();
  pair.source.push_back(std::move(source));
  pair.target.push_back(read_tokens(translation));
  AttentionMaps maps;
  for_each_attention(context_, *models_.models().front(), tokenizers_, pair, options_,
                     [&](int, AttentionMaps found) { maps = std::move(found); });
  const auto scored = score_translations(context_, *models_.models().front(), pair, options_, options_.max_tokens);
  for (const TokenScore& token : scored.front().tokens)
    maps.probabilities.push_back(static_cast<float>(std::exp(token.log_probability)));
  if (!translation.finished && !translation.tokens.empty()) {
    maps.output.back() = tokenizers_.target->token(translation.tokens.back());
    maps.probabilities.pop_back();  // removes the probability of </s>
  }
  return maps;
}

std::vector<std::string> Translator::translate(const Sources& sources) {
  std::vector<std::string> results;
  for (std::vector<Translation>& line : n_best(sources, 1))
    results.push_back(line.empty() ? "" : std::move(line.front().text));
  return results;
}

}  // namespace glossa
