#include "train/checkpoint/disk_need.h"

#include "autograd/check.h"
#include "data/text/counted.h"

namespace glossa {

std::string check_disk(const std::string& run, double files, double bytes, double free) {
  if (files < 1 || free >= files * bytes) return "";
  constexpr std::string_view remedy = "free some space, choose another --run";
  check(free >= bytes, run, "expected {} of disk space for a checkpoint; got {}. Hint: {}", in_bytes(bytes),
        in_bytes(free), remedy);
  return fmt::format(
      "the run's checkpoints need {} more at {}, {} each, but only {} are free: training ends when the disk is full. "
      "Hint: {}, or lower train.keep_checkpoints",
      in_bytes(files * bytes), run, in_bytes(bytes), in_bytes(free), remedy);
}

}  // namespace glossa
