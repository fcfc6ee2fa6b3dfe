#include "data/encode_report.h"

#include "data/text/counted.h"

namespace glossa {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace

LeftOut left_out(const EncodeReport& report) {
  LeftOut all;
  all.add("empty", report.empty, counted(report.empty, "pair") + " without a token on a side");
  all.add("length", report.too_long, "first: " + report.first_too_long);
  return all.add("ratio", report.unbalanced, "first: " + report.first_unbalanced);
}

std::string describe(const EncodeReport& report, bool with_left_out) {
  const auto tokens = [](std::int64_t count, const char* side, std::int64_t unknown) {
    return fmt::format(", {} ({:.2f} % unknown)", counted(count, fmt::format("{} token", side)), share(unknown, count));
  };
  std::string text = counted(report.pairs, "pair") + tokens(report.source_tokens, "source", report.source_unknown) +
                     tokens(report.target_tokens, "target", report.target_unknown);
  if (with_left_out)
    for (const std::string& line : left_out(report).lines()) text += "; " + line;
  return text;
}

}  // namespace glossa
