#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/report/corpus_book.h"
#include "app/report/run_story.h"

namespace glossa {

/// The document that the page of a report shows; docs/reports.md has its shape. `attention` has, for each run, an array
/// of the maps of some sentences as JSON; `following` says that the file will be written anew.
std::string report_json(std::span<const RunStory> runs, std::span<const std::string> attention, CorpusBook& corpora,
                        bool following);

/// The same as the page, one file that needs no other.
std::string report_page(const std::string& json);

}  // namespace glossa
