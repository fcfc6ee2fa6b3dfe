#include "evaluation/run_ensemble.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace glossa {

namespace {

/// True for options that affect the ids that a model reads for a line of text.
bool concerns_sources(std::string_view key) {
  constexpr std::array keys{"data.source",     "data.target",     "data.lowercase",
                            "data.source_bos", "data.source_eos", "data.source_prefix"};
  return std::ranges::find(keys, key) != keys.end();
}

}  // namespace

std::vector<RunName> run_names(std::span<const std::string> named, const std::string& choice) {
  std::vector<RunName> names;
  for (const std::string& run : named) names.emplace_back(run, choice);
  return names;
}

LoadedRun load_ensemble(std::span<const RunName> names, Config config, const Job& job) {
  job.agree("number of runs", fmt::format("{}", names.size()));
  const RuntimeConfig runtime = config.runtime;
  const DecodeOptions decode = config.decode;
  LoadedRun all = load_run(names.front(), std::move(config), job);
  for (const RunName& name : names.subspan(1)) {
    const std::string& folder = name.folder();
    Config own = load_run_config(folder);
    own.decode = decode;
    own.runtime = runtime;
    check_agree(all.config, own, concerns_sources, "as in " + names.front().folder(),
                "an ensemble reads the same ids in each of its models");
    LoadedRun other = load_run(name, std::move(own), job);
    if (other.tokenizers.fingerprint() != all.tokenizers.fingerprint())
      misuse(folder,
             "expected the vocabulary of {}; got another. Hint: train the runs of an ensemble on one text, with "
             "train.seed alone different, or with one run as train.warm_start",
             names.front().folder());
    all.checkpoints.insert(all.checkpoints.end(), other.checkpoints.begin(), other.checkpoints.end());
    all.others.push_back(std::move(other.model));
  }
  return all;
}

}  // namespace glossa
