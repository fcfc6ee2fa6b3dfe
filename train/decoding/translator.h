#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/corpora/datasets.h"
#include "train/decoding/attention_maps.h"
#include "train/decoding/decoding.h"

namespace glossa {

/// How to search, as a run is configured.
DecodeOptions decode_options(const DecodeConfig& config);

/// The number under which sampling draws for a piece, counted from 0, of line number `line`. The first piece has the
/// number of its line, so it draws what the whole line would. Later pieces have numbers above those of all lines.
std::int64_t piece_number(std::int64_t line, std::int64_t piece);

/// A translation of a line. Numbers as in `Hypothesis`; of a line that was read in pieces, of all of them together.
struct Translation {
  std::string text = {};
  double score = 0, log_probability = 0;
  bool finished = false;
  std::vector<int> tokens = {};  // of the vocabulary, without <s> and </s>
  Alignment alignment = {};      // with the words of the line, where asked for
};

/// Translates lines of text with a model: normalise, encode, search, decode. A line of more tokens than the model has
/// positions is translated in pieces, as `cut_line` cuts it: no piece is longer than sentences were in training. Not
/// for several threads at once.
class Translator {
 public:
  Translator(const Transformer<float>& model, const Tokenizers& tokenizers, const DataConfig& data,
             const DecodeConfig& decode);

  /// One translation a line, in order; an empty line gives an empty one. Throws as `add`.
  std::vector<std::string> translate(std::span<const std::string> lines, std::string_view name,
                                     std::int64_t first_line = 1) {
    return translate(encode(lines, name, first_line));
  }

  /// Lines as the model reads them, one piece or several each; of a line without a token there is none.
  struct Sources {
    std::vector<std::vector<int>> ids;  // of each piece
    std::vector<std::int64_t> numbers;  // of each piece: its `piece_number`
    std::vector<std::size_t> lines;     // which line each is of, counted from 0
    std::vector<Index> first_words;     // the word of its line that each begins in, counted from 0
    std::size_t count = 0;              // lines
    std::int64_t in_pieces = 0;         // lines of more than one

    /// Those of the first process, in all of the job; nothing where it has no more.
    static std::optional<Sources> of_first(const Sources* own);
  };

  /// Adds a line. Throws LineError at `name`:`number` for one with a token that the vocabulary cannot stand for, or
  /// that cannot be cut into pieces: of it there is no piece either.
  void add(Sources& sources, std::string_view line, std::string_view name, std::int64_t number) const;

  /// Lines that are numbered from `first_line` on.
  Sources encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line = 1) const;

  /// The search alone: the best of each piece.
  std::vector<Hypothesis> search(const Sources& sources);

  /// One translation a line; an empty one where there is no piece.
  std::vector<std::string> translate(const Sources& sources);

  /// The n best translations of each line, best first, as `Searcher::n_best`; a line in pieces has one, the best of
  /// each piece, one without any has none.
  std::vector<std::vector<Translation>> n_best(const Sources& sources, Index n);

  /// From now on the search keeps so many hypotheses.
  void set_beam(Index beam) { options_.beam = beam; }

  /// A line as the model reads it, however long; no id for one without a token. Throws LineError as `add`.
  std::vector<int> source_ids(std::string_view line, std::string_view name, std::int64_t number) const;

  /// From now on translations are aligned with their lines, by the cross-attention of this layer of the decoder.
  void align(Index layer) { alignment_layer_ = layer; }

  /// Where the model looks when it reads `source` and writes `translation`, as it does each time (teacher forcing).
  AttentionMaps attention(std::vector<int> source, const Translation& translation);

  /// Who gets the number of pieces of each batch whose search is done, as `Searcher::watch`.
  void watch(std::function<void(Index)> watch) { searcher_.watch(std::move(watch)); }

 private:
  Translation translation(const Hypothesis& hypothesis) const;
  Translation joined(std::span<const std::vector<Translation>> pieces) const;
  static std::vector<int> read_tokens(const Translation& translation);
  std::vector<int> words_of_line(std::span<const int> ids) const;
  void align(const Sources& sources, std::vector<std::vector<Translation>>& found);

  const Transformer<float>& model_;
  Tokenizers tokenizers_;
  DataConfig data_;
  DecodeOptions options_;
  Searcher<float> searcher_;
  std::optional<Index> alignment_layer_;
  Context<float> context_;  // of attention
};

}  // namespace glossa
