#include "report/report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/version.h"
#include "report/corpus_figures.h"
#include "tests/report/synthetic_run.h"
#include "tests/train/trainer_fixture.h"
#include "train/run.h"

using namespace glossa;
using glossa::testing::SyntheticRun;
using nlohmann::json;

namespace {

json document(const std::vector<RunHistory>& runs, bool following = false) {
  CorpusBook corpora;
  return json::parse(report_json(runs, {}, corpora, following));
}

json document_of(const SyntheticRun& run) { return document({read_history(run.path(), run.config)}); }

}  // namespace

TEST_CASE("the report contains the figures of a run") {
  const SyntheticRun run;
  const json report = document_of(run);
  CHECK(report["glossa"] == program_version);
  CHECK(report["following"] == false);
  const json& run_report = report["runs"].at(0);
  CHECK(run_report["training"]["update"] == json{10, 20, 30, 40});
  CHECK(run_report["training"]["loss"] == json{4.0, 3.0, nullptr, 2.0});
  CHECK(run_report["training"]["rows"] == 4);
  CHECK(run_report["validation"]["valid_perplexity"] == json{33.1, 12.2});
  CHECK(run_report["validation"]["at_end"] == json{nullptr, 1});
  CHECK(run_report["events"].size() == 6);
  CHECK(run_report["events"][4] == json{{"kind", "refused"},
                                        {"update", 28},
                                        {"seconds", 4.6},
                                        {"time", "2026-02-03 10:00:03"},
                                        {"text",
                                         "update 28 skipped: loss nan and gradient norm nan are not finite; first "
                                         "seen in relu of layer 0"}});
  CHECK(run_report["samples"][0]["outputs"] == json{"", "x y"});
  CHECK(run_report["parameters"] == 12345);
  CHECK(run_report["state"] == "finished");
  CHECK(run_report["attention"] == json::array());
  CHECK_FALSE(run_report.contains("best"));
  CHECK(report_page("{}").find(R"(<script type="application/json" id="glossa-report">{}</script>)") !=
        std::string::npos);
}

TEST_CASE("only the options that differ are marked") {
  const SyntheticRun one("one"), other("other");
  Config changed = other.config;
  changed.optim.schedule.lr = 0.5;
  changed.data.source = "fr";
  const json report = document({read_history(one.path(), one.config), read_history(other.path(), changed)}, true);
  CHECK(report["following"] == true);
  std::map<std::string, json> differing;
  for (const json& option : report["options"])
    if (option["differs"] == true) differing[option["key"]] = option["values"];
  CHECK(differing ==
        std::map<std::string, json>{{"data.source", json{"en", "fr"}}, {"optim.lr", json{"0.001", "0.5"}}});
  for (const json& option : report["options"])
    if (option["key"] == "optim.lr") CHECK(option["usual"] == "0.001");
  std::size_t options = 0;
  for (const OptionSection& section : option_sections()) options += section.options.size();
  CHECK(report["options"].size() == options);
}

TEST_CASE("the report names damaged files and a missing corpus") {
  const SyntheticRun run;
  run.write("metrics.jsonl", run.metrics + "rubbish\n");
  const json report = document_of(run);
  CHECK(report["runs"][0]["problems"].size() == 1);
  CHECK(report["corpora"].size() == 1);
  CHECK(report["corpora"][0].contains("missing"));
  CHECK_FALSE(report["corpora"][0].contains("pairs"));

  std::string many;
  for (int i = 0; i < 100; ++i) many += "rubbish\n";
  run.write("metrics.jsonl", many);
  const json run_report = document_of(run)["runs"][0]["problems"];
  CHECK(run_report.size() == 21);
  CHECK(run_report.back() == "and 80 more");
}

TEST_CASE("the report of a long run stays small") {
  const SyntheticRun run;
  std::string lines;
  for (int i = 1; i <= 100000; ++i)
    lines += fmt::format("{{\"update\":{},\"loss\":{},\"lr\":{},\"grad_norm\":1}}\n", i, 1000.0 / i, i % 97);
  run.write("metrics.jsonl", lines);
  const json training = document_of(run)["runs"][0]["training"];
  CHECK(training["rows"] == 100000);
  CHECK(training["update"].size() <= 2002);
  CHECK(training["update"].size() >= 400);
  CHECK(training["update"].back() == 100000);
  CHECK_FALSE(training.contains("tokens_per_s"));  // not in the metrics
}

TEST_CASE("a corpus is counted: lengths, tokens by frequency, useful tokens; a changed one is marked") {
  glossa::testing::TrainerFixture fixture;
  fixture.config.train.max_updates = glossa::testing::updates(2);
  fixture.train(fixture.config, "run");
  fixture.train(fixture.config, "again");
  const auto history = [&](const char* run) { return read_history(fixture / run, fixture.config); };
  const json report = document({history("run"), history("again")});
  REQUIRE(report["corpora"].size() == 1);  // one for both
  CHECK(report["runs"][1]["corpus"] == 0);
  const json& corpus = report["corpora"][0];
  CHECK(corpus["pairs"] == 60);
  CHECK_FALSE(corpus.contains("changed"));
  const json& source = corpus["source"];
  CHECK(source["language"] == "en");
  // A source of its corpus has 1 to 4 words and `end`; one also has `once`.
  CHECK(source["longest"] == 6);
  CHECK(corpus["bin"] == 1);
  CHECK(source["counts"] == json{0, 15, 15, 15, 14, 1});
  CHECK(source["tokens"] == 15 * (1 + 2 + 3 + 4) + 60 + 1);
  CHECK(source["mean_length"].get<double>() == doctest::Approx(211 / 60.0));
  CHECK(source["token"][0] == "end");
  CHECK(source["count"][0] == 60);
  CHECK(source["once"] == 1);
  CHECK(source["seen"] == 15);  // 13 words, end, once
  CHECK(source["rank"].back() == 15);
  CHECK(source["token"].back() == "once");
  CHECK(corpus["useful_packed"] == 1.0);
  CHECK(corpus["useful_padded"].get<double>() > 0.5);
  CHECK(corpus["useful_padded"].get<double>() < 1);
  CHECK(corpus["layout"] == "packed");

  EncodedCorpus longer;
  longer.source = {std::vector<int>(9, 4), std::vector<int>(10, 4)};
  longer.target = {std::vector<int>(150, 4), std::vector<int>(19, 4)};
  const Tokenizers tokenizers = load_run(RunName(fixture / "run"), fixture.config).tokenizers;
  const json figures = json::parse(corpus_figures(fixture.config, tokenizers, longer));
  CHECK(figures["bin"] == 3);  // of both sides: their curves share an axis
  CHECK(figures["source"]["counts"].size() == (figures["source"]["longest"].get<std::size_t>() + 2) / 3);
  CHECK(figures["target"]["counts"].back() == 1);

  std::string text = glossa::testing::read_bytes(fixture / "corpus.en");
  glossa::testing::write_bytes(fixture / "corpus.en", text.replace(text.find("w0"), 2, "w1"));
  CHECK(document({history("run")})["corpora"][0]["changed"] == true);
  glossa::testing::write_bytes(fixture / "corpus.en", "");
  CHECK(document({history("run")})["corpora"][0].contains("missing"));
}
