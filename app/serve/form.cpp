#include "app/serve/form.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/serve/header_text.h"
#include "app/serve/http_error.h"
#include "data/text/utf8.h"

namespace glossa::serve {

namespace {

/// Limits of a multipart form.
constexpr std::size_t max_names = 63, max_values_of_name = 4095;

constexpr char not_multipart[] = "expected a multipart form; got something else";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Appends a value to the field `name`, which becomes a list when it gets a second value. Returns the field.
const Field& add_value(Fields& fields, std::string name, std::string value) {
  for (const std::string* text : {&name, &value})
    if (utf8::find_invalid(*text) != text->npos) throw HttpError(400, "expected a form in UTF-8; got other bytes");
  Field& field = fields[std::move(name)];
  field.values.push_back(std::move(value));
  field.is_list = field.values.size() > 1;
  return field;
}

/// Decodes a name or value of a form: + means a space.
std::string form_decoded(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '+', ' ');
  return percent_decoded(result);
}

/// Returns the text before the first `mark`, and removes both from `text`.
std::string_view cut(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == text.npos) throw HttpError(400, not_multipart);
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return before;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    result += is_code ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (is_code) i += 2;
  }
  return result;
}

Fields fields_of_form(std::string_view body) {
  Fields fields;
  for (std::size_t values = 0; !body.empty();) {
    if (++values > max_values) throw HttpError(413, "expected at most {} fields; got more", max_values);
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    const std::size_t sign = std::min(pair.find('='), pair.size());
    if (sign == 0) continue;
    add_value(fields, form_decoded(pair.substr(0, sign)), form_decoded(pair.substr(std::min(sign + 1, pair.size()))));
  }
  return fields;
}

Fields fields_of_multipart(std::string_view content_type, std::string_view body) {
  constexpr std::string_view line_end = "\r\n";
  const std::string boundary(header_parameter(content_type, "boundary").value_or(""));
  if (boundary.empty()) throw HttpError(400, "expected a multipart form with a boundary in its Content-Type; got none");
  // The search takes linear time because a boundary does not contain a CR.
  const std::string first = fmt::format("--{}", boundary), delimiter = fmt::format("\r\n{}", first);
  if (body.starts_with(first))
    body.remove_prefix(first.size());
  else
    cut(body, delimiter);  // removes the first boundary and the text before it
  Fields fields;
  while (body.starts_with(line_end)) {
    body.remove_prefix(line_end.size());
    std::string_view name;
    for (std::string_view line = cut(body, line_end); !line.empty(); line = cut(body, line_end))
      if (lower(line.substr(0, line.find(':'))) == "content-disposition")
        name = header_parameter(line, "name").value_or("");
    const Field& field = add_value(fields, std::string(name), std::string(cut(body, delimiter)));
    if (fields.size() > max_names || field.values.size() > max_values_of_name)
      throw HttpError(400, "expected a multipart form of at most {} names with {} values each; got more", max_names,
                      max_values_of_name);
  }
  if (!body.starts_with("--\r\n")) throw HttpError(400, not_multipart);
  return fields;
}

}  // namespace glossa::serve
