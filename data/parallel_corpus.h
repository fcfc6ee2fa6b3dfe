#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus_report.h"
#include "data/text/place.h"
#include "data/text/text_file.h"

namespace glossa {

/// One of the corpora in a joined corpus.
struct CorpusPart {
  std::string name, source_name, target_name;
  CorpusReport report;      // counts of this corpus before joining
  std::uint32_t group = 0;  // corpora of one group share a weight (SamplerOptions::weights)
};

/// Sentence pairs: `target[i]` is the translation of `source[i]`. Both are cleaned (see clean_line) and not empty.
struct ParallelCorpus {
  std::string name;                         // name in messages: path prefix, file or generator
  std::string source_name, target_name;     // each side's file, for messages about lines
  std::vector<std::string> source, target;  // a line for each pair
  std::vector<std::int64_t> lines;          // each pair's line or unit, from 1; empty: pair i is from line i + 1
  CorpusReport report;
  std::vector<CorpusPart> parts;                      // the corpora that were joined; empty if not joined
  std::vector<std::uint32_t> part;                    // each pair's index in `parts`; empty if not joined
  std::vector<std::vector<std::string>> all_targets;  // columns of targets; empty without CorpusOptions::all_targets

  std::int64_t line(std::size_t pair) const {
    return lines.empty() ? static_cast<std::int64_t>(pair) + 1 : lines[pair];
  }
  std::uint32_t group(std::size_t pair) const { return parts.empty() ? 0 : of(pair).group; }
  const std::string& source_of(std::size_t pair) const { return parts.empty() ? source_name : of(pair).source_name; }
  const std::string& target_of(std::size_t pair) const { return parts.empty() ? target_name : of(pair).target_name; }

  /// Position of a pair, for messages: `line 31` or, in a translation memory, `unit 31`. In a joined corpus, the
  /// position includes the name of the pair's part (place_in).
  std::string place(std::size_t pair) const;

  /// Content hash of both sides of a pair.
  std::uint64_t hash(std::size_t pair) const;

  /// Appends a pair.
  void add(std::string_view source_text, std::string_view target_text, std::int64_t line);

  /// Moves a pair here from another corpus with the same names and parts.
  void take(ParallelCorpus& from, std::size_t pair);

  /// Returns an empty corpus with the same names and parts, to which `take` can move pairs.
  ParallelCorpus without_pairs() const;

 private:
  const CorpusPart& of(std::size_t pair) const { return parts[part[pair]]; }
};

/// Content hash of a pair, and of a source.
std::uint64_t content_hash(std::string_view source, std::string_view target);
std::uint64_t content_hash(std::string_view source);

/// ParallelCorpus::hash of every pair, computed with all threads.
std::vector<std::uint64_t> hashes_of(const ParallelCorpus& corpus);

/// Concatenates one or more corpora in order. If there are several, the result is called `name`; if `name` is empty,
/// their names are listed instead. `groups` has the group of each corpus; if it is empty, all are in one group.
ParallelCorpus joined(std::vector<ParallelCorpus> corpora, const std::string& name = {},
                      std::span<const std::uint32_t> groups = {});

/// Counts the pairs that equal an earlier pair on both sides, and leaves them out if `drops`.
ParallelCorpus count_duplicates(ParallelCorpus corpus, bool drops);

/// Callback for a block of pairs of a corpus that is being read.
using TakeBlock = std::function<void(const struct ParallelCorpus& block)>;

struct CorpusOptions {
  TextOptions text = {};
  bool lowercase = false;                    // true: lowercases both sides by Unicode's simple mapping
  int source_column = 0, target_column = 1;  // columns of a TSV file without a header, counted from 0
  bool all_targets = false;                  // true: also keeps further columns of the target language in a TSV file
  bool may_be_empty = false;                 // true: an empty result is not an error
  const TakeBlock* take = nullptr;           // if set, receives blocks of pairs; the returned corpus then has none
};

/// Path of one side's file: `PREFIX.language`, which may be packed. If it does not exist, throws an Error with a hint
/// about the files that do. `named_by` is the name of the option with the value `language`, or empty.
std::string side_of(const std::string& prefix, const std::string& language, const std::string& named_by = {});

/// Reads the files `PREFIX.source_language` and `PREFIX.target_language`, which may be packed. Line i of one file
/// translates line i of the other. A pair with an empty or blank side is skipped and counted. Throws like LineReader,
/// and if no pair is left. If the files have different numbers of lines, throws an error that names both files and
/// numbers.
ParallelCorpus read_parallel(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language, const CorpusOptions& options = {});

/// True for the name of a table: it ends in .tsv and may be packed.
bool is_table(std::string_view name);

/// True for the name of a corpus that is a single file: a table or a translation memory.
inline bool is_one_file(std::string_view name) { return is_table(name) || is_translation_memory(name); }

/// Reads pairs from two columns of the tab-separated file `name`, which may be packed. Quotation marks are part of the
/// text. If cells of the first row equal `source_language` and `target_language`, the row is a header and selects the
/// columns. Otherwise `options` selects them. The default is the first two, as in exports of Tatoeba and Anki: English,
/// other language, attribution. Further columns are ignored; they are counted unless `options` chooses columns other
/// than the first two. Blank lines and pairs with an empty side are skipped and counted.
///
/// If a header names the target language several times, the first such column is the target. With
/// CorpusOptions::all_targets, a pair's target is the row's first target with text. A row is left out only if its
/// source or all its targets are empty. ParallelCorpus::all_targets then has all these columns, with blank cells as
/// empty texts.
///
/// Throws like LineReader. Also throws if a row has too few columns, if no pair is left, or if the first row names
/// other languages. A header that contradicts non-default columns in `options` is also an error.
ParallelCorpus read_tsv(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

/// Adds a pair of cleaned lines, or counts the reason for leaving it out.
void add_pair(ParallelCorpus& corpus, std::string_view source, std::string_view target, std::int64_t line,
              const CorpusOptions& options);

/// Throws if the corpus `name` has no pair after reading.
void check_any_pair(const std::string& name, const CorpusReport& report);

/// Completes a corpus after the last `add_pair`. Throws if no pair is left, unless an empty result is allowed.
ParallelCorpus finished(ParallelCorpus corpus, const CorpusOptions& options);

}  // namespace glossa
