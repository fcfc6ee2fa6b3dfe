// Translation and evaluation follow the run and its options of decoding. Compares `glossa` with a search by hand whose
// numbers are written out again.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "decoding/decoding.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/ter.h"
#include "tests/integration/by_hand.h"
#include "train/checkpoint/checkpoint.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// A briefly trained run, with its texts and network built by hand. Sources are lower-cased, with <s> and without </s>.
struct LearnedRun {
  inline static const EncodeOptions encoding{.source_bos = true, .source_eos = false, .max_length = 256};

  TinyRun tiny;
  Texts texts;
  std::unique_ptr<Network> network;

  explicit LearnedRun(const Strings& more = {}) {
    Strings sets{"data.lowercase=true", "data.source_bos=true",  "data.source_eos=false", "model.dropout=0",
                 "optim.lr=0.01",       "train.max_updates=150", "train.save_every=0"};
    sets.insert(sets.end(), more.begin(), more.end());
    succeeded(tiny.train("run", sets));
    texts.corpus = toy(tiny, "train", {.lowercase = true});
    texts.source = train_word_tokenizer(texts.corpus.source, {.max_size = 8000});
    texts.target = train_word_tokenizer(texts.corpus.target, {.max_size = 8000});
    network = std::make_unique<Network>(
        TransformerOptions{.source_vocabulary = texts.source->vocabulary_size(),
                           .target_vocabulary = texts.target->vocabulary_size(),
                           .stack = {.width = 16, .heads = 2, .feed_forward = 32, .norm = NormPlace::pre},
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .tied = Tied::output,
                           .output_bias = false},
        1);
    network->read(CheckpointReader(tiny / "run/checkpoints/last"));
  }

  /// The expected output of `glossa translate`.
  Strings translated(const Strings& lines, const DecodeOptions& options) const {
    std::vector<std::vector<int>> sources;
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<int> ids = texts.source->encode(utf8::lower_case(lines[i]));
      if (ids.empty()) continue;
      ids.insert(ids.begin(), 2);  // <s>
      sources.push_back(std::move(ids));
      numbers.push_back(static_cast<std::int64_t>(i) + 1);
    }
    const std::vector<Hypothesis> found =
        Searcher<float>().decode(network->transformer, sources, SpecialIds{}, options, numbers);
    Strings result(lines.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      result[static_cast<std::size_t>(numbers[i]) - 1] = texts.target->decode(found[i].tokens);
    return result;
  }

  /// The lines of one of the toy corpus's files, capitalized.
  Strings lines(const std::string& file) const {
    Strings all = lines_of(read_bytes(tiny / "toy" / file));
    for (std::string& line : all)
      if (line[0] >= 'a' && line[0] <= 'z') line[0] = static_cast<char>(line[0] - 'a' + 'A');
    return all;
  }
};

std::string text_of(const Strings& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

TEST_CASE("by hand: translation follows each option of decoding and reads sources as the run does") {
  const LearnedRun run;
  Strings lines = run.lines("test.en");
  lines.insert(lines.begin() + 3, "");
  struct Case {
    Strings sets;
    DecodeOptions options, without;  // without the tested option: must translate differently
  };
  const Case cases[] = {
      {{}, {}, {.beam = 4}},
      {{"decode.beam=4"}, {.beam = 4}, {}},
      {{"decode.beam=4", "decode.alpha=4", "decode.max_tokens=50"}, {.beam = 4, .alpha = 4}, {.beam = 4}},
      {{"decode.beam=4", "decode.length_penalty=none"},
       {.beam = 4, .length_penalty = LengthPenalty::none},
       {.beam = 4}},
      {{"decode.beam=4", "decode.length_penalty=gnmt", "decode.alpha=6"},
       {.beam = 4, .length_penalty = LengthPenalty::gnmt, .alpha = 6},
       {.beam = 4, .length_penalty = LengthPenalty::gnmt}},
      {{"decode.max_length_factor=0.5"}, {.max_length_factor = 0.5, .max_length_extra = 10}, {}},
      {{"decode.max_length_factor=0.5", "decode.max_length_extra=1"},
       {.max_length_factor = 0.5, .max_length_extra = 1},
       {.max_length_factor = 0.5}},
      {{"decode.sample=true"}, {.sample = true}, {}},
      {{"decode.sample=true", "decode.temperature=0.5"}, {.sample = true, .temperature = 0.5}, {.sample = true}},
      {{"decode.sample=true", "decode.top_k=3"}, {.sample = true, .top_k = 3}, {.sample = true}},
      {{"decode.sample=true", "decode.top_p=0.6"}, {.sample = true, .top_p = 0.6}, {.sample = true}},
      {{"decode.sample=true", "decode.seed=5"}, {.sample = true, .seed = 5}, {.sample = true}},
  };
  for (const Case& c : cases) {
    INFO(fmt::format("{}", fmt::join(c.sets, " ")));
    Strings arguments{"translate", run.tiny / "run"};
    for (const std::string& set : c.sets) arguments.insert(arguments.end(), {"--set", set});
    const Strings wanted = run.translated(lines, c.options);
    CHECK_NE(wanted, run.translated(lines, c.without));
    CHECK_EQ(succeeded(glossa_program(arguments, text_of(lines))).out, text_of(wanted));
  }
}

TEST_CASE("by hand: translate and evaluate read texts as the run does") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.invalid_utf8=replace", "data.max_line_bytes=80", "train.max_updates=1"}));
  const std::string text = "the boy \xff eats\n", too_long = std::string(81, 'x') + '\n';
  write_bytes(tiny / "text", text);
  write_bytes(tiny / "long", too_long);
  const Strings translate{"translate", tiny / "run", "--on-bad-line", "stop"};
  CHECK_EQ(lines_of(succeeded(glossa_program(translate, text)).out).size(), 1);
  check_refused(glossa_program(translate, too_long), 1, {"[standard input:1]", "80 bytes"});
  Strings other_case = translate;
  other_case.insert(other_case.end(), {"--set", "data.lowercase=true"});
  check_refused(glossa_program(other_case), 2, {"[--set data.lowercase=true]", "got one that a trained run keeps"});
  const auto evaluate = [&](const char* file) {
    return glossa_program(
        {"evaluate", tiny / "run", "--source", tiny / file, "--reference", tiny / file, "--on-bad-line", "stop"});
  };
  succeeded(evaluate("text"));
  check_refused(evaluate("long"), 1, {"long:1]", "80 bytes"});
}

TEST_CASE("by hand: evaluate prints the right scores") {
  const LearnedRun run;
  Strings sources = run.lines("test.en");
  sources[1] += " and all of the rest";  // its word count differs from the reference's
  const Strings outputs = run.translated(sources, {.beam = 3});
  Strings references = run.lines("test.hi");
  references[0] = outputs[0];
  write_bytes(run.tiny / "sources", text_of(sources));
  write_bytes(run.tiny / "references", text_of(references));
  auto scores = json_object(succeeded(glossa_program({"evaluate", run.tiny / "run", "--source", run.tiny / "sources",
                                                      "--reference", run.tiny / "references", "--beam", "3", "--json"}))
                                .out);
  ParallelCorpus corpus;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    corpus.source.push_back(utf8::lower_case(sources[i]));
    corpus.target.push_back(utf8::lower_case(references[i]));
  }
  double equal = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) equal += outputs[i] == corpus.target[i];
  const auto number = [&](const char* key) { return std::stod(scores.at(key)); };
  const double loss =
      mean_loss(*run.network, encode_corpus(corpus, *run.texts.source, *run.texts.target, LearnedRun::encoding), 512);
  CHECK_EQ(number("loss"), loss);
  CHECK_EQ(number("perplexity"), std::exp(loss));
  CHECK_EQ(number("bleu"), corpus_bleu(outputs, corpus.target).score);
  CHECK_EQ(number("chrf"), corpus_chrf(outputs, corpus.target));
  CHECK_EQ(number("ter"), corpus_ter(outputs, corpus.target));
  CHECK_EQ(number("exact_match"), equal / static_cast<double>(outputs.size()));
  CHECK_GT(number("bleu"), 0);
  CHECK_GT(equal, 0);
}

TEST_CASE("by hand: the scores and samples of a validation follow the options of decoding") {
  const LearnedRun run(
      {"train.validate_every=50u", "train.metric=bleu", "train.samples=3", "decode.beam=4", "decode.alpha=4"});
  const Strings lines = run.tiny.metrics("run");
  auto scores = json_object(lines.back());
  const ParallelCorpus valid = toy(run.tiny, "valid", {.lowercase = true});
  const Strings outputs = run.translated(valid.source, {.beam = 4, .alpha = 4});
  CHECK_NE(outputs, run.translated(valid.source, {.beam = 4}));
  double equal = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) equal += outputs[i] == valid.target[i];
  const double loss =
      mean_loss(*run.network, encode_corpus(valid, *run.texts.source, *run.texts.target, LearnedRun::encoding), 512);
  const auto number = [&](const char* key) { return std::stod(scores.at(key)); };
  CHECK_EQ(scores.at("update"), "150");
  CHECK_EQ(number("valid_loss"), loss);
  CHECK_EQ(number("valid_perplexity"), std::exp(loss));
  CHECK_EQ(number("valid_bleu"), corpus_bleu(outputs, valid.target).score);
  CHECK_EQ(number("valid_chrf"), corpus_chrf(outputs, valid.target));
  CHECK_EQ(number("valid_exact_match"), equal / static_cast<double>(outputs.size()));
  double best = 0;
  for (const std::string& line : lines)
    if (auto object = json_object(line); object.contains("valid_bleu"))
      best = std::max(best, std::stod(object.at("valid_bleu")));
  CHECK_GT(best, 0);
  CHECK_EQ(read_training_state(CheckpointReader(run.tiny / "run/checkpoints/last")).best, best);
  std::string samples;
  for (const std::size_t i : {std::size_t{0}, outputs.size() / 3, outputs.size() * 2 / 3})
    samples +=
        fmt::format("source     {}\nreference  {}\noutput     {}\n\n", valid.source[i], valid.target[i], outputs[i]);
  CHECK_EQ(read_bytes(run.tiny / "run/samples/update-00000150.txt"), samples);
}
