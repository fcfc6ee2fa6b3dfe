#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/serve/caller.h"
#include "app/serve/messages.h"
#include "app/serve/reply.h"
#include "app/serve/request_reader.h"
#include "app/serve/server_metrics.h"
#include "app/serve/translation_service.h"

namespace glossa::serve {

/// Answers the server's requests: LibreTranslate's interface, the translation page, monitoring. Any number of threads
/// may use a Web at once.
class Web {
 public:
  struct Setup {
    std::vector<std::string> api_keys;    ///< each POST must include one of them; empty: no key needed
    std::vector<std::string> host_names;  ///< allowed names in a Host header, in addition to addresses and localhost
    /// An additional origin, besides the server's own, whose pages may send requests. * allows all origins (see
    /// access.h).
    std::string allowed_origin;
    std::vector<ServedModel> models;           ///< models in the order of the runs
    std::function<std::size_t()> connections;  ///< returns the number of open connections
  };

  Web(TranslationService& service, const ServerMetrics& metrics, Setup setup);
  Web(const Web&) = delete;
  Web& operator=(const Web&) = delete;

  /// Returns the reply to a request. If no answer is ready at the caller's deadline, returns an error soon afterwards.
  /// An exception becomes an error reply, even if memory runs out.
  Reply answer(const HttpRequest& request, const Caller& caller) const noexcept;

 private:
  /// Content of a path, for one method: either `get` or `post` is set.
  struct Resource {
    std::string content_type;
    std::function<std::string()> get = {};
    std::function<std::string(const Fields&, const Caller&)> post = {};

    const char* methods() const { return post ? "POST" : "GET, HEAD"; }
  };

  Reply reply_or_error(const HttpRequest& request, const Caller& caller) const;
  void admit(const HttpRequest& request) const;
  Reply reply_to(const HttpRequest& request, const Caller& caller) const;
  Caller identified(Caller caller, const Fields& fields) const;
  std::string settings() const;

  const Setup setup_;
  std::map<std::string, Resource> resources_;   // keyed by path
  std::map<std::string, std::string> headers_;  // headers of all replies
};

}  // namespace glossa::serve
