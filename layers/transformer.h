#pragma once

#include <functional>
#include <optional>

#include "autograd/linear_tiles.h"
#include "layers/decoder.h"
#include "layers/embedding.h"
#include "layers/encoder.h"

namespace glossa {

/// Weights shared between source embedding, target embedding and output projection (Press and Wolf 2017).
enum class Tied {
  none,
  output,      ///< target embedding and output projection
  all,         ///< source and target embedding, output projection; needs one vocabulary for both sides
  embeddings,  ///< source and target embedding; needs one vocabulary for both sides
};

struct TransformerOptions {
  Index source_vocabulary = 0, target_vocabulary = 0;
  StackOptions stack;  ///< options of both stacks; encoder_layers and decoder_layers replace `layers`
  Index encoder_layers = 6, decoder_layers = 6;
  double embedding_dropout = 0.1;
  bool learned_positions = false;  ///< true: a trained table; false: sinusoids. stack.relative_positions replaces both
  Sinusoid sinusoid = Sinusoid::interleaved;
  Index max_positions = 1024;  ///< maximum sequence length, also with stack.relative_positions
  Tied tied = Tied::none;
  bool scale_embeddings = true;  ///< true: embeddings are multiplied by sqrt(D)
  bool output_bias = true;
  std::optional<Index> start_row{};  ///< id of the decoder's start token, if its embedding is always zero
};

/// The encoder-decoder Transformer (Vaswani et al. 2017, figure 1). Parameters: `encoder.*` and `decoder.*` as in
/// nn.Transformer, `src_tok_emb.embedding.weight` [Vs, D], `tgt_tok_emb.embedding.weight` [Vt, D], `generator.weight`
/// [Vt, D] and `generator.bias` [Vt] as in PyTorch's translation tutorial. With `Tied::output`, generator.weight is
/// absent. With `Tied::all`, a single table `tok_emb.embedding.weight` replaces both embedding tables and
/// generator.weight. With `Tied::embeddings`, it replaces only the embedding tables. Embeddings start as N(0, 1/D), as
/// in tensor2tensor and fairseq, unless stack.weight_init is set. If `start_row` is set, this row of the target tables
/// starts as zeros. The row and its output bias are never trained, because Marian's models have neither.
template <class T>
class Transformer {
 public:
  /// Declares the parameters in `store`; call store.allocate afterwards. All names begin with `scope`, unless it is
  /// empty. Throws if the options are incompatible.
  Transformer(ParameterStore<T>& store, const TransformerOptions& options, const std::string& scope = "");

  const TransformerOptions& options() const { return options_; }

  /// Source ids [Ns] -> memory [Ns, D]. `weights`, if given, receives the encoder's attention.
  Variable<T> encode(Context<T>& context, std::span<const int> source, const RowLayout& layout,
                     AttentionWeights<T>* weights = nullptr) const;

  /// Target ids [Nt], each sequence starting with <s>; memory [Ns, D] -> states [Nt, D]. `weights`, if given, receives
  /// the decoder's attention.
  Variable<T> decode(Context<T>& context, std::span<const int> target, const RowLayout& layout,
                     const Variable<T>& memory, const RowLayout& memory_layout,
                     AttentionWeights<T>* weights = nullptr) const;

  /// States [N, D] -> logits [N, V].
  Variable<T> project(const Variable<T>& states) const;

  /// As project, but calls `use` for each tile of the logits instead of keeping them (see linear_tiles).
  void project_tiles(const Variable<T>& states, const std::function<void(const kernels::Tile<T>&)>& use) const;

  /// Cross-entropy of states [N, D] with the target tokens `next`. The logits are never in memory all at once.
  CrossEntropy<T> loss(const Variable<T>& states, std::span<const int> next, int ignore_index,
                       double label_smoothing) const;

  /// R-Drop's loss (see r_drop). The states [2N, D] are N rows of a first pass, then N of a second; `next` has N
  /// tokens.
  CrossEntropy<T> r_drop_loss(const Variable<T>& states, std::span<const int> next, double alpha, int ignore_index,
                              double label_smoothing) const;

  /// The complete model: source and target ids -> logits [Nt, V] of each next token.
  Variable<T> operator()(Context<T>& context, std::span<const int> source, const RowLayout& source_layout,
                         std::span<const int> target, const RowLayout& target_layout) const;

  /// Decodes token by token: call `start` once per batch, then `step` with the last token of each of R rows. `step`
  /// returns logits [R, V]. `advance` instead returns the states [R, D], for `project` or `project_tiles`.
  void start(DecoderCache<T>& cache, const Variable<T>& memory, const RowLayout& memory_layout, Index rows,
             Index capacity) const {
    decoder_.start(cache, memory, memory_layout, rows, capacity);
  }
  Variable<T> advance(Context<T>& context, std::span<const int> tokens, DecoderCache<T>& cache) const {
    return decoder_.step(target_embedding_(context, tokens, cache.query_layout()), cache);
  }
  Variable<T> step(Context<T>& context, std::span<const int> tokens, DecoderCache<T>& cache) const {
    return project(advance(context, tokens, cache));
  }

 private:
  struct Tables {
    Parameter<T>*source, *target, *output;
  };
  static Tables declare_tables(ParameterStore<T>& store, const std::string& scope, const TransformerOptions& options);
  static Embedding<T> make_embedding(ParameterStore<T>& store, const std::string& positions, Parameter<T>& table,
                                     const TransformerOptions& options);

  TransformerOptions options_;
  Tables tables_;
  Embedding<T> source_embedding_, target_embedding_;
  Encoder<T> encoder_;
  Decoder<T> decoder_;
  Parameter<T>* output_bias_ = nullptr;
};

}  // namespace glossa
