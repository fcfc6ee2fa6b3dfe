#include "train/evaluation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/check.h"
#include "autograd/ops.h"
#include "data/word_tokenizer.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

/// A model with random weights and much dropout, and sentences of very different lengths.
struct Scene {
  Scene() {
    for (int i = 0; i < 12; ++i) {
      std::string& source = corpus.source.emplace_back();
      std::string& target = corpus.target.emplace_back();
      for (int k = 0; k < 1 + i * 5 % 9; ++k) source += fmt::format("a{} ", (i + 3 * k) % 7);
      for (int k = 0; k < 1 + i * 7 % 10; ++k) target += fmt::format("b{} ", (i * k) % 5);
    }
    data.tokenizer = DataConfig::Tokenizer::words;
    data.shared_vocabulary = false;
    tokenizers = train_tokenizers(data, corpus);
    ModelConfig config;
    config.width = config.feed_forward = 16;
    config.heads = 2;
    config.encoder_layers = config.decoder_layers = 1;
    config.tied = ModelConfig::Tied::none;
    config.dropout = 0.5;
    config.max_positions = 12;
    model = make_model(config, tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size(), 3);
    for (float& value : model->parameters.values()) value *= 2;  // so that it has opinions
  }

  Translator translator(const DecodeConfig& decode = {}) const {
    return {*model->transformer, tokenizers, data, decode};
  }

  ParallelCorpus corpus;
  DataConfig data;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
};

/// The loss by its definition: the logits of one sentence after another, without a batch.
CorpusLoss loss_by_hand(const Scene& scene, const EncodedCorpus& encoded) {
  CorpusLoss total;
  Context<float> context;
  for (int i = 0; i < encoded.size(); ++i) {
    const std::vector<int>& source = encoded.source[i];
    std::vector<int> in{encoded.specials.bos}, out = encoded.target[i];
    in.insert(in.end(), out.begin(), out.end());
    out.push_back(encoded.specials.eos);
    const RowSpan source_span{0, std::ssize(source)}, target_span{0, std::ssize(in)};
    context.begin({.training = false, .recording = false});
    const Tensor<const float> log_p =
        log_softmax((*scene.model->transformer)(context, source,
                                                {.rows = source_span.length, .sequences = {&source_span, 1}}, in,
                                                {.rows = target_span.length, .sequences = {&target_span, 1}}))
            .value();
    for (Index row = 0; row < log_p.rows(); ++row) total.nll_sum -= double{log_p.row(row)[out[row]]};
    total.tokens += std::ssize(out);
  }
  return total;
}

}  // namespace

TEST_CASE("the loss of a corpus is that of all its tokens, however they are batched, without dropout and smoothing") {
  Scene scene;
  const EncodedCorpus encoded = encode(scene.data, scene.corpus, scene.tokenizers);
  const CorpusLoss expected = loss_by_hand(scene, encoded);
  Context<float> context;
  for (const auto layout : {DataConfig::Layout::packed, DataConfig::Layout::padded})
    for (const std::int64_t budget : {1, 25, 4096}) {
      CAPTURE(budget);
      scene.data.layout = layout;
      scene.data.max_tokens = budget;
      const CorpusLoss loss = corpus_loss(context, *scene.model->transformer, encoded, scene.data);
      CHECK_EQ(loss.tokens, expected.tokens);
      CHECK_EQ(loss.nll_sum, doctest::Approx(expected.nll_sum).epsilon(1e-5));
      CHECK_EQ(loss.per_token(),
               doctest::Approx(expected.nll_sum / static_cast<double>(expected.tokens)).epsilon(1e-5));
    }
  CHECK_EQ(CorpusLoss{}.per_token(), 0);
  CHECK_EQ(perplexity(2), doctest::Approx(7.38905609893065));
}

TEST_CASE("exact match is the share of the lines that are equal") {
  CHECK_EQ(exact_match(Lines{"a", "b ", "c", ""}, Lines{"a", "b", "c", ""}), 0.75);
  CHECK_EQ(exact_match(Lines{}, Lines{}), 0);
}

TEST_CASE("every line is translated in its place; one without a token gives an empty one") {
  const Scene scene;
  Translator translator = scene.translator();
  const Lines lines{"", "a1 a2 a3", " ", "a5", "a4 a4 a0 a6 a1 a2", ""};
  const Lines translated = translator.translate(lines, "text");
  REQUIRE_EQ(translated.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    CHECK_EQ(translated[i], translator.translate(Lines{lines[i]}, "text").front());
    CHECK_EQ(translated[i].empty(), i % 2 == 0 && i != 4 ? true : i == 5);
  }
  CHECK_NE(translated[1], translated[3]);
  CHECK_NE(translated[3], translated[4]);
}

TEST_CASE("a sample belongs to the number of its line, wherever a text is cut") {
  const Scene scene;
  DecodeConfig decode;
  decode.sample = true;
  Translator translator = scene.translator(decode);
  const Lines lines{"a1 a2", "", "a1 a2", "a1 a2"};
  const Lines whole = translator.translate(lines, "text", 5);
  CHECK_NE(whole[0], whole[2]);
  CHECK_NE(whole[2], whole[3]);
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK_EQ(translator.translate(Lines{lines[i]}, "text", 5 + static_cast<std::int64_t>(i)).front(), whole[i]);
}

TEST_CASE("a line of as many tokens as the model has positions is read, one of more is named") {
  const Scene scene;
  const Translator translator = scene.translator();
  Lines lines{"a1", "a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1"};  // 11 and </s>
  const Translator::Sources sources = translator.encode(lines, "text", 7);
  CHECK_EQ(sources.numbers, std::vector<std::int64_t>{7, 8});
  CHECK_EQ(sources.ids[1].size(), 12);
  lines[1] += " a1";
  const std::string error = error_of<Error>([&] { translator.encode(lines, "text", 7); });
  CHECK(error.starts_with("[text:8] expected at most 12 tokens (model.max_positions); got 13."));
}
