#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace glossa {

/// U+2581, which shows a space in tokens of characters and sentencepiece.
inline constexpr std::string_view visible_space = "\u2581";

/// A set of bytes, for example those that may precede a space.
using ByteSet = std::bitset<256>;

/// Rule by which a tokenizer's lines may be cut at spaces. If all words stand alone, the line's ids are those of its
/// words, one after the other.
class WordBreaks {
 public:
  /// Returns the rule of a serialized sentencepiece model of BPE, unless its words depend on each other:
  ///
  /// - Merges stay within words if no piece has U+2581 (a space) after its first character.
  /// - Unknown characters of two words do not join if U+2581 is a piece, because each word begins with it.
  /// - Normalization of a word does not depend on its neighbors under three conditions: spaces are collapsed, each word
  ///   gets a U+2581 before it, and no rule of normalization has a space in its text. If a rule has one, words to which
  ///   it might apply do not stand alone.
  ///
  /// Unigram models have no rule: the rounded sum of a line's log-probabilities lets earlier words affect later ones.
  static std::optional<WordBreaks> of_sentencepiece(std::string_view model);

  /// True if the line may be cut before and after this word, which is not empty and has no spaces.
  bool stands_alone(std::string_view word) const;

 private:
  ByteSet joins_before_, joins_after_;  // bytes that precede or follow a space in a rule's text
};

}  // namespace glossa
