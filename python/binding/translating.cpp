#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "base/check.h"
#include "decoding/attention_json.h"
#include "evaluation/run_evaluation.h"
#include "evaluation/run_scoring.h"
#include "pages/page.h"
#include "python/binding/arguments.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/settings.h"
#include "python/binding/shared_translator.h"
#include "python/binding/texts.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

void check_beam(const SharedTranslator& shared, Index n) {
  const DecodeOptions& decode = shared.run().config.decode;
  if (n < 1) misuse("n_best", "expected at least 1; got {}", n);
  if (decode.mbr > 0) return;  // the translator checks `n` itself
  if (n > decode.beam)
    misuse("n_best", "expected at most the beam, {}; got {}. Hint: glossa.load(run, beam={})", decode.beam, n, n);
  if (n > 1 && decode.sample) misuse("n_best", "expected 1 with decode.sample; got {}", n);
}

std::vector<std::string> translate(SharedTranslator& shared, const std::vector<std::string>& lines) {
  const std::vector<std::string> clean = clean_lines("lines", shared.run().config.data, lines);
  return shared.use([&](Translator& translator, const auto&) {
    translator.align(std::nullopt);
    return translator.translate(clean, "lines");
  });
}

std::vector<std::vector<Translation>> n_best(SharedTranslator& shared, const std::vector<std::string>& lines, Index n,
                                             bool align) {
  const std::vector<std::string> clean = clean_lines("lines", shared.run().config.data, lines);
  check_beam(shared, n);
  return shared.use([&](Translator& translator, const auto&) {
    translator.align(align ? std::optional(usual_alignment_layer(shared.run().config.model.transformer.decoder_layers))
                           : std::nullopt);
    return translator.n_best(translator.encode(clean, "lines"), n);
  });
}

/// Attention maps of one sentence, with its text and translation.
struct Attention {
  std::string text, translation;
  AttentionMaps maps;

  std::string json() const {
    JsonLine json;
    json.add("line", 1);
    json.add("text", std::string_view(text));
    json.add("translation", std::string_view(translation));
    return add_to(json, maps).text();
  }
};

Attention attention(SharedTranslator& shared, const std::string& line) {
  const std::vector<std::string> clean = clean_lines("lines", shared.run().config.data, {line});
  return shared.use([&](Translator& translator, const auto&) {
    const Translator::Sources sources = translator.encode(clean, "lines");
    if (sources.ids.size() != 1)
      misuse("attention", "expected one sentence that the model reads as a whole; got {}", sources.ids.size());
    const Translation best = translator.translation(translator.search(sources).front());
    return Attention{line, best.text, translator.attention(sources.ids.front(), best)};
  });
}

/// Returns the weights as [layer, head, query, key].
nb::object weights_of(const AttentionMaps::Layers& layers) {
  std::vector<float> numbers;
  std::vector<std::size_t> extents{layers.size(), 0, 0, 0};
  for (const auto& heads : layers)
    for (const AttentionMaps::Head& head : heads) {
      extents = {layers.size(), heads.size(), head.size(), head.empty() ? 0 : head.front().size()};
      for (const std::vector<float>& row : head) numbers.insert(numbers.end(), row.begin(), row.end());
    }
  return nb::cast(to_array<float>(numbers.data(), extents));
}

std::string page_of(const Attention& attention) {
  return page("attention.html", "glossa-attention", "[" + attention.json() + "]");
}

void add_results(nb::module_& m) {
  nb::class_<Translation>(m, "Translation", "A translation with its scores")
      .def_ro("text", &Translation::text)
      .def_ro("score", &Translation::score,
              "log_probability divided by the length penalty; with decode.mbr, the mean utility")
      .def_ro("log_probability", &Translation::log_probability, "The natural logarithm, </s> included")
      .def_prop_ro(
          "probability", [](const Translation& translation) { return std::exp(translation.log_probability); },
          "exp(log_probability)")
      .def_ro("finished", &Translation::finished, "False if cut off at the length limit")
      .def_ro("tokens", &Translation::tokens, "Ids in the target vocabulary")
      .def_ro("alignment", &Translation::alignment, "Pairs of source word and translation word, counted from 0")
      .def("__str__", [](const Translation& translation) { return translation.text; })
      .def("__repr__", [](const Translation& translation) {
        return fmt::format("<glossa.Translation {:.4f}: {}>", translation.score, translation.text);
      });
  nb::class_<Attention>(
      m, "Attention",
      "A model's attention weights for a sentence and its translation, arrays [layers, heads, queries, "
      "keys] of float32. Shows itself in a notebook.")
      .def_ro("text", &Attention::text)
      .def_ro("translation", &Attention::translation)
      .def_prop_ro(
          "source", [](const Attention& a) { return a.maps.source; }, "The encoder's input tokens")
      .def_prop_ro(
          "target", [](const Attention& a) { return a.maps.target; }, "The decoder's input tokens, <s> first")
      .def_prop_ro(
          "output", [](const Attention& a) { return a.maps.output; }, "The decoder's output tokens, </s> last")
      .def_prop_ro(
          "probabilities", [](const Attention& a) { return a.maps.probabilities; },
          "The probability of each output token")
      .def_prop_ro(
          "encoder", [](const Attention& a) { return weights_of(a.maps.encoder); },
          nb::sig("def encoder(self) -> numpy.typing.NDArray[numpy.float32]"), "Source tokens to source tokens")
      .def_prop_ro(
          "decoder", [](const Attention& a) { return weights_of(a.maps.decoder); },
          nb::sig("def decoder(self) -> numpy.typing.NDArray[numpy.float32]"), "Target tokens to target tokens")
      .def_prop_ro(
          "cross", [](const Attention& a) { return weights_of(a.maps.cross); },
          nb::sig("def cross(self) -> numpy.typing.NDArray[numpy.float32]"), "Target tokens to source tokens")
      .def_prop_ro("page", page_of, "The page of `glossa attention --html`")
      .def("_repr_html_",
           [](const Attention& a) {
             constexpr int height = 560;
             return nb::cast<std::string>(nb::module_::import_("glossa.notebook").attr("frame")(page_of(a), height));
           })
      .def("__repr__",
           [](const Attention& a) { return fmt::format("<glossa.Attention: {} -> {}>", a.text, a.translation); });
}

using Lines = std::vector<std::string>;

RunEvaluation evaluate_run(SharedTranslator& shared, const Lines& source, const OneOrMoreTexts& references,
                           const std::optional<std::string>& tokenize, bool split_sentences) {
  EvaluationOptions options{.split_sentences = split_sentences};
  if (tokenize) options.bleu_tokenize = tokenizer_named(*tokenize);
  const std::vector<std::span<const std::string>> texts = spans_of(references);
  return shared.use([&](Translator&, const SharedTranslator::Watch& watch) {
    options.watch = [&](Index sentences, Index) { watch(sentences); };
    return evaluate(shared.run(), source, texts, options);
  });
}

std::vector<ScoredTranslation> score_lines(SharedTranslator& shared, const Lines& sources, const Lines& targets) {
  const DataConfig& data = shared.run().config.data;
  LinePairs pairs;
  for (std::string& line : clean_lines("sources", data, sources)) pairs.source.push_back(std::move(line));
  for (std::string& line : clean_lines("targets", data, targets)) pairs.target.push_back(std::move(line));
  check_line_count("sources", sources.size(), "targets", targets.size());
  return shared.use([&](Translator&, const auto&) {
    std::vector<ScoredTranslation> scores;
    for (std::optional<ScoredTranslation>& score : score(shared.run(), pairs)) scores.push_back(std::move(*score));
    return scores;
  });
}

std::vector<double> log_probabilities_of(const ScoredTranslation& scored) {
  std::vector<double> numbers;
  for (const TokenScore& token : scored.tokens) numbers.push_back(token.log_probability);
  return numbers;
}

void add_scoring(nb::module_& m) {
  nb::class_<RunEvaluation>(m, "Evaluation",
                            "Quality of a run's translations of a text, as `glossa evaluate` reports it")
      .def_prop_ro(
          "bleu", [](const RunEvaluation& e) { return e.bleu.score; }, "BLEU from 0 to 100")
      .def_ro("chrf", &RunEvaluation::chrf, "chrF2 from 0 to 100")
      .def_ro("ter", &RunEvaluation::ter, "TER; 0 is best")
      .def_ro("exact_match", &RunEvaluation::exact_match, "The part of exact translations, from 0 to 1")
      .def_ro("loss", &RunEvaluation::loss, "Natural-log cross-entropy per target token of the first reference")
      .def_ro("signature", &RunEvaluation::bleu_signature, "How BLEU was computed, as sacreBLEU's signature")
      .def_ro("chrf_signature", &RunEvaluation::chrf_signature)
      .def_ro("ter_signature", &RunEvaluation::ter_signature)
      .def_ro("translations", &RunEvaluation::translations)
      .def_ro("seconds", &RunEvaluation::seconds, "The time for translating")
      .def("__repr__", [](const RunEvaluation& e) {
        return fmt::format("<glossa.Evaluation: BLEU {:.2f}, chrF {:.2f}, TER {:.2f}, loss {:.4f}; {}>", e.bleu.score,
                           e.chrf, e.ter, e.loss, e.bleu_signature);
      });
  nb::class_<ScoredTranslation>(m, "ScoredTranslation", "A model's scores of a given translation")
      .def_ro("score", &ScoredTranslation::score, "log_probability divided by the length penalty")
      .def_ro("log_probability", &ScoredTranslation::log_probability, "The natural logarithm, </s> included")
      .def_prop_ro("token_log_probabilities", log_probabilities_of,
                   "The log-probability of each token, given the tokens before it; </s> is last")
      .def("__repr__", [](const ScoredTranslation& scored) {
        return fmt::format("<glossa.ScoredTranslation {:.4f}>", scored.score);
      });
}

}  // namespace

void add_translating(nb::module_& m) {
  add_results(m);
  add_scoring(m);
  nb::class_<SharedTranslator>(
      m, "Translator", "A run that is loaded, from glossa.load. Threads may share it: they wait for each other.")
      .def(
          "__init__",
          [](SharedTranslator* self, const std::vector<std::string>& runs, const std::string& checkpoint,
             std::int64_t beam, const NamedOptions& options, const std::string& split_sentences) {
            new (self) SharedTranslator(runs, checkpoint, beam, to_options(options), split_sentences);
          },
          "runs"_a, "checkpoint"_a, "beam"_a, "options"_a, "split_sentences"_a)
      .def_prop_ro(
          "update", [](const SharedTranslator& shared) { return shared.run().state.update; },
          "The update of the newest checkpoint read")
      .def("__repr__",
           [](const SharedTranslator& shared) {
             const DataConfig& data = shared.run().config.data;
             return fmt::format("<glossa.Translator {}-{}, update {}>", data.source, data.target,
                                shared.run().state.update);
           })
      .def_prop_ro("source_language", [](const SharedTranslator& shared) { return shared.run().config.data.source; })
      .def_prop_ro("target_language", [](const SharedTranslator& shared) { return shared.run().config.data.target; })
      .def(
          "translate",
          [](SharedTranslator& shared, const std::string& line) {
            return translate(shared, std::vector<std::string>{line}).front();
          },
          "line"_a, "The translation of a line")
      .def("translate", translate, "lines"_a, "One translation per line, in order; an empty one for an empty line")
      .def(
          "n_best",
          [](SharedTranslator& shared, const std::string& line, Index n, bool align) {
            return n_best(shared, std::vector<std::string>{line}, n, align).front();
          },
          "line"_a, "n"_a, nb::kw_only(), "align"_a = false, "The n best translations of a line")
      .def("n_best", n_best, "lines"_a, "n"_a, nb::kw_only(), "align"_a = false,
           "The n best translations of each line, best first; n is at most the beam or, with decode.mbr, the number of "
           "candidates. Fewer if some have the same text.")
      .def("score", score_lines, "sources"_a, "targets"_a,
           "Scores each target as a translation of its source, as `glossa score` does")
      .def("evaluate", evaluate_run, "source"_a, "references"_a, nb::kw_only(), "tokenize"_a = nb::none(),
           "split_sentences"_a = false,
           "Translates lines and scores the translations, as `glossa evaluate` does. `references` is a list of lines, "
           "or "
           "a list of such lists; `tokenize` is BLEU's tokenizer.")
      .def("attention", attention, "line"_a, "The attention weights for a line and its translation");
}

}  // namespace glossa::python
