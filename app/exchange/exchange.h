#pragma once

#include "train/checkpoint/checkpoint_file.h"
#include "train/model/model_factory.h"
#include "train/tensor_files/safetensors.h"

namespace glossa {

// Weights in PyTorch's names. `encoder.*` and `decoder.*` are those of nn.Transformer, embeddings and output projection
// those of PyTorch's translation tutorial: src_tok_emb.embedding.weight, tgt_tok_emb.embedding.weight,
// generator.weight, generator.bias. Tensors that are tied are in a file once, as safetensors wants it, under any one of
// their names.

/// Writes the parameters of a checkpoint as they are, in float. A tied tensor gets the name that the format's
/// `save_model` gives it, the first in the alphabet (generator.weight), and metadata says which names it stands for as
/// that does; so `load_model` reads the file into a model with the same tying. Nothing else is written: of equal
/// parameters the files are equal.
void export_parameters(const CheckpointReader& checkpoint, const std::filesystem::path& path);

/// Reads the parameters of a model by name. A tied tensor may have any of its names, or several if the copies are
/// equal; names may begin with `transformer.`, as where nn.Transformer is a member of a larger module. Throws an Error
/// that lists what is missing, what the model does not have and what has another shape, and for a number that is not
/// finite; nothing is changed then. Numbers of other float types are rounded to float.
void import_parameters(const TensorFile& file, ParameterStore<float>& parameters);

}  // namespace glossa
