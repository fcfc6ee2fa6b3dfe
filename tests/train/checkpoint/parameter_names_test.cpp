// Names that a ParameterStore accepts, compared with those that files can contain.
#include <doctest/doctest.h>

#include <array>

#include "autograd/parameter.h"
#include "base/check.h"
#include "base/random.h"
#include "base/safetensors.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/checkpoint_file.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

bool is_declarable(const std::string& name) {
  try {
    ParameterStore<float>().declare(name, {2}, [](std::span<double>, const Shape&, RandomStream&) {});
    return true;
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("[parameters] expected a name of 1 to 200 bytes"));
    return false;
  }
}

/// Writes a tensor of this name, and a checkpoint's longest form of it, and finds both again.
void check_files(const std::string& name) {
  const TemporaryFolder folder;
  const std::array<float, 2> values{1, 2};
  CheckpointWriter writer;
  for (const std::string& entry : {name, std::string(54, 'p') + ":" + name})
    writer.add(entry, EntryKind::parameter, Dtype::f32, {2}, std::as_bytes(std::span(values)));
  writer.write(folder / "a.ckpt");
  CHECK_NE(CheckpointReader(folder / "a.ckpt").find(name), nullptr);
  write_safetensors(folder / "a.safetensors", {{name, {2}, values}}, {});
  CHECK(SafetensorsReader(folder / "a.safetensors").entries().contains(name));
}

}  // namespace

TEST_CASE("a parameter's name is one that checkpoints and safetensors files can hold") {
  for (const std::string& name : {std::string(), std::string(201, 'n'), std::string("a\0b", 3), std::string("a\nb"),
                                  std::string("\x1F"), std::string("a\x7F"), std::string("a/b"), std::string("a\\b"),
                                  std::string("ema:a"), std::string("__metadata__"), std::string("\xC3"),
                                  std::string("a\xED\xA0\x80"), std::string("\xF4\x90\x80\x80")}) {
    CAPTURE(name);
    CHECK_FALSE(is_declarable(name));
  }
  for (const std::string& name :
       {std::string("a"), std::string(200, 'n'), std::string("größe.重み 0"), std::string("layers.0.weight")}) {
    CHECK(is_declarable(name));
    check_files(name);
  }
}

TEST_CASE("files hold every drawn name that can be declared") {
  const std::array<std::string, 12> pieces{"a", ".", "é", "重", "😀", "\x80", "\xE2\x82", "\t", "\x7F", "/", "_", "\""};
  RandomStream random(1, "names");
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    std::string name;
    for (auto left = random.below(5); left > 0; --left) name += pieces[static_cast<std::size_t>(random.below(12))];
    CAPTURE(name);
    if (!is_declarable(name)) continue;
    ++accepted;
    check_files(name);
  }
  CHECK_GT(accepted, 50);
}
