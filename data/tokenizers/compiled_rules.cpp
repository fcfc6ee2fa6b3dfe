#include "data/tokenizers/compiled_rules.h"

#include <bit>
#include <cstring>

#include "base/check.h"

namespace glossa {

namespace {

// Flags and sizes of the Darts-clone format. A node is a unit of 32 bits: a label (the byte that leads to the node),
// the flag `has_value`, and the offset to the node's block. The child for byte b is unit `block ^ b`, if that unit has
// label b. If `has_value` is set, unit `block` holds the node's value.
constexpr std::uint32_t has_value = 1U << 8, is_value = 1U << 31, block_size = 256;

bool has_label(std::uint32_t unit, std::uint32_t byte) { return (unit & (is_value | 0xFF)) == byte; }

}  // namespace

CompiledRules::CompiledRules(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t size = 0;
  check(bytes.size() > sizeof size, "sentencepiece", "expected compiled rules; got {} bytes", bytes.size());
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  check(size % sizeof(Node) == 0 && size > 0 && size <= bytes.size(), "sentencepiece",
        "expected compiled rules; got a trie of {} bytes", size);
  units_.resize(size / sizeof(Node));
  std::memcpy(units_.data(), bytes.data(), size);
  replacements_ = bytes.substr(size);
  units_.resize((units_.size() + block_size - 1) / block_size * block_size);
  first_own_ = static_cast<Node>(units_.size());
}

CompiledRules::Node CompiledRules::block(Node node) const {
  const std::uint32_t unit = units_[node];
  return node ^ (unit >> 10) << ((unit & 1U << 9) >> 6);
}

void CompiledRules::set_block(Node node, Node block) {
  const std::uint32_t offset = node ^ block;
  check(offset < 1U << 21, "sentencepiece", "expected rules that fit into 2^21 units; got {}", units_.size());
  units_[node] = (units_[node] & (has_value | 0xFF)) | offset << 10;
}

CompiledRules::Node CompiledRules::new_block() {
  units_.resize(units_.size() + block_size);
  return static_cast<Node>(units_.size() - block_size);
}

/// Copies the node's block if other nodes may share it.
void CompiledRules::own(Node node) {
  const Node old = block(node);
  if (old >= first_own_) return;
  const Node copy = new_block();
  if ((units_[node] & has_value) != 0) units_[copy] = units_[old];
  for (std::uint32_t byte = 1; byte < block_size; ++byte) {
    if (!has_label(units_[old ^ byte], byte)) continue;
    const Node target = block(old ^ byte);
    units_[copy ^ byte] = units_[old ^ byte];
    set_block(copy ^ byte, target);
  }
  set_block(node, copy);
}

/// Returns the child of a node that owns its block; creates it if missing.
CompiledRules::Node CompiledRules::child(Node node, unsigned char byte) {
  const Node child = block(node) ^ byte;
  if (has_label(units_[child], byte)) return child;
  units_[child] = byte;
  set_block(child, new_block());
  return child;
}

void CompiledRules::set(std::string_view text, std::string_view replacement) {
  Node node = 0;
  own(node);
  for (const char c : text) {
    node = child(node, static_cast<unsigned char>(c));
    own(node);
  }
  units_[node] |= has_value;
  units_[block(node)] = is_value | static_cast<std::uint32_t>(replacements_.size());
  replacements_.append(replacement).push_back('\0');
}

bool CompiledRules::has_child(Node node, unsigned char byte) const {
  const Node child = block(node) ^ byte;
  return child < units_.size() && has_label(units_[child], byte);
}

bool CompiledRules::replaces(std::string_view text) const {
  Node node = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!has_child(node, byte)) return false;
    node = block(node) ^ byte;
  }
  return (units_[node] & has_value) != 0;
}

void CompiledRules::find_beside(char byte, std::bitset<256>& before, std::bitset<256>& after) const {
  const auto wanted = static_cast<unsigned char>(byte);
  std::vector<bool> visited(units_.size());  // different texts may share their ends
  std::vector<Node> open{0};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    for (unsigned next = 1; next < block_size; ++next) {
      const auto following = static_cast<unsigned char>(next);
      if (!has_child(node, following)) continue;
      const std::uint32_t label = units_[node] & 0xFF;
      if (node != 0 && label == wanted) after.set(following);
      if (node != 0 && following == wanted) before.set(label);
      const Node child = block(node) ^ following;
      if (!visited[child]) open.push_back(child);
      visited[child] = true;
    }
  }
}

std::string CompiledRules::bytes() const {
  const std::uint32_t size = static_cast<std::uint32_t>(units_.size() * sizeof(Node));
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  std::memcpy(bytes.data() + sizeof size, units_.data(), size);
  return bytes + replacements_;
}

}  // namespace glossa
