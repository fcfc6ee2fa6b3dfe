#include "pages/page.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/check.h"
#include "pages/files.h"

namespace glossa {

namespace {

std::string_view file(std::string_view name) {
  const auto found =
      std::find_if(page_files.begin(), page_files.end(), [&](const PageFile& f) { return f.name == name; });
  check(found != page_files.end(), "page", "expected a file of pages/; got {}", name);
  return found->text;
}

/// Replaces each `before`NAME`after` with the result of `made` for that file.
template <class Make>
std::string with_files(std::string_view text, std::string_view before, std::string_view after, const Make& make) {
  std::string result;
  while (true) {
    const std::size_t at = text.find(before);
    result += text.substr(0, at);
    if (at == text.npos) return result;
    text.remove_prefix(at + before.size());
    const std::size_t end = text.find(after);
    result += make(file(text.substr(0, end)));
    text.remove_prefix(end + after.size());
  }
}

/// Escapes each < in JSON, because HTML would interpret `</script` and `<!--`. In JSON, < occurs only in strings.
std::string within_html(std::string_view json) {
  std::string result;
  for (const char c : json) c == '<' ? result += "\\u003c" : result += c;
  return result;
}

}  // namespace

std::string page(std::string_view name, std::string_view id, std::string_view json) {
  std::string html = with_files(file(name), R"(<link rel="stylesheet" href=")", R"(">)",
                                [](std::string_view css) { return fmt::format("<style>\n{}</style>", css); });
  if (!id.empty())
    html.insert(std::min(html.size(), html.find("<script")),
                fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, within_html(json)));
  return with_files(html, R"(<script src=")", R"("></script>)",
                    [](std::string_view js) { return fmt::format("<script>\n{}</script>", js); });
}

}  // namespace glossa
