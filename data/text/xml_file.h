#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// An element's attributes, without the default values that a document type may define.
class XmlAttributes {
 public:
  /// Names and values alternate.
  explicit XmlAttributes(std::span<const char* const> pairs) : pairs_(pairs) {}

  /// Value of an attribute; empty if not present.
  std::string_view operator[](std::string_view name) const {
    for (std::size_t i = 0; i + 1 < pairs_.size(); i += 2)
      if (name == pairs_[i]) return pairs_[i + 1];
    return {};
  }

 private:
  std::span<const char* const> pairs_;
};

/// Receiver of an XML file's content, in the order of the file. Text is in UTF-8. If a listener throws, `read_xml`
/// stops and rethrows.
class XmlListener {
 public:
  virtual ~XmlListener() = default;

  /// Called when an element begins; `line` counts from 1.
  virtual void begin(std::string_view element, const XmlAttributes& attributes, std::int64_t line) = 0;
  virtual void end(std::string_view element) = 0;

  /// Called with a piece of the innermost open element's text; a text may come in several pieces.
  virtual void text(std::string_view piece) = 0;
};

/// Reads an XML file (which may be packed) in UTF-8 or UTF-16 from beginning to end. Files that the XML
/// refers to are not read. A document type is ignored, except that its entity declarations are errors. Overlong tags
/// and comments are errors as well, and so are elements nested too deeply. Therefore a few MiB of memory suffice for
/// any file. Throws, naming file and line, for XML that is not well-formed, for other encodings, and for entities other
/// than XML's own.
void read_xml(const std::string& path, XmlListener& listener);

}  // namespace glossa
