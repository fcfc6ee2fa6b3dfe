#pragma once

/// The commands of glossa. Each function adds one command to the table, with the help that describes it. The command's
/// arguments and work are in a source file of the same name.
namespace glossa::commands {

class CommandTable;

void add_train(CommandTable& table);
void add_prepare(CommandTable& table);
void add_translate(CommandTable& table);
void add_serve(CommandTable& table);
void add_evaluate(CommandTable& table);
void add_score(CommandTable& table);
void add_tune(CommandTable& table);
void add_attention(CommandTable& table);
void add_gradcheck(CommandTable& table);
void add_inspect(CommandTable& table);
void add_export(CommandTable& table);
void add_average(CommandTable& table);
void add_quantize(CommandTable& table);
void add_import(CommandTable& table);
void add_report(CommandTable& table);
void add_options(CommandTable& table);
void add_manual(CommandTable& table);
void add_completion(CommandTable& table);
void add_generate_toy(CommandTable& table);

/// Adds the command that prints the possible words at the end of a command line. Only scripts use it, and no help lists
/// it.
void add_complete(CommandTable& table);

}  // namespace glossa::commands
