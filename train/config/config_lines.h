#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Checks the lines of a configuration before a YAML library reads it: errors then name the line with the mistake and
/// the correct spelling. `where` is the name of the text.
///
/// Accepts the YAML that a configuration needs: lines `key: value`, indented below sections; lists; brackets that may
/// span lines. Other values end in their line. A value that begins with a reserved character must be in quotes, so
/// there are no anchors, tags and blocks of text.
void check_config_lines(std::string_view yaml, const std::string& where);

}  // namespace glossa
