#pragma once

namespace glossa::kernels {

/// While a ZeroProducts exists, products that its creating thread starts are zeros, at almost no cost. A step then uses
/// all of its memory but does little work, which shows in advance if the memory is sufficient. Products within
/// attention and products in int8 (inference only) are still computed.
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
