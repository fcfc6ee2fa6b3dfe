#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/corpus_book.h"
#include "report/report_attention.h"
#include "report/run_history.h"

namespace glossa {

/// Returns the JSON document that a report's page shows; docs/reports.md describes it. `attention` has one element per
/// run. `following` is true if the page's file will be rewritten later.
std::string report_json(std::span<const RunHistory> runs, std::span<const RunAttention> attention, CorpusBook& corpora,
                        bool following);

/// Returns a report's page as one self-contained file. `json` is the document from report_json.
std::string report_page(const std::string& json);

}  // namespace glossa
