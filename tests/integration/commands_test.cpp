// The commands: arguments, output, files and JSON.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "base/version.h"
#include "data/corpora/corpus_places.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/ter.h"
#include "tests/integration/tiny_run.h"
#include "train/checkpoint/checkpoint_file.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using Names = std::set<std::string>;

Names keys(const std::string& json) {
  Names names;
  for (const auto& [key, value] : json_object(json)) names.insert(key);
  return names;
}

}  // namespace

TEST_CASE("translate: writes one line for each line of standard input or of a file, in order") {
  const TinyRun tiny;
  // Long enough for varied output.
  succeeded(tiny.train("run", {"train.max_updates=300", "model.width=32", "optim.lr=5e-3", "model.dropout=0"}));
  // Sentences of different lengths are batched in another order than the input's; 1,100 need two rounds.
  std::string text;
  const Strings english = lines_of(read_bytes(tiny / "toy/train.en"));
  for (std::size_t i = 0; i < 1100; ++i) text += i % 7 == 3 ? "\n" : english[i % english.size()] + "\n";
  write_bytes(tiny / "text.en", text);

  for (const Strings& search : {Strings{}, Strings{"--beam", "4"}}) {
    Strings from_stdin{"translate", tiny / "run"};
    from_stdin.insert(from_stdin.end(), search.begin(), search.end());
    Strings from_file = from_stdin;
    from_file.insert(from_file.end(), {"--input", tiny / "text.en"});
    const Outcome streamed = succeeded(glossa_program(from_stdin, text));
    CHECK_EQ(succeeded(glossa_program(from_file)).out, streamed.out);
    CHECK_EQ(streamed.err, "");
    const Strings lines = lines_of(streamed.out);
    REQUIRE_EQ(lines.size(), 1100);
    for (std::size_t i = 3; i < lines.size(); i += 7) CHECK_EQ(lines[i], "");
    for (const std::size_t i : {0, 5, 700, 1099})
      CHECK_EQ(succeeded(glossa_program(from_stdin, english[i % english.size()] + "\n")).out, lines[i] + "\n");
    CHECK_GT(Names(lines.begin(), lines.end()).size(), 100);  // equal lines would not show their order
  }
  // A bad line is reported by its number in the whole text.
  check_error(glossa_program({"translate", tiny / "run", "--on-bad-line", "stop"}, text + "\xFF\n"), 1,
              {"[standard input:1101:1]"});
  CHECK_EQ(succeeded(glossa_program({"translate", tiny / "run"})).out, "");
  CHECK_EQ(succeeded(glossa_program({"translate", tiny / "run"}, "\n")).out, "\n");
  CHECK_EQ(lines_of(succeeded(glossa_program({"translate", tiny / "run"}, "hello world")).out).size(), 1);
}

TEST_CASE("translate answers a program that waits for each answer before it sends the next line") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const Outcome asked = run_program(
      {.arguments =
           {"/bin/bash", "-c",
            "coproc { \"$0\" translate run; }\n"
            "for i in 1 2; do echo hello world >&${COPROC[1]}; read -r -t 60 answer <&${COPROC[0]} || exit 3; done",
            tested_program()},
       .input = {},
       .folder = tiny.path()});
  CHECK_MESSAGE(asked.status == 0, asked.err);
}

TEST_CASE("evaluate --json prints every score") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const Strings arguments{"evaluate",           tiny / "run",  "--source",
                          tiny / "toy/test.en", "--reference", tiny / "toy/test.hi"};
  Strings json = arguments, beam = arguments;
  json.push_back("--json");
  beam.insert(beam.end(), {"--beam", "4"});
  const Outcome scores = succeeded(glossa_program(json));
  CHECK_EQ(keys(scores.out),
           Names{"loss", "perplexity", "bleu", "chrf", "ter", "exact_match", "sentences", "untranslated", "in_pieces",
                 "seconds", "signature", "test", "held_out", "checkpoints", "update", "precision"});
  auto object = json_object(scores.out);
  CHECK_EQ(std::stoul(object["sentences"]), lines_of(read_bytes(tiny / "toy/test.en")).size());
  CHECK_EQ(std::stod(object["perplexity"]), doctest::Approx(std::exp(std::stod(object["loss"]))));
  CHECK_NE(succeeded(glossa_program(beam)).out.find("BLEU"), std::string::npos);
}

TEST_CASE("evaluate scores the output of translate, and notes lines without a loss") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  Strings sources = lines_of(read_bytes(tiny / "toy/test.en"));
  sources.resize(9);
  sources.push_back("");
  write_bytes(tiny / "text.en", fmt::format("{}\n", fmt::join(sources, "\n")));
  const Strings outputs =
      lines_of(succeeded(glossa_program({"translate", tiny / "run", "--input", tiny / "text.en"})).out);
  Strings references = outputs;
  for (std::size_t i = 0; i < references.size(); i += 2) references[i] += " aur kuch";  // five right, all too short
  write_bytes(tiny / "text.hi", fmt::format("{}\n", fmt::join(references, "\n")));
  const Strings arguments{"evaluate", tiny / "run", "--source", tiny / "text.en", "--reference", tiny / "text.hi"};
  Strings json = arguments;
  json.push_back("--json");
  const Outcome scores = succeeded(glossa_program(json));
  auto object = json_object(scores.out);
  CHECK_EQ(std::stod(object["bleu"]), doctest::Approx(glossa::corpus_bleu(outputs, references).score));
  CHECK_EQ(std::stod(object["chrf"]), doctest::Approx(glossa::corpus_chrf(outputs, references)));
  CHECK_EQ(std::stod(object["ter"]), doctest::Approx(glossa::corpus_ter(outputs, references)));
  CHECK_EQ(object["exact_match"], "0.5");
  CHECK_EQ(object["sentences"], "10");
  CHECK(scores.err.starts_with("note: the loss covers 9 pairs, "));
  CHECK_NE(scores.err.find("left out: empty 1 (1 pair without a token on a side)"), std::string::npos);
  const std::string text = succeeded(glossa_program(arguments)).out;
  CHECK(text.starts_with(fmt::format("10 sentences of {}, translated by {} (update 20)\n", (tiny / "text.en").string(),
                                     (tiny / "run/checkpoints/last").string())));
  CHECK_NE(text.find("exact match 50.00 % of 10 sentences"), std::string::npos);
}

TEST_CASE("evaluate takes several references, as files or as columns of a table") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string source = tiny / "toy/test.en", first = tiny / "toy/test.hi", second = tiny / "second.hi";
  const Strings sources = lines_of(read_bytes(source)), references = lines_of(read_bytes(first));
  const Strings outputs = lines_of(succeeded(glossa_program({"translate", tiny / "run", "--input", source})).out);
  Strings others = outputs;  // right for two of three lines
  for (std::size_t i = 0; i < others.size(); i += 3) others[i] = "kuch aur " + references[i];
  write_bytes(second, fmt::format("{}\n", fmt::join(others, "\n")));
  std::string table = "hi\ten\thi\n";
  for (std::size_t i = 0; i < sources.size(); ++i) table += references[i] + '\t' + sources[i] + '\t' + others[i] + '\n';
  write_bytes(tiny / "table.tsv", table);
  const std::span<const std::string> both[] = {references, others};
  const Strings files{"--source", source, "--reference", first, "--reference", second};
  for (const Strings& texts : {files, Strings{"--test", tiny / "table.tsv"}}) {
    Strings arguments{"evaluate", tiny / "run"};
    arguments.insert(arguments.end(), texts.begin(), texts.end());
    const std::string shown = succeeded(glossa_program(arguments)).out;
    for (const char* line : {"BLEU ", "chrF2 ", "TER "})
      CHECK_NE(shown.find("  nrefs:2|", shown.find(line)), shown.npos);
    arguments.emplace_back("--json");
    auto object = json_object(succeeded(glossa_program(arguments)).out);
    CHECK_EQ(std::stod(object["bleu"]), doctest::Approx(glossa::corpus_bleu(outputs, both).score));
    CHECK_EQ(std::stod(object["chrf"]), doctest::Approx(glossa::corpus_chrf(outputs, both)));
    CHECK_EQ(std::stod(object["ter"]), doctest::Approx(glossa::corpus_ter(outputs, both)));
    CHECK_GE(std::stod(object["exact_match"]), 0.5);
    CHECK_NE(object["signature"].find("nrefs:2|"), std::string::npos);
  }
  // A blank reference has no words, in a table and in a file. A row without a source is not scored, but reported.
  std::string gaps = "hi\ten\tid\thi\n \t" + sources[0] + "\t0\t" + references[0] + "\nx\t\ty\tz\n";
  for (std::size_t i = 1; i < sources.size(); ++i)
    gaps += references[i] + '\t' + sources[i] + "\t\t" + (i % 2 == 0 ? others[i] : "") + '\n';
  write_bytes(tiny / "gaps.tsv", gaps);
  Strings left = references, right = others;
  left[0].clear();
  right[0] = references[0];
  for (std::size_t i = 1; i < right.size(); i += 2) right[i].clear();
  const std::span<const std::string> with_gaps[] = {left, right};
  const Outcome scored = succeeded(glossa_program({"evaluate", tiny / "run", "--json", "--test", tiny / "gaps.tsv"}));
  CHECK_NE(scored.err.find(fmt::format("gaps.tsv] {0} pairs from {1} lines, 1 further column ignored; left out: empty "
                                       "1 (1 source)",
                                       sources.size(), sources.size() + 1)),
           std::string::npos);
  for (const auto& [name, count] : {std::pair{"reference 1", std::size_t{1}}, {"reference 2", right.size() / 2}})
    CHECK_NE(scored.err.find(fmt::format("gaps.tsv, {}] blank references: {} of {}.", name, count, right.size())),
             std::string::npos);
  write_bytes(tiny / "left.hi", fmt::format("{}\n", fmt::join(left, "\n")));
  write_bytes(second, fmt::format("{}\n", fmt::join(right, "\n")));
  const Outcome of_files = succeeded(glossa_program({"evaluate", tiny / "run", "--json", "--source", source,
                                                     "--reference", tiny / "left.hi", "--reference", second}));
  CHECK_NE(of_files.err.find(fmt::format("{}] blank references: {} of {}.", second, right.size() / 2, right.size())),
           std::string::npos);
  for (const Outcome& outcome : {scored, of_files}) {
    auto object = json_object(outcome.out);
    CHECK_EQ(std::stod(object["bleu"]), doctest::Approx(glossa::corpus_bleu(outputs, with_gaps).score));
    CHECK_EQ(std::stod(object["chrf"]), doctest::Approx(glossa::corpus_chrf(outputs, with_gaps)));
    CHECK_EQ(std::stod(object["ter"]), doctest::Approx(glossa::corpus_ter(outputs, with_gaps)));
    CHECK_NE(object["signature"].find("nrefs:2|"), std::string::npos);
  }
  write_bytes(second, "too short\n");
  Strings arguments{"evaluate", tiny / "run"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  check_refused(glossa_program(arguments), 1, {second, "expected as many lines as in " + source});
}

TEST_CASE("--checkpoint, or a checkpoint's path, chooses the weights; average writes a mean as a run") {
  const TinyRun tiny;
  succeeded(tiny.train(
      "run", {"train.keep_checkpoints=4", "optim.lr=0.02", "train.validate_every=15u", "train.metric=exact_match"}));
  const std::string run = tiny / "run", source = tiny / "toy/test.en", reference = tiny / "toy/test.hi";
  const auto loss = [&](Strings arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), {"--source", source, "--reference", reference, "--json"});
    const Outcome outcome = succeeded(glossa_program(arguments));
    CHECK_EQ(outcome.err, "");
    return json_object(outcome.out).at("loss");
  };
  const auto path = [&](const char* name) { return run + "/checkpoints/" + name; };
  CHECK_EQ(fs::read_symlink(path("best")), "update-00000015.ckpt");  // nothing is exact this early: the first is best
  CHECK_EQ(loss({run}), loss({run, "--checkpoint", "15"}));
  CHECK_EQ(loss({run, "--checkpoint", "best"}), loss({path("best")}));
  CHECK_EQ(loss({run, "--checkpoint", "last"}), loss({path("update-00000020.ckpt")}));
  CHECK_EQ(loss({run, "--checkpoint", "10"}), loss({path("update-00000010.ckpt")}));
  const std::string mean = loss({run, "--checkpoint", "average:3"});
  CHECK_EQ(std::set{loss({run}), loss({path("last")}), loss({path("update-00000010.ckpt")}), mean}.size(), 4);

  const std::string made = tiny / "mean";
  succeeded(glossa_program({"average", run, "--last", "3", "--run", made}));
  CHECK_EQ(loss({made}), mean);
  check_refused(glossa_program({"average", run, "--last", "3", "--run", made}), 2, {made, "a folder without a run"});
  check_refused(glossa_program({"average", run, "--last", "9", "--run", tiny / "other"}), 1,
                {"expected 9 checkpoints"});
  CHECK_FALSE(fs::exists(tiny / "other"));
  const std::string file = tiny / "weights.safetensors";
  check_refused(glossa_program({"export", run, "--checkpoint", "average:3", "--safetensors", file}), 2,
                {"[--checkpoint]", "glossa average"});
  succeeded(glossa_program({"export", made, "--safetensors", file}));
  check_refused(glossa_program({"translate", path("last"), "--checkpoint", "best"}), 2, {"[--checkpoint]"});
  check_refused(glossa_program({"translate", run + "/config.yaml"}), 1,
                {run + "/config.yaml]", "RUN/checkpoints/NAME"});
  fs::copy(path("last"), tiny / "last");  // a choice is never read as a file's name
  CHECK_EQ(succeeded(run_program({.arguments = {tested_program(), "translate", run, "--checkpoint", "last"},
                                  .input = "",
                                  .folder = tiny.path()}))
               .err,
           "");
  check_refused(glossa_program({"translate", run, "--checkpoint", "newest"}), 2, {"[--checkpoint]", "'newest'"});
  check_refused(glossa_program({"translate", run, "--checkpoint", "12"}), 1, {"update 12", "20, 15, 10, 5"});
}

TEST_CASE("for a run with train.ema the average is evaluated, exported, averaged and used for a warm start") {
  const TinyRun tiny;
  const Strings sets{"optim.lr=0.02", "train.validate_every=0"};
  succeeded(tiny.train("plain", sets));
  const std::string ema = "train.ema=0.5", run = tiny / "run";
  succeeded(tiny.train("run", {sets[0], sets[1], ema}));
  const auto loss = [&](const std::string& of, const std::string& checkpoint) {
    const Outcome outcome =
        succeeded(glossa_program({"evaluate", of, "--checkpoint", checkpoint, "--source", tiny / "toy/test.en",
                                  "--reference", tiny / "toy/test.hi", "--json"}));
    return json_object(outcome.out).at("loss");
  };
  const auto parameters = [&](const char* of) {
    const Outcome shown = succeeded(glossa_program({"inspect", tiny / of / "checkpoints/last", "--json"}));
    CHECK_EQ(shown.out.find("\"ema:decoder.norm.weight\"") != shown.out.npos, of != std::string("plain"));
    return json_object(shown.out).at("sha256");
  };
  CHECK_EQ(parameters("run"), parameters("plain"));  // training is the same
  const std::string averaged = loss(run, "last");
  CHECK_NE(averaged, loss(tiny / "plain", "last"));

  const std::string file = tiny / "weights.safetensors";
  succeeded(glossa_program({"export", run, "--safetensors", file}));
  succeeded(glossa_program({"import", file, run + "/config.yaml", "--run", tiny / "imported"}));
  CHECK_EQ(loss(tiny / "imported", "last"), averaged);
  Strings resumed = sets;
  resumed.insert(resumed.end(), {ema, "train.max_updates=25"});
  succeeded(tiny.train("imported", resumed, {"--resume"}));  // it has an average to continue

  succeeded(glossa_program({"average", run, "--last", "2", "--run", tiny / "mean"}));
  const std::string mean = loss(run, "average:2");
  CHECK_EQ(loss(tiny / "mean", "last"), mean);
  CHECK_EQ(std::set({mean, averaged, loss(run, "15")}).size(), 3);

  succeeded(tiny.train("warm", {"train.warm_start=" + run, "optim.lr=1e-30", sets[1]}));
  CHECK_EQ(std::stod(loss(tiny / "warm", "last")), doctest::Approx(std::stod(averaged)).epsilon(1e-6));
}

TEST_CASE("inspect, and no other command, notes that the last update has not been validated") {
  const TinyRun tiny;
  const Strings sets{"train.validate_every=15u", "train.decode_validation=false"};
  succeeded(tiny.train("run", sets));
  CHECK_EQ(succeeded(glossa_program({"inspect", tiny / "run"})).err, "");
  // As after a signal or a kill: without the lines about the end.
  const std::string text = read_bytes(tiny / "run/metrics.jsonl");
  glossa::testing::write_bytes(tiny / "run/metrics.jsonl", text.substr(0, text.find("{\"update\":20,\"epoch\":")));
  fs::remove(tiny / "run/checkpoints/best");
  fs::create_symlink("update-00000015.ckpt", tiny / "run/checkpoints/best");
  CHECK_EQ(succeeded(glossa_program({"translate", tiny / "run"}, "")).err, "");
  CHECK_EQ(succeeded(glossa_program({"evaluate", tiny / "run", "--test", tiny / "toy/test"})).err, "");
  CHECK_EQ(succeeded(glossa_program({"inspect", tiny / "run"})).err,
           "note: best is update 15; update 20 is newer than the last validation; use it with --checkpoint last\n");
  CHECK_EQ(succeeded(glossa_program({"inspect", tiny / "run", "-q"})).err, "");
  CHECK_EQ(succeeded(glossa_program({"inspect", tiny / "run", "--checkpoint", "last"})).err, "");
}

TEST_CASE("evaluate counts tokens for BLEU as the run does, or as --tokenize says") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.bleu_tokenize=char"}));
  const auto evaluate = [&](const Strings& more) {
    Strings arguments{"evaluate", tiny / "run", "--source", tiny / "toy/test.en", "--reference", tiny / "toy/test.hi"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments);
  };
  const std::string version(glossa::program_version);
  CHECK_EQ(json_object(succeeded(evaluate({"--json"})).out)["signature"],
           "\"nrefs:1|case:mixed|eff:no|tok:char|smooth:exp|version:glossa-" + version + "\"");
  const std::string text = succeeded(evaluate({"--tokenize", "intl"})).out;
  CHECK_NE(text.find("|tok:intl|"), std::string::npos);
  CHECK_NE(text.find("nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:glossa-" + version),
           std::string::npos);
  check_refused(evaluate({"--tokenize", "mecab"}), 2, {"--tokenize", "mecab", "13a"});
}

TEST_CASE("a run writes its files, and the keys of metrics.jsonl") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.validate_every=10u"}));
  Names files;
  for (const std::string& name : names_in(tiny / "run")) files.insert(name);
  for (const char* name : {"config.yaml", "source.vocabulary.txt", "target.vocabulary.txt", "train.log",
                           "metrics.jsonl", "checkpoints", "samples"})
    CHECK_MESSAGE(files.contains(name), name);
  CHECK(fs::is_symlink(tiny / "run/checkpoints/last"));
  CHECK(fs::is_symlink(tiny / "run/checkpoints/best"));
  const auto lines = tiny.metrics("run");
  REQUIRE_EQ(lines.size(), 4);
  for (const char* key : {"update", "epoch", "loss", "tokens_per_s"}) CHECK(keys(lines[0]).contains(key));
  for (const char* key : {"update", "epoch", "valid_loss", "valid_perplexity", "valid_bleu", "valid_chrf"})
    CHECK(keys(lines[1]).contains(key));
  // A run keeps the options it was started with.
  const Outcome dumped = succeeded(glossa_program({"train", tiny / "run/config.yaml", "--dump-config"}));
  CHECK_EQ(dumped.out, read_bytes(tiny / "run/config.yaml"));
}

TEST_CASE("inspect prints a checkpoint as JSON and as a table") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const fs::path last = tiny / "run/checkpoints/last";
  const Outcome json = succeeded(glossa_program({"inspect", last, "--json"}));
  const Outcome of_run = succeeded(glossa_program({"inspect", tiny / "run", "--checkpoint", "last", "--json"}));
  CHECK_EQ(json_object(of_run.out).at("state_sha256"), json_object(json.out).at("state_sha256"));
  CHECK_NE(succeeded(glossa_program({"inspect", tiny / "run"})).out.find("/checkpoints/last: update "),
           std::string::npos);
  check_refused(glossa_program({"inspect", last, "--checkpoint", "last"}), 2, {"[--checkpoint]", last.string()});
  check_refused(glossa_program({"inspect", tiny / "run", "--checkpoint", "average:2"}), 2,
                {"[--checkpoint]", "expected one checkpoint; got 2"});
  for (const char* key : {"sha256", "state_sha256", "tensors", "update"}) CHECK(keys(json.out).contains(key));
  const Outcome table = succeeded(glossa_program({"inspect", last}));
  CHECK_EQ(json_object(json.out).at("epoch"), "1");
  CHECK_NE(table.out.find("epoch 1 (counted from 1)"), std::string::npos);
  CHECK_NE(table.out.find("encoder.layers.0.self_attn.in_proj_weight"), std::string::npos);
  const glossa::CheckpointReader reader(last);
  const std::string version = json_object(json.out).at("version"), build = json_object(json.out).at("build");
  CHECK_NE(table.out.find(fmt::format("\nwritten by glossa {}, built by {}\n", version.substr(1, version.size() - 2),
                                      build.substr(1, build.size() - 2))),
           std::string::npos);
  CHECK_EQ(succeeded(glossa_program({"--version"})).out, version.substr(1, version.size() - 2) + "\n");
  CHECK_NE(build.find(", float products by "), std::string::npos);
  for (const char* hash : {"sha256", "state_sha256"}) {
    const std::string digest = json_object(json.out).at(hash);
    CHECK_NE(table.out.find(fmt::format("\n{:<12} {}\n", hash, digest.substr(1, digest.size() - 2))),
             std::string::npos);
  }
  std::size_t parameters = 0;
  for (const glossa::CheckpointEntry& entry : reader.entries())
    if (entry.kind == glossa::EntryKind::parameter) parameters += entry.length / sizeof(float);
  CHECK_EQ(json_object(json.out).at("parameters"), std::to_string(parameters));
  CHECK_NE(table.out.find(fmt::format("\n{} parameters\n", parameters)), std::string::npos);
  std::vector<float> values(reader.find("src_tok_emb.embedding.weight")->length / sizeof(float));
  reader.read("src_tok_emb.embedding.weight", std::as_writable_bytes(std::span(values)));
  double squares = 0;
  for (const float value : values) squares += double{value} * double{value};
  const double scale = std::sqrt(squares / static_cast<double>(values.size()));
  CHECK_NE(table.out.find(fmt::format("parameter  f32   {:>10.4g}", scale)), std::string::npos);
}

TEST_CASE("generate toy writes six files that share no sentence") {
  const TemporaryFolder folder;
  succeeded(glossa_program({"generate", "toy", "--out", folder / "toy", "--pairs", "3000", "--seed", "5"}));
  CHECK_EQ(names_in(folder / "toy"), Strings{"test.en", "test.hi", "train.en", "train.hi", "valid.en", "valid.hi"});
  for (const char* language : {"en", "hi"}) {
    std::size_t lines = 0;
    Names sentences;
    for (const char* split : {"train", "valid", "test"}) {
      Names own;
      for (const std::string& line :
           lines_of(read_bytes(folder.path() / "toy" / (split + std::string(".") + language)))) {
        ++lines;
        own.insert(line);
      }
      const std::size_t before = sentences.size();
      sentences.insert(own.begin(), own.end());
      CHECK_EQ(sentences.size(), before + own.size());
    }
    CHECK_EQ(lines, 3000);
  }
}

TEST_CASE("data.train: toy:2000 needs no file and equals the corpus that generate writes") {
  const TinyRun tiny;
  succeeded(tiny.train("files"));
  succeeded(tiny.train("built-in", {"data.train=toy:2000", "data.valid="}));
  CHECK_EQ(tiny.hashes("built-in"), tiny.hashes("files"));
}

TEST_CASE("gradcheck --json checks ops, layers and models, one object per line, within the promised error") {
  Names kinds;  // gradcheck_test.cpp checks all rows
  for (const std::string part : {"softmax", "Linear", "pre_norm_tied_output"})
    for (const std::string& line : lines_of(succeeded(glossa_program({"gradcheck", "--json", "--only", part})).out)) {
      CAPTURE(line);
      auto object = json_object(line);
      for (const char* key : {"name", "kind", "cases", "elements", "worst_error", "seconds"})
        CHECK(object.contains(key));
      kinds.insert(object["kind"]);
      CHECK_LE(std::stod(object["worst_error"]), object["kind"] == "\"model\"" ? 1e-7 : 1e-8);
    }
  CHECK_EQ(kinds, Names{"\"op\"", "\"layer\"", "\"model\""});
}

TEST_CASE("gradcheck of a configuration checks each tensor, and the Taylor slope of the whole") {
  const TinyRun tiny;
  const std::string config = tiny / "tiny.yaml";
  const Outcome report =
      succeeded(run_program({.arguments = {tested_program(), "gradcheck", config, "--only", "norm", "--json"},
                             .input = {},
                             .folder = tiny.path()}));
  const Strings lines = lines_of(report.out);
  REQUIRE_GE(lines.size(), 3);
  for (const std::string& line : lines) {
    CAPTURE(line);
    auto object = json_object(line);
    CHECK_EQ(object["passed"], "true");
    CHECK_LE(std::stod(object["worst_error"]), 1e-7);
    if (object["kind"] == "\"tensor\"") CHECK_NE(object["name"].find("norm"), std::string::npos);
  }
  CHECK_GE(std::stod(json_object(lines.back())["taylor_slope"]), 1.95);
  check_refused(glossa_program({"gradcheck", "--only", "nothing has this name"}), 2, {"[gradcheck --only]"});
  // The corpora of a run's configuration are found from another folder.
  fs::create_directory(tiny / "run");
  fs::copy(config, tiny / "run/config.yaml");
  glossa::record_origin(tiny / "run", tiny.path());
  check_refused(run_program({.arguments = {tested_program(), "gradcheck", tiny / "run/config.yaml", "--only", "nrom",
                                           "--set", "data.train=toy/train", "--set", "data.valid=toy/valid"},
                             .input = {},
                             .folder = "/"}),
                2, {"[gradcheck --only]", "'nrom'"});
  check_refused(glossa_program({"gradcheck", "--only", "sofmax"}), 2, {"did you mean softmax?"});
  check_refused(glossa_program({"gradcheck", "--only", "softmax", "--full"}), 2, {"[gradcheck --full]", "CONFIG"});
  check_refused(glossa_program({"gradcheck", "--only", "softmax", "--set", "model.width=8"}), 2,
                {"[gradcheck --set]", "CONFIG"});
}
