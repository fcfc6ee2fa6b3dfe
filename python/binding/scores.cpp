#include <fmt/ranges.h>

#include <cstdint>

#include "base/check.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/paired_bootstrap.h"
#include "decoding/scores/ter.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/texts.h"

namespace glossa::python {

using nb::literals::operator""_a;

BleuTokenizer tokenizer_named(const std::string& name) {
  if (const std::optional<BleuTokenizer> tokenizer = bleu_tokenizer_of(name)) return *tokenizer;
  misuse("tokenize", "expected {}; got {}", fmt::join(bleu_tokenizer_names, ", "), name);
}

namespace {

using Texts = std::vector<std::string>;

/// Python's `glossa.Score`.
struct Score {
  double score;
  std::string signature;
};

/// Calls f(hypotheses, references) with the texts converted to C++ types.
template <class F>
auto scored(const Texts& hypotheses, const OneOrMoreTexts& texts, const F& f) {
  const std::vector<std::span<const std::string>> references = spans_of(texts);
  const Computing computing;
  return f(std::span<const std::string>(hypotheses), References(references));
}

Score bleu(const Texts& hypotheses, const OneOrMoreTexts& references, const std::string& tokenize, bool lowercase) {
  const BleuOptions options{.lowercase = lowercase, .tokenizer = tokenizer_named(tokenize)};
  return scored(hypotheses, references, [&](auto lines, const References& texts) {
    return Score{corpus_bleu(lines, texts, options).score, bleu_signature(options, texts.size())};
  });
}

Score chrf(const Texts& hypotheses, const OneOrMoreTexts& references, bool lowercase) {
  return scored(hypotheses, references, [&](auto lines, const References& texts) {
    return Score{corpus_chrf(lines, texts, lowercase), chrf_signature(lowercase, texts.size())};
  });
}

Score ter(const Texts& hypotheses, const OneOrMoreTexts& references) {
  return scored(hypotheses, references, [&](auto lines, const References& texts) {
    return Score{corpus_ter(lines, texts), ter_signature(texts.size())};
  });
}

PairedBootstrap bootstrap(const Texts& system, const Texts& other, const OneOrMoreTexts& references,
                          const std::string& tokenize, bool lowercase, std::int64_t resamples) {
  const BleuOptions options{.lowercase = lowercase, .tokenizer = tokenizer_named(tokenize)};
  return scored(system, references, [&](auto lines, const References& texts) {
    return paired_bootstrap(lines, other, texts, options, resamples);
  });
}

std::string shown(const PairedScore& score) {
  return fmt::format("{:.2f} and {:.2f}, p = {:.4f}", score.system.score, score.other.score, score.p_value);
}

void add_paired_bootstrap(nb::module_& m) {
  nb::class_<ResampledScore>(m, "ResampledScore", "A system's score of a text, and its distribution over resamples")
      .def_ro("score", &ResampledScore::score, "The score of the text itself")
      .def_ro("mean", &ResampledScore::mean, "The mean over the resamples")
      .def_ro("interval", &ResampledScore::interval, "Half the width of the 95 % confidence interval")
      .def("__repr__", [](const ResampledScore& score) {
        return fmt::format("<glossa.ResampledScore {:.2f} ({:.2f} ± {:.2f})>", score.score, score.mean, score.interval);
      });
  nb::class_<PairedScore>(m, "PairedScore", "Two systems' scores of a text")
      .def_ro("system", &PairedScore::system)
      .def_ro("other", &PairedScore::other)
      .def_prop_ro("difference", &PairedScore::difference, "The system's score minus the other's")
      .def_ro("p_value", &PairedScore::p_value,
              "The two-sided p-value of the difference; NaN if all resamples have the same difference")
      .def("__repr__", [](const PairedScore& score) { return fmt::format("<glossa.PairedScore {}>", shown(score)); });
  nb::class_<PairedBootstrap>(m, "PairedBootstrap", "Two systems compared by paired bootstrap resampling")
      .def_ro("bleu", &PairedBootstrap::bleu)
      .def_ro("chrf", &PairedBootstrap::chrf)
      .def_ro("ter", &PairedBootstrap::ter)
      .def_ro("resamples", &PairedBootstrap::resamples)
      .def("__repr__", [](const PairedBootstrap& all) {
        return fmt::format("<glossa.PairedBootstrap: BLEU {}; chrF {}; TER {}>", shown(all.bleu), shown(all.chrf),
                           shown(all.ter));
      });
  m.def("paired_bootstrap", bootstrap, "system"_a, "other"_a, "references"_a, nb::kw_only(), "tokenize"_a = "13a",
        "lowercase"_a = false, "resamples"_a = 1000,
        "Compares two systems' translations by paired bootstrap resampling (Koehn 2004), as sacreBLEU does. "
        "`references` is a list of lines, or a list of such lists; `lowercase` is for BLEU and chrF.");
}

}  // namespace

void add_scores(nb::module_& m) {
  nb::class_<Score>(m, "Score", "The score of a text, and how it was computed")
      .def_ro("score", &Score::score)
      .def_ro("signature", &Score::signature, "The settings, as sacreBLEU's signature but with glossa's version")
      .def("__float__", [](const Score& score) { return score.score; })
      .def("__repr__",
           [](const Score& score) { return fmt::format("<glossa.Score {:.2f} {}>", score.score, score.signature); });
  m.def(
      "bleu", bleu, "hypotheses"_a, "references"_a, nb::kw_only(), "tokenize"_a = "13a", "lowercase"_a = false,
      "Corpus BLEU from 0 to 100 (Papineni et al. 2002), as sacreBLEU computes it. `references` is a list of lines, or "
      "a list of such lists.");
  m.def("chrf", chrf, "hypotheses"_a, "references"_a, nb::kw_only(), "lowercase"_a = false,
        "Corpus chrF2 from 0 to 100 (Popović 2015), as sacreBLEU computes it");
  m.def("ter", ter, "hypotheses"_a, "references"_a,
        "Corpus TER (Snover et al. 2006), as sacreBLEU computes it; 0 is best");
  add_paired_bootstrap(m);
}

}  // namespace glossa::python
