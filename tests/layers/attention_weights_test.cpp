#include "layers/attention_weights.h"

#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

namespace {

template <class T>
struct Pass {
  AttentionWeights<T> weights;
  std::vector<T> logits;
};

template <class T>
Pass<T> pass(Model<T>& model, const Pair& batch, bool recording, bool asks = true) {
  model.context.begin({.training = false, .recording = recording});
  Pass<T> result;
  AttentionWeights<T>* weights = asks ? &result.weights : nullptr;
  const Variable<T> memory = model.network.encode(model.context, batch.source.ids, batch.source.layout(), weights);
  const Variable<T> states = model.network.decode(model.context, batch.target.ids, batch.target.layout(), memory,
                                                  batch.source.layout(), weights);
  const Tensor<const T> logits = model.network.project(states).value();
  result.logits.assign(logits.data, logits.data + logits.size());
  return result;
}

TransformerOptions options_of(NormPlace norm, Similarity similarity) {
  TransformerOptions options = small_options();
  options.stack.norm = norm;
  options.stack.similarity = similarity;
  options.encoder_layers = 3;
  return options;
}

/// Every row of [H, Tq, Tk] adds up to 1 over what it may see.
void check_rows(const std::vector<double>& layer, Index heads, const std::vector<RowSpan>& queries,
                const std::vector<RowSpan>& keys, bool causal) {
  const double* next = layer.data();
  for (std::size_t i = 0; i < queries.size(); ++i)
    for (Index row = 0; row < heads * queries[i].length; ++row) {
      double sum = 0;
      for (Index k = 0; k < keys[i].length; ++k, ++next) {
        CHECK(*next >= 0);
        if (causal && k > row % queries[i].length) CHECK(*next == 0);
        sum += *next;
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-12));
    }
  CHECK(next == layer.data() + layer.size());
}

}  // namespace

TEST_CASE("requesting the weights of every layer does not change the results") {
  const OneThread one_thread;
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post})
    for (const Similarity similarity : {Similarity::scaled_dot, Similarity::general, Similarity::additive}) {
      Model<double> model(options_of(norm, similarity));
      const Pair batch(numbers, packed);
      const Pass<double> seen = pass(model, batch, false), recorded = pass(model, batch, true);
      REQUIRE(seen.weights.encoder.size() == 3);
      REQUIRE(seen.weights.decoder.size() == 2);
      REQUIRE(seen.weights.cross.size() == 2);
      const auto &source = batch.source.spans, &target = batch.target.spans;
      for (const auto& layer : seen.weights.encoder) check_rows(layer, 2, source, source, false);
      for (const auto& layer : seen.weights.decoder) check_rows(layer, 2, target, target, true);
      for (const auto& layer : seen.weights.cross) check_rows(layer, 2, target, source, false);
      CHECK(seen.weights.encoder[0] != seen.weights.encoder[1]);
      CHECK(seen.weights.cross[0] != seen.weights.cross[1]);
      // Without recording, a layer's memory is reused by the next one.
      CHECK(seen.weights.encoder == recorded.weights.encoder);
      CHECK(seen.weights.decoder == recorded.weights.decoder);
      CHECK(seen.weights.cross == recorded.weights.cross);
      CHECK(seen.logits == recorded.logits);
      CHECK(seen.logits == pass(model, batch, false, false).logits);
    }
}

TEST_CASE("a sequence has the same weights in a batch, packed or padded, and alone") {
  const OneThread one_thread;
  Model<double> model(options_of(NormPlace::post, Similarity::scaled_dot));
  const Pass<double> together = pass(model, {numbers, packed}, false), padded = pass(model, {numbers, 2}, false);
  CHECK(distance(together.weights.cross[1], padded.weights.cross[1]) < 1e-12);
  std::vector<double> one_by_one;
  for (const int number : numbers) {
    const std::vector<double> own = pass(model, {{number}, packed}, false).weights.cross[1];
    one_by_one.insert(one_by_one.end(), own.begin(), own.end());
  }
  CHECK(distance(together.weights.cross[1], one_by_one) < 1e-12);
}
