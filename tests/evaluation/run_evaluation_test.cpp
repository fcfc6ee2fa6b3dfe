#include "evaluation/run_evaluation.h"

#include <numeric>

#include "decoding/scores/chrf.h"
#include "decoding/scores/ter.h"
#include "evaluation/run_scoring.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

/// A run, and a text that it translates.
struct Trained {
  Trained() {
    fixture.config.train.max_updates = updates(3);
    fixture.config.decode.max_length_factor = 0;
    fixture.train(fixture.config, "run");
    run = load_run(RunName(fixture / "run"), load_run_config(fixture / "run"));
  }

  /// Evaluates without notes and warnings.
  RunEvaluation evaluated(const Lines& source, const std::vector<Lines>& references,
                          const EvaluationOptions& options = {}) const {
    const Quiet quiet;
    return evaluate(run, source, std::vector<std::span<const std::string>>(references.begin(), references.end()),
                    options);
  }

  TrainerFixture fixture;
  LoadedRun run;
};

const Lines source{"w3 w7 end", "w1 end", "w4 w11 w5 end"}, target{"v2 v3 ende .", "ende .", "v4 v5 v6 ende ."};

}  // namespace

TEST_CASE("a program evaluates lines as it would translate and score them one after another") {
  const Trained trained;
  const LoadedRun& run = trained.run;
  const Lines other{"ende .", "v1 ende .", "v4 ende ."};
  const RunEvaluation found = trained.evaluated(source, {target, other});
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  CHECK_EQ(found.translations, translator.translate(source, "source"));
  const std::span<const std::string> both[] = {target, other};
  CHECK_EQ(found.bleu.score, corpus_bleu(found.translations, both).score);
  CHECK_EQ(found.chrf, corpus_chrf(found.translations, both));
  CHECK_EQ(found.ter, corpus_ter(found.translations, both));
  CHECK_EQ(found.exact_match, exact_match(found.translations, both));
  CHECK_EQ(found.bleu_signature, bleu_signature(bleu_options(run.config), 2));
  CHECK_EQ(found.chrf_signature, chrf_signature(false, 2));
  CHECK_EQ(found.ter_signature, ter_signature(2));
  CHECK_EQ(found.untranslated + found.in_pieces, 0);

  double log_probability = 0;
  std::size_t tokens = 0;
  for (const auto& scored :
       score(run, {.source = {source.begin(), source.end()}, .target = {target.begin(), target.end()}})) {
    REQUIRE(scored);
    log_probability += scored->log_probability;
    tokens += scored->tokens.size();
  }
  CHECK_EQ(found.loss, doctest::Approx(-log_probability / static_cast<double>(tokens)));
}

TEST_CASE("an evaluation's options choose BLEU's tokenizer and watch the progress") {
  const Trained trained;
  std::vector<Index> watched;
  const EvaluationOptions options{.bleu_tokenize = BleuTokenizer::characters, .watch = [&](Index sentences, Index all) {
                                    CHECK_EQ(all, 3);
                                    watched.push_back(sentences);
                                  }};
  const RunEvaluation found = trained.evaluated(source, {target}, options);
  CHECK_NE(found.bleu_signature.find("tok:char"), std::string::npos);
  CHECK_EQ(found.bleu.score, corpus_bleu(found.translations, target, {.tokenizer = BleuTokenizer::characters}).score);
  REQUIRE_FALSE(watched.empty());
  CHECK_EQ(watched.front(), 0);
  CHECK_EQ(std::accumulate(watched.begin(), watched.end(), Index{0}), 3);
}

TEST_CASE("an unusable source is an error, or is left out by a handler") {
  const Trained trained;
  const Lines faulty{source[0], "w1 \xff", source[2]};
  const auto error = [&](const Lines& sources, const std::vector<Lines>& references) {
    return error_of<Error>([&] { trained.evaluated(sources, references); });
  };
  CHECK(error(faulty, {target}).starts_with("[source:2"));
  CHECK(error(source, {target, faulty}).starts_with("[reference:2"));
  CHECK(error(source, {{"a"}}).starts_with("[reference] expected as many"));
  CHECK(error(source, {}).starts_with("[reference] expected at least one"));
  CHECK(error({}, {{}}).starts_with("[source] expected at least one line"));

  Lines errors;
  const RunEvaluation found =
      trained.evaluated(faulty, {target}, {.bad_line = [&](const LineError& e) { errors.emplace_back(e.what()); }});
  REQUIRE_EQ(errors.size(), 1);
  CHECK(errors.front().starts_with("[source:2"));
  CHECK_EQ(found.untranslated, 1);
  CHECK_EQ(found.translations[1], "");
}

TEST_CASE("a program scores given translations; pairs that cannot be scored are errors, or left out by a handler") {
  const Trained trained;
  LinePairs lines{.source = {source.begin(), source.end()}, .target = {target.begin(), target.end()}};
  const auto whole = score(trained.run, lines);
  lines.target[0] = std::nullopt;
  lines.source[1] = "";
  CHECK(error_of<Error>([&] { score(trained.run, lines); }).starts_with("[source:2] expected text to translate"));
  Lines errors;
  const auto scores = score(trained.run, lines, [&](const LineError& e) { errors.emplace_back(e.what()); });
  CHECK_EQ(errors.size(), 1);
  REQUIRE_EQ(scores.size(), 3);
  CHECK_FALSE(scores[0]);
  CHECK_FALSE(scores[1]);
  REQUIRE(scores[2]);
  CHECK_EQ(scores[2]->log_probability, doctest::Approx(whole[2]->log_probability));
  lines.target.pop_back();
  CHECK(
      error_of<Error>([&] { score(trained.run, lines); }).starts_with("[target] expected as many lines as in source"));
}
