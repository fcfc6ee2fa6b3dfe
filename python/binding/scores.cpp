#include <fmt/ranges.h>

#include "autograd/check.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/texts.h"
#include "train/scores/bleu.h"
#include "train/scores/chrf.h"
#include "train/scores/ter.h"

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

/// Calls f(hypotheses, references) with the texts as C++ takes them.
template <class F>
auto scored(const Texts& hypotheses, const OneOrMoreTexts& texts, const F& f) {
  const std::vector<std::span<const std::string>> references = spans_of(texts);
  const Computing computing;
  return f(std::span<const std::string>(hypotheses), References(references));
}

Score bleu(const Texts& hypotheses, const OneOrMoreTexts& references, const std::string& tokenize, bool lowercase) {
  const BleuOptions options{.lowercase = lowercase, .tokenizer = tokenizer_named(tokenize)};
  return scored(hypotheses, references, [&](auto lines, References texts) {
    return Score{corpus_bleu(lines, texts, options).score, bleu_signature(options, texts.size())};
  });
}

Score chrf(const Texts& hypotheses, const OneOrMoreTexts& references, bool lowercase) {
  return scored(hypotheses, references, [&](auto lines, References texts) {
    return Score{corpus_chrf(lines, texts, lowercase), chrf_signature(lowercase, texts.size())};
  });
}

Score ter(const Texts& hypotheses, const OneOrMoreTexts& references) {
  return scored(hypotheses, references, [&](auto lines, References texts) {
    return Score{corpus_ter(lines, texts), ter_signature(texts.size())};
  });
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
}

}  // namespace glossa::python
