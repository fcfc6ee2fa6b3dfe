#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/description.h"

/// The commands of the program `glossa`: each takes its parsed arguments and returns the exit status, or throws Error.
/// Those that say `in_a_job` run in all processes that mpirun starts, of which the first tells what comes out.
namespace glossa::commands {

struct Train {
  static constexpr bool in_a_job = true;
  std::string config;
  std::string run;  // empty: runs/NAME for a configuration NAME.yaml
  bool resume = false, dump_config = false;
  std::vector<std::string> sets;
};
int run(const Train& arguments);

struct Translate {
  static constexpr bool in_a_job = true;
  std::string run, checkpoint, input, output;
  std::string format;  // empty: text or, with nbest, moses
  std::string on_bad_line = "warn";
  std::int64_t beam = 0;   // 0: as the run is configured
  std::int64_t nbest = 0;  // 0: one, and no list of them
  bool scores = false;
  bool alignment = false;
  std::optional<std::int64_t> alignment_layer;  // none: the usual one
  std::vector<std::string> sets;
};
int run(const Translate& arguments);

struct Serve {
  std::vector<std::string> runs;
  std::string checkpoint, host = "127.0.0.1", api_key_file, allow_origin;
  std::int64_t port = 5000, beam = 0;
  std::int64_t batch = 32, queue = 2048, max_kib = 1024;
  double gather_ms = 5, timeout = 10;
  std::vector<std::string> sets;
};
int run(const Serve& arguments);

struct Evaluate {
  static constexpr bool in_a_job = true;
  std::string run, checkpoint;
  std::string source, reference, test;  // empty: the run's own test corpus
  std::string tokenize;                 // empty: as the run is configured
  std::string on_bad_line = "warn";
  std::int64_t beam = 0;
  bool json = false;
  std::vector<std::string> sets;
};
int run(const Evaluate& arguments);

struct Score {
  std::string run, checkpoint, source, target;
  std::string on_bad_line = "warn";
  bool per_token = false, json = false;
  std::vector<std::string> sets;
};
int run(const Score& arguments);

struct Attention {
  std::string run, checkpoint, input, html;
  std::string on_bad_line = "warn";
  std::int64_t beam = 0;
  std::optional<std::int64_t> layer, head;  // none: the usual layer, the mean of the heads
  bool json = false;
  std::vector<std::string> sets;
};
int run(const Attention& arguments);

struct Gradcheck {
  std::string config;  // empty: the whole table
  std::string only;    // part of a name
  bool full = false, json = false;
  std::vector<std::string> sets;
};
int run(const Gradcheck& arguments);

struct Inspect {
  std::string run, checkpoint;
  bool json = false;
};
int run(const Inspect& arguments);

struct Export {
  std::string run, checkpoint, safetensors, huggingface, marian;
};
int run(const Export& arguments);

struct Import {
  std::string path, config, run;
  std::vector<std::string> sets;
};
int run(const Import& arguments);

struct Average {
  std::string from, run;
  std::int64_t last = 0;
};
int run(const Average& arguments);

struct BenchStep {
  static constexpr bool in_a_job = true;
  std::string config;
  std::int64_t threads = 0, steps = 15, accumulate = 1;
  bool json = false;
};
int run(const BenchStep& arguments);

struct BenchProfile {
  std::string config;
  std::int64_t threads = 0, steps = 10;
  bool json = false;
};
int run(const BenchProfile& arguments);

struct BenchProducts {
  std::string config;
  std::int64_t threads = 0;
  bool json = false;
};
struct BenchGemm : BenchProducts {};
int run(const BenchGemm& arguments);
struct BenchFloor : BenchProducts {};
int run(const BenchFloor& arguments);

struct BenchAttention {
  std::int64_t length = 1024, threads = 0, steps = 15;
  bool causal = false, json = false;
  double dropout = 0;
};
int run(const BenchAttention& arguments);

struct BenchExchange {
  static constexpr bool in_a_job = true;
  std::int64_t mebibytes = 64, steps = 15;
  bool json = false;
};
int run(const BenchExchange& arguments);

struct BenchDecode {
  std::string run, checkpoint, source;
  std::int64_t beam = 0, threads = 0;
  bool json = false;
  std::vector<std::string> sets;
};
int run(const BenchDecode& arguments);

struct BenchSearch {
  std::string config;
  std::int64_t beam = 4, sentences = 500, length = 30, threads = 0;
  bool json = false;
};
int run(const BenchSearch& arguments);

struct BenchTrain {
  static constexpr bool in_a_job = true;
  std::string config;
  bool json = false;
  std::vector<std::string> sets;
};
int run(const BenchTrain& arguments);

struct GenerateToy {
  std::string out;
  std::int64_t pairs = 50000, seed = 1;
};
int run(const GenerateToy& arguments);

struct Report {
  std::vector<std::string> runs;
  std::string out;    // empty: report.html in the folder of the one run
  std::string input;  // sentences whose attention is shown; empty: some of the samples
  bool follow = false;
};
int run(const Report& arguments);

struct Options {};
int run(const Options& arguments);

struct Manual {
  std::function<Command()> program;
};
int run(const Manual& arguments);

struct Completion {
  std::string shell;
  std::function<Command()> program;
};
int run(const Completion& arguments);

}  // namespace glossa::commands
