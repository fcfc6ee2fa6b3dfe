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
}  // namespace glossa::bench

int main(int argc, char** argv) {
  return glossa::commands::run_program(
      {.name = "glossa-bench", .help = "measures the speed of glossa", .add_commands = glossa::bench::add_benchmarks},
      argc, argv);
}
