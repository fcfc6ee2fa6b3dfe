#pragma once

#include <string>
#include <string_view>

#include "app/serve/messages.h"

namespace glossa::serve {

/// Returns `text` with each %XX replaced by its byte. Any other % is unchanged.
std::string percent_decoded(std::string_view text);

/// Returns the fields of an HTML form (`a=b&c=d`). A repeated name becomes a list. Throws HttpError 400 if the form is
/// not in UTF-8, and 413 for too many fields.
Fields fields_of_form(std::string_view body);

/// Returns the fields of a multipart/form-data body (RFC 7578). `content_type` is the header, whose parameter
/// `boundary` separates the parts. A repeated name becomes a list; a file is treated like any other field. Throws
/// HttpError 400 if the body is malformed or not in UTF-8, or has more than 63 names or 4095 values of a name. Takes
/// time proportional to the body's size.
Fields fields_of_multipart(std::string_view content_type, std::string_view body);

}  // namespace glossa::serve
