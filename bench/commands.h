#pragma once

#include <cstdint>
#include <string>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"

/// The commands of glossa-bench. Each function adds one command to the table, with the help that describes it. Most are
/// in a source file of the same name. gemm and floor are in products.cpp, decode and search in search.cpp.
namespace glossa::bench {

using commands::CommandTable;

void add_step(CommandTable& table);
void add_exchange(CommandTable& table);
void add_profile(CommandTable& table);
void add_gemm(CommandTable& table);
void add_floor(CommandTable& table);
void add_attention(CommandTable& table);
void add_train(CommandTable& table);
void add_decode(CommandTable& table);
void add_search(CommandTable& table);

/// Arguments of a benchmark on a model with random weights.
struct BenchmarkArguments {
  std::string config;  // name of a step's shape
  Precision precision = Precision::full;
  std::int64_t threads = 0;
  bool json = false;
};

/// Declares --config, --precision, --threads, --json and --force. A benchmark that decodes can do so in int8.
void add_benchmark(CLI::App& command, BenchmarkArguments& arguments, bool decodes = false);

}  // namespace glossa::bench
