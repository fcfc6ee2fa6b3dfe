#pragma once

#include <cstdint>
#include <string>

#include "app/command_line/arguments.h"

/// Arguments that several benchmarks share.
namespace glossa::bench {

/// Declares --steps; `help` names the steps.
void add_steps(CLI::App& command, std::int64_t& steps, const char* help);

/// Arguments of a benchmark on a model with random weights.
struct BenchmarkArguments {
  std::string config;  // name of the step's shape
  Precision precision = Precision::full;
  std::int64_t threads = 0;
  bool json = false;
};

/// Declares --config, --precision, --threads, --json and --force. A benchmark that decodes can do so in int8.
void add_benchmark(CLI::App& command, BenchmarkArguments& arguments, bool decodes = false);

}  // namespace glossa::bench
