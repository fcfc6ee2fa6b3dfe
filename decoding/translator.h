#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/text/line_pieces.h"
#include "decoding/attention_maps.h"
#include "decoding/decoding.h"

namespace glossa {

/// Returns the number that identifies piece `piece` (from 0) of line `line` for sampling. The first piece has the
/// number of its line. Later pieces have numbers above those of all lines.
std::int64_t piece_number(std::int64_t line, std::int64_t piece);

/// Translation of a line. With decode.mbr, `score` is the mean utility, from 0 to 100. If the line is translated in
/// pieces, all members of the hypothesis cover all pieces; a mean utility is then the mean over the pieces.
struct Translation : Hypothesis {
  std::string text = {};
  Alignment alignment = {};  // alignment of source and translation words, if requested
};

/// Translates lines of text with a model: normalizes, encodes, searches, decodes. With `split_sentences`, each sentence
/// of a line is a separate piece; otherwise the line is one piece. `cut_line` cuts a piece that has more tokens than
/// the model has positions. Its parts are no longer than training sentences were. With decode.mbr, `mbr_best` selects
/// the translations of each piece. Not thread-safe.
class Translator {
 public:
  /// `models` must be trained with these tokenizers and must outlive the translator.
  Translator(const Ensemble<float>& models, const Tokenizers& tokenizers, const DataConfig& data,
             const DecodeOptions& decode);

  /// Returns one translation per line, in order. An empty line gets an empty translation. `name` and `first_line` are
  /// for errors. Throws as `add` does.
  std::vector<std::string> translate(std::span<const std::string> lines, std::string_view name,
                                     std::int64_t first_line = 1) {
    return translate(encode(lines, name, first_line));
  }

  /// Makes later calls translate lines sentence by sentence; off by default. Most models are trained on lines of one
  /// sentence (TextStatistics::has_one_sentence_a_line) and confuse the sentences of longer lines.
  void split_sentences(bool on) { splits_sentences_ = on; }

  /// Returns the line or, if lines are split, its sentences. `add` adds each as a separate piece.
  std::vector<std::string_view> sentences(std::string_view line) const;

  /// Lines as model input. Each line has one or more pieces, or none if it has no tokens.
  struct Sources {
    std::vector<std::vector<int>> ids;  // ids of each piece
    std::vector<std::int64_t> numbers;  // `piece_number` of each piece
    std::vector<std::size_t> lines;     // line of each piece, counted from 0
    std::vector<Index> first_words;     // first word of each piece within its line, counted from 0
    std::vector<Gap> gaps;              // white space before each piece
    std::vector<std::string> texts;     // each piece's part of the line
    std::size_t count = 0;              // number of lines
    std::int64_t in_pieces = 0;         // number of lines with a piece that was too long for the model
  };

  /// Adds a line. Throws a LineError at `name`:`number`, and adds no piece, if the vocabulary cannot represent a token
  /// or the line cannot be cut into pieces. `interrupt` is called before each step of cutting a long line; it may
  /// throw.
  void add(Sources& sources, std::string_view line, std::string_view name, std::int64_t number,
           const std::function<void()>& interrupt = {}) const;

  /// Encodes lines, which are numbered from `first_line`.
  Sources encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line = 1) const;

  /// Decodes a hypothesis of a search to a translation with text.
  Translation translation(const Hypothesis& hypothesis) const;

  /// Decodes the hypotheses of a search, best first. If several have the same text, which may be segmented into
  /// different tokens, keeps only the first.
  std::vector<Translation> translations(std::span<const Hypothesis> hypotheses) const;

  /// Returns the best hypothesis of each piece, not yet decoded to text.
  std::vector<Hypothesis> search(const Sources& sources);

  /// Returns one translation per line, empty for a line without pieces.
  std::vector<std::string> translate(const Sources& sources);

  /// Returns the n best translations of each line, best first, as found by `Searcher::n_best` or, with decode.mbr, by
  /// `mbr_best`. Returns fewer if some have the same text. If a line has several pieces, `joined` joins their
  /// translations. A line without pieces has no translation.
  std::vector<std::vector<Translation>> n_best(const Sources& sources, Index n);

  /// Joins the n-best lists of a line's pieces. The k-th translation of the line joins the k-th of each piece. A piece
  /// with fewer translations contributes its last. `gaps` are the white space before each piece. May move from
  /// `pieces`.
  std::vector<Translation> joined(std::span<std::vector<Translation>> pieces, std::span<const Gap> gaps) const;

  /// Returns the ids of a line of any length, uncut; none if the line has no tokens. Throws LineError as `add` does.
  std::vector<int> source_ids(std::string_view line, std::string_view name, std::int64_t number) const;

  /// Makes later translations include word alignments, from the cross-attention of decoder layer `layer` of the first
  /// model. An empty `layer` turns alignments off.
  void align(std::optional<Index> layer) { alignment_layer_ = layer; }

  /// Returns the attention of the first model for `source` and the given `translation` (teacher forcing), with the
  /// probabilities of its tokens.
  AttentionMaps attention(std::vector<int> source, const Hypothesis& translation);

  /// Makes later searches call `watch` with the number of pieces in each finished batch, as `Searcher::watch` does.
  /// With decode.mbr, counts candidates, and reports their number divided by the candidates per piece: the candidates
  /// done so far may belong to different pieces.
  void watch(std::function<void(Index)> watch);

  /// Divides later searches, as `Searcher::divide` does.
  void divide(SearchDivision division) { searcher_.divide(std::move(division)); }

 private:
  std::vector<std::vector<Hypothesis>> n_best_of_pieces(const Sources& sources, Index n);
  std::vector<int> words_of_line(std::span<const int> ids) const;
  void align(const Sources& sources, std::vector<std::vector<Translation>>& found);

  Ensemble<float> models_;
  Tokenizers tokenizers_;
  DataConfig data_;
  DecodeOptions options_;
  Searcher<float> searcher_;
  bool splits_sentences_ = false;
  std::optional<Index> alignment_layer_;
  Context<float> context_;  // context of `attention`
};

}  // namespace glossa
