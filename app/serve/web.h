#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/serve/connections.h"
#include "app/serve/server_metrics.h"
#include "app/serve/translation_service.h"

namespace glossa::serve {

/// What the server says to each request: LibreTranslate's interface, the page, what watches over it. The HTTP library
/// is in web.cpp alone. For any number of threads.
class Web {
 public:
  struct Setup {
    std::vector<std::string> api_keys;         ///< one of them is asked for; none: anybody may ask
    std::string allowed_origin;                ///< whose pages may ask, beside the server's own; *: all
    std::chrono::seconds idle;                 ///< how long a connection is kept for its next request
    std::function<std::size_t()> connections;  ///< how many are open
  };

  Web(TranslationService& service, ServerMetrics& metrics, Setup setup);
  ~Web();

  /// The answer to a request, before its deadline but for moments. Throws nothing: what goes wrong is an answer, too.
  Reply answer(const Incoming& incoming) const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace glossa::serve
