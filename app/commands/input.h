#pragma once

#include <string>
#include <string_view>

#include "data/text/text_file.h"
#include "data/text_statistics.h"

namespace glossa::commands {

/// Opens the file given as --input, or standard input if `input` is empty.
LineReader open_input(const std::string& input, const TextOptions& options);

/// True if lines are to be split into sentences. `choice` is the value of --split-sentences; `auto` decides by the text
/// that the run was trained on.
bool splits_sentences(std::string_view choice, const TextStatistics& trained_on);

}  // namespace glossa::commands
