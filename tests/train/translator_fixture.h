#pragma once

#include <memory>
#include <string>

#include "train/decoding/translator.h"
#include "train/model/model_factory.h"

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
    ModelConfig config;
    config.transformer.stack.width = config.transformer.stack.feed_forward = 16;
    config.transformer.stack.heads = 2;
    config.transformer.encoder_layers = config.transformer.decoder_layers = 1;
    config.transformer.tied = Tied::none;
    config.transformer.stack.residual_dropout = 0.5;
    config.transformer.max_positions = max_positions;
    model = make_model(config, tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size(), 3);
    for (float& value : model->parameters.values()) value *= 2;  // makes scores distinct
  }

  Translator translator(const DecodeOptions& decode = {}) const {
    return {*model->transformer, tokenizers, data, decode};
  }

  ParallelCorpus corpus;
  DataConfig data;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
};

}  // namespace glossa::testing
