#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

/// Arguments shared by several commands. Each function declares some on a command; parsing fills the references.
namespace glossa::commands {

/// RUN and --checkpoint; `choices` lists the values of the latter.
void add_checkpoint(CLI::App& command, std::string& run, std::string& checkpoint, const char* choices);

/// RUN, --checkpoint and --force, for a command that builds a run's model.
void add_run(CLI::App& command, std::string& run, std::string& checkpoint);

/// --set; `where` ends its help.
void add_sets(CLI::App& command, std::vector<std::string>& sets, const std::string& where = "");

/// --force, for a command that needs much memory.
void add_force(CLI::App& command);

/// --on-bad-line; its help reads that an unusable line `becomes`.
void add_on_bad_line(CLI::App& command, std::string& policy, const char* becomes = "stays empty in the output");

/// --beam. Returns the option.
CLI::Option* add_beam(CLI::App& command, std::int64_t& beam);

/// --threads; 0 stands for all available.
void add_threads(CLI::App& command, std::int64_t& threads);

/// --steps of a benchmark; `help` names the steps.
void add_steps(CLI::App& command, std::int64_t& steps, const char* help);

/// Arguments of a benchmark on a model with random weights.
struct BenchmarkArguments {
  std::string config;  // the name of its shape
  std::int64_t threads = 0;
  bool json = false;
};

/// --config, --threads, --json and --force.
void add_benchmark(CLI::App& command, BenchmarkArguments& arguments);

}  // namespace glossa::commands
