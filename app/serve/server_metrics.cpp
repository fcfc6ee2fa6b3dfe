#include "app/serve/server_metrics.h"

#include <fmt/core.h>

namespace glossa::serve {

void ServerMetrics::add_request(int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[static_cast<std::size_t>(status)];
  seconds_ += seconds;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (seconds <= bounds[i]) ++within_[i];
}

void ServerMetrics::add_batch(std::size_t sentences) {
  const std::scoped_lock lock(mutex_);
  sentences_ += sentences;
  ++batches_;
}

std::string ServerMetrics::text(std::size_t queue_length, std::size_t connections) const {
  const std::scoped_lock lock(mutex_);
  std::string text;
  const auto head = [&](std::string_view name, std::string_view type, std::string_view help) {
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  };
  const auto number = [&](std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
    head(name, type, help);
    text += fmt::format("{} {}\n", name, value);
  };
  std::uint64_t requests = 0;
  head("glossa_requests_total", "counter", "Requests answered, by status.");
  for (std::size_t status = 0; status < requests_.size(); ++status) {
    if (requests_[status] == 0) continue;
    text += fmt::format("glossa_requests_total{{status=\"{}\"}} {}\n", status, requests_[status]);
    requests += requests_[status];
  }
  head("glossa_request_seconds", "histogram", "Time from the first byte of a request to its answer.");
  for (std::size_t i = 0; i < bounds.size(); ++i)
    text += fmt::format("glossa_request_seconds_bucket{{le=\"{}\"}} {}\n", bounds[i], within_[i]);
  text += fmt::format("glossa_request_seconds_bucket{{le=\"+Inf\"}} {}\n", requests);
  text += fmt::format("glossa_request_seconds_sum {}\nglossa_request_seconds_count {}\n", seconds_, requests);
  number("glossa_queue_length", "gauge", "Sentences waiting to be translated.", queue_length);
  number("glossa_connections", "gauge", "Open connections.", connections);
  number("glossa_sentences_total", "counter", "Sentences translated.", sentences_);
  number("glossa_batches_total", "counter", "Batches translated.", batches_);
  return text;
}

}  // namespace glossa::serve
