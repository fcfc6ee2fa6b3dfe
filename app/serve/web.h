#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/serve/connections.h"
#include "app/serve/server_metrics.h"
#include "app/serve/translation_service.h"

namespace glossa::serve {

/// The server's answer to each request: LibreTranslate's interface, the page, monitoring. The HTTP library is in
/// web.cpp alone. For any number of threads.
class Web {
 public:
  struct Setup {
    std::vector<std::string> api_keys;         ///< requests need one of them; none: open to all
    std::vector<std::string> host_names;       ///< by which clients may know the server, besides its addresses
    std::string allowed_origin;                ///< another one whose pages may ask; *: all
    std::chrono::seconds idle;                 ///< how long a connection waits for its next request
    std::function<std::size_t()> connections;  ///< returns the number of open connections
  };

  Web(TranslationService& service, ServerMetrics& metrics, Setup setup);
  ~Web();

  /// The answer to a request, no later than moments after its deadline. Does not throw: errors are answers.
  Reply answer(const Incoming& incoming) const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace glossa::serve
