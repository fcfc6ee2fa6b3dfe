#include "data/tmx_corpus.h"

#include <expat.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/counted.h"
#include "data/missing_corpus.h"
#include "data/text/byte_source.h"
#include "data/text/file_kind.h"
#include "data/text/languages.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t max_memory = std::size_t{6} << 20;
constexpr std::int64_t max_depth = 100;

/// Bytes allocated by this thread's XML parsers, limited to max_memory. A parser keeps the names of elements and
/// attributes until the end of the file, and a tag until it is complete. A file may have any number of names and tags
/// of any length.
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

/// Result of comparing a variant's language with a requested language.
enum class Match { none, variant, exact };

Match match(const std::string& language, const std::string& wanted) {
  if (language == wanted) return Match::exact;
  return language.starts_with(wanted + "-") ? Match::variant : Match::none;
}

/// True if an element inside a segment contains no text of the segment (TMX 1.4b, 3.2: content markup).
bool is_code(std::string_view element) {
  constexpr std::array codes{"bpt", "ept", "it", "ph", "sub", "ut"};
  return std::ranges::find(codes, element) != codes.end();
}

/// Replaces each run of white space with one space; removes it at both ends.
std::string without_runs(std::string_view line) {
  std::string text;
  for (const char c : line)
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

/// Value of an element's attribute; empty if absent.
std::string_view attribute(std::span<const char* const> attributes, std::string_view name) {
  for (std::size_t i = 0; i + 1 < attributes.size(); i += 2)
    if (name == attributes[i]) return attributes[i + 1];
  return {};
}

/// Extracts the pairs from a translation memory's elements.
class Units {
 public:
  Units(ParallelCorpus& corpus, const std::string& source, const std::string& target, const CorpusOptions& options)
      : corpus_(corpus), options_(options), sides_{Side{plain_language(source)}, Side{plain_language(target)}} {}

  /// Called when an element begins; `line` counts from 1. Names and values of the attributes alternate.
  void begin(std::string_view element, std::span<const char* const> attributes, std::int64_t line) {
    const std::string place = fmt::format("{}:{}", corpus_.name, line);
    check(++depth_ <= max_depth, place, "expected elements at most {} deep; got more", max_depth);
    check(depth_ > 1 || element == "tmx", place, "expected a translation memory, whose root element is tmx; got {}",
          front(element));
    if (segment_depth_ > 0) {
      if (code_depth_ == 0 && is_code(element)) code_depth_ = depth_;
    } else if (element == "tu") {
      begin_unit();
    } else if (element == "tuv") {
      begin_variant(attributes);
    } else if (element == "seg" && taken_by_ != nullptr) {
      segment_depth_ = depth_;
      segment_line_ = line;
    }
  }

  void end(std::string_view element) {
    if (depth_ == code_depth_) code_depth_ = 0;
    if (depth_ == segment_depth_) {
      segment_depth_ = 0;
      const std::string segment = text_of_segment();
      std::string& text = taken_by_->text;
      if (!text.empty() && !segment.empty()) text += ' ';
      text += segment;
    } else if (segment_depth_ == 0 && element == "tuv") {
      taken_by_ = nullptr;
    } else if (segment_depth_ == 0 && element == "tu") {
      end_unit();
    }
    --depth_;
  }

  /// Called with a piece of the innermost open element's text, which may come in several pieces.
  void text(std::string_view piece) {
    if (segment_depth_ == 0 || code_depth_ > 0) return;
    if (taken_by_->text.size() + segment_.size() + piece.size() > options_.text.max_line_bytes)
      fail(where(),
           "expected at most {} bytes in the segments of a language; got more. Hint: a unit has one or a few "
           "sentences",
           options_.text.max_line_bytes);
    segment_ += piece;
    bytes_ += piece.size();
    check(bytes_ <= options_.text.max_bytes, corpus_.name,
          "expected at most {} bytes of text; got more. Hint: use part of it", options_.text.max_bytes);
  }

  /// The first languages found in the file, as a list.
  std::string languages() const { return fmt::format("{}", fmt::join(languages_, ", ")); }

 private:
  struct Side {
    std::string language;
    Match match = Match::none;  // match of the language of `text`
    std::string text = {};
  };

  std::string where() const { return fmt::format("{}:{}, unit {}", corpus_.name, segment_line_, corpus_.report.units); }

  void begin_unit() {
    ++corpus_.report.units;
    taken_by_ = nullptr;
    for (Side& side : sides_) {
      side.match = Match::none;
      side.text.clear();
    }
  }

  /// Finds the side to which a variant belongs, if any.
  void begin_variant(std::span<const char* const> attributes) {
    const std::string_view newer = attribute(attributes, "xml:lang"), older = attribute(attributes, "lang");
    const std::string language = plain_language(front(newer.empty() ? older : newer));
    if (languages_.size() < 20) languages_.insert(language);
    const std::array matches{match(language, sides_[0].language), match(language, sides_[1].language)};
    taken_by_ = nullptr;
    if (matches[0] == Match::none && matches[1] == Match::none) return;
    Side& side = sides_[matches[1] > matches[0] ? 1 : 0];
    const Match better = std::max(matches[0], matches[1]);
    if (side.match != Match::none) ++corpus_.report.further_variants;
    if (better <= side.match) return;
    side.match = better;
    side.text.clear();
    taken_by_ = &side;
  }

  std::string text_of_segment() {
    const std::string text = without_runs(clean_line(segment_, where(), options_.text));
    segment_.clear();
    return text;
  }

  void end_unit() {
    const Side &source = sides_[0], &target = sides_[1];
    if (source.match == Match::none || target.match == Match::none)
      ++corpus_.report.language;
    else
      add_pair(corpus_, source.text, target.text, corpus_.report.units, options_);
  }

  ParallelCorpus& corpus_;
  const CorpusOptions& options_;
  std::array<Side, 2> sides_;
  Side* taken_by_ = nullptr;  // side that receives the open variant's text, if any
  std::string segment_;
  std::size_t bytes_ = 0;  // size of all segments
  std::set<std::string> languages_;
  std::int64_t segment_line_ = 0;
  // Numbers of open elements: now, at the start of the segment (0: outside a segment), and at the start of code within
  // the segment (0: outside code).
  int depth_ = 0, segment_depth_ = 0, code_depth_ = 0;
};

/// Reads a file with expat. An exception must not pass through C code, so it is kept until the parser has returned.
///
/// Other files to which the XML refers are not read. A document type is ignored, but its entity declarations are
/// errors. Overlong tags and comments are also errors. A few MiB of memory therefore suffice for any file.
class TmxParser {
 public:
  TmxParser(const std::string& path, Units& units) : path_(path), units_(units) {
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
    TmxParser& parser = *static_cast<TmxParser*>(self);
    if (parser.thrown_) return;  // after XML_StopParser, expat may send one more event
    try {
      act(parser);
    } catch (...) {
      parser.thrown_ = std::current_exception();
      XML_StopParser(parser.expat_.get(), XML_FALSE);
    }
  }

  static void on_begin(void* self, const char* name, const char** attributes) {
    pass(self, [&](TmxParser& p) {
      // expat lists the written attributes first, and then the defaults from the document type.
      const auto written = static_cast<std::size_t>(XML_GetSpecifiedAttributeCount(p.expat_.get()));
      p.units_.begin(name, {attributes, written}, p.line());
    });
  }

  static void on_end(void* self, const char* name) {
    pass(self, [&](TmxParser& p) { p.units_.end(name); });
  }

  static void on_text(void* self, const char* text, int size) {
    pass(self, [&](TmxParser& p) { p.units_.text({text, static_cast<std::size_t>(size)}); });
  }

  static void on_declaration(void* self, const char*, const char* encoding, int) {
    if (!encoding) return;
    pass(self, [&](TmxParser& p) {
      check(is_known_encoding(encoding), p.where(),
            "expected UTF-8 or UTF-16; got the encoding {}. Hint: convert the file (iconv -t UTF-8) and change the "
            "encoding in its first line",
            front(encoding));
    });
  }

  static void on_entity_declaration(void* self, const char* name, int, const char*, int, const char*, const char*,
                                    const char*, const char*) {
    pass(self, [&](TmxParser& p) {
      fail(p.where(),
           "expected no entity declarations; got one of {}. Hint: programs for translation memories write none",
           front(name));
    });
  }

  static void on_unknown_entity(void* self, const char* name, int) {
    pass(self, [&](TmxParser& p) {
      fail(p.where(),
           "expected no entities but &amp; &lt; &gt; &quot; and &apos;; got &{};. Hint: write the character itself",
           front(name));
    });
  }

  const std::string& path_;
  Units& units_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> expat_;
  std::exception_ptr thrown_;
};

}  // namespace

ParallelCorpus read_tmx(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options) {
  const std::string path = resolve(name, hint_about_file(name));
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = corpus.target_name = path;
  Units units(corpus, source_language, target_language, options);
  TmxParser(path, units).read();
  check(corpus.report.language < corpus.report.units || corpus.report.units == 0, path,
        "expected units with {} and {}; got only the languages {}. Hint: set source_language and target_language to "
        "two of these",
        source_language, target_language, units.languages());
  return finished(std::move(corpus), options);
}

}  // namespace glossa
