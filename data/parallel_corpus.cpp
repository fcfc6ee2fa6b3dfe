#include "data/parallel_corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/check.h"
#include "base/parallel.h"
#include "data/missing_corpus.h"
#include "data/pair_hashes.h"
#include "data/text/fingerprint.h"
#include "data/text/languages.h"
#include "data/text/stored_text.h"
#include "data/text/text_file.h"
#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

bool blank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

std::string cased(std::string_view side, const CorpusOptions& options) {
  return options.lowercase ? utf8::lower_case(side) : std::string(side);
}

/// True if the options choose columns other than the first two.
bool chooses_columns(const CorpusOptions& options) {
  const CorpusOptions usual;
  return options.source_column != usual.source_column || options.target_column != usual.target_column;
}

/// Columns of a table that contain the languages.
struct Columns {
  std::size_t source, target;
  bool named = false;  // true: the first row contains column names instead of a pair
  std::vector<std::size_t> further_targets = {};

  /// Number of unused columns in a row with `cells` cells.
  std::int64_t unused(std::size_t cells) const { return static_cast<std::int64_t>(cells - 2 - further_targets.size()); }
  std::size_t last() const { return std::max({source, target, further_targets.empty() ? 0 : further_targets.back()}); }
};

/// Returns the columns that the first row names, otherwise those of the options. Refuses a first row that names other
/// languages, because it would be read as a pair.
Columns columns_of(const std::vector<std::string_view>& row, const std::string& source, const std::string& target,
                   const CorpusOptions& options, const std::string& where) {
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(row.begin(), row.end(), name) - row.begin());
  };
  const Columns chosen{static_cast<std::size_t>(options.source_column),
                       static_cast<std::size_t>(options.target_column)};
  Columns named{at(source), at(target), true};
  if (named.source < row.size() && named.target < row.size() && named.source != named.target) {
    const bool agrees = (named.source == chosen.source && named.target == chosen.target) || !chooses_columns(options);
    if (!agrees)
      misuse(where,
             "expected {} and {} in columns {} and {}; got {} and {} by the first row. Hint: omit "
             "CorpusOptions::source_column and CorpusOptions::target_column to use the first row",
             source, target, chosen.source, chosen.target, named.source, named.target);
    for (std::size_t column = named.target + 1; column < row.size() && options.all_targets; ++column)
      if (row[column] == target) named.further_targets.push_back(column);
    return named;
  }
  std::set<std::string_view> languages;
  for (const std::string_view cell : row)
    if (names_a_language(cell)) languages.insert(cell);
  const bool words_only = std::ranges::all_of(row, [](std::string_view cell) { return cell.find(' ') == cell.npos; });
  // A full name, such as `English`, is never a sentence. A code, such as `so`, may be one, and counts only in a row of
  // single words.
  const auto is_full_name = [&](std::size_t column) {
    return column < row.size() && row[column].size() > 3 && names_a_language(row[column]);
  };
  const bool names_both =
      is_full_name(chosen.source) && is_full_name(chosen.target) && row[chosen.source] != row[chosen.target];
  if (names_both || (words_only && languages.size() > 1))
    misuse(where,
           "expected {} and {}, or a pair of sentences, in the first row; got {}. Hint: set source_language and "
           "target_language to two of these, or remove the row",
           source, target, fmt::join(languages, " and "));
  return chosen;
}

/// Adds a row's pair and all its targets. The row's first target with text becomes the pair's target.
void add_row(ParallelCorpus& corpus, const std::vector<std::string_view>& cells, const Columns& in_use,
             std::int64_t line, const CorpusOptions& options) {
  std::vector<std::string_view> targets{cells[in_use.target]};
  for (const std::size_t column : in_use.further_targets) targets.push_back(cells[column]);
  const auto with_text = std::ranges::find_if_not(targets, blank);
  const std::int64_t pairs = corpus.report.pairs;
  add_pair(corpus, cells[in_use.source], with_text == targets.end() ? "" : *with_text, line, options);
  if (corpus.report.pairs == pairs) return;
  for (std::size_t k = 0; k < corpus.all_targets.size(); ++k)
    corpus.all_targets[k].push_back(blank(targets[k]) ? "" : cased(targets[k], options));
}

/// Lowercases the added pairs, with all threads.
void lowercase(ParallelCorpus& corpus) {
  parallel_ranges(std::ssize(corpus.source), 1024, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      for (std::string* side : {&corpus.source[i], &corpus.target[i]}) *side = utf8::lower_case(*side);
  });
}

void hand_over(ParallelCorpus& corpus, const CorpusOptions& options) {
  if (options.lowercase) lowercase(corpus);
  (*options.take)(corpus);
  corpus.source.clear();
  corpus.target.clear();
  corpus.lines.clear();
}

std::vector<std::string_view> columns(std::string_view row) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t tab = row.find('\t');
    cells.push_back(row.substr(0, tab));
    if (tab == std::string_view::npos) return cells;
    row.remove_prefix(tab + 1);
  }
}

}  // namespace

std::string side_of(const std::string& prefix, const std::string& language, const std::string& named_by) {
  const std::string side = prefix + "." + language;
  if (auto found = find_text(side)) return *found;
  return resolve(side, hint_about_side(prefix, language, named_by));
}

ParallelCorpus read_parallel(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language, const CorpusOptions& options) {
  const std::string source_path = side_of(prefix, source_language), target_path = side_of(prefix, target_language);
  LineBlocks source_reader(source_path, options.text), target_reader(target_path, options.text);
  ParallelCorpus corpus;
  corpus.name = prefix;
  corpus.source_name = source_path;
  corpus.target_name = target_path;
  std::string source, target;
  for (;;) {
    const bool has_source = source_reader.next(source), has_target = target_reader.next(target);
    if (!has_source && !has_target) break;
    if (has_source && has_target) add_pair(corpus, source, target, source_reader.line_number(), options);
  }
  check(source_reader.line_number() == target_reader.line_number(), prefix,
        "expected equally many lines on both sides; got {} in {} and {} in {}. Hint: line n of one translates line n "
        "of the other; find where they diverge",
        source_reader.line_number(), source_path, target_reader.line_number(), target_path);
  corpus.report.lines = source_reader.line_number();
  corpus.report.replaced = source_reader.replaced() + target_reader.replaced();
  return finished(std::move(corpus), options);
}

bool is_table(std::string_view name) { return unpacked_name(name).ends_with(".tsv"); }

ParallelCorpus read_tsv(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options) {
  const std::string path = resolve(name, hint_about_file(name));
  if (options.source_column < 0 || options.target_column < 0 || options.source_column == options.target_column)
    misuse(path, "expected two different columns, counted from 0; got {} and {}", options.source_column,
           options.target_column);
  Columns in_use{};
  TextOptions text = options.text;
  text.keep_tabs = true;
  LineBlocks reader(path, text);
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = corpus.target_name = path;
  for (std::string row; reader.next(row);) {
    const std::vector<std::string_view> cells = columns(row);
    if (reader.line_number() == 1) {
      if (cells.size() == 1) check_has_tabs(path);
      in_use = columns_of(cells, source_language, target_language, options, reader.where());
      if (!in_use.further_targets.empty()) corpus.all_targets.resize(1 + in_use.further_targets.size());
      if (in_use.named) continue;
    }
    ++corpus.report.lines;
    if (cells.size() == 1 && blank(row)) {
      ++corpus.report.empty_both;
      continue;
    }
    check(in_use.last() < cells.size(), reader.where(), "expected at least {} columns separated by TAB; got {}",
          in_use.last() + 1, cells.size());
    if (!chooses_columns(options))
      corpus.report.unused_columns = std::max(corpus.report.unused_columns, in_use.unused(cells.size()));
    add_row(corpus, cells, in_use, reader.line_number(), options);
  }
  corpus.report.replaced = reader.replaced();
  return finished(std::move(corpus), options);
}

void add_pair(ParallelCorpus& corpus, std::string_view source, std::string_view target, std::int64_t line,
              const CorpusOptions& options) {
  CorpusReport& report = corpus.report;
  if (blank(source) && blank(target)) {
    ++report.empty_both;
  } else if (blank(source)) {
    ++report.empty_source;
  } else if (blank(target)) {
    ++report.empty_target;
  } else {
    corpus.add(source, target, line);
    ++report.pairs;
    constexpr std::size_t block = 1 << 15;
    if (options.take && corpus.source.size() == block) hand_over(corpus, options);
  }
}

void check_any_pair(const std::string& name, const CorpusReport& report) {
  check(report.pairs > 0, name,
        "expected at least one pair of sentences; got none: {}. Hint: a pair needs text on both sides",
        describe(report));
}

ParallelCorpus finished(ParallelCorpus corpus, const CorpusOptions& options) {
  if (options.take)
    hand_over(corpus, options);
  else if (options.lowercase)
    lowercase(corpus);
  if (!options.may_be_empty) check_any_pair(corpus.name, corpus.report);
  return corpus;
}

std::string ParallelCorpus::place(std::size_t pair) const {
  if (!parts.empty()) return place_in(of(pair).name, line(pair));
  return fmt::format("{} {}", counted_thing(source_name), line(pair));
}

std::uint64_t ParallelCorpus::hash(std::size_t pair) const { return content_hash(source[pair], target[pair]); }

std::uint64_t content_hash(std::string_view source, std::string_view target) {
  return Fingerprint().add(source).add(target).value();
}

std::uint64_t content_hash(std::string_view source) { return Fingerprint().add(source).value(); }

void ParallelCorpus::add(std::string_view source_text, std::string_view target_text, std::int64_t line) {
  source.emplace_back(source_text);
  target.emplace_back(target_text);
  lines.push_back(line);
}

void ParallelCorpus::take(ParallelCorpus& from, std::size_t pair) {
  lines.push_back(from.line(pair));
  source.push_back(std::move(from.source[pair]));
  target.push_back(std::move(from.target[pair]));
  if (!from.parts.empty()) part.push_back(from.part[pair]);
  ++report.pairs;
}

ParallelCorpus ParallelCorpus::without_pairs() const {
  ParallelCorpus corpus;
  corpus.name = name;
  corpus.source_name = source_name;
  corpus.target_name = target_name;
  corpus.parts = parts;
  return corpus;
}

std::vector<std::uint64_t> hashes_of(const ParallelCorpus& corpus) {
  return parallel_map(corpus.source.size(), 4096, [&](std::size_t i) { return corpus.hash(i); });
}

ParallelCorpus joined(std::vector<ParallelCorpus> corpora, const std::string& name,
                      std::span<const std::uint32_t> groups) {
  if (corpora.size() == 1) return std::move(corpora.front());
  ParallelCorpus all;
  for (const ParallelCorpus& corpus : corpora)
    all.all_targets.resize(std::max(all.all_targets.size(), corpus.all_targets.size()));
  std::vector<std::string> names;
  for (ParallelCorpus& corpus : corpora) {
    corpus.all_targets.resize(all.all_targets.size(), corpus.target);  // repeats the target: blanks would be references
    names.push_back(corpus.name);
    const std::uint32_t group = groups.empty() ? 0 : groups[all.parts.size()];
    all.part.insert(all.part.end(), corpus.source.size(), static_cast<std::uint32_t>(all.parts.size()));
    all.parts.push_back({corpus.name, corpus.source_name, corpus.target_name, corpus.report, group});
    for (std::size_t i = 0; i < corpus.source.size(); ++i) all.lines.push_back(corpus.line(i));
    std::ranges::move(corpus.source, std::back_inserter(all.source));
    std::ranges::move(corpus.target, std::back_inserter(all.target));
    for (std::size_t column = 0; column < corpus.all_targets.size(); ++column)
      std::ranges::move(corpus.all_targets[column], std::back_inserter(all.all_targets[column]));
    all.report += corpus.report;
    corpus = {};
  }
  all.name = all.source_name = all.target_name = name.empty() ? fmt::format("{}", fmt::join(names, ", ")) : name;
  return all;
}

ParallelCorpus count_duplicates(ParallelCorpus corpus, bool drops) {
  const std::vector<bool> repeated = repeats(hashes_of(corpus), [&](std::size_t a, std::size_t b) {
    return corpus.source[a] == corpus.source[b] && corpus.target[a] == corpus.target[b];
  });
  const std::int64_t count = std::ranges::count(repeated, true);
  if (!drops || count == 0) {
    corpus.report.repeated = count;
    return corpus;
  }
  ParallelCorpus kept = corpus.without_pairs();
  kept.report = corpus.report;
  kept.report.pairs = 0;
  kept.report.duplicate = count;
  for (std::size_t i = 0; i < repeated.size(); ++i)
    if (!repeated[i]) kept.take(corpus, i);
  return kept;
}

}  // namespace glossa
