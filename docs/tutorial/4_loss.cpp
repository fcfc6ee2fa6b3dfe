#include <cmath>
#include <cstdio>
#include <exception>

#include "data/encoded_corpus.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "train/model/criterion.h"

using namespace glossa;

int main() try {
  ParallelCorpus text;
  text.source = {"hello world", "how are you"};
  text.target = {"namaste vishva", "aap kaise ho"};
  const auto english = train_word_tokenizer(text.source), hindi = train_word_tokenizer(text.target);
  const EncodedCorpus corpus = encode_corpus(text, *english, *hindi);
  const int both[] = {0, 1}, words = hindi->vocabulary_size(), pad = corpus.specials.pad, eos = corpus.specials.eos;

  // Two targets of 3 and 4 tokens as a box of 2 x 4 rows.
  const Batch box = make_batch(corpus, both, Layout::padded);
  std::printf("row  reads     predicts\n");
  for (int row = 0; row < box.target_rows; ++row)
    std::printf("%3d  %-9s %s\n", row, hindi->token(box.target_in[row]).c_str(),
                hindi->token(box.target_out[row]).c_str());

  // A model that knows nothing gives every word the same logit.
  const std::vector<double> zeros(static_cast<std::size_t>(box.target_rows * words), 0);
  Context<double> context;
  context.begin({});
  const Variable<double> logits = context.input({zeros, {box.target_rows, words}});
  const CrossEntropy<double> loss = cross_entropy(logits, box.target_out, pad, /*label_smoothing=*/0);
  const double mean = loss.nll_sum / static_cast<double>(loss.count);
  std::printf("%d words, %d rows count: loss %.3f, perplexity %.3f\n", words, int(loss.count), mean, std::exp(mean));
  context.backward(loss.sum);
  for (const int row : {0, 3})
    std::printf("gradient of row %d: namaste %.3f, </s> %.3f\n", row, logits.grad().row(row)[box.target_out[0]],
                logits.grad().row(row)[eos]);

  // An untrained Transformer, on the box and on the same rows without padding.
  ParameterStore<double> parameters;
  const StackOptions stack{.width = 16, .heads = 2, .feed_forward = 32};
  const Transformer<double> model(parameters, {english->vocabulary_size(), words, stack, 1, 1});
  parameters.allocate(/*seed=*/1);
  std::vector<double> of_box(parameters.grads().size());
  for (const Layout layout : {Layout::padded, Layout::packed}) {
    const Batch batch = make_batch(corpus, both, layout);
    context.begin({.training = true, .update = 0});  // the same dropout masks for both layouts
    parameters.clear_grads();
    const CrossEntropy<double> total = batch_loss(context, model, batch, pad, /*label_smoothing=*/0);
    context.backward(total.sum);
    parameters.fill_unset_grads();
    double apart = 0;
    for (std::size_t i = 0; i < of_box.size(); ++i)
      apart = std::max(apart, std::abs(of_box[i] - parameters.grads()[i]));
    std::printf("%d rows: loss %.3f", batch.source_rows + batch.target_rows,
                total.nll_sum / static_cast<double>(total.count));
    std::printf(layout == Layout::padded ? "\n" : ", gradients differ by %.9f\n", apart);
    std::ranges::copy(parameters.grads(), of_box.begin());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
