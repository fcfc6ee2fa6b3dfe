#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/serve/connections.h"
#include "app/serve/server_metrics.h"
#include "app/serve/translation_service.h"

namespace glossa::serve {

/// Answers the requests that the server gets: LibreTranslate's interface, the translation page, monitoring. Any number
/// of threads may use a Web at once. Only web.cpp includes the HTTP library.
class Web {
 public:
  struct Setup {
    std::vector<std::string> api_keys;    ///< each POST must send one of them; if empty, open to all
    std::vector<std::string> host_names;  ///< names that a Host header may have, besides addresses and localhost
    /// One more origin, beside the server's own, whose pages may send requests; * allows all (see access.h).
    std::string allowed_origin;
    std::chrono::seconds idle;                 ///< how long a connection waits for its next request
    std::function<std::size_t()> connections;  ///< returns the number of open connections
  };

  Web(TranslationService& service, ServerMetrics& metrics, Setup setup);
  ~Web();

  /// Returns the answer to a request. If no answer is ready at the caller's deadline, returns an error soon afterwards.
  /// Does not throw: an exception becomes an error answer.
  Reply answer(const Incoming& incoming) const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace glossa::serve
