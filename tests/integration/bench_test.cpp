// `glossa-bench --json`: one object per line, with the keys that docs/benchmarks.md lists.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "autograd/kernels/gemm.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using Object = std::map<std::string, std::string>;

/// The objects that `glossa-bench ... --json` prints; each must have exactly these keys.
std::vector<Object> bench(Strings arguments, const std::set<std::string>& keys) {
  arguments.push_back("--json");
  const Outcome outcome = succeeded(bench_program(arguments));
  std::vector<Object> objects;
  for (const std::string& line : lines_of(outcome.out)) {
    CAPTURE(line);
    objects.push_back(json_object(line));
    std::set<std::string> found;
    for (const auto& [key, value] : objects.back()) found.insert(key);
    CHECK_EQ(found, keys);
  }
  REQUIRE_FALSE(objects.empty());
  return objects;
}

double number(const Object& object, const std::string& key) { return std::stod(object.at(key)); }

}  // namespace

TEST_CASE("bench step: a step allocates no heap memory") {
  const Object step = bench({"step", "--config", "seed", "--threads", "2", "--steps", "1"},
                            {"config", "threads", "params", "ms_median", "ms_min", "tokens_per_s", "peak_rss_mb",
                             "step_mb", "heap_allocations_per_step", "library_heap_allocations_per_step",
                             "gemm_backend", "precision", "accumulate", "processes"})
                          .front();
  CHECK_EQ(step.at("config"), "\"seed\"");
  CHECK_EQ(step.at("threads"), "2");
  CHECK_EQ(step.at("accumulate"), "1");
  CHECK_EQ(number(step, "heap_allocations_per_step"), 0);
  CHECK_GT(number(step, "peak_rss_mb"), 4 * number(step, "params") * 4 / (1 << 20));  // value, gradient, two moments
}

TEST_CASE("bench profile: its parts add up to the step, and their shares to 1") {
  const std::vector<Object> parts = bench({"profile", "--config", "seed", "--steps", "3"},
                                          {"part", "calls", "ms", "share", "gflops", "gb_per_s", "step_ms"});
  double ms = 0, share = 0;
  std::set<std::string> names;
  for (const Object& part : parts) {
    ms += number(part, "ms");
    share += number(part, "share");
    CHECK_GE(number(part, "calls"), 1);
    CHECK_MESSAGE(names.insert(part.at("part")).second, part.at("part"));
  }
  const double step_ms = number(parts.front(), "step_ms");
  CHECK_LE(ms, step_ms * 1.0001);
  CHECK_GE(ms, step_ms * 0.8);  // the rest is measuring itself, next to nothing on an idle machine
  CHECK_EQ(share, doctest::Approx(ms / step_ms));
  for (const char* name : {"\"adam\"", "\"linear\"", "\"linear, backward\""}) CHECK_MESSAGE(names.contains(name), name);
}

TEST_CASE("bench gemm and floor: all linear products of a step are listed, and the floor is the sum of its parts") {
  std::set<std::string> keys{"m", "n", "k", "transposes", "calls", "eigen"};
  if (glossa::kernels::has_gemm_backend(glossa::kernels::GemmBackend::onednn)) keys.insert({"onednn", "onednn_whole"});
  double linear_gflop = 0;
  for (const Object& product : bench({"gemm", "--config", "seed"}, keys)) {
    linear_gflop +=
        2e-9 * number(product, "m") * number(product, "n") * number(product, "k") * number(product, "calls");
    CHECK_GT(number(product, "eigen"), 0);
  }
  const Object floor =
      bench({"floor", "--config", "seed"}, {"config", "threads", "gflop", "linear_ms", "attention_ms", "adam_ms",
                                            "bandwidth_gb_per_s", "floor_ms", "step_ms", "share_of_floor", "precision"})
          .front();
  CHECK_EQ(number(floor, "floor_ms"),
           doctest::Approx(number(floor, "linear_ms") + number(floor, "attention_ms") + number(floor, "adam_ms")));
  CHECK_EQ(number(floor, "share_of_floor"), doctest::Approx(number(floor, "floor_ms") / number(floor, "step_ms")));
  const double attention_gflop = number(floor, "attention_ms") / 1000 * 100;  // it is counted at 100 GFLOP/s
  CHECK_EQ(number(floor, "gflop"), doctest::Approx(linear_gflop + attention_gflop));
}

TEST_CASE("bench attention: memory grows with the length, not with its square") {
  const auto peak_mb = [](int length, const Strings& more) {
    Strings arguments{"attention", "--length", std::to_string(length), "--steps", "1", "--threads", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Object object =
        bench(arguments, {"length", "causal", "dropout", "threads", "steps", "ms_forward", "ms_backward", "peak_mb"})
            .front();
    CHECK_EQ(object.at("length"), std::to_string(length));
    CHECK_EQ(object.at("causal"), more.empty() ? "false" : "true");
    CHECK_EQ(number(object, "dropout"), more.empty() ? 0 : 0.1);
    CHECK_EQ(object.at("threads"), "2");
    CHECK_EQ(object.at("steps"), "1");
    CHECK_GT(number(object, "ms_forward"), 0);
    CHECK_GT(number(object, "ms_backward"), 0);
    return number(object, "peak_mb");
  };
  // q, k, v, their gradients, the result, its gradient and backward's input: 10 times 512 numbers per token.
  const int length = program_is_sanitized() ? 512 : 1024;
  const double all = 10 * 512 * 4 * length / 1e6;
  for (const Strings& more : {Strings{}, Strings{"--causal", "--dropout", "0.1"}}) {
    const double once = peak_mb(length, more), twice = peak_mb(2 * length, more);
    CHECK_GT(once, 0.9 * all);
    CHECK_LT(twice, 2.01 * once);
    CHECK_LT(twice, 50);  // 100 at 4,096 tokens
  }
  CHECK_GT(peak_mb(256, {}), 256.0 / length * 1.1 * all);  // these weights are kept
}

TEST_CASE("bench decode: greedy and beam search allocate less than once in 10 tokens") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::size_t lines = lines_of(read_bytes(tiny / "toy/valid.en")).size();
  for (const char* beam : {"1", "4"}) {
    CAPTURE(beam);
    const Object speed =
        bench({"decode", tiny / "run", "--source", tiny / "toy/valid.en", "--beam", beam, "--threads", "2"},
              {"beam", "threads", "sentences", "tokens", "sentences_per_s", "tokens_per_s",
               "heap_allocations_per_token", "peak_rss_mb", "precision"})
            .front();
    CHECK_EQ(speed.at("beam"), beam);
    CHECK_EQ(speed.at("threads"), "2");
    CHECK_EQ(number(speed, "sentences"), lines);
    CHECK_EQ(number(speed, "tokens_per_s") / number(speed, "sentences_per_s"),
             doctest::Approx(number(speed, "tokens") / number(speed, "sentences")));
    CHECK_LT(number(speed, "heap_allocations_per_token"), 0.2);  // of the results
  }
}

TEST_CASE("bench train: one epoch is measured, and nothing is left behind") {
  const TinyRun tiny;
  const TemporaryFolder temporary;
  const Outcome outcome = succeeded(run_program({.arguments = {"/usr/bin/env", "TMPDIR=" + temporary.path().string(),
                                                               benchmarks(), "train", tiny / "tiny.yaml", "--json"},
                                                 .input = {},
                                                 .folder = {}}));
  const Object epoch = json_object(outcome.out);
  for (const char* key : {"updates", "tokens", "seconds", "tokens_per_s", "useful_share", "peak_rss_mb"})
    CHECK_MESSAGE(epoch.contains(key), key);
  CHECK_EQ(number(epoch, "useful_share"), 1);  // packed
  CHECK_EQ(number(epoch, "tokens_per_s"), doctest::Approx(number(epoch, "tokens") / number(epoch, "seconds")));
  CHECK_NE(outcome.err.find("finished: train.max_epochs 1"), std::string::npos);
  CHECK_NE(outcome.err.find("; " + epoch.at("updates") + " updates"), std::string::npos);
  CHECK_EQ(names_in(temporary.path()), Strings{});
}

TEST_CASE("bench train: a signal stops it without output") {
  const TinyRun tiny;
  const TemporaryFolder temporary;
  // Thousands of updates.
  Program program({.arguments = {"/usr/bin/env", "TMPDIR=" + temporary.path().string(), benchmarks(), "train",
                                 tiny / "tiny.yaml", "--set", "data.train=toy:20000", "--set", "data.max_tokens=12"},
                   .input = {},
                   .folder = {}});
  const auto training = [&] {
    for (const fs::path& folder : fs::directory_iterator(temporary.path()))
      if (fs::exists(folder / "train.log") &&
          read_bytes(folder / "train.log").find("trains until") != std::string::npos)
        return true;
    return false;
  };
  while (program.running() && !training()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.signal(SIGINT);
  const Outcome outcome = program.wait();
  CHECK_EQ(outcome.status, 130);
  CHECK_EQ(outcome.out, "");
  CHECK_EQ(names_in(temporary.path()), Strings{});
}

TEST_CASE("bench: impossible arguments are misuse") {
  const TinyRun tiny;
  for (const char* command : {"step", "profile", "gemm", "floor"}) {
    CAPTURE(command);
    check_refused(bench_program({command, "--config", "huge"}), 2, {"[--config]", "huge"});
    check_refused(bench_program({command}), 2, {"--config"});
    check_refused(bench_program({command, "--config", "seed", "--threads", "0"}), 2, {"--threads"});
  }
  check_refused(bench_program({}), 2, {"[command line]"});
  check_refused(bench_program({"leap"}), 2, {"[command line]", "'leap'", "glossa-bench --help"});
  check_refused(bench_program({"atention"}), 2, {"[command line]", "'atention'; did you mean 'attention'?"});
  check_refused(bench_program({"profile", "--config", "seed", "--steps", "0"}), 2, {"--steps"});
  check_refused(bench_program({"gemm", "--config", "seed", "--steps", "1"}), 2, {"--steps"});
  check_refused(bench_program({"attention", "--length", "0"}), 2, {"--length"});
  check_refused(bench_program({"attention", "--dropout", "1.5"}), 2, {"--dropout"});
  check_refused(bench_program({"train"}), 2, {"CONFIG"});
  check_refused(bench_program({"train", tiny / "tiny.yaml", "--set", "model.widht=8"}), 2, {"model.widht"});
  check_refused(bench_program({"decode", tiny / "run"}), 2, {"--source"});
  check_refused(bench_program({"decode", tiny / "run", "--source", tiny / "toy/valid.en", "--beam", "0"}), 2,
                {"--beam"});
  // A missing run or text is not misuse.
  check_refused(bench_program({"decode", tiny / "run", "--source", tiny / "toy/valid.en"}), 1, {"run"});
}

TEST_CASE("glossa-bench has a version and help; glossa bench names it, with the words that follow") {
  CHECK_EQ(succeeded(bench_program({"--version"})).out, glossa_program({"--version"}).out);
  const std::string help = succeeded(bench_program({"help"})).out;
  for (const char* part : {"glossa-bench: measures", "glossa-bench help SUBCOMMAND", "step ", "exchange ", "profile ",
                           "gemm ", "floor ", "attention ", "train ", "decode ", "search "})
    CHECK_MESSAGE(help.find(part) != help.npos, part);
  CHECK_EQ(succeeded(bench_program({"help", "step"})).out, succeeded(bench_program({"step", "--help"})).out);

  const Strings step{"bench", "step", "--config", "tiny"};
  check_refused(glossa_program(step), 2,
                {"[command line] unknown command 'bench'; did you mean 'glossa-bench step "
                 "--config tiny'? Hint: ninja -C build glossa-bench builds it"});
  check_refused(glossa_program({"bench", "train", "my text.yaml"}), 2,
                {"did you mean glossa-bench train 'my text.yaml'?"});
  check_refused(glossa_program({"bench"}), 2, {"did you mean 'glossa-bench'?"});
  check_refused(glossa_program({"bench", "--help"}), 2, {"did you mean 'glossa-bench --help'?"});
  check_refused(glossa_program({"help", "bench"}), 2, {"did you mean 'glossa-bench --help'?"});
  CHECK_EQ(succeeded(glossa_program({"help"})).out.find("bench"), std::string::npos);
}
