#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/disk/calls.h"
#include "tests/disk/snapshot.h"

namespace glossa::disk {

/// A disk whose file system gives minimal guarantees: fsync of a file makes its bytes durable, fsync of a folder makes
/// its entries durable, and a rename is atomic. Any other change may or may not survive a power cut.
class PowerCutDisk {
 public:
  /// A disk on which all of `snapshot` is durable.
  explicit PowerCutDisk(const Snapshot& snapshot);
  ~PowerCutDisk();

  /// Repeats a recorded call.
  void apply(const Call& call);

  /// The contents that processes see now.
  Snapshot now() const;

  /// Every possible state of the disk after a power cut now, without entries that do not `matter`:
  /// - each creation, renaming or removal of a folder entry since the folder's fsync is done or not, in all
  ///   combinations;
  /// - each file written since its fsync has any length, in blocks of 4 KiB, between the durable and the present one;
  ///   each changed block is old, new, or zeros if it did not exist before.
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
