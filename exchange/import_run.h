#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/index.h"
#include "config/settings.h"

namespace glossa {

/// A run made from an imported model.
struct ImportedRun {
  std::filesystem::path checkpoint;
  std::size_t tensors = 0;
  Index parameters = 0;        ///< number of values in all tensors
  std::string source, target;  ///< source and target languages
};

/// Makes a run from a pretrained model's folder (pretrained.h). The run does not have a corpus. `languages` sets
/// data.source and data.target, which some folders do not name; any other setting is a misuse error. Prints notes on
/// settings that glossa handles differently, and on missing languages. Throws as read_pretrained does. Also throws a
/// misuse error if the folder `run` holds a run, and a failure if training would not fit in memory.
ImportedRun import_folder(const std::string& folder, const std::string& run, const Settings& languages = {});

/// Makes a run from a file of weights under PyTorch's names (exchange.h), in any format that open_tensors reads. The
/// YAML file `config_path` (unless empty) and `settings` describe the model and its corpora. The run gets the
/// vocabularies of these corpora. Throws as load_config, validate and import_parameters do. Also throws a misuse error
/// if `train.warm_start` is set or the folder `run` holds a run, and a failure if training would not fit in memory.
ImportedRun import_file(const std::string& weights, const std::string& config_path, const std::string& run,
                        const Settings& settings = {});

}  // namespace glossa
