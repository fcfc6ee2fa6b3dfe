#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "decoding/translator.h"
#include "train/run.h"

using namespace glossa;

/// Greedy search: the decoder reads each word that it says, until </s>. Prints each word with its probability.
void print_greedy(const Transformer<float>& model, const std::vector<int>& source, const Tokenizer& words) {
  const SpecialIds& specials = words.specials();
  const RowSpan sentence{.offset = 0, .length = std::ssize(source)};
  const RowLayout layout{.rows = std::ssize(source), .sequences = {&sentence, 1}};
  const Index longest = 20;
  Context<float> context;
  DecoderCache<float> cache;
  context.begin({.recording = false});
  model.start(cache, model.encode(context, source, layout), layout, /*rows=*/1, longest);
  double probability = 1;
  for (int last = specials.bos; last != specials.eos && cache.position() < longest;) {
    context.begin({.recording = false});
    const auto p = softmax(model.step(context, {&last, 1}, cache)).value();  // [1, V], for each next word
    last = static_cast<int>(std::ranges::max_element(p.span()) - p.span().begin());
    probability *= p[last];
    std::printf("  %-8s %.2f\n", words.token(last).c_str(), p[last]);
  }
  std::printf("  all      %.2f\n", probability);
}

int main(int count, char** arguments) try {
  const std::string folder = count > 1 ? arguments[1] : "runs/tutorial";
  const std::string line = count > 2 ? arguments[2] : "two women are not talking to mohan";
  const LoadedRun run = load_run(RunName(folder), load_run_config(folder));
  const Transformer<float>& model = *run.model->transformer;
  const auto& [source_words, target_words] = run.tokenizers;

  std::vector<int> source = source_words->encode(line);
  source.push_back(source_words->specials().eos);
  std::printf("%s\n", line.c_str());
  print_greedy(model, source, *target_words);

  Searcher<float> searcher;
  const Hypothesis best = searcher.decode(model, {&source, 1}, target_words->specials(), {.beam = 4}).front();
  std::printf("beam 4: %s, %.2f\n", target_words->decode(best.tokens).c_str(), std::exp(best.log_probability));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
