#include "evaluation/source_lines.h"

#include "base/console/print.h"
#include "data/text/place.h"

namespace glossa {

SourceLines::SourceLines(const Translator& translator, const LoadedRun& run, const std::string& name,
                         LineErrorHandler handler)
    : translator_(translator),
      name_(name),
      handler_(std::move(handler)),
      lengths_(run.state.text.usual_words, name),
      languages_(run.config.data.source, run.config.data.target, name) {}

std::string SourceLines::add(const std::optional<std::string>& line, std::int64_t number) {
  const std::size_t count = sources_.count + 1;
  if (!line || !pass_line(handler_, [&] { translator_.add(sources_, *line, name_, number); })) {
    sources_.count = count;
    ++bad_;
    return "";
  }
  const std::vector<std::string_view> sentences = translator_.sentences(*line);
  if (sentences.size() > 1 && !std::exchange(has_split_, true))
    print_note(
        "note: [{}] has {} sentences, which are translated one by one; --split-sentences off translates whole lines\n",
        place_in(name_, number), sentences.size());
  for (const std::string_view sentence : sentences) lengths_.add(sentence);
  languages_.add(*line);
  return *line;
}

void SourceLines::compare() {
  lengths_.compare();
  languages_.compare();
}

}  // namespace glossa
