#include "data/parallel_corpus.h"

#include <algorithm>
#include <string_view>

#include "autograd/check.h"
#include "data/counted.h"
#include "data/utf8.h"

namespace glossa {
namespace {

bool blank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

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
    const auto text = [&](std::string_view side) {
      return options.lowercase ? utf8::lower_case(side) : std::string(side);
    };
    corpus.source.push_back(text(source));
    corpus.target.push_back(text(target));
    corpus.lines.push_back(line);
    ++report.pairs;
  }
}

ParallelCorpus finished(ParallelCorpus corpus) {
  check(corpus.report.pairs > 0, corpus.name,
        "expected at least one pair of sentences; got none: {}. Hint: a pair needs text on both sides",
        describe(corpus.report));
  return corpus;
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

ParallelCorpus read_parallel(const std::string& prefix, const std::string& source_language,
                             const std::string& target_language, const CorpusOptions& options) {
  const auto side = [&](const std::string& language) {
    return resolve(prefix + "." + language, "two files are named by their path without ." + language +
                                                ", a table by its own, which ends in .tsv");
  };
  const std::string source_path = side(source_language), target_path = side(target_language);
  LineReader source_reader(source_path, options.text), target_reader(target_path, options.text);
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
        "expected as many lines on both sides; got {} in {} and {} in {}. Hint: line n of one translates line n of the "
        "other; find where they part",
        source_reader.line_number(), source_path, target_reader.line_number(), target_path);
  corpus.report.lines = source_reader.line_number();
  corpus.report.replaced = source_reader.replaced() + target_reader.replaced();
  return finished(std::move(corpus));
}

ParallelCorpus read_tsv(const std::string& name, const std::string& source_language, const std::string& target_language,
                        const CorpusOptions& options) {
  const std::string path = resolve(name);
  if (options.source_column < 0 || options.target_column < 0 || options.source_column == options.target_column)
    misuse(path, "expected two different columns, counted from 0; got {} and {}", options.source_column,
           options.target_column);
  auto source_column = static_cast<std::size_t>(options.source_column);
  auto target_column = static_cast<std::size_t>(options.target_column);
  TextOptions text = options.text;
  text.keep_tabs = true;
  LineReader reader(path, text);
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = corpus.target_name = path;
  for (std::string row; reader.next(row);) {
    const std::vector<std::string_view> cells = columns(row);
    if (reader.line_number() == 1) {
      const auto source = std::find(cells.begin(), cells.end(), source_language);
      const auto target = std::find(cells.begin(), cells.end(), target_language);
      if (source != cells.end() && target != cells.end() && source != target) {
        source_column = static_cast<std::size_t>(source - cells.begin());
        target_column = static_cast<std::size_t>(target - cells.begin());
        continue;
      }
    }
    ++corpus.report.lines;
    if (cells.size() == 1 && blank(row)) {
      ++corpus.report.empty_both;
      continue;
    }
    check(std::max(source_column, target_column) < cells.size(), reader.where(),
          "expected at least {} columns separated by TAB; got {}", std::max(source_column, target_column) + 1,
          cells.size());
    add_pair(corpus, cells[source_column], cells[target_column], reader.line_number(), options);
  }
  corpus.report.replaced = reader.replaced();
  return finished(std::move(corpus));
}

std::string describe(const CorpusReport& report) {
  std::string text = fmt::format("{} from {}", counted(report.pairs, "pair"), counted(report.lines, "line"));
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(report.empty_source, "skipped for an empty source");
  add(report.empty_target, "skipped for an empty target");
  add(report.empty_both, "skipped for being empty on both sides");
  add(report.held_out, "held out of training");
  add(report.copies, "left out as copies of those");
  if (report.replaced > 0) text += fmt::format(", {} replaced", counted(report.replaced, "invalid UTF-8 sequence"));
  return text;
}

}  // namespace glossa
