#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder for Marian's tools: model.npz, which includes the options, source.spm, target.spm, vocab.yml (or
/// source.vocab.yml and target.vocab.yml), decoder.yml. The row of the padding token is omitted, as Marian does not
/// have one. Throws misuse if the folder is not empty, or if the format cannot express an option, which the error
/// names.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
