#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/report/corpus_book.h"
#include "app/report/run_history.h"

namespace glossa {

/// The document shown by a report's page; docs/reports.md describes its shape. For each run, `attention` has a JSON
/// array of the maps of some sentences; `following` announces that the file will be rewritten.
std::string report_json(std::span<const RunHistory> runs, std::span<const std::string> attention, CorpusBook& corpora,
                        bool following);

/// The report as a page, one self-contained file.
std::string report_page(const std::string& json);

}  // namespace glossa
