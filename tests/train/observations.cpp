#include "tests/train/observations.h"

#include <fmt/ranges.h>

#include <numeric>
#include <regex>

#include "autograd/kernels/product_log.h"
#include "train/model/criterion.h"
#include "train/prepared/corpus_cache.h"
#include "train/run.h"

namespace glossa::testing {

namespace fs = std::filesystem;

namespace {

std::string bytes(std::span<const float> numbers) {
  const auto raw = std::as_bytes(numbers);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

std::string text_of(const ParallelCorpus& corpus) {
  return fmt::format("{}\n{}", fmt::join(corpus.source, "\n"), fmt::join(corpus.target, "\n"));
}

/// The text of the test corpus, or the reason for its absence.
std::string test_text(ConfigFixture& s) {
  try {
    return text_of(read_test_corpus(s.config.data, 1));
  } catch (const Error& error) {
    return error.what();
  }
}

std::string text_of(const EncodedCorpus& corpus) { return fmt::format("{} {}", corpus.source, corpus.target); }

std::string names_and_shapes(ConfigFixture& s) {
  std::string text;
  for (const Parameter<float>* parameter : s.model().parameters.parameters())
    text += parameter->name + parameter->value.shape.str();
  return text;
}

/// An epoch as its batches' rows.
std::string rows_of(ConfigFixture& s) {
  std::string text;
  for (const std::vector<int>& indices : s.batches(0)) {
    const Batch batch = make_batch(s.pairs(), indices, Layout::packed);
    text += fmt::format("{} {} {};", batch.source, batch.target_in, batch.target_out);
  }
  return text;
}

/// Losses of the training pairs, without dropout.
std::string forward(ConfigFixture& s) {
  Context<float> context;
  std::vector<int> all(static_cast<std::size_t>(s.pairs().size()));
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = make_batch(s.pairs(), all, Layout::packed);
  context.begin({.training = false, .recording = false});
  return fmt::format("{}", batch_loss(context, *s.model().transformer, batch, s.pairs().specials.pad, 0).nll_sum);
}

/// The sources of the readable lines, and the errors of the others.
std::string sources_of(ConfigFixture& s, std::vector<Translator::Sources>* kept = nullptr) {
  const Translator translator = s.translator();
  std::string text;
  for (const std::string& line : lines_to_translate) try {
      Translator::Sources sources = translator.encode({&line, 1}, "lines");
      text += fmt::format("{};", sources.ids);
      if (kept) kept->push_back(std::move(sources));
    } catch (const Error& error) {
      text += error.what();
    }
  return text;
}

std::string translation(ConfigFixture& s) {
  std::vector<Translator::Sources> all;
  sources_of(s, &all);
  Translator translator = s.translator();
  std::string text;
  for (const Translator::Sources& sources : all)
    for (const Hypothesis& found : translator.search(sources))
      text += fmt::format("{} {};", s.tokenizers().target->decode(found.tokens), found.score);
  return text;
}

std::string products_of_translation(ConfigFixture& s) {
  Translator translator = s.translator();
  const Strings three(lines_to_translate.begin(), lines_to_translate.begin() + 3);
  const kernels::ProductLog log;
  translator.translate(three, "lines");
  std::string text;
  for (const kernels::Product& product : log.products)
    text += fmt::format("{}x{}x{} ", product.m, product.n, product.k);
  return text;
}

std::string learning_rates(ConfigFixture& s) {
  Schedule schedule = make_schedule(s.config.optim, s.config.model.transformer.stack.width);
  std::string text;
  for (int update = 1; update <= 12; ++update) {
    text += fmt::format("{} ", schedule.lr(update));
    schedule.observe(1, false);
  }
  return text;
}

/// A text file as translation reads it, or the error.
std::string read_text(ConfigFixture& s, const char* name) {
  try {
    return fmt::format("{}", fmt::join(read_lines(s.folder / name, s.config.data.reading.text), "\n"));
  } catch (const Error& error) {
    return error.what();
  }
}

/// The newest checkpoints and the links' targets.
std::string checkpoints_of(const FinishedRun& run) {
  std::string text;
  if (!fs::exists(run.folder / "checkpoints")) return "none";
  for (const std::string& name : names_in(run.folder / "checkpoints")) {
    const fs::path path = run.folder / "checkpoints" / name;
    text += name + (fs::is_symlink(path) ? " -> " + fs::read_symlink(path).string() : "") + "\n";
  }
  return text;
}

/// The moving averages of a checkpoint.
std::string averages_of(const CheckpointReader& reader) {
  std::string text;
  for (const CheckpointEntry& entry : reader.entries())
    if (entry.kind == EntryKind::buffer) text += fmt::format("{} {};", entry.name, reader.read(entry.name));
  return text;
}

/// The end of a run: the number of the reason, or the error.
std::string end_of(const FinishedRun& run) { return run.end ? std::to_string(static_cast<int>(*run.end)) : run.error; }

/// A number of the first training line, to ten digits, since the order of a sum is irrelevant here.
std::string in_first_line(const FinishedRun& run, const std::string& key) {
  if (run.training.empty()) return end_of(run);
  std::smatch match;
  if (!std::regex_search(run.training[0], match, std::regex("\"" + key + "\":([^,}]*)"))) return run.training[0];
  return fmt::format("{:.10}", std::stod(match[1]));
}

/// The optimizer's n-th buffer, if it exists.
std::string moments(ConfigFixture& s, std::size_t n) {
  const auto state = s.stepped().optimizer->state();
  return n < state.size() ? std::string(state[n].name) + bytes(state[n].values) : "none";
}

}  // namespace

const std::vector<Observation>& observations() {
  static const std::vector<Observation> all{
      {"threads", {}, [](ConfigFixture& s) { return fmt::format("{}", s.run.threads); }},
      {"product library",
       {},
       [](ConfigFixture& s) {
         return s.run.error.starts_with("[set_gemm_backend]") ? s.run.error : s.run.product_library;
       }},
      {"training text", {}, [](ConfigFixture& s) { return text_of(s.corpora().training); }},
      {"place of training pairs",
       {},
       [](ConfigFixture& s) {
         return is_large(s.config.data, {}) ? CorpusCache(s.config.data).folder().string() : "memory";
       }},
      {"validation text", {}, [](ConfigFixture& s) { return text_of(s.corpora().validation); }},
      {"test text", {}, test_text},
      {"damaged text", {}, [](ConfigFixture& s) { return read_text(s, "damaged.en"); }},
      {"text with a long line", {}, [](ConfigFixture& s) { return read_text(s, "long.en"); }},
      {"vocabularies",
       {"training text"},
       [](ConfigFixture& s) { return s.run.files("", ".txt") + s.run.files("", ".model"); }},
      {"training pairs", {"training text", "vocabularies"}, [](ConfigFixture& s) { return text_of(s.pairs()); }},
      {"validation pairs",
       {"validation text", "vocabularies"},
       [](ConfigFixture& s) {
         const ParallelCorpus& valid = s.corpora().validation;
         return valid.source.empty() ? "" : text_of(encode(s.config.data, valid, s.tokenizers()));
       }},
      {"batches",
       {"training pairs"},
       [](ConfigFixture& s) { return fmt::format("{} {}", s.batches(0), s.batches(1)); }},
      {"rows", {"batches"}, rows_of},
      {"sources", {"vocabularies"}, [](ConfigFixture& s) { return sources_of(s); }},
      {"parameters", {"vocabularies"}, names_and_shapes},
      {"first weights", {"parameters"}, [](ConfigFixture& s) { return bytes(s.model().parameters.values()); }},
      {"forward pass", {"first weights", "training pairs", "product library"}, forward},
      {"translation", {"sources", "forward pass"}, translation},
      {"products of translation", {"translation"}, products_of_translation},
      {"learning rates", {}, learning_rates},
      {"first moments", {"parameters"}, [](ConfigFixture& s) { return moments(s, 0); }},
      {"second moments", {"parameters"}, [](ConfigFixture& s) { return moments(s, 1); }},
      {"optimizer's steps",
       {"first weights", "first moments", "second moments"},
       [](ConfigFixture& s) { return bytes(s.stepped().model->parameters.values()); }},
      {"first loss", {"forward pass", "batches"}, [](ConfigFixture& s) { return in_first_line(s.run, "loss"); }},
      {"first gradient", {"first loss"}, [](ConfigFixture& s) { return in_first_line(s.run, "grad_norm"); }},
      {"end",
       {"batches"},
       [](ConfigFixture& s) {
         const TrainingState& state = s.run.state;
         return fmt::format("{} {} {} {} {}", end_of(s.run), state.update, state.epoch, state.batch, state.bad_updates);
       }},
      {"weights",
       {"rows", "first gradient", "learning rates", "optimizer's steps", "end"},
       [](ConfigFixture& s) {
         const fs::path last = s.run.folder / "checkpoints/last";
         return fs::exists(last) ? parameters_sha256(CheckpointReader(last)) : end_of(s.run);
       }},
      {"average",
       {"weights"},
       [](ConfigFixture& s) {
         const fs::path last = s.run.folder / "checkpoints/last";
         return fs::exists(last) ? averages_of(CheckpointReader(last)) : end_of(s.run);
       }},
      {"training lines", {"weights"}, [](ConfigFixture& s) { return fmt::format("{}", s.run.training); }},
      {"validation lines",
       {"validation pairs", "weights", "average", "translation"},
       [](ConfigFixture& s) { return fmt::format("{}", s.run.validation); }},
      {"samples", {"validation lines"}, [](ConfigFixture& s) { return s.run.files("samples"); }},
      {"events",  // names only: their content depends on time
       {},
       [](ConfigFixture& s) { return fmt::format("{}", s.run.files("tensorboard").empty()); }},
      {"best",
       {"validation lines"},
       [](ConfigFixture& s) {
         const TrainingState& state = s.run.state;
         return fmt::format("{} {} {}", state.best, state.best_update, state.stalled);
       }},
      {"checkpoints", {"end", "best"}, [](ConfigFixture& s) { return checkpoints_of(s.run); }},
      {"checkpoints that translate",
       {"checkpoints"},
       [](ConfigFixture& s) {
         std::string names;
         for (const fs::path& file : RunName(s.run.folder).files(s.config.decode.average))
           names += file.filename().string() + " ";
         return names;
       }},
  };
  return all;
}

std::set<std::string> with_consequences(const Strings& names) {
  std::set<std::string> reached(names.begin(), names.end());
  for (const Observation& observation : observations())  // causes come first
    for (const std::string& cause : observation.follows)
      if (reached.contains(cause)) reached.insert(observation.name);
  return reached;
}

}  // namespace glossa::testing
