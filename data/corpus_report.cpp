#include "data/corpus_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/counted.h"

namespace glossa {

CorpusReport& operator+=(CorpusReport& all, const CorpusReport& more) {
  for (const auto member :
       {&CorpusReport::lines, &CorpusReport::units, &CorpusReport::pairs, &CorpusReport::empty_source,
        &CorpusReport::empty_target, &CorpusReport::empty_both, &CorpusReport::language, &CorpusReport::duplicate,
        &CorpusReport::held_out, &CorpusReport::same_source, &CorpusReport::repeated, &CorpusReport::further_variants,
        &CorpusReport::unused_columns, &CorpusReport::replaced})
    all.*member += more.*member;
  return all;
}

std::vector<std::string> left_out(const CorpusReport& corpus, const EncodeReport& encoded) {
  struct Omission {
    std::string_view reason;
    std::int64_t count;
    std::string details = {};
  };
  std::vector<Omission> found;
  for (const Omission& omission :
       {Omission{"empty", corpus.empty_source, counted(corpus.empty_source, "source")},
        Omission{"empty", corpus.empty_target, counted(corpus.empty_target, "target")},
        Omission{"empty", corpus.empty_both, fmt::format("{} on both sides", corpus.empty_both)},
        Omission{"language", corpus.language}, Omission{"duplicate", corpus.duplicate},
        Omission{"same-source", corpus.same_source, "the same source is held out"},
        Omission{"empty", encoded.empty, counted(encoded.empty, "pair") + " without a token on a side"},
        Omission{"length", encoded.too_long, "first: " + encoded.first_too_long},
        Omission{"ratio", encoded.unbalanced, "first: " + encoded.first_unbalanced}}) {
    if (omission.count == 0) continue;
    const auto same = std::ranges::find(found, omission.reason, &Omission::reason);
    if (same == found.end()) {
      found.push_back(omission);
    } else {
      same->count += omission.count;
      same->details += ", " + omission.details;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [reason, count, details] : found)
    lines.push_back(fmt::format("left out: {} {}{}", reason, count, details.empty() ? "" : " (" + details + ")"));
  return lines;
}

std::string describe(const CorpusReport& report, bool with_left_out) {
  std::vector<std::string> read;
  if (report.lines > 0 || report.units == 0) read.push_back(counted(report.lines, "line"));
  if (report.units > 0) read.push_back(counted(report.units, "unit"));
  std::string text = counted(report.pairs, "pair");
  if (report.repeated > 0) text += fmt::format(" (including {})", counted(report.repeated, "duplicate"));
  text += fmt::format(" from {}", fmt::join(read, " and "));
  if (report.held_out > 0) text += fmt::format(", {} held out of training", counted(report.held_out, "other pair"));
  if (report.further_variants > 0)
    text += fmt::format(", {} of a language ignored", counted(report.further_variants, "further variant"));
  if (report.unused_columns > 0) text += fmt::format(", {} ignored", counted(report.unused_columns, "further column"));
  if (report.replaced > 0) text += fmt::format(", {} replaced", counted(report.replaced, "invalid UTF-8 sequence"));
  if (with_left_out)
    for (const std::string& line : left_out(report)) text += "; " + line;
  return text;
}

std::string describe(const EncodeReport& report, bool with_left_out) {
  const auto tokens = [](std::int64_t count, const char* side, std::int64_t unknown) {
    const double share = count > 0 ? 100.0 * static_cast<double>(unknown) / static_cast<double>(count) : 0.0;
    return fmt::format(", {} ({:.2f} % unknown)", counted(count, fmt::format("{} token", side)), share);
  };
  std::string text = counted(report.pairs, "pair") + tokens(report.source_tokens, "source", report.source_unknown) +
                     tokens(report.target_tokens, "target", report.target_unknown);
  if (with_left_out)
    for (const std::string& line : left_out({}, report)) text += "; " + line;
  return text;
}

}  // namespace glossa
