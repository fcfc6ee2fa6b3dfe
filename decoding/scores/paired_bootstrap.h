#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "decoding/scores/bleu.h"
#include "decoding/scores/references.h"

namespace glossa {

/// A system's score of a text, and the distribution of its scores over resamples of the lines.
struct ResampledScore {
  double score = 0;     ///< score of the text itself
  double mean = 0;      ///< mean over the resamples
  double interval = 0;  ///< half the width of the 95 % confidence interval
};

/// Two systems' scores of a text.
struct PairedScore {
  ResampledScore system, other;
  double p_value = 1;  ///< two-sided; NaN if all resamples have the same difference, which proves nothing

  double difference() const { return system.score - other.score; }
};

/// Result of paired_bootstrap.
struct PairedBootstrap {
  PairedScore bleu, chrf, ter;
  std::int64_t resamples = 0;
};

/// Compares two systems' translations of a text by paired bootstrap resampling (Koehn 2004), as sacreBLEU defines it.
/// Each of the `resamples` resamples has as many lines as the text, drawn with replacement. Both systems are scored on
/// each resample. The p-value is (c + 1) / (resamples + 1). Let d be the absolute difference between the systems'
/// scores. Then c counts the resamples whose d exceeds the mean d of the resamples by more than the d of the text
/// itself.
///
/// The resamples are those of sacreBLEU with its seed 12345. The results therefore also equal sacreBLEU's, apart from
/// its rounding to float. An exception is the p-value if all resamples have the same difference, as with equal
/// translations or a single line: it is NaN here and 1 / (resamples + 1) in sacreBLEU. `options.lowercase` also applies
/// to chrF; TER always ignores case. The result does not depend on the number of threads. Throws Error if line counts
/// differ or are 0, or if `resamples` is not positive.
PairedBootstrap paired_bootstrap(std::span<const std::string> system, std::span<const std::string> other,
                                 const References& references, const BleuOptions& options = {},
                                 std::int64_t resamples = 1000);

}  // namespace glossa
