#pragma once

#include <filesystem>
#include <vector>

#include "train/checkpoint/checkpoint_file.h"

namespace glossa::testing {

/// Rewrites a checkpoint, with valid checksums, after `change(entry, bytes)` has edited the bytes of each entry.
template <class Change>
void change_checkpoint(const std::filesystem::path& path, Change change) {
  std::vector<std::vector<std::byte>> contents;
  CheckpointWriter writer;
  {
    const CheckpointReader reader(path);
    contents.reserve(reader.entries().size());
    for (const CheckpointEntry& entry : reader.entries()) {
      std::vector<std::byte>& bytes = contents.emplace_back(reader.read(entry.name));
      change(entry, bytes);
      writer.add(entry.name, entry.kind, entry.dtype,
                 entry.kind == EntryKind::state ? std::vector<std::uint64_t>{bytes.size()} : entry.dims, bytes);
    }
  }
  writer.write(path);
}

}  // namespace glossa::testing
