#include "app/serve/server_metrics.h"

#include <doctest/doctest.h>

TEST_CASE("metrics are written in the format of Prometheus") {
  glossa::serve::ServerMetrics metrics;
  metrics.add_request(200, 0.004);
  metrics.add_request(200, 0.3);
  metrics.add_request(503, 100);
  metrics.add_batch(7);
  const std::string text = metrics.text(5, 2);
  for (const char* line : {
           "# TYPE glossa_requests_total counter\nglossa_requests_total{status=\"200\"} 2\n"
           "glossa_requests_total{status=\"503\"} 1\n",
           "# TYPE glossa_request_seconds histogram\nglossa_request_seconds_bucket{le=\"0.005\"} 1\n",
           "\nglossa_request_seconds_bucket{le=\"0.25\"} 1\nglossa_request_seconds_bucket{le=\"0.5\"} 2\n",
           "\nglossa_request_seconds_bucket{le=\"10\"} 2\nglossa_request_seconds_bucket{le=\"+Inf\"} 3\n",
           "\nglossa_request_seconds_sum 100.304\nglossa_request_seconds_count 3\n",
           "# TYPE glossa_queue_length gauge\nglossa_queue_length 5\n",
           "\nglossa_connections 2\n",
           "\nglossa_sentences_total 7\n",
           "\nglossa_batches_total 1\n",
       })
    CHECK_MESSAGE(text.find(line) != text.npos, text);
}
