#pragma once

namespace glossa::kernels {

/// While a ZeroProducts exists, products that the calling thread starts are zeros, at almost no cost. A step then uses
/// its memory without most of its work, which shows in advance if the memory is sufficient. Products within attention
/// and those in int8, which has no training, are still computed.
class ZeroProducts {
 public:
  ZeroProducts() : before_(active_) { active_ = true; }
  ~ZeroProducts() { active_ = before_; }
  ZeroProducts(const ZeroProducts&) = delete;
  ZeroProducts& operator=(const ZeroProducts&) = delete;

  static bool active() { return active_; }

 private:
  inline static thread_local bool active_ = false;
  bool before_;
};

}  // namespace glossa::kernels
