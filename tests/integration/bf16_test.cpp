// Training, resuming and translating with products in bf16.
#include <doctest/doctest.h>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace {

const std::string bf16 = "train.precision=bf16", to_the_end = "train.max_updates=20";

/// glossa with the environment variable GLOSSA_ISA.
Outcome with_isa(const std::string& isa, const Strings& arguments, const std::string& input = {}) {
  Strings all{"/usr/bin/env", "GLOSSA_ISA=" + isa, tested_program()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program({.arguments = std::move(all), .input = input, .folder = {}});
}

/// False, with a message, if the processor lacks the instructions for which `outcome` needs them.
bool is_supported(const Outcome& outcome) {
  if (outcome.err.find(", which it lacks") == std::string::npos) return true;
  CHECK_EQ(outcome.status, 1);
  MESSAGE("SKIPPED: the processor lacks the instructions");
  return false;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("bf16 trains to the same bits with any number of threads and after a stop") {
  const TinyRun tiny;
  const Strings sets{bf16, "train.accumulate=2", "train.validate_every=7u"};
  const Outcome trained = succeeded(tiny.train("one", sets));
  CHECK(has(trained.err, ", bf16 by "));
  succeeded(tiny.train("float", {"train.accumulate=2", "train.validate_every=7u"}));
  CHECK_NE(tiny.hashes("float"), tiny.hashes("one"));
  for (const char* threads : {"2", "4"}) {
    CAPTURE(threads);
    const std::string run = std::string("threads-") + threads;
    Strings parts = sets;
    parts.insert(parts.end(), {std::string("runtime.threads=") + threads, "train.max_updates=10"});
    succeeded(tiny.train(run, parts));
    parts.back() = to_the_end;
    const Outcome resumed = succeeded(tiny.resume(run, parts));
    CHECK_FALSE(has(resumed.err, "warning: the checkpoint was written"));
    CHECK_EQ(tiny.hashes(run), tiny.hashes("one"));
    CHECK_EQ(tiny.metrics(run), tiny.metrics("one"));
  }
}

TEST_CASE("decode.precision has no effect on training and its validation") {
  const TinyRun tiny;
  succeeded(tiny.train("float", {"train.validate_every=7u"}));
  succeeded(tiny.train("decode", {"train.validate_every=7u", "decode.precision=bf16"}));
  CHECK_EQ(tiny.hashes("decode"), tiny.hashes("float"));
  CHECK_EQ(tiny.metrics("decode"), tiny.metrics("float"));
}

TEST_CASE("train.precision may change on resume, with a note") {
  const TinyRun tiny;
  for (const auto& [before, after] : {std::pair("float", "bf16"), std::pair("bf16", "float")}) {
    const std::string run = before, set = "train.precision=";
    succeeded(tiny.train(run, {set + before, "train.max_updates=10"}));
    const Outcome resumed = succeeded(tiny.resume(run, {set + after, to_the_end}));
    CHECK(has(resumed.err, "note: train.precision is now " + std::string(after) + "; it was " + before));
    CHECK_EQ(has(resumed.err, ", bf16 by "), std::string(after) == "bf16");
    CHECK_FALSE(has(resumed.err, "warning: the checkpoint was written"));
    CHECK_EQ(tiny.last_update(run), 20);
  }
  CHECK_NE(tiny.hashes("float"), tiny.hashes("bf16"));
}

TEST_CASE("the kinds of bf16 that sum alike train to the same bits, and resuming on another kind warns") {
  const TinyRun tiny;
  succeeded(with_isa("plain", tiny.train_arguments("plain", {bf16})));
  const Outcome other = with_isa("avx512bf16", tiny.train_arguments("avx512bf16", {bf16}));
  if (!is_supported(other)) return;
  succeeded(other);
  CHECK_EQ(tiny.hashes("avx512bf16"), tiny.hashes("plain"));
  const Strings longer = tiny.train_arguments("plain", {bf16, "train.max_updates=22"}, {"--resume"});
  const Outcome resumed = succeeded(with_isa("avx512bf16", longer));
  CHECK(
      has(resumed.err,
          "warning: products in bf16 are by avx512bf16; before the checkpoint they were by plain: training continues"));
  CHECK_FALSE(has(resumed.err, "another processor"));
  CHECK(has(succeeded(glossa_program({"inspect", tiny / "plain"})).out, ", bf16 by "));
  const Strings in_float =
      tiny.train_arguments("plain", {"train.precision=float", "train.max_updates=24"}, {"--resume"});
  CHECK_FALSE(has(succeeded(with_isa("plain", in_float)).err, "products in bf16"));
}

TEST_CASE("GLOSSA_ISA must name instructions that the processor has") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=5"}));
  for (const Strings& command : {tiny.train_arguments("new"), Strings{"translate", tiny / "run"},
                                 Strings{"evaluate", tiny / "run", "--test", tiny / "toy/test"}}) {
    CAPTURE(command.front());
    check_refused(with_isa("sse", command), 2, {"[GLOSSA_ISA] expected plain, avx2,", "; got sse"});
    const Outcome amx = with_isa("amx", command, "a\n");
    if (amx.status != 0) {
      CHECK_EQ(amx.status, 1);
      CHECK(has(amx.err, "glossa: [GLOSSA_ISA] expected instructions of this processor; got amx, which it lacks"));
    }
    std::filesystem::remove_all(tiny / "new");
  }
  succeeded(with_isa("sse", {"inspect", tiny / "run"}));
  const Strings step{"/usr/bin/env", "GLOSSA_ISA=sse", benchmarks(), "step", "--config", "seed", "--steps", "1"};
  check_refused(run_program({.arguments = step, .input = {}, .folder = {}}), 2, {"[GLOSSA_ISA]", "; got sse"});
}

TEST_CASE(
    "translate, evaluate, score, attention and glossa-bench have the precision of decode.precision or --precision") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=100", "optim.lr=1e-2"}));
  const std::string run = tiny / "run", source = tiny / "toy/test.en";
  const Strings option{"--set", "decode.precision=bf16"}, short_form{"--precision", "bf16"};
  const auto printed = [](Strings arguments, const Strings& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return succeeded(glossa_program(arguments)).out;
  };
  for (const Strings& command : {Strings{"translate", run, "--input", source, "--scores", "--beam", "2"},
                                 Strings{"score", run, "--source", source, "--target", tiny / "toy/test.hi"}}) {
    CAPTURE(command.front());
    const std::string rounded = printed(command, short_form);
    CHECK_EQ(printed(command, option), rounded);
    CHECK_NE(printed(command, {}), rounded);
    Strings both = option;
    both.insert(both.end(), {"--precision", "float"});
    CHECK_EQ(printed(command, both), printed(command, {}));
  }
  const auto loss = [&](const Strings& more) {
    return json_object(printed({"evaluate", run, "--test", tiny / "toy/test", "--json"}, more)).at("loss");
  };
  CHECK_EQ(loss(option), loss(short_form));
  CHECK_NE(loss({}), loss(short_form));
  const Strings attention{"attention", run, "--input", source, "--json"};
  CHECK_NE(printed(attention, option), printed(attention, {}));
  const Outcome speed = succeeded(bench_program({"decode", run, "--source", source, "--json", "--precision", "bf16"}));
  CHECK_EQ(speed.out.find("{\"beam\":1"), 0);
  CHECK(has(speed.out, "\"precision\":\"bf16\""));
  check_refused(glossa_program({"translate", run, "--precision", "fp16"}), 2, {"[command line]", "--precision"});
}
