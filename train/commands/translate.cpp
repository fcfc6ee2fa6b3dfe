#include <unistd.h>

#include <cstdio>
#include <optional>

#include "data/text_file.h"
#include "train/commands/commands.h"
#include "train/evaluation.h"
#include "train/progress_bar.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

/// Lines are translated together, up to this many: enough for full batches, few enough to see the first ones soon. Who
/// waits for an answer before writing on, a person or a program, gets it at once.
constexpr std::size_t lines_at_once = 1024;

void write_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
  }
  check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
        "expected room for the translations; writing failed. Hint: is the disk full?");
}

}  // namespace

int run(const Translate& arguments) {
  const RunName name_of_run(arguments.run, arguments.checkpoint);
  const LoadedRun run = load_run(name_of_run, load_run_config(name_of_run.folder(), arguments.sets, arguments.beam));
  print_note(name_of_run);
  apply_runtime(run.config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  ProgressBar bar;
  CountProgress progress(bar, "sentence");
  translator.watch([&](Index sentences) { progress.add(sentences); });
  const TextOptions options = text_options(run.config.data);
  std::optional<LineReader> reader;
  const std::string name = arguments.input.empty() ? "standard input" : arguments.input;
  arguments.input.empty() ? reader.emplace(STDIN_FILENO, name, options) : reader.emplace(name, options);

  std::vector<std::string> lines;
  std::int64_t first = 1;
  std::string line;
  for (bool more = true; more;) {
    more = reader->next(line);
    if (more) lines.push_back(line);
    if (!lines.empty() && (!more || lines.size() == lines_at_once || reader->would_wait())) {
      const std::vector<std::string> outputs = translator.translate(lines, name, first);
      bar.clear();
      write_lines(outputs);
      first += static_cast<std::int64_t>(lines.size());
      lines.clear();
    }
  }
  return 0;
}

}  // namespace glossa::commands
