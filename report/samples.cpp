#include "report/samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

constexpr std::size_t longest_text = 1000;  // bytes

std::string shortened(std::string_view text) {
  if (text.size() <= longest_text) return std::string(text);
  std::string kept;
  utf8::for_each(text, [&](std::string_view piece, const utf8::CodePoint&) {
    if (kept.size() < longest_text) kept += piece;
  });
  return kept + "…";
}

/// Removes the next line from `text` and returns it without `label`. Returns nothing if the line has another label.
std::optional<std::string> labeled_line(std::string_view& text, std::string_view label) {
  if (!text.starts_with(label)) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(label.size(), end - label.size()));
  text.remove_prefix(std::min(end + 1, text.size()));
  return shortened(line);
}

struct SampleText {
  std::string source, reference, output;
};

/// Parses up to `limit` samples of a file. Throws if the file does not have the format of train/trainer.cpp.
std::vector<SampleText> parse(std::string_view text, std::size_t limit, const std::string& where) {
  std::vector<SampleText> all;
  while (!text.empty() && all.size() < limit) {
    const auto source = labeled_line(text, "source     ");
    const auto reference = labeled_line(text, "reference  ");
    const auto output = labeled_line(text, "output     ");
    check(source && reference && output, where, "expected source, reference and output of sample {}; got other lines",
          all.size() + 1);
    all.push_back({*source, *reference, *output});
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  }
  return all;
}

/// Returns at most `limit` updates, spread evenly and including the first and the last.
std::vector<std::int64_t> spread(const std::vector<std::int64_t>& all, std::size_t limit) {
  if (all.size() <= limit) return all;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < limit; ++i) kept.push_back(all[i * (all.size() - 1) / (limit - 1)]);
  return kept;
}

}  // namespace

std::vector<WatchedSentence> read_samples(const std::filesystem::path& run, const std::set<std::int64_t>& updates,
                                          std::size_t max_sentences, std::size_t max_validations,
                                          std::vector<std::string>& problems) {
  const auto file_of = [&](std::int64_t update) { return run / "samples" / fmt::format("update-{:08}.txt", update); };
  std::vector<std::int64_t> there;
  std::error_code ignored;
  for (const std::int64_t update : updates)
    if (std::filesystem::exists(file_of(update), ignored)) there.push_back(update);
  std::vector<WatchedSentence> samples;
  for (const std::int64_t update : spread(there, max_validations)) {
    const std::string path = file_of(update);
    try {
      for (SampleText& text : parse(read_file(path), max_sentences, path)) {
        auto sample = std::find_if(samples.begin(), samples.end(), [&](const WatchedSentence& s) {
          return s.source == text.source && s.reference == text.reference;
        });
        if (sample == samples.end()) sample = samples.insert(samples.end(), {text.source, text.reference, {}, {}});
        if (!sample->updates.empty() && sample->updates.back() == update) continue;  // the file has the sentence twice
        sample->updates.push_back(update);
        sample->outputs.push_back(std::move(text.output));
      }
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  return samples;
}

}  // namespace glossa
