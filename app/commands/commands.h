#pragma once

/// The program's commands. Each function adds one command to the table; its comment describes the command. The
/// function's source file has the command's arguments and work.
namespace glossa::commands {

class CommandTable;

/// Trains a model from a configuration.
void add_train(CommandTable& table);

/// Translates lines of text.
void add_translate(CommandTable& table);

/// Translates over HTTP.
void add_serve(CommandTable& table);

/// Measures loss and translation quality on a test set.
void add_evaluate(CommandTable& table);

/// Computes the log-probability of given translations.
void add_score(CommandTable& table);

/// Shows the attention of a model as it translates.
void add_attention(CommandTable& table);

/// Checks every derivative against finite differences.
void add_gradcheck(CommandTable& table);

/// Prints the contents of a checkpoint.
void add_inspect(CommandTable& table);

/// Writes a model for other programs.
void add_export(CommandTable& table);

/// Averages checkpoints into a new run.
void add_average(CommandTable& table);

/// Makes a run from a pretrained model.
void add_import(CommandTable& table);

/// Writes a page that shows runs, even while they train.
void add_report(CommandTable& table);

/// Prints the reference of all options.
void add_options(CommandTable& table);

/// Prints the manual page, glossa(1).
void add_manual(CommandTable& table);

/// Prints a shell's completion script.
void add_completion(CommandTable& table);

/// Prints the words that may stand at the end of a command line. For the scripts, so no help lists it.
void add_complete(CommandTable& table);

/// Times a training step.
void add_bench_step(CommandTable& table);

/// Measures how fast the processes started by mpirun sum gradients.
void add_bench_exchange(CommandTable& table);

/// Breaks a training step's time down into its parts.
void add_bench_profile(CommandTable& table);

/// Times the matrix products of a training step.
void add_bench_gemm(CommandTable& table);

/// Compares a training step's time with a lower bound: the minimum time of its matrix products, plus that of Adam's
/// memory traffic.
void add_bench_floor(CommandTable& table);

/// Times self-attention over one long sequence.
void add_bench_attention(CommandTable& table);

/// Times an epoch of a configuration.
void add_bench_train(CommandTable& table);

/// Times the translation of a file.
void add_bench_decode(CommandTable& table);

/// Times the search with random weights.
void add_bench_search(CommandTable& table);

/// Writes a corpus of the toy language.
void add_generate_toy(CommandTable& table);

}  // namespace glossa::commands
