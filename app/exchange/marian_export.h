#pragma once

#include <filesystem>

#include "app/exchange/outgoing.h"

namespace glossa {

/// Writes a folder for Marian's tools: model.npz (with the options), source.spm, target.spm, decoder.yml and vocab.yml.
/// If the languages have separate vocabularies, source.vocab.yml and target.vocab.yml take the place of vocab.yml. Rows
/// of the padding token are omitted, because Marian does not have this token. Throws a misuse error if the folder is
/// not empty. Also throws like Outgoing::check_exportable.
void export_marian(const Outgoing& model, const std::filesystem::path& folder);

}  // namespace glossa
