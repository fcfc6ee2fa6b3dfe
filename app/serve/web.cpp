#include "app/serve/web.h"

#include <httplib.h>  // only here

#include <algorithm>
#include <cstring>

#include "app/pages/page.h"
#include "app/serve/access.h"
#include "app/serve/http_error.h"
#include "autograd/check.h"
#include "data/text/utf8.h"
#include "train/config/config_terms.h"
#include "train/console/failure.h"
#include "train/console/json_line.h"
#include "train/console/print.h"
#include "train/console/version.h"

namespace glossa::serve {

namespace {

constexpr const char* json_type = "application/json";

/// A request in memory, and the answer as it is written.
class MemoryStream final : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view request) : unread_(request) {}

  std::string& written() { return written_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = std::min(size, unread_.size());
    std::memcpy(to, unread_.data(), count);
    unread_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    written_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }

 private:
  std::string_view unread_;
  std::string written_;
};

/// The request that this thread is answering, as the library's handlers get only the library's version of it.
thread_local const Incoming* asked = nullptr;

/// True if two texts are equal, in a time independent of where they differ.
bool same(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return difference == 0 && !b.empty();
}

Fields fields_of_multipart(const httplib::ContentReader& body) {
  Fields fields;
  std::string* value = nullptr;
  const bool whole = body(
      [&](const httplib::MultipartFormData& part) {
        Field& field = fields[part.name];
        value = &field.values.emplace_back();
        field.is_list = field.values.size() > 1;
        return fields.size() < 64 && field.values.size() < 4096;
      },
      [&](const char* bytes, std::size_t count) {
        value->append(bytes, count);
        return true;
      });
  if (!whole) throw HttpError(400, "expected a multipart form; got something else");
  for (const auto& [name, field] : fields)
    for (const std::string& each : field.values)
      if (utf8::find_invalid(name) != name.npos || utf8::find_invalid(each) != each.npos)
        throw HttpError(400, "expected a form in UTF-8; got other bytes");
  return fields;
}

std::string text_of_body(const httplib::ContentReader& body) {
  std::string text;
  body([&](const char* bytes, std::size_t count) {
    text.append(bytes, count);
    return true;
  });
  return text;
}

/// Returns the named values of a body. A body without a media type is a form. Only a body of JSON's media type is read
/// as JSON, because browsers let any page send plain text.
Fields fields_of_body(std::string_view media_type, const httplib::ContentReader& body) {
  if (media_type == json_type) return fields_of_json(text_of_body(body));
  if (media_type == "multipart/form-data") return fields_of_multipart(body);
  if (media_type == "application/x-www-form-urlencoded" || media_type.empty())
    return fields_of_form(text_of_body(body));
  throw HttpError(415, "expected JSON (Content-Type: application/json) or a form; got a body of type {}", media_type);
}

/// The named values of a POST.
Fields fields_of(const httplib::Request& request, const httplib::ContentReader& body) {
  Fields fields = fields_of_body(asked->request.media_type, body);
  // A value after the ? counts unless the body has one of the same name.
  const std::size_t query = std::min(request.target.find('?'), request.target.size() - 1);
  fields.merge(fields_of_form(std::string_view(request.target).substr(query + 1)));
  return fields;
}

/// Runs `work` for a request for `path` and returns true. If it throws, answers with the error and returns false.
template <class Work>
bool succeeds(const std::string& path, httplib::Response& response, const Work& work) {
  const auto refuse = [&](int status, const std::string& text) {
    response.status = status;
    response.set_content(error_answer(text), json_type);
  };
  try {
    work();
    return true;
  } catch (const HttpError& error) {
    if (error.status() == 503) response.set_header("Retry-After", "1");
    refuse(error.status(), error.what());
  } catch (...) {
    const std::string text = in_config_terms(failure_of(std::current_exception()).text);
    print_error(stderr, "{}: {}", path, text);
    refuse(500, text);
  }
  return false;
}

}  // namespace

class Web::Server : public httplib::Server {
 public:
  Server(TranslationService& service, ServerMetrics& metrics, Setup setup);

  Reply answer(const Incoming& incoming);

 private:
  using Fill = std::function<std::string(const Fields&)>;

  void get(const std::string& path, const char* type, std::function<std::string()> fill);
  void post(const std::string& path, Fill fill);
  void admit(const httplib::Request& request) const;
  void check_key(const Fields& fields) const;
  Caller caller_of(const Fields& fields) const;
  std::string translate(const Fields& fields);
  std::string attention(const Fields& fields);
  std::string settings() const;
  void explain(const httplib::Request& request, httplib::Response& response) const;

  TranslationService& service_;
  ServerMetrics& metrics_;
  const Setup setup_;
  std::map<std::string, std::string> methods_;  // allowed methods, by path
};

Web::Server::Server(TranslationService& service, ServerMetrics& metrics, Setup setup)
    : service_(service), metrics_(metrics), setup_(std::move(setup)) {
  const std::string translator = page("translate.html");
  get("/", "text/html; charset=utf-8", [translator] { return translator; });
  get("/languages", json_type, [this] { return languages_answer(service_.languages()); });
  get("/health", json_type, [] { return JsonLine().add("status", "ok").text(); });
  get("/metrics", "text/plain; version=0.0.4; charset=utf-8",
      [this] { return metrics_.text(service_.waiting(), setup_.connections()); });
  get("/frontend/settings", json_type, [this] { return settings(); });
  get("/favicon.ico", "image/x-icon", [] { return std::string(); });  // requested by browsers
  post("/translate", [this](const Fields& fields) { return translate(fields); });
  post("/attention", [this](const Fields& fields) { return attention(fields); });

  // The page may only load itself and contact this server.
  httplib::Headers headers{{"Content-Security-Policy",
                            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                           {"X-Content-Type-Options", "nosniff"},
                           {"Cache-Control", "no-store"}};
  if (!setup_.allowed_origin.empty()) {
    // Browsers first ask whether pages of another origin may use the server (the Fetch standard, CORS).
    headers.emplace("Access-Control-Allow-Origin", setup_.allowed_origin);
    Options(".*", [this](const httplib::Request& request, httplib::Response& response) {
      response.status = 204;
      response.set_header("Access-Control-Allow-Methods", methods_.at(request.path));
      response.set_header("Access-Control-Allow-Headers", "Content-Type");
      response.set_header("Access-Control-Max-Age", "86400");
    });
  }
  set_default_headers(std::move(headers));
  set_keep_alive_timeout(static_cast<time_t>(setup_.idle.count()));
  set_keep_alive_max_count(1000000);  // only sent to the client; requests are not counted
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    const bool is_admitted = succeeds(request.path, response, [&] { admit(request); });
    return is_admitted ? HandlerResponse::Unhandled : HandlerResponse::Handled;
  });
  set_error_handler(Handler([this](const httplib::Request& request, httplib::Response& response) {  //
    explain(request, response);
  }));
}

Reply Web::Server::answer(const Incoming& incoming) {
  asked = &incoming;
  MemoryStream stream(incoming.request.bytes);
  bool closed = false;
  process_request(stream, !incoming.keeps_connection, closed, nullptr);
  std::string& written = stream.written();
  // The answer begins like this: HTTP/1.1 200 OK
  const int status = written.size() > 12 ? std::atoi(written.substr(9, 3).c_str()) : 0;
  if (status < 200) return error_reply(400, "expected an HTTP/1.1 request");
  return {status, std::move(written), !incoming.keeps_connection};
}

void Web::Server::get(const std::string& path, const char* type, std::function<std::string()> fill) {
  methods_[path] = "GET, HEAD";
  Get(path, [type, fill = std::move(fill)](const httplib::Request&, httplib::Response& response) {
    response.set_content(fill(), type);
  });
}

void Web::Server::post(const std::string& path, Fill fill) {
  methods_[path] = "POST";
  Post(path, [this, path, fill = std::move(fill)](const httplib::Request& request, httplib::Response& response,
                                                  const httplib::ContentReader& body) {
    succeeds(path, response, [&] {
      const Fields fields = fields_of(request, body);
      check_key(fields);
      response.set_content(fill(fields), json_type);
    });
  });
}

/// Throws HttpError if no handler may see the request. The library matches paths with regular expressions, so other
/// paths than those served must not reach it.
void Web::Server::admit(const httplib::Request& request) const {
  const std::optional<std::string>&host = asked->request.host, &origin = asked->request.origin;
  if (host) check_host(*host, setup_.host_names);
  if (origin && request.method == "POST") check_origin(*origin, host.value_or(""), setup_.allowed_origin);
  if (!methods_.contains(request.path)) throw HttpError(404, "expected a path of this server; got {}", request.path);
}

void Web::Server::check_key(const Fields& fields) const {
  if (setup_.api_keys.empty()) return;
  if (!fields.contains("api_key")) throw HttpError(403, "expected an api_key; got none");
  const std::string& given = text_field(fields, "api_key");
  bool is_known = false;
  for (const std::string& key : setup_.api_keys) is_known |= same(given, key);
  if (!is_known) throw HttpError(403, "expected an api_key that this server knows; got an unknown one");
}

/// The caller of the current request. If API keys are required, a client is identified by its key.
Caller Web::Server::caller_of(const Fields& fields) const {
  Caller caller = asked->caller;
  if (!setup_.api_keys.empty()) caller.client = "key " + text_field(fields, "api_key");
  return caller;
}

std::string Web::Server::translate(const Fields& fields) {
  const TranslationRequest request = translation_request(fields);
  return translation_answer(request, service_.translate(request, caller_of(fields)));
}

std::string Web::Server::attention(const Fields& fields) {
  return to_json(service_.attention(text_field(fields, "source"), text_field(fields, "target"), text_field(fields, "q"),
                                    text_field(fields, "translation"), caller_of(fields)));
}

/// The server's settings that LibreTranslate's clients ask for.
std::string Web::Server::settings() const {
  JsonLine line;
  const bool has_keys = !setup_.api_keys.empty();
  return line.add("apiKeys", has_keys).add("keyRequired", has_keys).add("suggestions", false).text();
}

/// Turns an error of the library into an answer in JSON.
void Web::Server::explain(const httplib::Request& request, httplib::Response& response) const {
  if (!response.body.empty()) return;
  std::string text = "expected a valid request";
  if (response.status == 404) {  // the path is served, but not for this method
    const std::string& methods = methods_.at(request.path);
    response.status = 405;
    response.set_header("Allow", methods);
    text = fmt::format("expected {} for {}; got {}", methods, request.path, request.method);
  } else if (response.status == 414) {
    text = "expected a shorter path";
  } else if (response.status >= 500) {
    text = "cannot answer the request: internal error";
  }
  response.set_content(error_answer(text), json_type);
}

Web::Web(TranslationService& service, ServerMetrics& metrics, Setup setup)
    : server_(std::make_unique<Server>(service, metrics, std::move(setup))) {}

Web::~Web() = default;

Reply Web::answer(const Incoming& incoming) const {
  try {
    return server_->answer(incoming);
  } catch (...) {
    const std::string text = failure_of(std::current_exception()).text;
    print_error(stderr, "{}", text);
    return error_reply(500, text);
  }
}

}  // namespace glossa::serve
