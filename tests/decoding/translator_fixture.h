#pragma once

#include <memory>
#include <string>

#include "decoding/translator.h"
#include "layers/transformer.h"

namespace glossa::testing {

/// A model with random weights and high dropout, and sentences of very different lengths.
struct TranslatorFixture {
  explicit TranslatorFixture(Index max_positions = 12) {
    for (int i = 0; i < 12; ++i) {
      std::string& source = corpus.source.emplace_back();
      std::string& target = corpus.target.emplace_back();
      for (int k = 0; k < 1 + i * 5 % 9; ++k) source += fmt::format("a{} ", (i + 3 * k) % 7);
      for (int k = 0; k < 1 + i * 7 % 10; ++k) target += fmt::format("b{} ", (i * k) % 5);
    }
    data.tokenizer = DataConfig::Tokenizer::words;
    data.shared_vocabulary = false;
    tokenizers = train_tokenizers(data, corpus);
    transformer = std::make_unique<Transformer<float>>(
        parameters, TransformerOptions{.source_vocabulary = tokenizers.source->vocabulary_size(),
                                       .target_vocabulary = tokenizers.target->vocabulary_size(),
                                       .stack = {.width = 16,
                                                 .heads = 2,
                                                 .feed_forward = 16,
                                                 .norm = NormPlace::pre,
                                                 .residual_dropout = 0.5,
                                                 .attention_dropout = 0.5,
                                                 .activation_dropout = 0.5},
                                       .encoder_layers = 1,
                                       .decoder_layers = 1,
                                       .embedding_dropout = 0.5,
                                       .max_positions = max_positions,
                                       .output_bias = false});
    parameters.allocate(3);
    for (float& value : parameters.values()) value *= 2;  // makes scores distinct
  }

  Translator translator(const DecodeOptions& decode = {}) const { return {*transformer, tokenizers, data, decode}; }

  ParallelCorpus corpus;
  DataConfig data;
  Tokenizers tokenizers;
  ParameterStore<float> parameters;
  std::unique_ptr<Transformer<float>> transformer;
};

}  // namespace glossa::testing
