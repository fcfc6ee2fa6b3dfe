#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder as Marian's tools read it: model.npz with its options inside, source.spm, target.spm, vocab.yml (or
/// source.vocab.yml and target.vocab.yml), decoder.yml. Marian has no padding: its row is left out. Throws misuse
/// naming the option that it cannot say, and where the folder holds something.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
