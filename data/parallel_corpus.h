#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/left_out.h"
#include "data/text/text_file.h"

namespace glossa {

/// What happened to every line of a corpus: lines = pairs + what was left out + what was held out.
struct CorpusReport {
  std::int64_t lines = 0;             // lines (rows, units) read
  std::int64_t pairs = 0;             // pairs kept
  std::int64_t empty_source = 0;      // left out: only the source side is empty
  std::int64_t empty_target = 0;      // left out: only the target side is empty
  std::int64_t empty_both = 0;        // left out: both sides are empty
  std::int64_t language = 0;          // left out: one of the languages is not there
  std::int64_t duplicate = 0;         // left out: equal to a pair before
  std::int64_t held_out = 0;          // taken out, for validation and testing
  std::int64_t same_source = 0;       // left out: further pairs of those sources
  std::int64_t repeated = 0;          // of the pairs kept: equal to one before
  std::int64_t further_variants = 0;  // of a language that a pair has already: not used
  std::int64_t replaced = 0;          // ill-formed UTF-8 pieces replaced by U+FFFD
};

/// Adds what happened to the lines of another corpus.
CorpusReport& operator+=(CorpusReport& all, const CorpusReport& more);

/// Why pairs were left out.
LeftOut left_out(const CorpusReport& report);

/// One of several corpora that were joined.
struct CorpusPart {
  std::string name, source_name, target_name;
  CorpusReport report;  // as it was read
};

/// Sentence pairs, `source[i]` with `target[i]`, cleaned (see clean_line) and never empty.
struct ParallelCorpus {
  std::string name;                         // for messages: path prefix, file or generator
  std::string source_name, target_name;     // the same for what is about a line of one side
  std::vector<std::string> source, target;  // equal lengths
  std::vector<std::int64_t> lines;          // line (from 1) each pair was read from; empty: pair i is line i + 1
  CorpusReport report;
  std::vector<CorpusPart> parts;    // where several were joined,
  std::vector<std::uint32_t> part;  // and which of them each pair is of

  std::int64_t line(std::size_t pair) const {
    return lines.empty() ? static_cast<std::int64_t>(pair) + 1 : lines[pair];
  }
  const std::string& source_of(std::size_t pair) const { return parts.empty() ? source_name : of(pair).source_name; }
  const std::string& target_of(std::size_t pair) const { return parts.empty() ? target_name : of(pair).target_name; }

  /// Where a pair stands, for people: `line 31`, of several corpora `NAME:31`.
  std::string place(std::size_t pair) const;

  /// Takes over a pair of another corpus, which had the same names and parts.
  void take(ParallelCorpus& from, std::size_t pair);

  /// A corpus without pairs, for those of this one.
  ParallelCorpus without_pairs() const;

 private:
  const CorpusPart& of(std::size_t pair) const { return parts[part[pair]]; }
};

/// All pairs of some corpora, in their order; at least one corpus.
ParallelCorpus joined(std::vector<ParallelCorpus> corpora);

/// Counts the pairs that are equal to one before, letter by letter on both sides, and leaves them out if `drops`.
ParallelCorpus count_duplicates(ParallelCorpus corpus, bool drops);

struct CorpusOptions {
  TextOptions text = {};
  bool lowercase = false;                    // both sides, Unicode's simple mapping
  int source_column = 0, target_column = 1;  // of a TSV file without a header, counted from 0
};

/// The file of one side, `PREFIX.language` or its .gz. Error as `resolve`, with what `named_by` calls the language.
std::string side_of(const std::string& prefix, const std::string& language, const std::string& named_by = {});

/// Reads `PREFIX.source_language` and `PREFIX.target_language` (or their .gz): line i of one translates line i of the
/// other. A pair with an empty or blank side teaches nothing and is skipped and counted. Errors: those of LineReader;
/// unequal numbers of lines (both counts and names); no pair left.
ParallelCorpus read_parallel(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language, const CorpusOptions& options = {});

/// Whether the name of a corpus is that of a table: it ends in .tsv or .tsv.gz.
bool is_table(std::string_view name);

/// Whether the name of a corpus is that of a translation memory: it ends in .tmx or .tmx.gz, in any letter case.
bool is_translation_memory(std::string_view name);

/// Whether a corpus is one file of that name: a table or a translation memory.
inline bool is_one_file(std::string_view name) { return is_table(name) || is_translation_memory(name); }

/// Reads pairs from the columns of one tab-separated file (or its .gz), without quoting. If the first row has a cell
/// equal to each language, it is a header and names the columns; otherwise the columns of the options are taken, by
/// default the first two (Tatoeba and Anki exports: English, other language, attribution). Further columns are ignored,
/// blank lines and empty sides skipped and counted. Errors: those of LineReader; a first row that names other
/// languages, or other columns than options that are not the default; a row with too few columns; no pair left.
ParallelCorpus read_tsv(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

/// One line of text: what was read and what became of it. Without what was left out, for whom that stands elsewhere.
std::string describe(const CorpusReport& report, bool with_left_out = true);

/// Adds a pair, cleaned lines of both sides, or counts why it is none.
void add_pair(ParallelCorpus& corpus, std::string_view source, std::string_view target, std::int64_t line,
              const CorpusOptions& options);

/// The corpus when all is read. Error if no pair is left.
ParallelCorpus finished(ParallelCorpus corpus);

}  // namespace glossa
