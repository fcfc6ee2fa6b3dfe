#include "app/commands/sentence_splitting.h"

#include <utility>

#include "train/console/print.h"

namespace glossa::commands {

bool splits_sentences(std::string_view choice, const TextStatistics& trained_on) {
  return choice == "auto" ? trained_on.has_one_sentence_a_line() : choice == "on";
}

std::vector<std::string_view> SentenceNote::sentences(std::string_view line, const std::string& where) {
  std::vector<std::string_view> sentences = translator_.sentences(line);
  if (sentences.size() > 1 && !std::exchange(is_printed_, true))
    print_note(
        "note: [{}] has {} sentences, which are translated one by one; --split-sentences off translates whole lines\n",
        where, sentences.size());
  return sentences;
}

}  // namespace glossa::commands
