#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glossa {

/// An image of numbers from 0 (white) to 1 (dark), with gray gaps between unrelated numbers.
class Image {
 public:
  /// Makes an image that is one gap.
  Image(std::int64_t width, std::int64_t height);

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

  /// Fills a square of `size` x `size` pixels; its first column is x, its first row is y.
  void fill(std::int64_t x, std::int64_t y, std::int64_t size, float value);

  std::string png() const;

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> pixels_;  // color indices, row by row
};

}  // namespace glossa
