// Logits and losses of a tiny MarianMTModel that transformers wrote in all formats (marian.py).
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "exchange/pretrained.h"
#include "tests/support/temporary_folder.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path golden = GLOSSA_SOURCE_DIR "/tests/golden/marian";

std::unique_ptr<Model> load(const Pretrained& pretrained) {
  const auto source = static_cast<Index>(pretrained.source.tokens.size()),
             target = static_cast<Index>(pretrained.target.tokens.size());
  auto model = make_model(pretrained.config.model, source, target, 1, pretrained.target.specials);
  read_parameters(*pretrained.tensors, pretrained.sources, model->parameters);
  for (const Parameter<float>* parameter : model->parameters.parameters()) CHECK(parameter->version() == 1);
  return model;
}

/// The folder of the golden model with other weights.
class Folder {
 public:
  explicit Folder(const std::string& weights) {
    for (const auto& entry : fs::directory_iterator(golden / "huggingface"))
      if (entry.path().extension() != ".safetensors") fs::copy(entry.path(), folder_.path());
    fs::copy(golden / weights, folder_ / "pytorch_model.bin");
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// Marian's folder, with the sentencepiece models of Hugging Face's.
class MarianFolder {
 public:
  MarianFolder() {
    for (const auto& entry : fs::directory_iterator(golden / "marian")) fs::copy(entry.path(), folder_.path());
    for (const char* name : {"source.spm", "target.spm"}) fs::copy(golden / "huggingface" / name, folder_ / name);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

RowLayout layout_of(Index rows, std::vector<RowSpan>& spans) {
  spans = {{0, rows}};
  return {.rows = rows, .sequences = spans};
}

/// Compares logits, to 1e-5 of the largest, and losses with PyTorch's.
void check_numbers(const Model& model, int start) {
  const auto cases = nlohmann::json::parse(read_bytes(golden / "logits.json"));
  REQUIRE_EQ(cases.size(), 3);
  for (const auto& expected : cases) {
    const auto source = expected["source"].get<std::vector<int>>(), next = expected["target"].get<std::vector<int>>();
    std::vector<int> target{start};
    target.insert(target.end(), next.begin(), next.end() - 1);
    std::vector<RowSpan> source_spans, target_spans;
    const RowLayout source_layout = layout_of(static_cast<Index>(source.size()), source_spans),
                    target_layout = layout_of(static_cast<Index>(target.size()), target_spans);
    Context<float> context;
    context.begin({.training = false});
    const Variable<float> memory = model.transformer->encode(context, source, source_layout);
    const Variable<float> states = model.transformer->decode(context, target, target_layout, memory, source_layout);
    const auto logits = model.transformer->project(states).value();
    const auto theirs = expected["logits"].get<std::vector<double>>();
    REQUIRE_EQ(static_cast<std::size_t>(logits.size()), theirs.size());
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      largest = std::max(largest, std::abs(theirs[i]));
      worst = std::max(worst, std::abs(static_cast<double>(logits.data[i]) - theirs[i]));
    }
    CHECK_LT(worst, 1e-5 * largest);
    const auto loss = model.transformer->loss(states, next, -1, 0);
    CHECK_EQ(static_cast<double>(loss.sum.value().data[0]) / static_cast<double>(next.size()),
             doctest::Approx(expected["loss"].get<double>()).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("a model of Hugging Face has the logits and losses of transformers, from every format") {
  const Pretrained safetensors = read_pretrained(golden / "huggingface");
  check_numbers(*load(safetensors), safetensors.target.specials.bos);
  for (const char* weights : {"zip.bin", "stream.bin"}) {
    CAPTURE(weights);
    const Folder folder(weights);
    const Pretrained pretrained = read_pretrained(folder.path());
    CHECK_EQ(pretrained.notes, std::vector<std::string>{});
    CHECK_EQ(pretrained.others.size(), 2);  // the tables of positions
    check_numbers(*load(pretrained), pretrained.target.specials.bos);
  }
}

TEST_CASE("a model of Marian has the same weights, and its own positions") {
  const MarianFolder folder;
  Pretrained pretrained = read_pretrained(folder.path());
  const Pretrained other = read_pretrained(golden / "huggingface");
  CHECK_EQ(pretrained.source.tokens, other.source.tokens);
  CHECK_EQ(pretrained.target.specials, other.target.specials);
  CHECK_EQ(pretrained.config.model.transformer.sinusoid, Sinusoid::halves);
  const auto ours = load(pretrained), theirs = load(other);
  CHECK(std::ranges::equal(ours->parameters.values(), theirs->parameters.values()));

  pretrained.config.model.transformer.sinusoid = Sinusoid::sorted;  // as transformers computes
  check_numbers(*load(pretrained), pretrained.target.specials.bos);
}

TEST_CASE("a model's files determine how it translates") {
  const Pretrained hugging = read_pretrained(golden / "huggingface");
  const auto& [data, model, optim, train, decode, runtime, undecided] = hugging.config;
  CHECK_EQ(data.source, "en");
  CHECK_EQ(data.target, "fr");
  CHECK_EQ(model.transformer.stack.activation, Activation::silu);
  CHECK_EQ(model.transformer.max_positions, 40);
  CHECK_EQ(decode.beam, 4);
  CHECK_EQ(decode.search, Search::huggingface);
  CHECK_EQ(decode.max_length_factor, 0);
  CHECK_EQ(decode.max_length_extra, 39);
  CHECK(decode.renormalize);
  CHECK(decode.forbidden.empty());  // <pad> is never written

  const MarianFolder folder;
  const Pretrained marian = read_pretrained(folder.path());
  CHECK_EQ(marian.config.decode.beam, 6);
  CHECK_EQ(marian.config.decode.alpha, 1);
  CHECK_EQ(marian.config.decode.forbidden, std::vector<std::int64_t>{1});
}
