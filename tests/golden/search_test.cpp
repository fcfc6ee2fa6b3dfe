#include "decoding/decoding.h"
#include "layers/transformer.h"
#include "tests/support/golden.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

using Sentences = std::vector<std::vector<int>>;

/// Lists of different lengths, stored one after the other.
Sentences lists(const Golden<float>& golden, const std::string& name) {
  const std::vector<int> all = golden.ints(name);
  Sentences result;
  auto next = all.begin();
  for (const int length : golden.ints(name + "_lengths")) {
    result.emplace_back(next, next + length);
    next += length;
  }
  return result;
}

}  // namespace

TEST_CASE("a MarianMTModel finds what `generate` of transformers finds, greedy and with beams") {
  const Golden<float> golden("generate/search");
  const Shape table = golden.tensor("param/tok_emb.embedding.weight").shape;
  const int padding = static_cast<int>(table[0]) - 1;
  const SpecialIds specials{.unk = 1, .pad = padding, .bos = padding, .eos = 0};
  ParameterStore<float> store;
  const Transformer<float> model(store, {.source_vocabulary = table[0],
                                         .target_vocabulary = table[0],
                                         .stack = {.width = table[1],
                                                   .heads = 2,
                                                   .feed_forward = 2 * table[1],
                                                   .norm = NormPlace::post,
                                                   .final_norm = false,
                                                   .activation = Activation::silu},
                                         .encoder_layers = 2,
                                         .decoder_layers = 1,
                                         .sinusoid = Sinusoid::sorted,
                                         .max_positions = 32,
                                         .tied = Tied::all,
                                         .start_row = padding});
  store.allocate(1);
  golden.assign("param/", store);
  const Sentences sources = lists(golden, "in/source");
  std::size_t cases = 0, equal = 0, all = 0;
  for (const std::string& name : golden.names(""))
    if (name.ends_with("/beam")) {
      const std::string path = name.substr(0, name.size() - 4);
      INFO(path);
      const DecodeOptions options{.beam = static_cast<Index>(golden.number(path + "beam")),
                                  .alpha = golden.number(path + "alpha"),
                                  .max_length_factor = 0,
                                  .max_length_extra = static_cast<Index>(golden.number(path + "max_length")) - 1,
                                  .search = Search::huggingface,
                                  .renormalize = golden.number(path + "renormalize") != 0};
      const Sentences wanted = lists(golden, path + "out");
      const std::vector<double> scores = golden.doubles(path + "scores");
      const std::vector<Hypothesis> found = Searcher<float>().decode(model, sources, specials, options);
      ++cases;
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CHECK(found[i].tokens == wanted[i]);
        if (options.beam > 1) CHECK(found[i].score == doctest::Approx(scores[i]).epsilon(2e-5));
        equal += found[i].tokens == wanted[i];
        ++all;
      }
    }
  CHECK(cases == 10);
  MESSAGE(equal, " of ", all, " translations equal");
}
