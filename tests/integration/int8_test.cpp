// Decoding in int8, and runs made by `glossa quantize`.
#include <doctest/doctest.h>

#include <fstream>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace fs = std::filesystem;

namespace {

const Strings in_int8{"--precision", "int8"};

Strings with(Strings arguments, const Strings& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string printed(const Strings& arguments) { return succeeded(glossa_program(arguments)).out; }

/// A trained run and what commands print of it in int8.
struct TrainedRun {
  TinyRun tiny;
  std::string run = tiny / "run", quantized = tiny / "quantized", source = tiny / "toy/test.en";

  TrainedRun() { succeeded(tiny.train("run", {"train.max_updates=100", "optim.lr=1e-2"})); }

  /// Commands that decode, without the run.
  std::vector<std::pair<std::string, Strings>> commands() const {
    return {{"translate", {"--input", source, "--scores", "--beam", "2"}},
            {"translate", {"--input", source, "--alignment"}},
            {"score", {"--source", source, "--target", tiny / "toy/test.hi"}},
            {"attention", {"--input", source, "--json"}}};
  }
};

}  // namespace

TEST_CASE_FIXTURE(TrainedRun, "a quantized run decodes to the bytes of its run in int8, with every kind of products") {
  const Strings set{"--set", "decode.precision=int8"};
  CHECK(printed({"quantize", run, "--run", quantized}).starts_with("wrote " + quantized + "/int8.weights, "));
  CHECK_FALSE(fs::exists(fs::path(quantized) / "checkpoints"));
  CHECK_FALSE(fs::exists(quantized + ".part"));
  CHECK((fs::status(quantized + "/int8.weights").permissions() & fs::perms::owner_write) == fs::perms::none);
  const auto parameters = [](const std::string& of) {
    return json_object(printed({"inspect", of, "--json"})).at("parameters");
  };
  CHECK(parameters(quantized) == parameters(run));
  CHECK(printed({"inspect", quantized}).find("made from " + (tiny / "run/checkpoints").string()) != std::string::npos);
  CHECK(printed({"translate", quantized + "/int8.weights", "--input", source}) ==
        printed({"translate", quantized, "--input", source}));
  for (const auto& each : commands()) {
    const std::string& command = each.first;
    const Strings& arguments = each.second;
    CAPTURE(command);
    const std::string expected = printed(with(with({command, run}, arguments), set));
    CHECK(expected != printed(with({command, run}, arguments)));
    CHECK(printed(with({command, quantized}, arguments)) == expected);
    for (const char* const isa : {"plain", "avx2", "avxvnni", "vnni", "amx"}) {
      CAPTURE(isa);
      Strings all{"/usr/bin/env", std::string("GLOSSA_ISA=") + isa, tested_program(), command, quantized};
      const Outcome outcome = run_program({.arguments = with(all, arguments), .input = {}, .folder = {}});
      if (outcome.err.find(", which it lacks") == std::string::npos) CHECK(succeeded(outcome).out == expected);
    }
  }
  CHECK(printed(with({"translate", run, "--input", source, "--scores", "--beam", "2"}, in_int8)) ==
        printed({"translate", quantized, "--input", source, "--scores", "--beam", "2"}));
  const auto evaluation = [&](const std::string& of, const Strings& more) {
    auto figures = json_object(printed(with({"evaluate", of, "--test", tiny / "toy/test", "--json"}, more)));
    figures.erase("seconds");
    figures.erase("checkpoints");
    return figures;
  };
  CHECK(evaluation(quantized, {}) == evaluation(run, in_int8));
  CHECK(evaluation(quantized, {}).at("precision") == "\"int8\"");
  CHECK(evaluation(run, {}).at("loss") != evaluation(run, in_int8).at("loss"));
  const Outcome speed = succeeded(bench_program({"decode", quantized, "--source", source, "--json"}));
  CHECK(speed.out.find("\"precision\":\"int8\"") != std::string::npos);
  CHECK(printed({"inspect", quantized}).find("int8:encoder.layers.0.linear1.weight") != std::string::npos);
}

TEST_CASE_FIXTURE(TrainedRun, "a quantized run is refused by name where a run must have checkpoints") {
  succeeded(glossa_program({"quantize", run, "--run", quantized}));
  const std::string by_name = "[" + quantized + "] expected a run with checkpoints; got one that glossa quantize made";
  const std::string other = tiny / "other";
  for (const Strings& arguments : {Strings{"train", "--resume", quantized},
                                   tiny.train_arguments("quantized"),
                                   tiny.train_arguments("quantized", {}, {"--resume=auto"}),
                                   tiny.train_arguments("other", {"train.warm_start=" + quantized}),
                                   {"average", quantized, "--last", "2", "--run", other},
                                   {"export", quantized, "--safetensors", other},
                                   {"export", quantized, "--marian", other},
                                   {"export", quantized, "--huggingface", other},
                                   {"quantize", quantized, "--run", other}}) {
    CAPTURE(arguments.front());
    const Outcome outcome = glossa_program(arguments);
    check_error(outcome, 2, {"[" + quantized + "] expected ", "; got one that glossa quantize made"});
    CHECK_FALSE(fs::exists(other));
  }
  for (const char* const precision : {"float", "bf16"})
    check_refused(glossa_program({"translate", quantized, "--input", source, "--precision", precision}), 2,
                  {"expected int8 as --precision and decode.precision of a run that glossa quantize made; got "});
  check_refused(glossa_program({"translate", quantized, "--input", source, "--checkpoint", "last"}), 2,
                {"[--checkpoint]", "which has no checkpoints; got last"});
  for (const std::string& taken : {run, quantized})
    check_refused(glossa_program({"quantize", run, "--run", taken}), 2,
                  {"[" + taken + "] expected a folder without a run"});
  check_refused(glossa_program({"quantize", run, "--run", source}), 2, {"[" + source + "] expected a new folder"});
  check_error(glossa_program({"report", quantized}), 2, {by_name, tiny / "run/checkpoints"});
  fs::create_directory(fs::path(quantized) / "checkpoints");
  check_refused(glossa_program({"translate", quantized, "--input", source}), 1, {"got both"});
  fs::remove(fs::path(quantized) / "checkpoints");
  fs::remove(fs::path(quantized) / "int8.weights");
  check_refused(glossa_program({"translate", quantized, "--input", source}), 1,
                {"int8.weights of glossa quantize; not"});
}

TEST_CASE_FIXTURE(TrainedRun, "a run whose own decode.precision is int8 trains, averages and exports as in float") {
  succeeded(tiny.train("int8", {"train.max_updates=100", "optim.lr=1e-2", "decode.precision=int8"}));
  CHECK(tiny.hashes("int8") == tiny.hashes("run"));
  CHECK(tiny.metrics("int8") == tiny.metrics("run"));
  const std::string own = tiny / "int8";
  CHECK(printed({"translate", own, "--input", source}) ==
        printed(with({"translate", run, "--input", source}, in_int8)));
  const auto bytes = [&](const std::string& of, const std::string& name) {
    succeeded(glossa_program({"export", of, "--safetensors", tiny / name}));
    std::ifstream file(tiny / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  CHECK(bytes(own, "a") == bytes(run, "b"));
  succeeded(glossa_program({"average", own, "--last", "1", "--run", tiny / "mean"}));
  CHECK(bytes(tiny / "mean", "c") == bytes(run, "b"));
}

TEST_CASE_FIXTURE(TrainedRun, "a quantized run notices a flipped bit anywhere in its weights") {
  succeeded(glossa_program({"quantize", run, "--run", quantized}));
  const fs::path file = fs::path(quantized) / "int8.weights";
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (const std::streamoff at : {std::streamoff{9}, std::streamoff{100}, size / 3, size / 2, size - 100, size - 1}) {
    CAPTURE(at);
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    const auto flip = [&] {
      std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekg(at);
      const char changed = static_cast<char>(bytes.get() ^ 4);
      bytes.seekp(at);
      bytes.put(changed);
    };
    flip();
    check_refused(glossa_program({"translate", quantized, "--input", source}), 1, {"int8.weights"});
    flip();
  }
  fs::resize_file(file, static_cast<std::uintmax_t>(size / 2));
  check_refused(glossa_program({"translate", quantized, "--input", source}), 1, {"int8.weights"});
}

TEST_CASE_FIXTURE(TrainedRun, "a quantize that fails leaves nothing, and an average of checkpoints can be quantized") {
  const Strings limited{"/bin/sh", "-c", "ulimit -f 40; trap '' XFSZ; exec \"$0\" \"$@\"", tested_program()};
  const Outcome failed =
      run_program({.arguments = with(limited, {"quantize", run, "--run", quantized}), .input = {}, .folder = {}});
  check_error(failed, 1, {"int8.weights"});
  CHECK_FALSE(fs::exists(quantized));
  CHECK_FALSE(fs::exists(quantized + ".part"));
  succeeded(tiny.train("run", {"train.max_updates=110", "optim.lr=1e-2"}, {"--resume"}));
  const Strings average{"--checkpoint", "average:2"};
  succeeded(glossa_program(with({"quantize", run, "--run", quantized}, average)));
  CHECK(printed({"translate", quantized, "--input", source}) ==
        printed(with(with({"translate", run, "--input", source}, in_int8), average)));
}

TEST_CASE("training has no int8") {
  const TinyRun tiny;
  check_refused(tiny.train("run", {"train.precision=int8"}), 2, {"train.precision", "int8"});
  check_refused(bench_program({"step", "--config", "seed", "--precision", "int8"}), 2,
                {"[command line]", "--precision"});
}
