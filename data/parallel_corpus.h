#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_file.h"

namespace glossa {

/// What happened to every line of a corpus: lines = pairs + the three kinds of empty ones + what was taken out.
struct CorpusReport {
  std::int64_t lines = 0;         // lines (or rows) read
  std::int64_t pairs = 0;         // pairs kept
  std::int64_t empty_source = 0;  // skipped: only the source side is empty
  std::int64_t empty_target = 0;  // skipped: only the target side is empty
  std::int64_t empty_both = 0;    // skipped: both sides are empty
  std::int64_t held_out = 0;      // taken out, for validation and testing
  std::int64_t same_source = 0;   // left out: further pairs of those sources
  std::int64_t replaced = 0;      // ill-formed UTF-8 pieces replaced by U+FFFD
};

/// Sentence pairs, `source[i]` with `target[i]`, cleaned (see clean_line) and never empty.
struct ParallelCorpus {
  std::string name;                         // for messages: path prefix, file or generator
  std::string source_name, target_name;     // the same for what is about a line of one side
  std::vector<std::string> source, target;  // equal lengths
  std::vector<std::int64_t> lines;          // line (from 1) each pair was read from; empty: pair i is line i + 1
  CorpusReport report;

  std::int64_t line(std::size_t pair) const {
    return lines.empty() ? static_cast<std::int64_t>(pair) + 1 : lines[pair];
  }
};

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

/// Reads pairs from the columns of one tab-separated file (or its .gz), without quoting. If the first row has a cell
/// equal to each language, it is a header and names the columns; otherwise the columns of the options are taken, by
/// default the first two (Tatoeba and Anki exports: English, other language, attribution). Further columns are ignored,
/// blank lines and empty sides skipped and counted. Errors: those of LineReader; a first row that names other
/// languages, or other columns than options that are not the default; a row with too few columns; no pair left.
ParallelCorpus read_tsv(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options = {});

/// One line of text for the log.
std::string describe(const CorpusReport& report);

}  // namespace glossa
