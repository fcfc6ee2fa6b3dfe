// The whole model compared with nn.Transformer between embeddings and output projection: one step, and ten.
#include "layers/transformer.h"

#include <doctest/doctest.h>

#include "optim/clip.h"
#include "tests/golden/golden_case.h"
#include "tests/golden/torch_optimizer.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

constexpr int pad = 1;
constexpr double smoothing = 0.1, max_norm = 4;

/// A batch of a golden file: CASE/in/source, target_in, target_out and the lengths.
struct GoldenBatch {
  std::vector<int> source, target_in, target_out;
  Sequences source_sequences, target_sequences;

  template <class T>
  GoldenBatch(const Golden<T>& golden, const std::string& prefix)
      : source(golden.ints(prefix + "/in/source")),
        target_in(golden.ints(prefix + "/in/target_in")),
        target_out(golden.ints(prefix + "/in/target_out")),
        source_sequences(golden.ints(prefix + "/in/source_lengths")),
        target_sequences(golden.ints(prefix + "/in/target_lengths")) {}

  template <class T>
  Variable<T> logits(const Transformer<T>& model, Context<T>& context) const {
    return model(context, source, source_sequences.layout(), target_in, target_sequences.layout());
  }
};

/// Adam makes a full-sized step of any gradient. That of the keys' bias is zero in exact arithmetic, so only rounding
/// would be magnified, and it is left out. The bias is [3D]: queries, keys, values.
auto key_bias(const std::string& name) {
  const bool packed_bias = name.ends_with("in_proj_bias");
  return [packed_bias](Index i) { return packed_bias && i >= width && i < 2 * width; };
}

}  // namespace

TEST_CASE_TEMPLATE("logits, loss and the gradient of every parameter agree with nn.Transformer", T, double, float) {
  const Golden<T> golden("pytorch/transformer");
  const auto check = [&](const std::string& name, const TransformerOptions& options) {
    CAPTURE(name);
    GoldenCase<T> one(golden, name);
    const Transformer<T> model(one.store, options);
    one.begin();
    const GoldenBatch batch(golden, name);
    const Variable<T> logits = batch.logits(model, one.context);
    golden.check(one.path("out/y"), logits.value());
    const CrossEntropy<T> loss = cross_entropy(logits, batch.target_out, pad, smoothing);
    one.check_loss(loss.sum, static_cast<double>(loss.count));
  };
  check("post_relu", golden_options(NormPlace::post, Activation::relu));
  check("pre_gelu", golden_options(NormPlace::pre, Activation::gelu));
  check("pre_relu_tied", golden_options(NormPlace::pre, Activation::relu, Tied::output));
}

TEST_CASE_TEMPLATE("all parameters agree after ten training steps with Adam, AdamW and SGD with momentum", T, double,
                   float) {
  const Golden<T> golden("pytorch/training");
  for (const std::string kind : {"adam", "adamw", "sgd"}) {
    CAPTURE(kind);
    ParameterStore<T> store;
    Context<T> context;
    const Transformer<T> model(store, golden_options(NormPlace::post, Activation::relu, Tied::output));
    store.allocate(1);
    golden.assign("start/", store);
    const auto optimizer = torch_optimizer(kind, store, kind == "adamw" ? 0.01 : 0);
    std::vector<T> norms;
    for (int step = 0; step < 10; ++step) {
      const GoldenBatch batch(golden, fmt::format("step{}", step));
      context.begin({.training = true});
      store.clear_grads();
      const CrossEntropy<T> loss = cross_entropy(batch.logits(model, context), batch.target_out, pad, smoothing);
      context.backward(loss.sum);
      store.fill_unset_grads();
      const double count = static_cast<double>(loss.count);
      const double norm = global_norm<T>(store.grads()) / count;
      norms.push_back(static_cast<T>(norm));
      optimizer->step(torch_lr(kind), clip_factor(norm, max_norm) / count);
    }
    const bool adam = kind != "sgd";
    const double limit = adam && std::is_same_v<T, float> ? 1e-3 : golden_limit<T>;
    golden.check(kind + "/norms", {norms.data(), {10}}, limit);
    for (const Parameter<T>* p : store.parameters()) {
      const auto skip = key_bias(adam ? p->name : "");
      golden.check(kind + "/end/" + p->name, p->value, limit, skip);
    }
  }
}
