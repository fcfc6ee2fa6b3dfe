#include "data/corpora/corpus_doubts.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/counted.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

std::string shortened(std::string_view text) {
  constexpr int longest = 36;
  std::string kept;
  int letters = 0;
  utf8::for_each(text, [&](std::string_view piece, const utf8::CodePoint&) {
    if (letters++ < longest) kept += piece;
  });
  return letters > longest ? kept + "..." : kept;
}

bool holds(std::string_view text, bool (*property)(char32_t)) {
  while (!text.empty()) {
    const utf8::CodePoint c = utf8::first(text);
    if (property(c.value)) return true;
    text.remove_prefix(c.bytes);
  }
  return false;
}

bool is_alphabetic(char32_t c) {
  return !utf8::is_space(c) && !utf8::is_number(c) && !utf8::is_punctuation(c) && !utf8::is_symbol(c);
}

/// Fraction of sentences with numbers but without letters.
double share_of_numbers(const std::vector<std::string>& side) {
  const auto is_number = [](const std::string& sentence) {
    return !holds(sentence, is_alphabetic) && holds(sentence, utf8::is_number);
  };
  return static_cast<double>(std::ranges::count_if(side, is_number)) / static_cast<double>(side.size());
}

/// Returns `lower` or `upper` if all cased letters have that case and are at least half of the letters. Text in a
/// script without letter cases may contain a few cased words, such as `CD`.
std::string_view only_case(const std::vector<std::string>& side) {
  std::int64_t lower = 0, upper = 0, letters = 0;
  for (const std::string& sentence : side) {
    utf8::for_each(sentence, [&](std::string_view, const utf8::CodePoint& c) {
      lower += utf8::is_lower(c.value);
      upper += utf8::is_upper(c.value);
      letters += is_alphabetic(c.value);
    });
    if (lower > 0 && upper > 0) return {};  // both cases usually occur within a few sentences
  }
  if (lower + upper == 0 || 2 * (lower + upper) < letters) return {};
  return lower > 0 ? "lower" : "upper";
}

/// Adds a warning for each corpus that shares many pairs with training. A few shared pairs are normal, because short
/// sentences recur.
void doubt_scores(const Corpora& corpora, const ParallelCorpus* test, std::vector<std::string>& doubts) {
  constexpr double many = 0.05;
  std::vector<const ParallelCorpus*> parts{&corpora.validation};
  for (const ParallelCorpus& watched : corpora.watched) parts.push_back(&watched);
  if (test) parts.push_back(test);
  const std::vector<std::int64_t> shared = pairs_in_training(corpora, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t pairs = parts[i]->source.size();
    if (shared[i] == 0 || static_cast<double>(shared[i]) < many * static_cast<double>(pairs)) continue;
    doubts.push_back(
        fmt::format("{} of {} of {}, a corpus of {}, are also in data.train: their scores show memorization, not "
                    "translation. Hint: remove them from data.train",
                    shared[i], counted(pairs, "pair"), parts[i]->name, parts[i] == test ? "data.test" : "data.valid"));
  }
}

}  // namespace

std::string first_pair(const ParallelCorpus& corpus) {
  return fmt::format("first pair: source '{}'\n    target '{}'", shortened(corpus.source.front()),
                     shortened(corpus.target.front()));
}

std::string note_on_ignored(const DataConfig& config, const CorpusPlaces& places) {
  constexpr std::size_t most = 5;
  std::vector<std::string> files = ignored_files(config, places);
  if (files.empty()) return "";
  const std::string count = counted(files.size(), "file");
  if (files.size() > most) {
    files.resize(most);
    files.push_back("...");
  }
  return fmt::format("{} not read, as in no corpus of {} and {}: {}", count, config.source, config.target,
                     fmt::join(files, ", "));
}

double share_of_same_text(const ParallelCorpus& corpus) {
  std::int64_t same = 0;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) same += corpus.source[i] == corpus.target[i];
  return static_cast<double>(same) / static_cast<double>(corpus.source.size());
}

std::vector<std::string> corpus_doubts(const DataConfig& config, const Corpora& corpora, const ParallelCorpus* test) {
  const ParallelCorpus& corpus = corpora.training;
  std::vector<std::string> doubts;
  const auto doubt_numbers = [&](const std::vector<std::string>& side, std::string_view name) {
    const double share = share_of_numbers(side);
    if (share < 0.9) return;
    doubts.push_back(
        fmt::format("{:.0f} % of the {} side of {} are numbers, not sentences; for a table, see data.{}_column",
                    100 * share, name, corpus.name, name));
  };
  doubt_numbers(corpus.source, "source");
  doubt_numbers(corpus.target, "target");
  if (const double share = share_of_same_text(corpus); share >= 0.5)
    doubts.push_back(
        fmt::format("{:.0f} % of the pairs of {} have the same text on both sides; see data.source and data.target",
                    100 * share, corpus.name));
  doubt_scores(corpora, test, doubts);
  const std::string_view letter_case = only_case(corpus.source);
  const bool is_toy = toy_pairs_alone("data.train", config.train).has_value();
  if (!letter_case.empty() && !config.reading.lowercase && !is_toy)
    doubts.push_back(
        fmt::format("{} has only {}-case source letters:\n    others will be unknown unless data.lowercase: true "
                    "lowercases all text, also when translating",
                    corpus.name, letter_case));
  return doubts;
}

std::vector<std::string> size_doubts(const DataConfig& config, const Corpora& corpora, bool is_fine_tuned) {
  constexpr std::int64_t few_for_training = 3000;
  constexpr std::size_t few_for_validation = 20;
  std::vector<std::string> doubts;
  if (toy_pairs_alone("data.train", config.train)) return doubts;
  const std::int64_t training = corpora.training.report.pairs;
  const std::size_t validation = corpora.validation.source.size();
  if (training < few_for_training && !is_fine_tuned)
    doubts.push_back(fmt::format(
        "{} has {}:\n    a model mostly memorizes fewer than 3,000. Hint: fine-tune (docs/finetuning.md), or add text",
        corpora.training.name, counted(training, "pair")));
  if (validation > 0 && validation < few_for_validation)
    doubts.push_back(fmt::format(
        "only {} for validation: chance decides which checkpoint is best. Hint: set data.valid or data.split",
        counted(validation, "pair")));
  return doubts;
}

}  // namespace glossa
