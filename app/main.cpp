#include "app/command_line/command_table.h"
#include "app/command_line/program.h"
#include "app/commands/commands.h"

namespace glossa::commands {
namespace {

void add_commands(CommandTable& table) {
  add_train(table);
  add_prepare(table);
  add_translate(table);
  add_serve(table);
  add_evaluate(table);
  add_score(table);
  add_tune(table);
  add_attention(table);
  add_gradcheck(table);
  add_inspect(table);
  add_export(table);
  add_average(table);
  add_quantize(table);
  add_import(table);
  add_report(table);
  add_options(table);
  add_manual(table);
  add_completion(table);
  add_complete(table);
  CommandTable generate = table.add_table({.name = "generate", .help = "Generate a corpus", .group = "Train"});
  add_generate_toy(generate);
}

}  // namespace
}  // namespace glossa::commands

int main(int argc, char** argv) {
  using namespace glossa::commands;
  return run_program({.name = "glossa",
                      .help = "trains encoder-decoder Transformers for translation on a CPU",
                      .add_commands = add_commands,
                      .moved = MovedCommand{.name = "bench",
                                            .program = "glossa-bench",
                                            .hint = "ninja -C build glossa-bench builds it from source"}},
                     argc, argv);
}
