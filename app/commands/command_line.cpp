#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/commands/commands.h"
#include "autograd/available_memory.h"
#include "autograd/check.h"
#include "autograd/stopwatch.h"
#include "train/config/unknown_name.h"
#include "train/console/tell.h"
#include "train/console/version.h"
#include "train/processes/job.h"
#include "train/runtime.h"
#include "train/scores/bleu_tokenizer.h"

namespace glossa::commands {

namespace {

/// -q and -v, for every command.
void add_verbosity(CLI::App& command) {
  CLI::Option* quiet = command.add_flag_callback(
      "-q,--quiet", [] { set_verbosity(Verbosity::quiet); }, "tell warnings and errors only");
  command
      .add_flag_callback(
          "-v,--verbose", [] { set_verbosity(Verbosity::verbose); },
          "tell more: files that are read, unknown words, the configuration of a run, time and memory")
      ->excludes(quiet);
}

/// Declares a subcommand whose arguments fill a struct of commands.h and whose run is its `run`.
template <class Arguments, class Declare>
void add_command(CLI::App& parent, const char* name, const char* help, int& status, const Declare& declare) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = parent.add_subcommand(name, help);
  declare(*command, *arguments);
  add_verbosity(*command);
  command->callback([arguments, &status, name] {
    const int processes = job().count();
    if (constexpr bool in_a_job = requires { Arguments::in_a_job; }; processes > 1 && !in_a_job)
      throw CommonError(Error::Kind::misuse, name,
                        fmt::format("expected one process; got {}. Hint: train, translate, evaluate and some of bench "
                                    "work in several",
                                    processes));
    const Stopwatch watch;
    status = run(*arguments);
    if (status == 0)  // else the last line is the error
      tell_more("note: {} took {:.1f} s and at most {:.0f} MiB, with {}\n", name, watch.seconds(), peak_rss_mb(),
                describe_runtime());
  });
}

/// What commands are for, as help lists them.
void set_groups(CLI::App& app) {
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"Train", {"train", "generate"}},
      {"Translate", {"translate", "serve"}},
      {"Measure", {"evaluate", "score", "bench"}},
      {"Check", {"gradcheck"}},
      {"Look", {"report", "attention", "inspect"}},
      {"Exchange", {"export", "import", "average"}},
      {"Help", {"options", "manual", "completion"}},
  };
  for (const auto& [group, commands] : groups)
    for (const char* command : commands) app.get_subcommand(command)->group(group);
}

void add_sets(CLI::App& command, std::vector<std::string>& sets, const std::string& where = "") {
  command
      .add_option("--set", sets,
                  "section.key=value: overrides the configuration; may repeat, the last wins" +
                      (where.empty() ? "" : "; " + where))
      ->allow_extra_args(false);
}

/// For what needs much memory.
void add_force(CLI::App& command) {
  command.add_flag_callback("--force", ignore_memory_limits,
                            "start even if more memory is needed than the machine has left");
}

template <class Arguments>
void add_on_bad_line(CLI::App& command, Arguments& arguments, const char* becomes = "is empty in the output") {
  command
      .add_option("--on-bad-line", arguments.on_bad_line,
                  fmt::format("a line that cannot be used {}, with a warning (warn), or stops (stop)", becomes))
      ->check(CLI::IsMember({"warn", "stop"}))
      ->capture_default_str();
}

/// RUN and --checkpoint.
template <class Arguments>
void add_checkpoint(CLI::App& command, Arguments& arguments, const char* choices) {
  command.add_option("RUN", arguments.run, "folder of a run, or one of its checkpoints")->required();
  command.add_option("--checkpoint", arguments.checkpoint, choices);
}

/// The same, for what makes a model of them.
template <class Arguments>
void add_run(CLI::App& command, Arguments& arguments) {
  add_checkpoint(command, arguments, "best, last, an update, or average:N of the newest N (default: best)");
  add_force(command);
}

constexpr const char* host_characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]";

/// What browsers call the origin of a page: scheme, host and perhaps port; or * for all.
std::string wrong_origin(const std::string& text) {
  const std::size_t host = text.find("://") == text.npos ? text.npos : text.find("://") + 3;
  const bool is_origin = host < text.size() && text.find_first_not_of(host_characters, host) == text.npos;
  return text == "*" || is_origin ? "" : "expected an origin such as https://example.org, or *; got " + text;
}

/// Declares every command with its arguments, of which help, manual and completion are made, too. The one that is
/// parsed runs, and leaves its exit status in `status`.
void add_commands(CLI::App& app, int& status) {
  add_command<Train>(app, "train", "Train a model as a configuration says", status, [](auto& c, auto& a) {
    c.add_option("CONFIG", a.config, "YAML file; see docs/options.md")->required();
    c.add_option("--run", a.run, "folder of the run (default: runs/NAME for NAME.yaml)");
    c.add_flag("--resume", a.resume, "go on from the newest valid checkpoint");
    c.add_flag("--dump-config", a.dump_config, "print the effective configuration and stop");
    add_force(c);
    add_sets(c, a.sets);
  });
  add_command<Translate>(app, "translate", "Translate lines of text", status, [](auto& c, auto& a) {
    add_run(c, a);
    c.add_option("--input", a.input, "file to translate (default: standard input)");
    c.add_option("--output", a.output, "file to write when all is translated (default: standard output)");
    c.add_option("--beam", a.beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
    c.add_option("--nbest", a.nbest, "the N best translations of each line")->check(CLI::Range(1, 1024));
    c.add_option("--format", a.format, "text; moses: number ||| text ||| score; json (default: text; --nbest: moses)")
        ->check(CLI::IsMember({"text", "moses", "json"}));
    c.add_flag("--scores", a.scores, "text: a tab and the score after each translation; others have it anyway");
    c.add_flag("--alignment", a.alignment,
               "also which word of the line each word of the translation looked at: 0-0 1-2");
    c.add_option("--alignment-layer", a.alignment_layer,
                 "layer of the decoder that tells it, from 0 (default: the last but one)");
    add_on_bad_line(c, a);
    add_sets(c, a.sets);
  });
  add_command<Serve>(app, "serve", "Translate for others over HTTP", status, [](auto& c, auto& a) {
    c.add_option("RUN", a.runs, "folders of runs, or of each one of its checkpoints; one for each pair of languages")
        ->required();
    c.add_option("--checkpoint", a.checkpoint,
                 "best, last, an update, or average:N of the newest N (default: best), of each RUN");
    c.add_option("--host", a.host, "name or address of this machine to listen at; 0.0.0.0: all")->capture_default_str();
    c.add_option("--port", a.port, "to listen at; 0: one that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    c.add_option("--beam", a.beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
    c.add_option("--api-key-file", a.api_key_file, "file of keys, one a line: who asks must send one as api_key");
    c.add_option("--allow-origin", a.allow_origin, "of the pages that may ask, such as https://example.org; *: all")
        ->check(wrong_origin);
    c.add_option("--gather-ms", a.gather_ms, "milliseconds that a sentence waits for others to be translated with")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    c.add_option("--batch", a.batch, "most sentences translated together")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    c.add_option("--queue", a.queue, "most sentences that wait for a run; more are refused")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    c.add_option("--timeout", a.timeout, "seconds for a whole request, from its first byte to the answer")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    c.add_option("--max-kib", a.max_kib, "KiB of the largest request")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    add_force(c);
    add_sets(c, a.sets);
  });
  add_command<Evaluate>(app, "evaluate", "Loss and translation quality on a test set", status, [](auto& c, auto& a) {
    add_run(c, a);
    CLI::Option* source = c.add_option("--source", a.source, "file to translate");
    CLI::Option* reference = c.add_option("--reference", a.reference, "its translation")->needs(source);
    source->needs(reference);
    c.add_option("--test", a.test, "PREFIX, FILE.tsv or FILE.tmx of both (default: data.test or data.split of the run)")
        ->excludes(source);
    constexpr auto tokenizers = bleu_tokenizer_names;
    c.add_option("--tokenize", a.tokenize, "what BLEU counts (default: as the run does)")
        ->check(CLI::IsMember(std::vector<std::string>(tokenizers.begin(), tokenizers.end())));
    c.add_option("--beam", a.beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
    c.add_flag("--json", a.json, "one JSON object");
    add_on_bad_line(c, a, "has an empty translation, which is scored");
    add_sets(c, a.sets);
  });
  add_command<Score>(app, "score", "Log-probability of given translations", status, [](auto& c, auto& a) {
    add_run(c, a);
    c.add_option("--source", a.source, "file of source lines")->required();
    c.add_option("--target", a.target, "their translations, line by line")->required();
    c.add_flag("--per-token", a.per_token, "each token with its log-probability, too");
    c.add_flag("--json", a.json, "one JSON object a line");
    add_on_bad_line(c, a);
    add_sets(c, a.sets);
  });
  add_command<Attention>(app, "attention", "Show where a model looks as it translates", status, [](auto& c, auto& a) {
    add_run(c, a);
    c.add_option("--input", a.input, "file to translate (default: standard input)");
    c.add_option("--beam", a.beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
    c.add_option("--layer", a.layer, "layer of cross-attention to print, from 0 (default: the last but one)");
    c.add_option("--head", a.head, "head of it, from 0 (default: the mean of all)");
    CLI::Option* json = c.add_flag("--json", a.json, "every layer and head, one JSON object a line");
    c.add_option("--html", a.html, "page to write, with every layer and head")->excludes(json);
    add_on_bad_line(c, a, "is left out");
    add_sets(c, a.sets);
  });
  add_command<Gradcheck>(app, "gradcheck", "Check every derivative against differences", status, [](auto& c, auto& a) {
    c.add_option("CONFIG", a.config, "YAML file: check the model that it describes (default: every op and layer)");
    c.add_option("--only", a.only, "check only what has this in its name");
    c.add_flag("--full", a.full, "every element of the model of CONFIG (default: 32 of each tensor)");
    c.add_flag("--json", a.json, "one JSON object a line");
    add_force(c);
    add_sets(c, a.sets);
  });
  add_command<Inspect>(app, "inspect", "Show what a checkpoint holds", status, [](auto& c, auto& a) {
    add_checkpoint(c, a, "best, last or an update (default: best)");
    c.add_flag("--json", a.json, "one JSON object");
  });
  add_command<Export>(app, "export", "Write a model for other programs", status, [](auto& c, auto& a) {
    add_run(c, a);
    c.add_option("--safetensors", a.safetensors, "file to write: the weights, in PyTorch's names");
    c.add_option("--huggingface", a.huggingface, "folder to make, for MarianMTModel of transformers");
    c.add_option("--marian", a.marian, "folder to make, for Marian's tools");
  });
  add_command<Average>(app, "average", "Make a run of the mean of checkpoints", status, [](auto& c, auto& a) {
    c.add_option("RUN", a.from, "folder of a run")->required();
    c.add_option("--last", a.last, "the newest N")->required()->check(CLI::Range(1, 1000000));
    c.add_option("--run", a.run, "folder to make")->required();
    add_force(c);
  });
  add_command<Import>(app, "import", "Make a run of a pretrained model", status, [](auto& c, auto& a) {
    c.add_option("PATH", a.path,
                 "folder of a pretrained model, of Hugging Face or of Marian, or a file of weights; see "
                 "docs/exchange.md")
        ->required();
    c.add_option("CONFIG", a.config, "YAML file that describes the model and its data, with a file of weights");
    c.add_option("--run", a.run, "folder to make")->required();
    add_force(c);
    add_sets(c, a.sets, "with a CONFIG; of a folder data.source and data.target");
  });
  add_command<Report>(
      app, "report", "Show runs, also while they train, on a page to look at", status, [](auto& c, auto& a) {
        c.add_option("RUN", a.runs, "folders of runs")->required();
        c.add_option("--out", a.out, "HTML file to write (default, of one run: RUN/report.html)");
        c.add_option("--input", a.input, "file of sentences whose attention is shown (default: some of the samples)");
        c.add_flag("--follow", a.follow, "write it anew whenever there is news, until training ends");
      });
  add_command<Options>(app, "options", "Print the reference of all options (docs/options.md)", status,
                       [](auto&, auto&) {});
  add_command<Manual>(app, "manual", "Print glossa(1), the page of the manual", status,
                      [&app](auto&, auto& a) { a.program = [&app] { return described(app); }; });
  add_command<Completion>(app, "completion", "Print what a shell reads to complete commands", status,
                          [&app](auto& c, auto& a) {
                            c.add_option("SHELL", a.shell, "which")->required()->check(CLI::IsMember({"bash", "zsh"}));
                            a.program = [&app] { return described(app); };
                          });

  CLI::App* bench = app.add_subcommand("bench", "Measure speed")->require_subcommand(1);
  const auto of_config = [](auto& c, auto& a) {
    c.add_option("--config", a.config, "which model")->required()->type_name("TEXT:{seed,tiny,small,base,opus}");
    c.add_option("--threads", a.threads, "default: all available")->check(CLI::Range(1, 4096));
    c.add_flag("--json", a.json, "one JSON object a line");
    add_force(c);
  };
  const auto of_steps = [of_config](auto& c, auto& a) {
    of_config(c, a);
    c.add_option("--steps", a.steps, "timed steps")->check(CLI::Range(1, 1000000))->capture_default_str();
  };
  add_command<BenchStep>(*bench, "step", "Time a training step", status, [of_steps](auto& c, auto& a) {
    of_steps(c, a);
    c.add_option("--accumulate", a.accumulate, "micro-batches of a step, shared out by the processes of mpirun")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
  });
  add_command<BenchExchange>(
      *bench, "exchange", "How fast the processes of mpirun add up gradients", status, [](auto& c, auto& a) {
        c.add_option("--mebibytes", a.mebibytes, "of gradients")->check(CLI::Range(1, 4096))->capture_default_str();
        c.add_option("--steps", a.steps, "timed exchanges")->check(CLI::Range(1, 1000000))->capture_default_str();
        c.add_flag("--json", a.json, "one JSON object");
      });
  add_command<BenchProfile>(*bench, "profile", "Where the time of a training step goes", status, of_steps);
  add_command<BenchGemm>(*bench, "gemm", "Speed of the products of a training step", status, of_config);
  add_command<BenchFloor>(*bench, "floor", "Least time of a training step: products and Adam's memory alone", status,
                          of_config);
  add_command<BenchAttention>(
      *bench, "attention", "Time self-attention over one long sequence: 8 heads, width 512", status,
      [](auto& c, auto& a) {
        c.add_option("--length", a.length, "tokens")->check(CLI::Range(1, 65536))->capture_default_str();
        c.add_flag("--causal", a.causal, "a token attends to those before it and to itself");
        c.add_option("--dropout", a.dropout, "on the weights")->check(CLI::Range(0.0, 1.0))->capture_default_str();
        c.add_option("--steps", a.steps, "timed steps")->check(CLI::Range(1, 1000000))->capture_default_str();
        c.add_option("--threads", a.threads, "default: all available")->check(CLI::Range(1, 4096));
        c.add_flag("--json", a.json, "one JSON object");
      });
  add_command<BenchTrain>(*bench, "train", "Train an epoch of a configuration", status, [](auto& c, auto& a) {
    c.add_option("CONFIG", a.config, "YAML file; see docs/options.md")->required();
    c.add_flag("--json", a.json, "one JSON object");
    add_force(c);
    add_sets(c, a.sets);
  });
  add_command<BenchDecode>(*bench, "decode", "Speed of translating a file", status, [](auto& c, auto& a) {
    add_run(c, a);
    c.add_option("--source", a.source, "file to translate")->required();
    c.add_option("--beam", a.beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
    c.add_option("--threads", a.threads, "default: all available")->check(CLI::Range(1, 4096));
    c.add_flag("--json", a.json, "one JSON object");
    add_sets(c, a.sets);
  });
  add_command<BenchSearch>(
      *bench, "search", "Speed of translating random sentences of 30 tokens with random weights", status,
      [of_config](auto& c, auto& a) {
        of_config(c, a);
        c.add_option("--beam", a.beam, "hypotheses kept in the search")
            ->check(CLI::Range(1, 1024))
            ->capture_default_str();
        c.add_option("--sentences", a.sentences, "to translate")->check(CLI::Range(1, 1000000))->capture_default_str();
        c.add_option("--length", a.length, "tokens of every translation")
            ->check(CLI::Range(1, 512))
            ->capture_default_str();
      });
  CLI::App* generate = app.add_subcommand("generate", "Write a generated corpus")->require_subcommand(1);
  add_command<GenerateToy>(*generate, "toy", "English to romanised Hindi", status, [](auto& c, auto& a) {
    c.add_option("--out", a.out, "folder")->required();
    c.add_option("--pairs", a.pairs, "sentence pairs in all")->capture_default_str();
    c.add_option("--seed", a.seed, "which pairs, in which order")->capture_default_str();
  });
  set_groups(app);
}

/// What is said of the first word that no command takes; empty where there is none.
std::string about_unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return "";
  CommandWords known{.command = app.get_name(), .commands = {}, .options = {}};
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    known.command += " " + command->get_name();
  }
  for (const CLI::App* below : command->get_subcommands([](const CLI::App*) { return true; }))
    known.commands.push_back(below->get_name());
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) known.options.push_back(name);
  const auto at = std::find(words.begin(), words.end(), rest.front());
  const bool has_value = std::distance(at, words.end()) > 1 && !at[1].starts_with("--");
  return unknown_word(known, rest.front(), has_value ? at[1] : "VALUE");
}

}  // namespace

int run(std::vector<std::string> words) {
  CLI::App app("glossa: trains encoder-decoder Transformers for translation on a CPU", "glossa");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(program_version));
  app.footer("`glossa help SUBCOMMAND` tells more of one.");
  int status = 0;
  add_commands(app, status);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as the library wants them
    return status;
  } catch (const CLI::ParseError& error) {
    const std::string text = about_unknown_word(app, words);
    // Help and version are no errors; everything else on the command line is misuse.
    if (error.get_exit_code() == 0 && text.empty()) return app.exit(error);
    if (!text.empty()) misuse("command line", "{}", text);
    misuse("command line", "{}. Hint: add --help to see what is expected", error.what());
  }
}

}  // namespace glossa::commands
