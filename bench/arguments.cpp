#include "bench/arguments.h"

namespace glossa::bench {

void add_steps(CLI::App& command, std::int64_t& steps, const char* help) {
  command.add_option("--steps", steps, help)->check(CLI::Range(1, 1000000))->capture_default_str();
}

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
