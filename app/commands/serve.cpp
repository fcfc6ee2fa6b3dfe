#include <fmt/core.h>

#include <cstdio>

#include "app/commands/commands.h"
#include "app/serve/connections.h"
#include "app/serve/http_error.h"
#include "app/serve/web.h"
#include "app/serve/workers.h"
#include "autograd/parallel.h"
#include "data/text/text_file.h"
#include "train/console/tell.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

using namespace serve;

/// How many requests are answered at once, most of which wait for the search, and how many wait for that.
constexpr std::size_t posts_at_once = 256, posts_waiting = 1024;

/// What takes no time to answer has threads of its own: whether the server is well is told while it is busy.
constexpr std::size_t gets_at_once = 2, gets_waiting = 1024;

constexpr std::size_t most_connections = 4096;

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(count));
}

/// The keys of a file, one a line; what begins with # is none.
std::vector<std::string> keys_of(const std::string& file) {
  std::vector<std::string> keys;
  if (file.empty()) return keys;
  for (const std::string& line : read_lines(file))
    if (!line.empty() && !line.starts_with('#')) keys.push_back(line);
  check(!keys.empty(), file,
        "expected an API key on a line; got none. Hint: head -c 16 /dev/urandom | base32 makes one");
  return keys;
}

}  // namespace

int run(const Serve& arguments) {
  share_one_heap();
  const std::vector<std::string> keys = keys_of(arguments.api_key_file);
  std::vector<LoadedRun> runs;
  for (const std::string& named : arguments.runs) {
    const RunName name(named, arguments.checkpoint);
    runs.push_back(load_run(name, load_run_config(name.folder(), arguments.sets, arguments.beam)));
    print_note(name);
  }
  apply_runtime(runs.front().config.runtime);
  std::vector<ServedRun> served;
  for (const LoadedRun& run : runs)
    served.push_back({run.model->transformer.get(), run.tokenizers, run.config.data, run.config.decode});

  serve::ServerMetrics metrics;
  TranslationService service(std::move(served),
                             {.queue = static_cast<std::size_t>(arguments.queue),
                              .searches = static_cast<std::size_t>(threads()),
                              .batch = static_cast<std::size_t>(arguments.batch),
                              .gather = seconds(arguments.gather_ms / 1000)},
                             metrics);
  const auto request_time = seconds(arguments.timeout), idle_time = 6 * request_time;
  Connections connections(listen_at(arguments.host, arguments.port),
                          {.connections = most_connections,
                           .body = static_cast<std::size_t>(arguments.max_kib) * 1024,
                           .request = request_time,
                           .idle = idle_time});
  const Web web(service, metrics,
                {.api_keys = keys,
                 .allowed_origin = arguments.allow_origin,
                 .idle = std::chrono::duration_cast<std::chrono::seconds>(idle_time),
                 .connections = [&] { return connections.open(); }});
  Workers getting(gets_at_once, gets_waiting), posting(posts_at_once, posts_waiting);
  const auto ask = [&](Incoming incoming, Connections::Answer answer) {
    Workers& workers = incoming.request.starts_with("POST ") ? posting : getting;
    const auto shared = std::make_shared<const Incoming>(std::move(incoming));
    if (!workers.post([&web, shared, answer = std::move(answer)] { answer(web.answer(*shared)); }))
      throw HttpError(503, "expected fewer requests at once. Hint: try again in a moment");
  };
  const auto answered = [&](int status, double time) { metrics.add_request(status, time); };

  const SignalWatch signals;
  fmt::print("listening on {}\n", connections.url());
  check(std::fflush(stdout) == 0, "standard output", "expected room for the output; writing failed");
  connections.serve({.ask = ask, .answered = answered}, [&] { return signals.stop_signal() != 0; });
  return 0;
}

}  // namespace glossa::commands
