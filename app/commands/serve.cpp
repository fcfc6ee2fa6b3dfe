#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/input.h"
#include "app/serve/access.h"
#include "app/serve/connections.h"
#include "app/serve/web.h"
#include "app/serve/workers.h"
#include "base/check.h"
#include "base/parallel.h"
#include "data/text/text_file.h"
#include "report/run_metrics.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

using namespace serve;

struct ServeArguments {
  std::vector<std::string> runs, host_names;
  std::string checkpoint, host = "127.0.0.1", api_key_file, allow_origin, split_sentences = "auto";
  std::int64_t port = 5000, beam = 0;
  std::optional<Precision> precision;  // empty: each run's setting
  std::int64_t batch = 32, queue = 2048, max_kib = 1024;
  double gather_ms = 5, timeout = 10;
  std::vector<std::string> sets;
};

/// Maximum numbers of POST requests that have a thread, and that wait for one. A thread cuts texts into sentences and
/// then waits for the search threads. Its niceness leaves the cores to the search.
constexpr std::size_t posts_at_once = 256, posts_waiting = 1024;
constexpr int post_niceness = 10;

/// GET requests, which are answered quickly, have separate threads, so that /health responds under load.
constexpr std::size_t gets_at_once = 2, gets_waiting = 1024;

constexpr std::size_t max_connections = 4096;

/// Time limit for the threads to end after the last answer.
constexpr std::chrono::milliseconds last_moments(300);

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(count));
}

/// Returns the keys in a file, one per line; skips lines that start with #.
std::vector<std::string> keys_of(const std::string& file) {
  std::vector<std::string> keys;
  if (file.empty()) return keys;
  for (const std::string& line : read_lines(file))
    if (!line.empty() && !line.starts_with('#')) keys.push_back(line);
  check(!keys.empty(), file,
        "expected API keys, one per line; got none. Hint: head -c 16 /dev/urandom | base32 makes one");
  return keys;
}

/// Checks an origin as browsers send it, or * for all. Returns the error, or empty text.
std::string wrong_origin(const std::string& text) {
  return text == "*" || parse_origin(text) ? "" : "expected an origin such as https://example.org, or *; got " + text;
}

/// Checks a host name without a port. Returns the error, or empty text.
std::string wrong_host_name(const std::string& text) {
  const std::optional<Authority> authority = parse_authority(text);
  return authority && !authority->port ? "" : "expected a name such as example.org, without a port; got " + text;
}

/// Returns the last two parts of a path: clients need not know where the server's files are.
std::string brief_name(const std::string& path) {
  const std::filesystem::path whole(path);
  return (whole.parent_path().filename() / whole.filename()).string();
}

/// Describes a run. Its scores are from the validation at its checkpoint's update, which used the run's own beam, not
/// the server's. A mean of checkpoints has no scores.
ServedModel served_model(const RunName& name, const LoadedRun& run) {
  ServedModel model{.source = run.config.data.source,
                    .target = run.config.data.target,
                    .trained_on = {},
                    .parameters = run.model->parameters.count(),
                    .update = run.state.update};
  for (const std::string& corpus : run.config.data.train) model.trained_on.push_back(brief_name(corpus));
  if (run.checkpoints.size() > 1) return model;
  model.validation_beam = parse_config(run.state.config, name.folder()).decode.beam;
  const Series validation = read_metrics(name.folder(), /*being_written=*/true).validation;
  for (const std::vector<double>& row : validation.rows) {
    if (row[validation.column("update")] != static_cast<double>(model.update)) continue;
    model.bleu = row[validation.column("valid_bleu")];
    model.chrf = row[validation.column("valid_chrf")];
  }
  return model;
}

int run(const ServeArguments& arguments) {
  share_one_heap();
  const std::vector<std::string> keys = keys_of(arguments.api_key_file);
  std::vector<LoadedRun> runs;
  std::vector<ServedModel> models;
  for (const std::string& named : arguments.runs) {
    const RunName name(named, arguments.checkpoint);
    const Config config = load_run_config(name.folder(), arguments.sets, arguments.beam, arguments.precision);
    if (config.decode.mbr > 0)
      misuse("decode.mbr", "expected 0 for serve; got {} for {}. Hint: --set decode.mbr=0", config.decode.mbr, named);
    runs.push_back(load_run(name, config));
    models.push_back(served_model(name, runs.back()));
  }
  apply_runtime(runs.front().config.runtime);
  std::vector<ServedRun> served;
  for (std::size_t i = 0; i < runs.size(); ++i)
    served.push_back({.model = runs[i].model->transformer.get(),
                      .tokenizers = runs[i].tokenizers,
                      .data = runs[i].config.data,
                      .decode = runs[i].config.decode,
                      .usual_words = runs[i].state.text.usual_words,
                      .splits_sentences = splits_sentences(arguments.split_sentences, runs[i].state.text),
                      .name = arguments.runs[i]});

  serve::ServerMetrics metrics;
  TranslationService service(std::move(served),
                             {.queue = static_cast<std::size_t>(arguments.queue),
                              .searches = static_cast<std::size_t>(threads()),
                              .batch = static_cast<std::size_t>(arguments.batch),
                              .gather = seconds(arguments.gather_ms / 1000)},
                             metrics);
  const auto request_time = seconds(arguments.timeout);
  Connections connections(listen_at(arguments.host, arguments.port),
                          {.connections = max_connections,
                           .body = static_cast<std::size_t>(arguments.max_kib) * 1024,
                           .request = request_time,
                           .idle = 6 * request_time});
  std::vector<std::string> host_names = arguments.host_names;
  host_names.push_back(arguments.host);
  const auto open_connections = [&] { return connections.open(); };
  const Web web(service, metrics,
                {.api_keys = keys,
                 .host_names = host_names,
                 .allowed_origin = arguments.allow_origin,
                 .models = std::move(models),
                 .connections = open_connections});
  Workers getting(gets_at_once, gets_waiting), posting(posts_at_once, posts_waiting, post_niceness);
  const auto ask = [&](Incoming incoming) {
    Workers& workers = incoming.request.method == "POST" ? posting : getting;
    const auto shared = std::make_shared<Incoming>(std::move(incoming));
    const auto run = [&web, shared] {  // translates only if the client still waits
      shared->answer.send(shared->caller.waits() ? web.answer(shared->request, shared->caller) : late_reply());
    };
    workers.post(shared->caller.client, {.run = run, .refuse = [shared] { shared->answer.send(busy_reply()); }});
  };
  Requests requests;
  const auto answered = [&](int status, double time) { metrics.add_request(status, time); };
  // Made before the address is printed: once it is printed, no failure may end the server.
  Connections::Hooks hooks{.ask = ask, .answered = answered};
  const std::function<bool()> stops = [&requests] { return requests.stops(); };

  const SignalWatch signals(requests);
  fmt::print("listening on {}\n", connections.url());
  check(std::fflush(stdout) == 0, "standard output", "cannot write the output. Hint: the disk may be full");
  connections.serve(std::move(hooks), stops);
  service.cancel();
  // All answers are sent and nothing is unsaved. A thread that cuts a long text may take seconds to end.
  if (!posting.wait_for(last_moments)) std::_Exit(0);
  return 0;
}

}  // namespace

void add_serve(CommandTable& table) {
  const auto [command, arguments] =
      table.add<ServeArguments>({.name = "serve", .help = "Serve translations over HTTP", .group = "Translate"}, run);
  command.add_option("RUN", arguments.runs, "folders of runs or checkpoints in them, one per language pair")
      ->required();
  command.add_option("--checkpoint", arguments.checkpoint,
                     "of each RUN: best, last, an update, or average:N of the newest N (default: best)");
  command.add_option("--host", arguments.host, "name or address of this machine to listen on; 0.0.0.0: all")
      ->capture_default_str();
  add_number(command, "--port", arguments.port, 0, 65535, "port to listen on; 0: any free one");
  add_beam(command, arguments.beam);
  add_precision(command, arguments.precision);
  add_split_sentences(command, arguments.split_sentences);
  command.add_option("--api-key-file", arguments.api_key_file,
                     "file of API keys, one per line; requests must send one as api_key");
  command
      .add_option("--host-name", arguments.host_names,
                  "name by which clients know the server, besides its addresses, localhost and --host; repeatable")
      ->check(wrong_host_name)
      ->allow_extra_args(false);
  command
      .add_option("--allow-origin", arguments.allow_origin,
                  "origin whose pages may send requests, such as https://example.org; *: all")
      ->check(wrong_origin);
  add_number(command, "--gather-ms", arguments.gather_ms, 0, 1000,
             "milliseconds that a sentence waits for others to share its batch");
  add_number(command, "--batch", arguments.batch, 1, 4096, "maximum number of sentences translated together");
  add_number(command, "--queue", arguments.queue, 1, 1000000,
             "maximum number of sentences waiting for a run; more are refused");
  add_number(command, "--timeout", arguments.timeout, 0.1, 3600,
             "seconds for a request, from its first byte to the answer");
  add_number(command, "--max-kib", arguments.max_kib, 1, 65536, "maximum size of a request, in KiB");
  add_force(command);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
