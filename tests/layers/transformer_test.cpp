#include "autograd/sanitizer.h"
#include "base/heap.h"
#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

namespace {

const std::vector<std::size_t> in_order{0, 1, 2, 3, 4};

TransformerOptions post_norm_untied() {
  TransformerOptions options = small_options();
  options.stack.norm = NormPlace::post;
  options.stack.activation = Activation::gelu;
  options.tied = Tied::none;
  options.learned_positions = true;
  return options;
}

template <class T>
void check_layouts(const TransformerOptions& options, double limit) {
  Model<T> model(options);
  const Outcome<T> as_packed = model.step({numbers, packed});
  check_close(model.step({numbers, 0}), as_packed, limit, in_order);
  check_close(model.step({numbers, 3}), as_packed, limit, in_order);
  check_close(model.step({{1, 4, 3, 0, 6}, packed}), as_packed, limit, {4, 0, 3, 1, 2});
  check_close(model.step({{6, 3, 0, 1, 4}, 1}), as_packed, limit, {2, 3, 1, 4, 0});
}

}  // namespace

TEST_CASE("packing, padding and order change neither loss nor gradients, even with dropout") {
  const OneThread one_thread;
  for (const TransformerOptions& options : {small_options(), post_norm_untied()}) {
    check_layouts<double>(options, 1e-12);
    check_layouts<float>(options, 1e-5);
  }
}

TEST_CASE("dropout depends on seed and update, and is off in evaluation") {
  const OneThread one_thread;
  Model<double> model(small_options());
  const Pair batch(numbers, packed);
  const double loss = model.step(batch).loss;
  CHECK(model.step(batch).loss == loss);
  CHECK(model.step(batch, {.training = true, .seed = 2}).loss != loss);
  CHECK(model.step(batch, {.training = true, .update = 1}).loss != loss);
  const double without = model.step(batch, {.training = false}).loss;
  CHECK(without != loss);
  CHECK(model.step(batch, {.training = false, .seed = 2, .update = 5}).loss == without);
}

TEST_CASE("float agrees with double to 1e-4 of each tensor's maximum, with every backend of products") {
  const OneThread one_thread;
  for (TransformerOptions options : {small_options(64), post_norm_untied()}) {
    options.stack.width = 64;
    options.stack.heads = 4;
    options.stack.feed_forward = 160;
    Model<double> exact(options);
    Model<float> model(options);
    const Pair batch(numbers, packed);
    // Both sides start from the same numbers and differ only in computing.
    for (std::size_t i = 0; i < model.store.parameters().size(); ++i)
      std::ranges::copy(model.store.parameters()[i]->value.span(), exact.store.parameters()[i]->value.data);
    const Outcome<double> expected = exact.step(batch);
    int backends = 0;
    for (const auto backend : {kernels::GemmBackend::eigen, kernels::GemmBackend::onednn}) {
      if (!kernels::has_gemm_backend(backend)) continue;
      kernels::set_gemm_backend(backend);
      INFO(kernels::name(backend));
      check_close(model.step(batch), expected, 1e-4, in_order);
      ++backends;
    }
    CHECK(backends >= 1);
  }
}

TEST_CASE("1, 2, 4 and 8 threads give the same bits") {
  const OneThread one_thread;
  const TransformerOptions options = small_options(48);
  std::vector<int> many;
  for (int id = 0; id < 60; ++id) many.push_back(id);
  const auto check_bits = [&]<class T>(T) {
    Model<T> model(options);
    for (const int extra : {packed, 0}) {
      const Pair batch(many, extra);
      set_threads(1);
      const Outcome<T> with_one = model.step(batch);
      for (const int team : {2, 4, 8}) {
        set_threads(team);
        CAPTURE(team);
        CHECK(model.step(batch).same_bits(with_one));
      }
    }
  };
  check_bits(float{});
  check_bits(double{});
}

TEST_CASE("decoding token by token with a cache matches the whole decoder") {
  const OneThread one_thread;
  const auto check_decoding = []<class T>(T, const TransformerOptions& options, double limit) {
    Model<T> model(options);
    const Pair batch(numbers, packed), boxes(numbers, 0);
    const Outcome<T> whole = model.step(batch, {.training = false});
    constexpr Index hypotheses = 2;  // both with the same tokens
    const Index rows = hypotheses * static_cast<Index>(numbers.size());
    const Index longest = static_cast<Index>(boxes.target.ids.size() / numbers.size());

    DecoderCache<T> cache;
    const StepOptions inference{.training = false, .recording = false};
    model.context.begin(inference);
    const RowLayout source = batch.source.layout();
    model.network.start(cache, model.network.encode(model.context, batch.source.ids, source), source, rows, longest);
    std::vector<int> tokens(static_cast<std::size_t>(rows));
    for (Index t = 0; t < longest; ++t) {
      model.context.begin(inference);
      for (Index r = 0; r < rows; ++r) tokens[r] = boxes.target.ids[r / hypotheses * longest + t];
      const Tensor<const T> logits = model.network.step(model.context, tokens, cache).value();
      for (Index r = 0; r < rows; ++r) {
        const std::vector<T>& expected = whole.logits[r / hypotheses];
        if (t * vocabulary >= static_cast<Index>(expected.size())) continue;  // this sequence has ended
        const T* const row = logits.row(r);
        const auto from = expected.begin() + t * vocabulary;
        CHECK(distance(std::vector<T>(row, row + vocabulary), std::vector<T>(from, from + vocabulary)) <= limit);
      }
    }
  };
  for (const TransformerOptions& options : {small_options(), post_norm_untied()}) {
    check_decoding(double{}, options, 1e-12);
    check_decoding(float{}, options, 1e-5);
  }
}

TEST_CASE("sequences without a source or a target give finite numbers and do not affect others") {
  const OneThread one_thread;
  for (const TransformerOptions& options : {small_options(), post_norm_untied()})
    for (const int extra : {packed, 0}) {
      Model<double> model(options);
      Pair batch(numbers, extra);
      Outcome<double> before = model.step(batch);
      before.logits.emplace_back();  // of the empty target below
      const auto add_sequence = [](Side& side, RowSpan span) {
        side.spans.push_back(span);
        side.sequence_ids.push_back(77);
      };
      add_sequence(batch.source, {static_cast<Index>(batch.source.ids.size()), 0});
      add_sequence(batch.target, {static_cast<Index>(batch.target.ids.size()), 0});
      check_close(model.step(batch), before, 1e-12, {0, 1, 2, 3, 4, 5});

      const Index end = static_cast<Index>(batch.target.ids.size());
      batch.target.ids.insert(batch.target.ids.end(), {start, 5});
      batch.target.goals.insert(batch.target.goals.end(), {5, 6});
      batch.target.spans.back() = {end, 2};
      const Outcome<double> after = model.step(batch);
      CHECK(after.count == before.count + 2);
      CHECK(std::isfinite(after.loss));
      for (const auto& grad : after.grads)
        for (const double g : grad) REQUIRE(std::isfinite(g));
      for (std::size_t i : in_order) CHECK(distance(after.logits[i], before.logits[i]) <= 1e-12);
    }
}

TEST_CASE("a training step does not use the heap after warm-up") {
  const OneThread one_thread;
  const auto check_heap = []<class T>(T, const TransformerOptions& options) {
    Model<T> model(options);
    const Pair large(numbers, packed), small({3, 1}, 2);
    std::size_t asked = 1;
    for (int update = 0; update < 4; ++update) {
      const std::size_t before = heap_allocations();
      for (const Pair* batch : {&large, &small}) {
        model.context.begin({.training = true, .update = static_cast<std::uint64_t>(update)});
        model.store.clear_grads();
        model.context.backward(model.loss(*batch, model.logits(*batch)).sum);
        model.store.fill_unset_grads();
      }
      asked = heap_allocations() - before;
#if !GLOSSA_SANITIZES(address)  // its malloc is not counted
      if (update == 0) CHECK(asked > 0);
#endif
    }
    CHECK(asked == 0);
  };
  for (const TransformerOptions& options : {small_options(), post_norm_untied(), small_options(64)}) {
    check_heap(float{}, options);
    check_heap(double{}, options);
  }
}

TEST_CASE("tokens of other sequences, of padding and of the future change nothing") {
  const OneThread one_thread;
  Model<double> model(small_options());
  Pair batch({4, 6, 0}, 2);
  const Outcome<double> before = model.step(batch);
  for (Side* side : {&batch.source, &batch.target}) {
    const RowSpan changed = side->spans[1];
    side->ids[changed.offset] = 7;
    for (Index row = side->spans[0].length; row < changed.offset; ++row) side->ids[row] = 11;  // gap rows of sequence 0
  }
  const Outcome<double> after = model.step(batch);
  CHECK(after.logits[0] == before.logits[0]);
  CHECK(after.logits[2] == before.logits[2]);
  CHECK(after.logits[1] != before.logits[1]);

  Pair future({6}, packed);
  REQUIRE(future.target.ids.size() > 2);
  const std::vector<double> first = model.step(future).logits[0];
  future.target.ids.back() = future.target.ids.back() == 7 ? 8 : 7;
  const std::vector<double> second = model.step(future).logits[0];
  const auto past = static_cast<std::ptrdiff_t>(first.size()) - vocabulary;
  CHECK(std::equal(first.begin(), first.begin() + past, second.begin()));
  CHECK(first != second);
}
