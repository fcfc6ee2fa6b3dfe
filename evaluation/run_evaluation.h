#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/text/text_file.h"
#include "decoding/scores/references.h"
#include "train/corpus_loss.h"
#include "train/run.h"

namespace glossa {

/// Returns a corpus's references: its all_targets, or its target.
std::vector<std::span<const std::string>> references_of(const ParallelCorpus& corpus);

/// Returns a run's BLEU settings for a corpus. If the run does not set the tokenizer (imported runs do not), chooses
/// the usual one for the language and references.
BleuOptions bleu_options(const LoadedRun& run, const ParallelCorpus& corpus);

/// A run's translations of a corpus.
struct CorpusTranslation {
  std::vector<std::string> translations;
  std::int64_t untranslated = 0;  ///< number of lines that could not be translated
  std::int64_t in_pieces = 0;     ///< number of lines that were too long for the model and were translated in pieces
  double seconds = 0;             ///< time spent translating
};

/// Settings of an evaluation.
struct EvaluationOptions {
  /// Tokenizer for BLEU; if unset, the one of bleu_options.
  std::optional<BleuTokenizer> bleu_tokenize = {};

  bool split_sentences = false;  ///< true: the sentences of a line are translated one by one

  /// Handles the errors of sources that cannot be translated; their translations are empty. Also handles the errors of
  /// first references that cannot be encoded; the loss omits those pairs.
  LineErrorHandler bad_line = {};

  /// Called with 0 before translating, then with the number of sentences in each finished batch. `all` is the total
  /// number of sentences.
  std::function<void(Index sentences, Index all)> watch = {};
};

/// Quality of a run's translations of a text.
struct RunEvaluation : CorpusTranslation {
  double loss = 0;  ///< loss per target token of the first reference; NaN if no pair can be encoded
  BleuScore bleu;
  double chrf = 0, ter = 0;
  double exact_match = 0;  ///< fraction of lines whose translation equals a reference
  BleuOptions bleu_options;
  std::string bleu_signature, chrf_signature, ter_signature;
};

/// Translates a corpus's sources with a run, as evaluate does; unusable sources become blank. The processes of `job`
/// divide the work among themselves; all get the result. Throws if they have different corpora.
CorpusTranslation translate_corpus(const LoadedRun& run, ParallelCorpus& corpus, const EvaluationOptions& options = {},
                                   const Job& job = Job::alone());

/// Translates a corpus with a run and scores the translations, including those of blank sources and references. Prints
/// notes and warnings as translation does. Call apply_runtime first. The processes of `job` divide the work among
/// themselves; all get the result. Throws if they have different corpora.
RunEvaluation evaluate(const LoadedRun& run, ParallelCorpus corpus, const EvaluationOptions& options = {},
                       const Job& job = Job::alone());

/// Overload for lines that are not yet cleaned (clean_line). Throws if there is no source or no reference. Also throws
/// if a reference does not have one line per source, or has an unusable line.
RunEvaluation evaluate(const LoadedRun& run, std::span<const std::string> source, const References& references,
                       const EvaluationOptions& options = {});

}  // namespace glossa
