#pragma once

#include "base/safetensors.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/model/model_factory.h"

namespace glossa {

// Weights under PyTorch's names. The names `encoder.*` and `decoder.*` are those of nn.Transformer. The embeddings and
// the output projection have the names of PyTorch's translation tutorial: src_tok_emb.embedding.weight,
// tgt_tok_emb.embedding.weight, generator.weight, generator.bias. A tied tensor is stored once, as safetensors
// requires, under any of its names.

/// Writes the weights that translation uses (entry_in_use) unchanged, in float. A tied tensor gets the alphabetically
/// first of its names, such as generator.weight, and the metadata lists the other names. safetensors' `save_model` does
/// the same; `load_model` can therefore read the file into a model with the same tying. The file has no other contents:
/// equal parameters give equal files.
void export_parameters(const CheckpointReader& checkpoint, const std::filesystem::path& path);

/// Reads a model's parameters by name. The file may have a tied tensor under any of its names, or equal copies of the
/// tensor under several names. Names may begin with `transformer.`, as when nn.Transformer is a member of a larger
/// module. Rounds other float types to float. Throws an Error that lists missing, unknown and wrongly shaped tensors.
/// Also throws an Error for non-finite numbers and for copies that differ. After an error, `parameters` is unchanged.
void import_parameters(const TensorFile& file, ParameterStore<float>& parameters);

}  // namespace glossa
