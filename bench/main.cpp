#include "app/command_line/program.h"
#include "bench/commands.h"

namespace glossa::bench {
namespace {

void add_benchmarks(CommandTable& table) {
  add_step(table);
  add_exchange(table);
  add_profile(table);
  add_gemm(table);
  add_floor(table);
  add_attention(table);
  add_train(table);
  add_decode(table);
  add_search(table);
}

}  // namespace

void add_benchmark(CLI::App& command, BenchmarkArguments& arguments, bool decodes) {
  command.add_option("--config", arguments.config, "size of the model")
      ->required()
      ->type_name("TEXT:{seed,tiny,small,base,opus}");
  if (decodes)
    commands::add_decoding_precision(command, arguments.precision);
  else
    commands::add_training_precision(command, arguments.precision);
  commands::add_threads(command, arguments.threads);
  command.add_flag("--json", arguments.json, "one JSON object per line");
  commands::add_force(command);
}

}  // namespace glossa::bench

int main(int argc, char** argv) {
  return glossa::commands::run_program(
      {.name = "glossa-bench", .help = "measures the speed of glossa", .add_commands = glossa::bench::add_benchmarks},
      argc, argv);
}
