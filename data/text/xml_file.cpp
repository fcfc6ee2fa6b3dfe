#include "data/text/xml_file.h"

#include <expat.h>
#include <malloc.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "base/check.h"
#include "data/text/byte_source.h"
#include "data/text/counted.h"
#include "data/text/file_kind.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t max_memory = std::size_t{6} << 20;
constexpr std::int64_t max_depth = 100;

/// Memory of this thread's parsers. A parser keeps element and attribute names to the end of the file, and a tag until
/// it is complete. The file's author controls the length of both.
thread_local std::size_t memory_taken = 0;

std::size_t size_of(void* block) { return block ? malloc_usable_size(block) : 0; }

void* take_memory(std::size_t size) {
  if (memory_taken + size > max_memory) return nullptr;
  void* block = std::malloc(size);
  memory_taken += size_of(block);
  return block;
}

void* change_memory(void* block, std::size_t size) {
  const std::size_t before = size_of(block);
  if (memory_taken - before + size > max_memory) return nullptr;
  void* moved = std::realloc(block, size);
  if (moved) memory_taken = memory_taken - before + size_of(moved);
  return moved;
}

void give_memory(void* block) {
  memory_taken -= size_of(block);
  std::free(block);
}

bool is_known_encoding(std::string_view declared) {
  const std::string name = utf8::lower_case(declared);
  return name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "utf-16" || name == "utf-16le" ||
         name == "utf-16be";
}

/// Beginning of a text, for messages.
std::string_view front(std::string_view text) { return text.substr(0, 60); }

/// Expat with a listener. An exception must not pass through C code, so it is kept until the parser has returned.
class Parser {
 public:
  Parser(const std::string& path, XmlListener& listener) : path_(path), listener_(listener) {
    const XML_Memory_Handling_Suite memory{take_memory, change_memory, give_memory};
    expat_.reset(XML_ParserCreate_MM(nullptr, &memory, nullptr));
    check(expat_ != nullptr, path, "cannot create an XML parser: out of memory");
    XML_SetUserData(expat_.get(), this);
    XML_SetElementHandler(expat_.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(expat_.get(), on_text);
    XML_SetXmlDeclHandler(expat_.get(), on_declaration);
    XML_SetEntityDeclHandler(expat_.get(), on_entity_declaration);
    XML_SetSkippedEntityHandler(expat_.get(), on_unknown_entity);
  }

  void read() {
    ByteSource source(path_);
    for (bool more = true, first = true; more; first = false) {
      void* buffer = XML_GetBuffer(expat_.get(), ByteSource::usual_bytes);
      if (!buffer) explain();
      const std::size_t got = source.read(static_cast<char*>(buffer), ByteSource::usual_bytes);
      if (first) check_is_plain({static_cast<const char*>(buffer), got}, path_, true);
      more = got > 0;
      const XML_Status status = XML_ParseBuffer(expat_.get(), static_cast<int>(got), !more);
      if (thrown_) std::rethrow_exception(thrown_);
      if (status != XML_STATUS_OK) explain();
    }
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  std::int64_t line() const { return static_cast<std::int64_t>(XML_GetCurrentLineNumber(expat_.get())); }
  std::string where() const { return fmt::format("{}:{}", path_, line()); }

  [[noreturn]] void explain() const {
    const XML_Error error = XML_GetErrorCode(expat_.get());
    if (error == XML_ERROR_NO_MEMORY)
      fail(
          where(),
          "expected names, tags and comments that fit into {}; got more. Hint: check that this is a translation memory",
          in_bytes(max_memory));
    fail(where(), "expected well-formed XML; got {} in column {}. Hint: the file may be truncated or edited by hand",
         XML_ErrorString(error), XML_GetCurrentColumnNumber(expat_.get()) + 1);
  }

  template <class Act>
  static void pass(void* self, Act act) {
    Parser& parser = *static_cast<Parser*>(self);
    if (parser.thrown_) return;  // expat may have one more event
    try {
      act(parser);
    } catch (...) {
      parser.thrown_ = std::current_exception();
      XML_StopParser(parser.expat_.get(), XML_FALSE);
    }
  }

  static void on_begin(void* self, const char* name, const char** attributes) {
    pass(self, [&](Parser& p) {
      check(++p.depth_ <= max_depth, p.where(), "expected elements at most {} deep; got more", max_depth);
      // Attributes that the document type adds follow the written attributes.
      const auto written = static_cast<std::size_t>(XML_GetSpecifiedAttributeCount(p.expat_.get()));
      p.listener_.begin(name, XmlAttributes({attributes, written}), p.line());
    });
  }

  static void on_end(void* self, const char* name) {
    pass(self, [&](Parser& p) {
      --p.depth_;
      p.listener_.end(name);
    });
  }

  static void on_text(void* self, const char* text, int size) {
    pass(self, [&](Parser& p) { p.listener_.text({text, static_cast<std::size_t>(size)}); });
  }

  static void on_declaration(void* self, const char*, const char* encoding, int) {
    if (!encoding) return;
    pass(self, [&](Parser& p) {
      check(is_known_encoding(encoding), p.where(),
            "expected UTF-8 or UTF-16; got the encoding {}. Hint: convert the file (iconv -t UTF-8) and change the "
            "encoding in its first line",
            front(encoding));
    });
  }

  static void on_entity_declaration(void* self, const char* name, int, const char*, int, const char*, const char*,
                                    const char*, const char*) {
    pass(self, [&](Parser& p) {
      fail(p.where(),
           "expected no entity declarations; got one of {}. Hint: programs for translation memories write none",
           front(name));
    });
  }

  static void on_unknown_entity(void* self, const char* name, int) {
    pass(self, [&](Parser& p) {
      fail(p.where(),
           "expected no entities but &amp; &lt; &gt; &quot; and &apos;; got &{};. Hint: write the character itself",
           front(name));
    });
  }

  const std::string& path_;
  XmlListener& listener_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> expat_;
  std::int64_t depth_ = 0;
  std::exception_ptr thrown_;
};

}  // namespace

void read_xml(const std::string& path, XmlListener& listener) { Parser(path, listener).read(); }

}  // namespace glossa
