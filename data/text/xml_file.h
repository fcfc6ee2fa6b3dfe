#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// The attributes of an element, as they are written.
class XmlAttributes {
 public:
  /// Name and value in turns.
  explicit XmlAttributes(std::span<const char* const> pairs) : pairs_(pairs) {}

  /// The value of one; empty where there is none of that name.
  std::string_view operator[](std::string_view name) const {
    for (std::size_t i = 0; i + 1 < pairs_.size(); i += 2)
      if (name == pairs_[i]) return pairs_[i + 1];
    return {};
  }

 private:
  std::span<const char* const> pairs_;
};

/// Who is told what an XML file says, in its order, text in UTF-8. What these throw ends the reading.
class XmlListener {
 public:
  virtual ~XmlListener() = default;

  /// An element begins, on this line of the file, counted from 1.
  virtual void begin(std::string_view element, const XmlAttributes& attributes, std::int64_t line) = 0;
  virtual void end(std::string_view element) = 0;

  /// Some of the text of the element that is open, mostly not all of it at once.
  virtual void text(std::string_view piece) = 0;
};

/// Reads an XML file (packed where its name ends in `.gz`) of UTF-8 or UTF-16 from beginning to end. Nothing that it
/// refers to is read; a document type is taken note of only by its declarations of entities, which are refused.
/// Whatever is in the file, reading takes some MiB at most: tags, comments and depth beyond are refused. Errors name
/// file and line: XML that is not well-formed, another encoding, entities other than XML's own.
void read_xml(const std::string& path, XmlListener& listener);

}  // namespace glossa
