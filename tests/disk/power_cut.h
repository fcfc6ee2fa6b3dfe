#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/disk/calls.h"
#include "tests/disk/snapshot.h"

namespace glossa::disk {

/// A disk under a file system with minimal guarantees: fsync of a file makes its bytes durable, fsync of a folder its
/// entries, and a rename is atomic. Anything else done since may or may not survive a power cut.
class PowerCutDisk {
 public:
  /// A disk on which all of `snapshot` is durable.
  explicit PowerCutDisk(const Snapshot& snapshot);
  ~PowerCutDisk();

  /// Repeats a recorded call.
  void apply(const Call& call);

  /// The state seen by processes now.
  Snapshot now() const;

  /// Every possible state after a power cut now, without entries that do not `matter`:
  /// - each folder entry made, renamed or removed since the folder's fsync: done or not, in all combinations;
  /// - each file written since its fsync: any length in blocks of 4 KiB between the durable and the present one, each
  ///   changed block old, new, or zeros if there is no old one.
  std::vector<Snapshot> after_power_cut(const std::function<bool(const std::string& path)>& matters) const;

 private:
  struct Node;
  struct Change;
  using NodePointer = std::shared_ptr<Node>;

  Node& parent_of(const std::string& path) const;
  std::vector<Snapshot> variants(const Node& folder, const std::string& prefix,
                                 const std::function<bool(const std::string& path)>& matters) const;

  NodePointer root_;
  std::map<std::size_t, NodePointer> open_;  // by handle
};

}  // namespace glossa::disk
