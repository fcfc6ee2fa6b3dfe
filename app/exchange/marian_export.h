#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder for Marian's tools: model.npz with its options inside, source.spm, target.spm, vocab.yml (or
/// source.vocab.yml and target.vocab.yml), decoder.yml. Marian has no padding, so its row is omitted. Throws misuse
/// naming an option that the format cannot express, and if the folder is not empty.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
