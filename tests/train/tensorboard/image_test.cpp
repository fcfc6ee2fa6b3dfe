#include "train/tensorboard/image.h"

#include <doctest/doctest.h>
#include <png.h>

#include <array>

#include "train/tensorboard/attention_image.h"

using namespace glossa;

namespace {

using Rgb = std::array<std::uint8_t, 3>;

constexpr Rgb white{255, 255, 255}, dark{8, 48, 107}, gap{190, 190, 190};

/// The pixels of a PNG, as read by another program.
struct Read {
  explicit Read(const std::string& png) {
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&image, png.data(), png.size()) != 0);
    image.format = PNG_FORMAT_RGB;
    pixels.resize(PNG_IMAGE_SIZE(image));
    REQUIRE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) != 0);
  }
  Rgb at(std::size_t x, std::size_t y) const {
    const std::size_t i = 3 * (y * image.width + x);
    return {pixels[i], pixels[i + 1], pixels[i + 2]};
  }

  png_image image{};
  std::vector<std::uint8_t> pixels;
};

/// Weights that encode their position: in head h of layer l, query q attends only to key (q + l + h).
AttentionMaps::Layers weights(std::size_t layers, std::size_t heads, std::size_t queries, std::size_t keys) {
  AttentionMaps::Layers all(
      layers, std::vector<AttentionMaps::Head>(heads, AttentionMaps::Head(queries, std::vector<float>(keys, 0))));
  for (std::size_t l = 0; l < layers; ++l)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t q = 0; q < queries; ++q) all[l][h][q][(q + l + h) % keys] = 1;
  return all;
}

}  // namespace

TEST_CASE("a image is a PNG: white for 0, dark for 1, gray between separate tiles") {
  Image image(5, 3);
  image.fill(0, 0, 2, 0);
  image.fill(2, 0, 2, 1);
  image.fill(4, 2, 1, 0.5);
  image.fill(0, 2, 1, -7);
  image.fill(1, 2, 1, 7);
  const Read read(image.png());
  REQUIRE_EQ(read.image.width, 5);
  REQUIRE_EQ(read.image.height, 3);
  CHECK_EQ(read.at(1, 1), white);
  CHECK_EQ(read.at(3, 0), dark);
  CHECK_EQ(read.at(4, 0), gap);
  CHECK_EQ(read.at(0, 2), white);
  CHECK_EQ(read.at(1, 2), dark);
  CHECK_EQ(read.at(4, 2)[0], doctest::Approx(131).epsilon(0.02));
}

TEST_CASE("attention is drawn sentence below sentence, with a row of tiles per layer and a column per head") {
  std::vector<AttentionMaps> sentences(2);
  sentences[0].cross = weights(3, 2, 4, 5);
  sentences[1].cross = weights(3, 2, 2, 7);
  const Read read(attention_image(sentences, &AttentionMaps::cross).png());
  constexpr std::size_t cell = 10, between = 2;
  CHECK_EQ(read.image.width, 2 * (7 * cell + between) + between);
  CHECK_EQ(read.image.height, 3 * (4 * cell + between) + between + 3 * (2 * cell + between) + between);
  std::size_t top = between;
  for (const AttentionMaps& maps : sentences) {
    const std::size_t queries = maps.cross[0][0].size(), keys = maps.cross[0][0][0].size();
    for (std::size_t l = 0; l < 3; ++l, top += queries * cell + between)
      for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t q = 0; q < queries; ++q)
          for (std::size_t k = 0; k < keys; ++k) {
            const std::size_t left = between + h * (keys * cell + between);
            const Rgb expected = k == (q + l + h) % keys ? dark : white;
            CHECK_EQ(read.at(left + k * cell, top + q * cell), expected);
            CHECK_EQ(read.at(left + k * cell + cell - 1, top + q * cell + cell - 1), expected);
          }
    top += between;
  }
  CHECK_EQ(read.at(0, 0), gap);
}

TEST_CASE("a large model's image stays small") {
  std::vector<AttentionMaps> sentences(1);
  sentences[0].encoder = weights(20, 64, 48, 48);
  const Image image = attention_image(sentences, &AttentionMaps::encoder);
  CHECK_LE(image.width(), 1100);
  CHECK_LE(image.height(), 1024);
  CHECK_LE(image.png().size(), 100000);
}
