#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <mutex>
#include <thread>

#include "app/pages/page.h"
#include "autograd/check.h"
#include "autograd/parallel.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/settings.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Applies a run's runtime.* options, which are the process's, if they differ from what is in use.
void apply(const RuntimeConfig& config) {
  const bool changes_threads = config.threads != 0 && config.threads != threads();
  if (!changes_threads && config.gemm == RuntimeConfig::Gemm::automatic) return;
  Computing::check_none("runtime");
  const Computing computing;
  RuntimeConfig applied = config;
  if (applied.threads == 0) applied.threads = threads();
  apply_runtime(applied);
}

/// Python's `glossa.Translator`: a loaded run. Several Python threads may share it; they wait for each other.
class SharedTranslator {
 public:
  SharedTranslator(const std::string& run, const std::string& checkpoint, std::int64_t beam,
                   const std::map<std::string, OptionValue>& options, const std::string& split_sentences) {
    const RunName name(run, checkpoint);
    Config config = load_run_config(name.folder(), options, beam);
    apply(config.runtime);
    const Computing computing;
    run_ = load_run(name, std::move(config));
    translator_.emplace(*run_.model->transformer, run_.tokenizers, run_.config.data, run_.config.decode);
    translator_->split_sentences(split_sentences == "auto" ? run_.state.text.has_one_sentence_a_line()
                                                           : split_sentences == "on");
  }

  const LoadedRun& run() const { return run_; }

  /// Returns f(translator) while no other thread uses it. Ctrl-C ends a search after a batch.
  template <class F>
  auto use(const F& f) {
    Computing computing;
    const std::lock_guard lock(mutex_);
    const std::thread::id caller = std::this_thread::get_id();
    translator_->watch([&](Index) {
      if (std::this_thread::get_id() != caller) return;
      computing.pause([] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      });
    });
    return f(*translator_);
  }

 private:
  std::mutex mutex_;
  LoadedRun run_;
  std::optional<Translator> translator_;
};

void check_is_line(const std::string& line) {
  if (line.find('\n') != std::string::npos)
    misuse("translate", "expected lines without line feeds; got one with them. Hint: pass text.splitlines()");
}

void check_beam(const SharedTranslator& shared, Index n) {
  const DecodeConfig& decode = shared.run().config.decode;
  if (n < 1 || n > decode.beam)
    misuse("n_best", "expected 1 to the beam, {}; got {}. Hint: glossa.load(run, beam={})", decode.beam, n, n);
  if (n > 1 && decode.sample) misuse("n_best", "expected 1 with decode.sample; got {}", n);
}

std::vector<std::string> translate(SharedTranslator& shared, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) check_is_line(line);
  return shared.use([&](Translator& translator) { return translator.translate(lines, "line"); });
}

std::vector<std::vector<Translation>> n_best(SharedTranslator& shared, const std::vector<std::string>& lines, Index n,
                                             bool align) {
  for (const std::string& line : lines) check_is_line(line);
  check_beam(shared, n);
  return shared.use([&](Translator& translator) {
    translator.align(align ? std::optional(usual_alignment_layer(shared.run().config.model.decoder_layers))
                           : std::nullopt);
    return translator.n_best(translator.encode(lines, "line"), n);
  });
}

/// Maps of one sentence, with its text and translation.
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
  check_is_line(line);
  return shared.use([&](Translator& translator) {
    const Translator::Sources sources = translator.encode(std::span(&line, 1), "line");
    if (sources.ids.size() != 1)
      misuse("attention", "expected one sentence that the model reads as a whole; got {}", sources.ids.size());
    const Translation best = translator.translation(translator.search(sources).front());
    return Attention{line, best.text, translator.attention(sources.ids.front(), best)};
  });
}

/// The weights [layer, head, query, key].
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

void add_results(nb::module_& m) {
  nb::class_<Translation>(m, "Translation", "A translation with its scores")
      .def_ro("text", &Translation::text)
      .def_ro("score", &Translation::score, "log_probability divided by the length penalty")
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
      .def_prop_ro(
          "page", [](const Attention& a) { return page("attention.html", "glossa-attention", "[" + a.json() + "]"); },
          "The page of `glossa attention --html`")
      .def("__repr__",
           [](const Attention& a) { return fmt::format("<glossa.Attention: {} -> {}>", a.text, a.translation); });
}

}  // namespace

void add_translating(nb::module_& m) {
  add_results(m);
  nb::class_<SharedTranslator>(
      m, "Translator", "A run that is loaded, from glossa.load. Threads may share it: they wait for each other.")
      .def(
          "__init__",
          [](SharedTranslator* self, const std::string& run, const std::string& checkpoint, std::int64_t beam,
             const nb::dict& options, const std::string& split_sentences) {
            new (self) SharedTranslator(run, checkpoint, beam, to_options(options), split_sentences);
          },
          "run"_a, "checkpoint"_a, "beam"_a, "options"_a, "split_sentences"_a)
      .def_prop_ro(
          "update", [](const SharedTranslator& shared) { return shared.run().state.update; },
          "The update of the newest checkpoint read")
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
           "The n best translations of each line, best first; n is at most the beam. Fewer if some have the same text.")
      .def("attention", attention, "line"_a, "The attention weights for a line and its translation");
}

}  // namespace glossa::python
