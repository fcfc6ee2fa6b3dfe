#include <chrono>
#include <cstdio>

#include "autograd/check.h"
#include "data/counted.h"
#include "data/text_file.h"
#include "train/chrf.h"
#include "train/commands/commands.h"
#include "train/evaluation.h"
#include "train/json_line.h"
#include "train/progress_bar.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/ter.h"

namespace glossa::commands {

namespace {

/// Both files, line by line; what is wrong with them is found before anything is loaded.
ParallelCorpus read_texts(const Evaluate& arguments, const DataConfig& data) {
  const auto read = [&](const std::string& path) {
    std::vector<std::string> lines = read_lines(path, text_options(data));
    for (std::string& line : lines) line = normalise(data, line);
    return lines;
  };
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = arguments.source;
  corpus.target_name = arguments.reference;
  corpus.source = read(arguments.source);
  corpus.target = read(arguments.reference);
  check(corpus.source.size() == corpus.target.size(), arguments.reference,
        "expected as many lines as {} has, {}; got {}. Hint: line n of one translates line n of the other",
        arguments.source, corpus.source.size(), corpus.target.size());
  check(!corpus.source.empty(), arguments.source,
        "expected at least one line; the file is empty. Hint: name a file with one sentence a line");
  return corpus;
}

}  // namespace

int run(const Evaluate& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  Config config = load_run_config(name.folder(), arguments.sets, arguments.beam);
  const DataConfig& data = config.data;
  const ParallelCorpus corpus = read_texts(arguments, data);
  std::optional<BleuTokenizer>& tokenizer = config.train.bleu_tokenize;
  if (!arguments.tokenize.empty()) tokenizer = bleu_tokenizer_of(arguments.tokenize);
  if (!tokenizer) tokenizer = usual_bleu_tokenizer(data.target, corpus.target);  // an imported run has not decided
  const LoadedRun run = load_run(name, config);
  print_note(name);
  apply_runtime(config.runtime);
  const EncodedCorpus encoded = encode(data, corpus, run.tokenizers);
  if (static_cast<std::size_t>(encoded.size()) < corpus.source.size())
    fmt::print(stderr, "note: the loss is that of {}\n", describe(encoded.report));

  const auto start = std::chrono::steady_clock::now();
  Translator translator(*run.model->transformer, run.tokenizers, data, config.decode);
  ProgressBar bar;
  CountProgress progress(bar, "sentence", std::ssize(corpus.source));
  translator.watch([&](Index sentences) { progress.add(sentences); });
  const std::vector<std::string> outputs = translator.translate(corpus.source, arguments.source);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Context<float> context;
  const double loss = corpus_loss(context, *run.model->transformer, encoded, data).per_token();
  bar.clear();
  const BleuOptions scoring = bleu_options(config);
  const BleuScore bleu = corpus_bleu(outputs, corpus.target, scoring);
  const double chrf = corpus_chrf(outputs, corpus.target), ter = corpus_ter(outputs, corpus.target);
  const double exact = exact_match(outputs, corpus.target);

  if (arguments.json) {
    JsonLine json;
    json.add("loss", loss).add("perplexity", perplexity(loss)).add("bleu", bleu.score).add("chrf", chrf);
    json.add("ter", ter).add("exact_match", exact).add("sentences", corpus.source.size()).add("seconds", seconds);
    json.add("signature", bleu_signature(scoring));
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("loss {:.4f} per target token, perplexity {:.3f}\n", loss, perplexity(loss));
  fmt::print("BLEU {:.2f} ({:.1f}/{:.1f}/{:.1f}/{:.1f}, BP {:.3f}, ratio {:.3f})  {}\n", bleu.score, bleu.precisions[0],
             bleu.precisions[1], bleu.precisions[2], bleu.precisions[3], bleu.brevity_penalty, bleu.ratio,
             bleu_signature(scoring));
  fmt::print("chrF2 {:.2f}  {}\n", chrf, chrf_signature(data.lowercase));
  fmt::print("TER {:.2f}  {}\n", ter, ter_signature());
  fmt::print("exact match {:.2f} % of {}, decoded in {:.2f} s\n", 100 * exact,
             counted(corpus.source.size(), "sentence"), seconds);
  return 0;
}

}  // namespace glossa::commands
