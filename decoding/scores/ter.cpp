#include "decoding/scores/ter.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/version.h"
#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {
namespace {

using Words = std::vector<int>;  // equal words have equal numbers

// Tercom's limits.
constexpr int max_shift_length = 10;    // number of words
constexpr int max_shift_distance = 50;  // number of words
constexpr int beam_width = 25;          // number of columns on either side of the diagonal

// sacreBLEU's additional limit on the number of shifts tried per sentence.
constexpr int max_tries = 1000;

/// A cell of the edit-distance table: the least cost to reach it, and the last edit.
struct Cell {
  enum class Edit : std::uint8_t { none, keep, replace, remove, insert };

  int cost = 1 << 30;
  Edit edit = Edit::none;
};

/// Edit distances between hypotheses of a given length and a reference. Computes Levenshtein's table, one row per
/// hypothesis word, within a beam around the diagonal.
class EditDistance {
 public:
  EditDistance(const Words& reference, std::size_t length)
      : reference_(reference), table_(length + 1, std::vector<Cell>(reference.size() + 1)) {
    for (std::size_t j = 0; j <= reference.size(); ++j) table_[0][j] = {static_cast<int>(j), Cell::Edit::insert};
    ratio_ = length == 0 ? 1 : static_cast<double>(reference.size()) / static_cast<double>(length);
    width_ = beam_width < ratio_ / 2 ? static_cast<std::int64_t>(std::ceil(ratio_ / 2 + beam_width)) : beam_width;
  }

  /// Returns the distance of `words` from the reference. Reuses the last call's rows for the words at the start that
  /// have not changed.
  int operator()(const Words& words) {
    const auto differs = std::ranges::mismatch(words, words_).in1 - words.begin();
    words_ = words;
    for (auto i = static_cast<std::size_t>(differs) + 1; i < table_.size(); ++i) fill_row(i);
    return table_.back().back().cost;
  }

  /// Alignment of the reference to the last call's words.
  struct Alignment {
    std::vector<bool> word_wrong, reference_wrong;
    std::vector<int> place;  // for each reference word: index of its word, or of the last word before it (-1: none)
  };
  Alignment alignment() const {
    std::vector<Cell::Edit> edits;
    for (std::size_t i = table_.size() - 1, j = reference_.size(); i > 0 || j > 0;) {
      edits.push_back(table_[i][j].edit);
      if (edits.back() != Cell::Edit::insert) --i;
      if (edits.back() != Cell::Edit::remove) --j;
    }
    Alignment found;
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
      if (*edit != Cell::Edit::insert) found.word_wrong.push_back(*edit != Cell::Edit::keep);
      if (*edit == Cell::Edit::remove) continue;
      found.reference_wrong.push_back(*edit != Cell::Edit::keep);
      found.place.push_back(static_cast<int>(found.word_wrong.size()) - 1);
    }
    return found;
  }

 private:
  void fill_row(std::size_t i) {
    const std::vector<Cell>& above = table_[i - 1];
    std::vector<Cell>& row = table_[i];
    const auto columns = static_cast<std::int64_t>(row.size());
    const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio_));
    const std::int64_t first = std::max<std::int64_t>(0, diagonal - width_);
    const std::int64_t end = std::min(columns, diagonal + width_);
    for (std::int64_t column = first; column < end; ++column) {
      const auto j = static_cast<std::size_t>(column);
      Cell best;
      const auto offer = [&best](int cost, Cell::Edit edit) {
        if (cost < best.cost) best = {cost, edit};
      };
      // Ties go to the edit that is offered first.
      if (j > 0 && words_[i - 1] == reference_[j - 1]) offer(above[j - 1].cost, Cell::Edit::keep);
      if (j > 0 && words_[i - 1] != reference_[j - 1]) offer(above[j - 1].cost + 1, Cell::Edit::replace);
      offer(above[j].cost + 1, Cell::Edit::remove);
      if (column > first) offer(row[j - 1].cost + 1, Cell::Edit::insert);
      row[j] = best;
    }
  }

  const Words& reference_;
  Words words_;
  std::vector<std::vector<Cell>> table_;
  double ratio_;
  std::int64_t width_;
};

/// A phrase that occurs in both hypothesis and reference, with its places.
struct Phrase {
  int start, reference_start, length;
};

/// Lists all common phrases whose places differ by at most max_shift_distance. Phrases at the same places are in order
/// of increasing length.
std::vector<Phrase> displaced_phrases(const Words& words, const Words& reference) {
  std::vector<Phrase> found;
  const int count = static_cast<int>(words.size()), reference_count = static_cast<int>(reference.size());
  for (int i = 0; i < count; ++i)
    for (int j = std::max(0, i - max_shift_distance); j < reference_count && j <= i + max_shift_distance; ++j)
      for (int n = 0; n < max_shift_length && i + n < count && j + n < reference_count; ++n) {
        if (words[static_cast<std::size_t>(i + n)] != reference[static_cast<std::size_t>(j + n)]) break;
        found.push_back({i, j, n + 1});
      }
  return found;
}

/// Moves the phrase to before `target`. If `target` is inside the phrase or just after it, moves the phrase forward by
/// `target - start` words.
Words shifted(Words words, int start, int length, int target) {
  const auto at = [&](int i) { return words.begin() + std::min<std::ptrdiff_t>(i, std::ssize(words)); };
  if (target < start)
    std::rotate(at(target), at(start), at(start + length));
  else
    std::rotate(at(start), at(start + length), at(target > start + length ? target : length + target));
  return words;
}

/// A shift of a phrase and the number of edits that it saves.
struct Shift {
  int saved, start, length, target;

  /// Order of Tercom's preference: most saved edits, longest phrase, first phrase, lowest target.
  auto rank() const { return std::tuple(saved, length, -start, -target); }
};

/// Returns the number of edits, including shifts, found by a greedy search for shifts.
int edits(Words words, const Words& reference) {
  if (reference.empty()) return static_cast<int>(words.size());
  EditDistance distance(reference, words.size());
  int shifts = 0, tries = 0;
  while (true) {
    const int before = distance(words);
    const EditDistance::Alignment alignment = distance.alignment();
    const auto any = [](const std::vector<bool>& wrong, int start, int length) {
      return std::find(wrong.begin() + start, wrong.begin() + start + length, true) != wrong.begin() + start + length;
    };
    std::optional<Shift> best;
    for (const auto& [start, reference_start, length] : displaced_phrases(words, reference)) {
      if (!any(alignment.word_wrong, start, length) || !any(alignment.reference_wrong, reference_start, length))
        continue;
      const int place = alignment.place[static_cast<std::size_t>(reference_start)];
      if (place >= start && place < start + length) continue;
      int last_target = -1;
      for (int i = reference_start - 1; i < reference_start + length; ++i) {
        const int target = i < 0 ? 0 : alignment.place[static_cast<std::size_t>(i)] + 1;
        if (target == last_target) continue;
        last_target = target;
        const Shift shift{before - distance(shifted(words, start, length, target)), start, length, target};
        if (!best || shift.rank() > best->rank()) best = shift;
        ++tries;
      }
      if (tries >= max_tries) return shifts + before;
    }
    if (!best || best->saved <= 0) return shifts + before;
    words = shifted(std::move(words), best->start, best->length, best->target);
    ++shifts;
  }
}

}  // namespace

TerCounts& TerCounts::operator+=(const TerCounts& more) {
  edits += more.edits;
  reference_words += more.reference_words;
  return *this;
}

std::vector<TerCounts> ter_counts(std::span<const std::string> hypotheses, const References& references) {
  check_references("ter", hypotheses.size(), references);
  std::vector<TerCounts> of_lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    std::map<std::string, int, std::less<>> numbers;
    const auto numbered = [&](const std::string& line) {
      const std::string lower = utf8::full_lower_case(line);
      Words words;
      for (const std::string_view word : split_words(lower, utf8::is_python_space))
        words.push_back(numbers.emplace(word, static_cast<int>(numbers.size())).first->second);
      return words;
    };
    const Words hypothesis = numbered(hypotheses[i]);
    int fewest = std::numeric_limits<int>::max();
    std::size_t words = 0;
    for (const std::span<const std::string> text : references) {
      const Words reference = numbered(text[i]);
      fewest = std::min(fewest, edits(hypothesis, reference));
      words += reference.size();
    }
    of_lines.push_back(
        {static_cast<double>(fewest), static_cast<double>(words) / static_cast<double>(references.size())});
  }
  return of_lines;
}

double ter_of(const TerCounts& counts) {
  if (counts.reference_words == 0) return counts.edits > 0 ? 100 : 0;
  return 100 * (counts.edits / counts.reference_words);
}

double corpus_ter(std::span<const std::string> hypotheses, const References& references) {
  return ter_of(sum_of(ter_counts(hypotheses, references)));
}

std::string ter_signature(std::size_t references) {
  return fmt::format("nrefs:{}|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:glossa-{}", references,
                     program_version);
}

}  // namespace glossa
