#include "train/checkpoint/int8_file.h"

#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "tests/decoding/search_fixture.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

constexpr int vocabulary = 70;

/// The file of a small model in int8.
CheckpointReader written(const TemporaryFolder& folder) {
  SmallModel<float> model(vocabulary);
  const QuantizedMatrices matrices(model.store);
  CheckpointWriter writer;
  add_int8_model(writer, model.store, "runs/a/checkpoints/best");
  add_state(writer, {}, "host");
  writer.write(int8_file(folder.path()));
  return CheckpointReader(int8_file(folder.path()));
}

std::vector<Hypothesis> translations(const SmallModel<float>& model) {
  return Searcher<float>().decode(model.transformer, random_sources(20, vocabulary, 12), specials,
                                  DecodeOptions{.beam = 3, .precision = Precision::int8});
}

}  // namespace

TEST_CASE("a model in int8 read from its file translates to the same bits, also after the file is replaced") {
  const TemporaryFolder folder;
  SmallModel<float> original(vocabulary), read(vocabulary, NormPlace::pre, 64, 8);
  const QuantizedMatrices matrices(original.store);
  QuantizedMatrices mapped;
  {
    const CheckpointReader reader = written(folder);
    map_int8_model(reader, read.store, mapped);
  }
  CHECK(is_in_int8(folder.path()));
  CHECK(origin_of_int8(folder.path()) == "runs/a/checkpoints/best");
  std::filesystem::remove(int8_file(folder.path()));
  CHECK_FALSE(is_in_int8(folder.path()));
  check_same(translations(read), translations(original), 0);
}

TEST_CASE("a file in int8 of another model is refused, with the name of what differs") {
  const TemporaryFolder folder;
  const CheckpointReader reader = written(folder);
  SmallModel<float> larger(vocabulary + 1);
  QuantizedMatrices mapped;
  CHECK_THROWS_WITH_AS(
      map_int8_model(reader, larger.store, mapped),
      doctest::Contains("generator.bias to be f32 [71]; got f32 [70]. Hint: the model or its vocabulary differs"),
      Error);
  ParameterStore<float> other;
  other.declare("other", {64, 4}, init::constant(0)).is_matrix = true;
  other.allocate(1);
  CHECK_THROWS_WITH_AS(map_int8_model(reader, other, mapped),
                       doctest::Contains("expected int8:other to be i8 [1, 1, 64, 4]; got no such entry"), Error);
}
