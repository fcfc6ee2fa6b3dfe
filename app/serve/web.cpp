#include "app/serve/web.h"

#include "app/serve/access.h"
#include "app/serve/form.h"
#include "app/serve/http_error.h"
#include "base/console/failure.h"
#include "base/console/print.h"
#include "base/json_line.h"
#include "config/config_terms.h"
#include "decoding/attention_json.h"
#include "pages/page.h"

namespace glossa::serve {

namespace {

/// True if two texts are equal. The time does not depend on where they differ.
bool same(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return difference == 0 && !b.empty();
}

/// Returns the named values of a body. A body without a media type is a form. Only a body of JSON's media type is read
/// as JSON, because browsers let any page send plain text.
Fields fields_of_body(const HttpRequest& request) {
  const std::string& media_type = request.media_type;
  if (media_type == json_type) return fields_of_json(request.body);
  if (media_type == "multipart/form-data") return fields_of_multipart(*request.content_type, request.body);
  if (media_type == "application/x-www-form-urlencoded" || media_type.empty()) return fields_of_form(request.body);
  throw HttpError(415, "expected JSON (Content-Type: application/json) or a form; got a body of type {}", media_type);
}

/// Returns the named values of a POST. A value after the ? counts unless the body has a value with the same name.
Fields fields_of(const HttpRequest& request) {
  Fields fields = fields_of_body(request);
  fields.merge(fields_of_form(request.query));
  return fields;
}

}  // namespace

Web::Web(TranslationService& service, const ServerMetrics& metrics, Setup setup) : setup_(std::move(setup)) {
  resources_["/"] = {.content_type = "text/html; charset=utf-8",
                     .get = [translator = page("translate.html")] { return translator; }};
  resources_["/languages"] = {.content_type = json_type,
                              .get = [&service] { return languages_answer(service.languages()); }};
  resources_["/models"] = {.content_type = json_type, .get = [this] { return models_answer(setup_.models); }};
  resources_["/health"] = {.content_type = json_type, .get = [] { return JsonLine().add("status", "ok").text(); }};
  resources_["/metrics"] = {
      .content_type = "text/plain; version=0.0.4; charset=utf-8",
      .get = [this, &service, &metrics] { return metrics.text(service.waiting(), setup_.connections()); }};
  resources_["/frontend/settings"] = {.content_type = json_type, .get = [this] { return settings(); }};
  resources_["/favicon.ico"] = {.content_type = "image/x-icon", .get = [] { return std::string(); }};  // for browsers
  resources_["/translate"] = {.content_type = json_type,
                              .post = [&service](const Fields& fields, const Caller& caller) {
                                const TranslationRequest request = translation_request(fields);
                                return translation_answer(request, service.translate(request, caller));
                              }};
  resources_["/attention"] = {
      .content_type = json_type, .post = [&service](const Fields& fields, const Caller& caller) {
        return to_json(service.attention(text_field(fields, "source"), text_field(fields, "target"),
                                         text_field(fields, "q"), text_field(fields, "translation"), caller));
      }};
  // The page may only load itself and contact this server.
  headers_ = {{"Content-Security-Policy",
               "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
              {"X-Content-Type-Options", "nosniff"},
              {"Cache-Control", "no-store"}};
  if (!setup_.allowed_origin.empty()) headers_["Access-Control-Allow-Origin"] = setup_.allowed_origin;
}

Reply Web::answer(const HttpRequest& request, const Caller& caller) const noexcept {
  try {
    return reply_or_error(request, caller);
  } catch (...) {  // the error cannot be described because memory ran out
    return no_memory_reply();
  }
}

Reply Web::reply_or_error(const HttpRequest& request, const Caller& caller) const {
  Reply reply;
  try {
    admit(request);
    reply = reply_to(request, caller);
  } catch (const HttpError& error) {
    reply = error_reply(error.status(), error.what());
  } catch (...) {
    const std::string text = in_config_terms(failure_of(std::current_exception())).what();
    print_error(stderr, "{}: {}", request.path, text);
    reply = error_reply(500, text);
  }
  reply.headers.insert(headers_.begin(), headers_.end());
  return reply;
}

/// Throws HttpError if the request is for another server, from a page that may not send it, or for an unknown path.
void Web::admit(const HttpRequest& request) const {
  const std::optional<std::string>&host = request.host, &origin = request.origin;
  if (host) check_host(*host, setup_.host_names);
  if (origin && request.method == "POST") check_origin(*origin, host.value_or(""), setup_.allowed_origin);
  if (!resources_.contains(request.path)) throw HttpError(404, "expected a path of this server; got {}", request.path);
}

/// Returns the reply to a request for a known path.
Reply Web::reply_to(const HttpRequest& request, const Caller& caller) const {
  const Resource& resource = resources_.at(request.path);
  const std::string& method = request.method;
  if (resource.post && method == "POST") {
    const Fields fields = fields_of(request);
    return {.content_type = resource.content_type, .body = resource.post(fields, identified(caller, fields))};
  }
  if (resource.get && (method == "GET" || method == "HEAD"))
    return {.content_type = resource.content_type, .body = resource.get()};
  // Browsers first ask whether pages of another origin may use the server (the Fetch standard, CORS).
  if (method == "OPTIONS" && !setup_.allowed_origin.empty())
    return {.status = 204,
            .headers = {{"Access-Control-Allow-Methods", resource.methods()},
                        {"Access-Control-Allow-Headers", "Content-Type"},
                        {"Access-Control-Max-Age", "86400"}}};
  Reply reply = error_reply(405, fmt::format("expected {} for {}; got {}", resource.methods(), request.path, method));
  reply.headers["Allow"] = resource.methods();
  return reply;
}

/// Returns the caller of a request with these fields. If API keys are required, the key identifies the caller. Throws
/// HttpError 403 if the key is missing or unknown.
Caller Web::identified(Caller caller, const Fields& fields) const {
  if (setup_.api_keys.empty()) return caller;
  if (!fields.contains("api_key")) throw HttpError(403, "expected the field api_key in the request; got none");
  const std::string& given = text_field(fields, "api_key");
  bool is_known = false;
  for (const std::string& key : setup_.api_keys) is_known |= same(given, key);
  if (!is_known) throw HttpError(403, "expected an api_key that this server knows; got an unknown one");
  caller.client = "key " + given;
  return caller;
}

/// Returns the server settings that LibreTranslate's clients ask for.
std::string Web::settings() const {
  JsonLine line;
  const bool has_keys = !setup_.api_keys.empty();
  return line.add("apiKeys", has_keys).add("keyRequired", has_keys).add("suggestions", false).text();
}

}  // namespace glossa::serve
