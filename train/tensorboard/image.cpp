#include "train/tensorboard/image.h"

#include <png.h>

#include <algorithm>
#include <array>

#include "autograd/check.h"

namespace glossa {

namespace {

constexpr std::uint8_t darkest = 254, gap_color = 255;

using Colors = std::array<std::array<std::uint8_t, 3>, 256>;

/// White to dark blue, plus gray for the gaps.
Colors colors() {
  constexpr std::array<int, 3> dark{8, 48, 107};
  Colors all{};
  for (int i = 0; i <= darkest; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      all[static_cast<std::size_t>(i)][c] = static_cast<std::uint8_t>(255 - (255 - dark[c]) * i / darkest);
  all[gap_color] = {190, 190, 190};
  return all;
}

}  // namespace

Image::Image(std::int64_t width, std::int64_t height)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), gap_color) {}

void Image::fill(std::int64_t x, std::int64_t y, std::int64_t size, float value) {
  const auto color = static_cast<std::uint8_t>(std::clamp(value, 0.0f, 1.0f) * darkest + 0.5f);
  for (std::int64_t row = y; row < y + size; ++row) std::fill_n(pixels_.begin() + row * width_ + x, size, color);
}

std::string Image::png() const {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;
  static const Colors map = colors();
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string png(bytes, '\0');
  const int written = png_image_write_to_memory(&image, png.data(), &bytes, 0, pixels_.data(), 0, map.data());
  check(written != 0, "picture", "cannot encode a PNG of {} x {} pixels: {}", width_, height_, image.message);
  png.resize(bytes);
  return png;
}

}  // namespace glossa
