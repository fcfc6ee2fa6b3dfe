// Training: its log, refused updates, memory, and starts from other runs.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <regex>

#include "tests/integration/tiny_run.h"
#include "tests/support/changed_checkpoint.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Three pairs that share no word; with `one_sentence_batches` an epoch has three batches.
std::string three_pairs(const TinyRun& tiny) {
  return tiny.write_corpus("red house\ngreen tree\nblue sky\n", "laal ghar\nhara ped\nneela aasmaan\n");
}
const Strings one_sentence_batches{"data.batch_rule=sentences", "data.max_tokens=1", "train.log_every=1u"};

Strings joined(Strings list, const Strings& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

/// Fills the embedding of one source word in a run's last checkpoint with `value`.
void poison(const fs::path& run, float value) {
  constexpr std::size_t word = 6, width = 16;
  bool found = false;
  const auto change = [&](const glossa::CheckpointEntry& entry, std::vector<std::byte>& bytes) {
    if (entry.name != "src_tok_emb.embedding.weight") return;
    found = true;
    for (std::size_t i = 0; i < width; ++i)
      std::memcpy(bytes.data() + (word * width + i) * sizeof value, &value, sizeof value);
  };
  change_checkpoint(fs::canonical(run / "checkpoints/last"), change);
  REQUIRE(found);
}

/// The first match of a pattern's group in a text; empty if not found.
std::string found(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

}  // namespace

TEST_CASE("training and validation lines count epochs alike: the last update of epoch 1 is in epoch 1") {
  const TinyRun tiny;
  const std::string corpus = three_pairs(tiny);
  const Strings sets = joined(
      one_sentence_batches, {"data.train=" + corpus, "data.valid=" + corpus, "train.allow=[few-pairs, valid-is-train]",
                             "train.max_updates=7", "train.validate_every=1e"});
  REQUIRE_EQ(tiny.train("run", sets).status, 0);
  Strings lines;
  for (const std::string& line : tiny.metrics("run")) {
    auto object = json_object(line);
    lines.push_back((object.contains("valid_loss") ? "valid " : "") + object["update"] + " " + object["epoch"]);
  }
  CHECK_EQ(lines, Strings{"1 1", "2 1", "3 1", "valid 3 1", "4 2", "5 2", "6 2", "valid 6 2", "7 3", "valid 7 3"});
}

TEST_CASE("terminal and log show briefly what is trained and until when; the options are in config.yaml") {
  const TinyRun tiny;
  const Outcome outcome = tiny.train("run", {"train.max_epochs=2"});
  REQUIRE_EQ(outcome.status, 0);
  const std::string log = read_bytes(tiny / "run/train.log");
  for (const char* part : {"1 thread of ", "toy/train: ", " parameters; ", " batches per epoch, packed; ",
                           "trains until 20 updates or 2 epochs"}) {
    CAPTURE(part);
    CHECK_NE(outcome.err.find(part), std::string::npos);
    CHECK_NE(log.find(part), std::string::npos);
  }
  CHECK_NE(read_bytes(tiny / "run/config.yaml").find("max_line_bytes"), std::string::npos);
  for (const std::string& shown : {outcome.err, log}) {
    CHECK_EQ(shown.find("max_line_bytes"), std::string::npos);
    CHECK_LE(lines_of(shown).size(), 23);
  }
  CHECK_EQ(outcome.err.find("skipped"), std::string::npos);
}

TEST_CASE("the log names the regularization that is on") {
  const TinyRun tiny;
  CHECK_EQ(succeeded(tiny.train("plain", {"train.max_updates=1"})).err.find("trains with"), std::string::npos);
  const Outcome outcome = tiny.train("run", {"train.max_updates=1", "train.r_drop=5", "train.word_dropout=0.1"});
  REQUIRE_EQ(outcome.status, 0);
  CHECK_NE(outcome.err.find("trains with R-Drop (train.r_drop 5), word dropout (train.word_dropout 0.1)\n"),
           std::string::npos);
}

TEST_CASE("options left at auto fit the given ones, even when checked before the text is read") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"model.width=18", "model.heads=auto", "train.max_updates=1"}));
  CHECK_NE(read_bytes(tiny / "run/config.yaml").find("  heads: 3"), std::string::npos);
}

TEST_CASE("a run that ended for lack of improvement resumes with more patience") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=12", "train.validate_every=2u",
                     "optim.lr=1e-30"};  // too little to change a bit of the loss
  Strings impatient = sets;
  impatient.push_back("train.patience=1");
  CHECK_NE(succeeded(tiny.train("run", impatient)).err.find("(train.patience)"), std::string::npos);
  Strings patient = sets;
  patient.push_back("train.patience=100");
  CHECK_NE(succeeded(tiny.resume("run", patient)).err.find("train.max_updates 12u reached"), std::string::npos);
}

TEST_CASE("the memory that training needs is reported in advance, and right") {
  const TinyRun tiny;
  // Large enough for the step to matter beside the program.
  const Outcome outcome =
      succeeded(tiny.train("run", {"model.width=128", "model.feed_forward=512", "data.max_tokens=4096",
                                   "train.max_updates=5", "train.save_every=0"}));
  const auto mib = [&](const std::string& pattern) {
    const std::string number = found(outcome.err, pattern);
    REQUIRE_MESSAGE(!number.empty(), pattern);
    return std::stod(number);
  };
  const double count = mib("model: ([0-9]+) parameters"), parameters = mib("memory in MiB: parameters ([0-9.]+),");
  CHECK_EQ(parameters, doctest::Approx(count * sizeof(float) / (1 << 20)).epsilon(0.1));
  CHECK_EQ(mib("gradients ([0-9.]+), "), parameters);
  CHECK_EQ(mib("optimizer ([0-9.]+),"), doctest::Approx(2 * parameters).epsilon(0.1));  // Adam's moments
  const double step = mib("largest batch \\([0-9]+ tokens\\) ([0-9.]+);"),
               in_all = mib("before any validation, ([0-9]+)");
  CHECK_GT(step, 4 * parameters);
  CHECK_GT(in_all, 4 * parameters + step);
  if (!program_is_sanitized())  // it keeps freed memory for a while
    CHECK_EQ(mib("peak memory ([0-9]+) MiB"), doctest::Approx(in_all).epsilon(0.05));
}

TEST_CASE("a run limited to one core prints a warning") {
  const TinyRun tiny;
  Strings arguments = tiny.train_arguments("run");
  arguments.insert(arguments.begin(), {"/usr/bin/taskset", "-c", std::to_string(sched_getcpu()), tested_program()});
  const Outcome outcome = succeeded(run_program({.arguments = arguments, .input = {}, .folder = {}}));
  const bool is_reported = outcome.err.find("warning: only 1 of the machine's ") != std::string::npos;
  CHECK_EQ(is_reported, sysconf(_SC_NPROCESSORS_ONLN) > 1);
}

TEST_CASE("an update that is not finite is skipped and counted, and its batch and op are named") {
  const TinyRun tiny;
  const Strings sets = joined(one_sentence_batches, {"data.train=" + three_pairs(tiny), "data.valid="});
  REQUIRE_EQ(tiny.train("base", sets).status, 0);
  poison(tiny / "base", 2e38F);  // finite, but not once it is scaled
  const Strings warm = joined(sets, {"train.warm_start=" + (tiny / "base").string()});
  const std::string where = "skipped: [^\n]*first seen in embed_tokens [^\n]*, batch ([123]) of epoch 1\n";

  const Outcome each = tiny.train("each", joined(warm, {"train.max_updates=3"}));
  REQUIRE_MESSAGE(each.status == 0, each.err);
  const std::string batch = found(each.err, where);
  CHECK_EQ(found(each.err, "update ([0-9]+) skipped"), batch);  // one batch per update
  CHECK_NE(each.err.find("3 updates (1 of them skipped: not finite), "), std::string::npos);

  const Outcome together = tiny.train("together", joined(warm, {"train.max_updates=1", "train.accumulate=3"}));
  REQUIRE_MESSAGE(together.status == 0, together.err);
  CHECK_EQ(found(together.err, where), batch);
}

TEST_CASE("a save due at a refused update follows the next good one") {
  const TinyRun tiny;
  const Strings sets = joined(one_sentence_batches, {"data.train=" + three_pairs(tiny), "data.valid="});
  REQUIRE_EQ(tiny.train("base", sets).status, 0);
  poison(tiny / "base", 2e38F);
  const Strings warm =
      joined(sets, {"train.warm_start=" + (tiny / "base").string(), "train.max_updates=9", "train.save_every=0"});
  const Outcome first = succeeded(tiny.train("first", warm));
  const std::string after = first.err.substr(first.err.find("skipped") + 1);  // of the second epoch: 4, 5 or 6
  const int refused = std::stoi(found(after, "update ([0-9]+) skipped"));
  const bool next_too = first.err.find(fmt::format("update {} skipped", refused + 1)) != std::string::npos;
  succeeded(tiny.train("run", joined(warm, {fmt::format("train.save_every={}u", refused)})));
  CHECK(fs::exists(tiny / fmt::format("run/checkpoints/update-{:08}.ckpt", refused + (next_too ? 2 : 1))));
  CHECK_FALSE(fs::exists(tiny / fmt::format("run/checkpoints/update-{:08}.ckpt", refused)));
}

TEST_CASE("a state that is not finite is never saved, and the error that ends the run is in its log") {
  const TinyRun tiny;
  const Strings sets = joined(one_sentence_batches, {"data.train=" + three_pairs(tiny), "data.valid="});
  REQUIRE_EQ(tiny.train("base", sets).status, 0);
  poison(tiny / "base", std::numeric_limits<float>::quiet_NaN());
  const Outcome outcome =
      tiny.train("run", joined(sets, {"train.warm_start=" + (tiny / "base").string(), "train.max_updates=7"}));
  check_error(outcome, 1, {"[update 5] expected finite parameters and moments to save"});  // train.save_every: 5u
  CHECK(names_in(tiny / "run/checkpoints").empty());
  const Strings log = lines_of(read_bytes(tiny / "run/train.log"));
  CHECK_NE(log.back().find("] error: [update 5] expected finite parameters"), std::string::npos);
}

TEST_CASE("warm start on other data takes the weights and the vocabulary of the other run, and counts afresh") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("base").status, 0);
  const std::string corpus = tiny.write_corpus("the boy eats\na new word\n", "ladka khaata hai\nek naya shabd\n");
  const Strings sets{"data.train=" + corpus, "train.warm_start=" + (tiny / "base").string(), "train.max_updates=1"};
  const Outcome outcome = tiny.train("warm", sets);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  CHECK_NE(outcome.err.find("warm start: weights of"), std::string::npos);
  CHECK_EQ(tiny.last_update("warm"), 1);
  for (const char* side : {"source.vocabulary.txt", "target.vocabulary.txt"})
    CHECK_EQ(read_bytes(tiny / "warm" / side), read_bytes(tiny / "base" / side));
  CHECK_EQ(glossa_program({"translate", tiny / "warm"}, "the boy eats\n").status, 0);
}

TEST_CASE("warm start with another kind of vocabulary is refused and names the option") {
  const TinyRun tiny;
  succeeded(tiny.train("base", {"data.shared_vocabulary=true"}));
  const std::string from = "train.warm_start=" + (tiny / "base").string();
  for (const char* kind : {"characters", "sentencepiece"})
    check_refused(tiny.train("run", {from, "data.shared_vocabulary=true", "data.tokenizer=" + std::string(kind)}), 2,
                  {"[data.tokenizer]", "expected words", "got " + std::string(kind)});
  check_refused(tiny.train("run", {from}), 2, {"[data.shared_vocabulary]", "expected true"});
  CHECK_FALSE(fs::exists(tiny / "run"));
}

TEST_CASE("the hash of the state does not depend on when the log was written") {
  const TinyRun tiny;
  succeeded(tiny.train("often", {"train.log_every=1u"}));
  succeeded(tiny.train("seldom", {"train.log_every=7u"}));
  CHECK_EQ(tiny.hashes("often"), tiny.hashes("seldom"));
}

TEST_CASE("a table of pairs may have any columns, and is found as .gz") {
  const TinyRun tiny;
  std::string table;
  for (int i = 0; i < 30; ++i) table += "1\tnamaste vishva\tx\thello world\n";
  write_bytes(tiny / "pairs.tsv", table);
  const Strings sets{"data.train=" + (tiny / "pairs.tsv").string(), "data.source_column=3", "data.target_column=1"};
  REQUIRE_EQ(tiny.train("plain", sets).status, 0);
  CHECK_NE(read_bytes(tiny / "plain/source.vocabulary.txt").find("hello"), std::string::npos);
  CHECK_NE(read_bytes(tiny / "plain/target.vocabulary.txt").find("vishva"), std::string::npos);
  REQUIRE_EQ(run_program({.arguments = {"/bin/gzip", "pairs.tsv"}, .input = {}, .folder = tiny.path()}).status, 0);
  REQUIRE_EQ(tiny.train("zipped", sets).status, 0);
  CHECK_EQ(tiny.hashes("zipped"), tiny.hashes("plain"));
}
