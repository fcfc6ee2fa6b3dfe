#include "data/tmx_corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/check.h"
#include "data/missing_corpus.h"
#include "data/text/language_names.h"
#include "data/text/xml_file.h"

namespace glossa {
namespace {

/// Degree to which a variant's language matches a requested language.
enum class Match { none, variant, exact };

Match match(const std::string& language, const std::string& wanted) {
  if (language == wanted) return Match::exact;
  return language.starts_with(wanted + "-") ? Match::variant : Match::none;
}

/// True if an element inside a segment does not contain text of the segment (TMX 1.4b, 3.2: content markup).
bool is_code(std::string_view element) {
  constexpr std::array codes{"bpt", "ept", "it", "ph", "sub", "ut"};
  return std::ranges::find(codes, element) != codes.end();
}

/// Replaces each run of white space by one space, with none at the ends.
std::string without_runs(std::string_view line) {
  std::string text;
  for (const char c : line)
    if (c != ' ')
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += c;
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

/// Extracts the pairs from a translation memory's elements.
class Units : public XmlListener {
 public:
  Units(ParallelCorpus& corpus, const std::string& source, const std::string& target, const CorpusOptions& options)
      : corpus_(corpus), options_(options), sides_{Side{plain_language(source)}, Side{plain_language(target)}} {}

  void begin(std::string_view element, const XmlAttributes& attributes, std::int64_t line) override {
    if (depth_++ == 0 && element != "tmx")
      fail(fmt::format("{}:{}", corpus_.name, line), "expected a translation memory, whose root element is tmx; got {}",
           element.substr(0, 60));
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

  void end(std::string_view element) override {
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

  void text(std::string_view piece) override {
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

  /// The first languages found in the file.
  std::string languages() const { return fmt::format("{}", fmt::join(languages_, ", ")); }

 private:
  struct Side {
    std::string language;
    Match match = Match::none;  // of its text
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

  /// Finds the side that a variant is for, if any.
  void begin_variant(const XmlAttributes& attributes) {
    const std::string_view newer = attributes["xml:lang"], older = attributes["lang"];
    const std::string language = plain_language((newer.empty() ? older : newer).substr(0, 60));
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
  Side* taken_by_ = nullptr;  // side of the open variant
  std::string segment_;
  std::size_t bytes_ = 0;  // of all segments
  std::set<std::string> languages_;
  std::int64_t segment_line_ = 0;
  // Number of open elements now, at the beginning of the segment, and at the beginning of code in it (0: not in one).
  int depth_ = 0, segment_depth_ = 0, code_depth_ = 0;
};

}  // namespace

ParallelCorpus read_tmx(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options) {
  const std::string path = resolve(name, hint_about_file(name));
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = corpus.target_name = path;
  Units units(corpus, source_language, target_language, options);
  read_xml(path, units);
  check(corpus.report.language < corpus.report.units || corpus.report.units == 0, path,
        "expected units with {} and {}; got only the languages {}. Hint: set source_language and target_language to "
        "two of these",
        source_language, target_language, units.languages());
  return finished(std::move(corpus), options);
}

}  // namespace glossa
