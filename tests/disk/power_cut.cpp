#include "tests/disk/power_cut.h"

#include <fcntl.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace glossa::disk {

/// A change to a folder's entries since its last fsync.
struct PowerCutDisk::Change {
  std::string gone, come;  // names; empty: none
  NodePointer node;        // under the new name
};

struct PowerCutDisk::Node {
  Entry::Kind kind = Entry::Kind::folder;
  std::string durable, text;                                    // for a file; for a link both are its target
  std::map<std::string, NodePointer> durable_entries, entries;  // of a folder
  std::vector<Change> pending;

  void take(Change change) {
    entries.erase(change.gone);
    if (change.node) entries[change.come] = change.node;
    pending.push_back(std::move(change));
  }
};

namespace {

constexpr std::size_t block_bytes = 4096;

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Possible remains of a file.
std::vector<std::string> file_variants(const std::string& durable, const std::string& text) {
  const std::size_t shorter = std::min(durable.size(), text.size()), longer = std::max(durable.size(), text.size());
  std::set<std::size_t> lengths{durable.size(), text.size()};
  for (std::size_t at = (shorter / block_bytes + 1) * block_bytes; at < longer; at += block_bytes) lengths.insert(at);
  std::set<std::string> found;
  for (const std::size_t length : lengths) {
    std::vector<std::string> fronts{""};
    for (std::size_t at = 0; at < length; at += block_bytes) {
      const std::size_t end = std::min(at + block_bytes, length);
      std::set<std::string> blocks;
      for (const std::string* from : {&durable, &text}) {
        std::string block = at < from->size() ? from->substr(at, end - at) : "";
        block.resize(end - at);  // unwritten bytes are zeros
        blocks.insert(std::move(block));
      }
      std::vector<std::string> longer;
      for (const std::string& front : fronts)
        for (const std::string& block : blocks) longer.push_back(front + block);
      fronts = std::move(longer);
    }
    found.insert(fronts.begin(), fronts.end());
  }
  return {found.begin(), found.end()};
}

/// Every union of one snapshot from each side.
std::vector<Snapshot> product(const std::vector<Snapshot>& left, const std::vector<Snapshot>& right) {
  std::vector<Snapshot> all;
  for (const Snapshot& one : left)
    for (const Snapshot& other : right) {
      all.push_back(one);
      all.back().insert(other.begin(), other.end());
    }
  return all;
}

}  // namespace

PowerCutDisk::PowerCutDisk(const Snapshot& snapshot) : root_(std::make_shared<Node>()) {
  for (const auto& [path, entry] : snapshot) {
    const auto node = std::make_shared<Node>();
    node->kind = entry.kind;
    if (entry.text) node->durable = node->text = *entry.text;
    Node& parent = parent_of(path);
    parent.entries[name_in(path)] = parent.durable_entries[name_in(path)] = node;
  }
}

PowerCutDisk::~PowerCutDisk() = default;

PowerCutDisk::Node& PowerCutDisk::parent_of(const std::string& path) const {
  Node* node = root_.get();
  for (std::size_t from = 0, slash = 0; (slash = path.find('/', from)) != path.npos; from = slash + 1)
    node = node->entries.at(path.substr(from, slash - from)).get();
  return *node;
}

void PowerCutDisk::apply(const Call& call) {
  if (call.failed) return;
  const std::string name = name_in(call.path);
  const auto make = [&](Entry::Kind kind) {
    const auto node = std::make_shared<Node>();
    node->kind = kind;
    node->durable = node->text = call.text;
    parent_of(call.path).take({"", name, node});
    return node;
  };
  switch (call.kind) {
    case Kind::open: {
      if (call.path.empty()) {
        open_[call.handle] = root_;
        break;
      }
      const Node& parent = parent_of(call.path);
      const auto found = parent.entries.find(name);
      // When a link is opened, the file is only read.
      open_[call.handle] = found != parent.entries.end() ? found->second : make(Entry::Kind::file);
      if (call.flags & O_TRUNC) open_[call.handle]->text.clear();
      break;
    }
    case Kind::close:
      open_.erase(call.handle);
      break;
    case Kind::write: {
      std::string& text = open_.at(call.handle)->text;
      const auto at = static_cast<std::size_t>(call.number);
      text.resize(std::max(text.size(), at + call.text.size()));
      text.replace(at, call.text.size(), call.text);
      break;
    }
    case Kind::allocate: {
      std::string& text = open_.at(call.handle)->text;
      text.resize(std::max(text.size(), static_cast<std::size_t>(call.number)));
      break;
    }
    case Kind::truncate:
      open_.at(call.handle)->text.resize(static_cast<std::size_t>(call.number));
      break;
    case Kind::sync: {
      Node& node = *open_.at(call.handle);
      node.durable = node.text;
      node.durable_entries = node.entries;
      node.pending.clear();
      break;
    }
    case Kind::rename: {
      Node& parent = parent_of(call.path);
      if (&parent != &parent_of(call.text)) throw std::logic_error("renamed into another folder: " + call.path);
      parent.take({name, name_in(call.text), parent.entries.at(name)});
      break;
    }
    case Kind::symlink:
      make(Entry::Kind::link);
      break;
    case Kind::make_folder:
      make(Entry::Kind::folder);
      break;
    case Kind::remove:
      parent_of(call.path).take({name, "", nullptr});
      break;
    case Kind::read:
    case Kind::mark:
      break;
  }
}

Snapshot PowerCutDisk::now() const {
  Snapshot snapshot;
  const auto add = [&](const auto& self, const Node& folder, const std::string& prefix) -> void {
    for (const auto& [name, node] : folder.entries) {
      const bool is_folder = node->kind == Entry::Kind::folder;
      snapshot[prefix + name] = {node->kind, is_folder ? nullptr : kept(node->text)};
      if (is_folder) self(self, *node, prefix + name + "/");
    }
  };
  add(add, *root_, "");
  return snapshot;
}

std::vector<Snapshot> PowerCutDisk::variants(const Node& folder, const std::string& prefix,
                                             const std::function<bool(const std::string& path)>& matters) const {
  std::vector<const Change*> pending;
  for (const Change& change : folder.pending) {
    const bool seen = (!change.gone.empty() && matters(prefix + change.gone)) ||
                      (!change.come.empty() && matters(prefix + change.come));
    if (seen) pending.push_back(&change);
  }
  if (pending.size() > 12) throw std::logic_error("too many changes of a folder without its fsync: " + prefix);
  std::set<std::map<std::string, NodePointer>> listings;
  for (unsigned chosen = 0; chosen < 1u << pending.size(); ++chosen) {
    auto entries = folder.durable_entries;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (!(chosen >> i & 1)) continue;
      entries.erase(pending[i]->gone);
      if (pending[i]->node) entries[pending[i]->come] = pending[i]->node;
    }
    std::erase_if(entries, [&](const auto& entry) { return !matters(prefix + entry.first); });
    listings.insert(std::move(entries));
  }
  std::set<Snapshot> all;
  for (const auto& entries : listings) {
    std::vector<Snapshot> snapshots{{}};
    for (const auto& [name, node] : entries) {
      const std::string path = prefix + name;
      std::vector<Snapshot> choices;
      if (node->kind == Entry::Kind::folder) {
        choices = product({{{path, {}}}}, variants(*node, path + "/", matters));
      } else {
        const bool changed = node->kind == Entry::Kind::file && node->durable != node->text;
        for (const std::string& text : changed ? file_variants(node->durable, node->text) : std::vector{node->text})
          choices.push_back({{path, {node->kind, kept(text)}}});
      }
      snapshots = product(snapshots, choices);
    }
    all.insert(snapshots.begin(), snapshots.end());
  }
  return {all.begin(), all.end()};
}

std::vector<Snapshot> PowerCutDisk::after_power_cut(const std::function<bool(const std::string& path)>& matters) const {
  return variants(*root_, "", matters);
}

}  // namespace glossa::disk
