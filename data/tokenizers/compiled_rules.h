#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Compiled normalization rules of sentencepiece (`precompiled_charsmap`): a double-array trie of texts, and their
/// replacements. If several rules match at a position, the one with the longest text applies. The trie of nmt_nfkc has
/// 225,000 texts that share their ends. Recompiling it would take a second, so this class changes it in place. Models
/// of other programs may have damaged rules, which are read but have no effect.
class CompiledRules {
 public:
  explicit CompiledRules(std::string_view bytes);

  /// Adds the rule that `text`, which must not be empty, becomes `replacement`. Replaces any existing rule for `text`.
  void set(std::string_view text, std::string_view replacement);

  std::string bytes() const;

  /// True if there is a rule for exactly `text`.
  bool replaces(std::string_view text) const;

  /// True if any rule's replacement contains `text`, including replacements no longer in use.
  bool has_replacement_with(std::string_view text) const { return replacements_.find(text) != replacements_.npos; }

  /// Sets the bits of all bytes that directly precede or follow `byte` in the text of any rule.
  void find_beside(char byte, std::bitset<256>& before, std::bitset<256>& after) const;

 private:
  using Node = std::uint32_t;  // index into units_

  Node block(Node node) const;
  void set_block(Node node, Node block);
  Node new_block();
  void own(Node node);
  Node child(Node node, unsigned char byte);
  bool has_child(Node node, unsigned char byte) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;  // replacement texts, each with a NUL at its end
  Node first_own_;            // blocks from this index on belong to a single node each
};

}  // namespace glossa
