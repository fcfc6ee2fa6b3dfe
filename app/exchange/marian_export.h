#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder for Marian's tools: model.npz (with the options), source.spm, target.spm, vocab.yml (or
/// source.vocab.yml and target.vocab.yml), decoder.yml. Rows of the padding token are omitted, as Marian does not have
/// this token. Throws a misuse error if the folder is not empty. If the format cannot express an option, throws misuse
/// that names it.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
