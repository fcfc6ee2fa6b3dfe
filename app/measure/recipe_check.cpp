#include "app/measure/recipe_check.h"

#include <algorithm>
#include <numeric>

#include "train/config/auto_options.h"
#include "train/model/model_factory.h"

namespace glossa {

namespace {

constexpr int sentences = 3;

}  // namespace

RecipeCheck::RecipeCheck(Config config, const CorpusPlaces& places) {
  const auto seed = static_cast<std::uint64_t>(config.train.seed);
  const Corpora corpora = read_corpora(config.data, seed, places);
  decide_auto_options(config, corpora.training, corpora.split);
  validate(config);
  const ParallelCorpus& corpus = corpora.training;
  const Tokenizers tokenizers = train_tokenizers(config.data, corpus);
  const EncodedCorpus encoded = encode_training(config.data, corpus, tokenizers);
  std::vector<int> first(static_cast<std::size_t>(std::min(sentences, encoded.size())));
  std::iota(first.begin(), first.end(), 0);
  batch_ = make_batch(encoded, first, layout(config.data));
  rows_.assign(batch_);

  model_ = std::make_unique<Transformer<double>>(
      parameters_,
      transformer_options(config.model, tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size()));
  parameters_.allocate(seed);
  // Biases of 0 and gains of 1 hide some errors, and tiny weights keep all of ReLU's inputs near its kink.
  RandomStream random(seed, "recipe_check");
  for (const Parameter<double>* parameter : parameters_.parameters())
    for (double& x : parameter->value.span()) x += random.uniform() / 5 - 0.1;
  loss_ = [this, pad = encoded.specials.pad, smoothing = config.train.label_smoothing](
              Context<double>& context, std::span<const Variable<double>>) {
    const CrossEntropy<double> loss = batch_loss(context, *model_, batch_, rows_, pad, smoothing);
    return scale(loss.sum, 1 / static_cast<double>(loss.count));
  };
}

std::vector<std::string> RecipeCheck::tensors() const {
  std::vector<std::string> names;
  for (const Parameter<double>* parameter : parameters_.parameters()) names.push_back(parameter->name);
  return names;
}

GradCheckResult RecipeCheck::check(const std::string& tensor, Index max_elements) {
  parameters_.at(tensor);  // throws if not found
  for (Parameter<double>* parameter : parameters_.parameters()) parameter->trainable = parameter->name == tensor;
  const GradCheckResult result =
      grad_check(loss_, {}, parameters_, {.limit = 1e-6, .floor = 0.01, .max_elements = max_elements});
  for (Parameter<double>* parameter : parameters_.parameters()) parameter->trainable = true;
  return result;
}

TaylorResult RecipeCheck::taylor() { return taylor_test(loss_, parameters_); }

}  // namespace glossa
