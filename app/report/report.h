#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/report/corpus_book.h"
#include "app/report/run_history.h"

namespace glossa {

/// The document shown by a report's page; docs/reports.md describes its shape. `attention` has, for each run, a JSON
/// array with the maps of some sentences; `following` states that the file will be rewritten.
std::string report_json(std::span<const RunHistory> runs, std::span<const std::string> attention, CorpusBook& corpora,
                        bool following);

/// The report as a page, one self-contained file.
std::string report_page(const std::string& json);

}  // namespace glossa
