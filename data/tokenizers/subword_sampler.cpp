#include "data/tokenizers/subword_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

constexpr std::string_view space = "\u2581";
constexpr double impossible = -std::numeric_limits<double>::infinity();

/// End positions of a text's characters, in bytes.
std::vector<std::size_t> ends_of_characters(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size();) ends.push_back(at += utf8::first(text.substr(at)).bytes);
  return ends;
}

/// ln(e^a + e^b).
double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == impossible ? a : a + std::log1p(std::exp(b - a));
}

/// A piece that ends at some position of a word. `weight` adds its score to the total of the position where it begins.
struct Arc {
  std::size_t begin;
  int id;
  double weight;
};

}  // namespace

bool SubwordSampler::is_bpe(std::span<const ScoredPiece> pieces) {
  return std::ranges::all_of(pieces, [](const ScoredPiece& p) { return !p.is_text || p.score == std::round(p.score); });
}

SubwordSampler::SubwordSampler(std::vector<ScoredPiece> pieces, Rule rule, double strength)
    : pieces_(std::move(pieces)), rule_(rule), strength_(strength) {
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    const std::string_view text = pieces_[id].text;
    if (!pieces_[id].is_text || text.empty()) continue;
    ids_.emplace(text, static_cast<int>(id));
    longest_ = std::max(longest_, text.size());
    if (text.find(space, 1) != text.npos) has_words_ = false;
  }
}

int SubwordSampler::find(std::string_view text) const {
  const auto at = ids_.find(text);
  return at == ids_.end() ? -1 : at->second;
}

std::vector<int> SubwordSampler::segmented(std::span<const int> ids, RandomStream* random) const {
  std::vector<int> result;
  result.reserve(2 * ids.size());
  std::string text;
  for (const int id : ids) {
    const ScoredPiece& piece = pieces_[static_cast<std::size_t>(id)];
    if (piece.is_text) {
      text += piece.text;
      continue;
    }
    add_text(text, random, result);
    text.clear();
    result.push_back(id);
  }
  add_text(text, random, result);
  return result;
}

void SubwordSampler::add_text(std::string_view text, RandomStream* random, std::vector<int>& ids) const {
  while (!text.empty()) {
    const std::size_t next = has_words_ ? text.find(space, 1) : text.npos;
    add_word(text.substr(0, next), random, ids);
    text.remove_prefix(std::min(next, text.size()));
  }
}

/// Draws a segmentation of a word and adds its ids. If the drawn pieces do not all have ids, or without `random`, adds
/// the tokenizer's segmentation.
void SubwordSampler::add_word(std::string_view word, RandomStream* random, std::vector<int>& ids) const {
  const auto add = rule_ == Rule::unigram ? &SubwordSampler::add_path : &SubwordSampler::add_merged;
  const std::size_t before = ids.size();
  if (random && (this->*add)(word, random, ids)) return;
  ids.resize(before);
  check((this->*add)(word, nullptr, ids), "subwords", "expected text that the vocabulary has; got `{}`", word);
}

/// BPE, with dropout if `random` is set. Returns false if a remaining symbol has no id in the vocabulary.
bool SubwordSampler::add_merged(std::string_view word, RandomStream* random, std::vector<int>& ids) const {
  struct Symbol {
    std::size_t begin, end;
    int merged;            // index of the piece that this symbol and the next form; -1 if they form no piece
    std::size_t left_out;  // latest step that left out this merge
  };
  std::vector<Symbol> symbols;
  for (std::size_t begin = 0; const std::size_t end : ends_of_characters(word))
    symbols.push_back({std::exchange(begin, end), end, -1, 0});
  const auto look_up = [&](std::size_t i) {
    Symbol& left = symbols[i];
    left.merged = i + 1 < symbols.size() ? find(word.substr(left.begin, symbols[i + 1].end - left.begin)) : -1;
  };
  const auto score = [&](const Symbol& symbol) { return pieces_[static_cast<std::size_t>(symbol.merged)].score; };
  for (std::size_t i = 0; i < symbols.size(); ++i) look_up(i);
  for (std::size_t step = 1;; ++step) {
    std::size_t best;
    do {
      best = symbols.size();
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].merged < 0 || symbols[i].left_out == step) continue;
        if (best == symbols.size() || score(symbols[i]) > score(symbols[best])) best = i;
      }
      if (best == symbols.size() || !random || random->uniform() >= strength_) break;
      symbols[best].left_out = step;
    } while (true);
    if (best == symbols.size()) break;
    symbols[best].end = symbols[best + 1].end;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    look_up(best);
    if (best > 0) look_up(best - 1);
  }
  bool is_known = true;
  for (const Symbol& symbol : symbols) {
    const int id = find(word.substr(symbol.begin, symbol.end - symbol.begin));
    is_known = is_known && id >= 0 && pieces_[static_cast<std::size_t>(id)].has_id;
    ids.push_back(id);
  }
  return is_known;
}

/// Adds a path through the lattice of pieces: a random one, or without `random` the most probable. Goes forward to
/// compute sums or maxima of probabilities, and then backward along the path. Returns false if no path exists.
bool SubwordSampler::add_path(std::string_view word, RandomStream* random, std::vector<int>& ids) const {
  const std::vector<std::size_t> ends = ends_of_characters(word);
  std::vector<double> total(word.size() + 1, impossible);  // a total for each position in bytes
  std::vector<std::vector<Arc>> arcs(word.size() + 1);
  const double power = random ? strength_ : 1;
  total[0] = 0;
  std::size_t begin = 0;
  for (const std::size_t next : ends) {
    for (auto end = std::ranges::lower_bound(ends, next); end != ends.end() && *end - begin <= longest_; ++end) {
      const int id = find(word.substr(begin, *end - begin));
      if (id < 0 || total[begin] == impossible) continue;
      if (random && !pieces_[static_cast<std::size_t>(id)].has_id) continue;
      const double weight = total[begin] + power * pieces_[static_cast<std::size_t>(id)].score;
      arcs[*end].push_back({begin, id, weight});
      total[*end] = random ? log_add(total[*end], weight) : std::max(total[*end], weight);
    }
    begin = next;
  }
  if (total[word.size()] == impossible) return false;
  const std::size_t first = ids.size();
  for (std::size_t at = word.size(); at > 0;) {
    const std::vector<Arc>& choices = arcs[at];
    std::size_t chosen = 0;
    if (random) {
      double rest = random->uniform();
      for (; chosen + 1 < choices.size(); ++chosen)
        if ((rest -= std::exp(choices[chosen].weight - total[at])) < 0) break;
    } else {
      while (choices[chosen].weight < total[at]) ++chosen;
    }
    ids.push_back(choices[chosen].id);
    at = choices[chosen].begin;
  }
  std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end());
  return true;
}

}  // namespace glossa
