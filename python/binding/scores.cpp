#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "autograd/check.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "train/scores/bleu.h"
#include "train/scores/chrf.h"
#include "train/scores/ter.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

using Lines = std::vector<std::string>;
/// One reference text, or several.
using ReferenceTexts = std::variant<Lines, std::vector<Lines>>;

/// Python's `glossa.Score`.
struct Score {
  double score;
  std::string signature;
};

/// Calls f(hypotheses, references) with the texts as C++ takes them.
template <class F>
auto scored(const Lines& hypotheses, const ReferenceTexts& texts, const F& f) {
  std::vector<std::span<const std::string>> references;
  if (const Lines* one = std::get_if<Lines>(&texts))
    references.push_back(*one);
  else
    for (const Lines& text : std::get<std::vector<Lines>>(texts)) references.push_back(text);
  const Computing computing;
  return f(std::span<const std::string>(hypotheses), References(references));
}

Score bleu(const Lines& hypotheses, const ReferenceTexts& references, const std::string& tokenize, bool lowercase) {
  const std::optional<BleuTokenizer> tokenizer = bleu_tokenizer_of(tokenize);
  if (!tokenizer) misuse("tokenize", "expected 13a, none, char, intl or zh; got {}", tokenize);
  const BleuOptions options{.lowercase = lowercase, .tokenizer = *tokenizer};
  return scored(hypotheses, references, [&](auto lines, References texts) {
    return Score{corpus_bleu(lines, texts, options).score, bleu_signature(options, texts.size())};
  });
}

Score chrf(const Lines& hypotheses, const ReferenceTexts& references, bool lowercase) {
  return scored(hypotheses, references, [&](auto lines, References texts) {
    return Score{corpus_chrf(lines, texts, lowercase), chrf_signature(lowercase, texts.size())};
  });
}

Score ter(const Lines& hypotheses, const ReferenceTexts& references) {
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
