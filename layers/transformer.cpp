#include "layers/transformer.h"

#include <algorithm>
#include <cmath>

namespace glossa {

namespace {

StackOptions with_layers(StackOptions stack, Index layers) {
  stack.layers = layers;
  return stack;
}

/// `initial`, but with row `row` set to zeros.
Initializer with_zero_row(Initializer initial, Index row) {
  return [initial = std::move(initial), row](std::span<double> values, const Shape& shape, RandomStream& random) {
    initial(values, shape, random);
    std::ranges::fill(values.subspan(row * shape[1], shape[1]), 0.0);
  };
}

}  // namespace

template <class T>
auto Transformer<T>::declare_tables(ParameterStore<T>& store, const std::string& scope, const TransformerOptions& o)
    -> Tables {
  const Index width = o.stack.width;
  check(o.source_vocabulary >= 1 && o.target_vocabulary >= 1, "transformer",
        "expected vocabularies of at least 1 token; got {} and {}", o.source_vocabulary, o.target_vocabulary);
  check(!o.start_row || (*o.start_row >= 0 && *o.start_row < o.target_vocabulary), "TransformerOptions::start_row",
        "expected a token from 0 to {}; got {}", o.target_vocabulary - 1, o.start_row.value_or(0));
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  const auto declare = [&](const char* name, Index rows, const Initializer& usual, std::optional<Index> zero_row) {
    const Initializer& initial = o.stack.weight_init ? o.stack.weight_init : usual;
    Parameter<T>& table =
        store.declare(in_scope(scope, name), {rows, width}, zero_row ? with_zero_row(initial, *zero_row) : initial);
    table.fixed_row = zero_row.value_or(-1);
    table.is_matrix = true;
    return &table;
  };
  const auto declare_target = [&](const char* name, const Initializer& usual) {
    return declare(name, o.target_vocabulary, usual, o.start_row);
  };
  Tables tables{};
  if (o.tied == Tied::all || o.tied == Tied::embeddings) {
    if (o.source_vocabulary != o.target_vocabulary)
      misuse("TransformerOptions::tied",
             "expected one vocabulary for both sides to tie their embeddings; got {} and {} tokens. Hint: use "
             "Tied::output",
             o.source_vocabulary, o.target_vocabulary);
    tables.source = tables.target = declare_target("tok_emb.embedding.weight", init::normal(deviation));
  } else {
    tables.source = declare("src_tok_emb.embedding.weight", o.source_vocabulary, init::normal(deviation), {});
    tables.target = declare_target("tgt_tok_emb.embedding.weight", init::normal(deviation));
  }
  // An untied output projection has nn.Linear's default, uniform in +-1/sqrt(D).
  const bool own_output = o.tied == Tied::none || o.tied == Tied::embeddings;
  tables.output = own_output ? declare_target("generator.weight", init::uniform(deviation)) : tables.target;
  return tables;
}

template <class T>
Embedding<T> Transformer<T>::make_embedding(ParameterStore<T>& store, const std::string& positions, Parameter<T>& table,
                                            const TransformerOptions& o) {
  const Index width = o.stack.width;
  const double factor = o.scale_embeddings ? std::sqrt(static_cast<double>(width)) : 1.0;
  const typename Embedding<T>::Options options{
      .factor = factor, .dropout = o.embedding_dropout, .max_positions = o.max_positions};
  if (o.stack.relative_positions != RelativePositions::none) {
    if (o.learned_positions)
      misuse("TransformerOptions::learned_positions", "expected false with relative positions; got true");
    return {table, options};
  }
  PositionalEncoding<T> encoding = o.learned_positions
                                       ? PositionalEncoding<T>::learned(store, positions, o.max_positions, width)
                                       : PositionalEncoding<T>::sinusoidal(o.max_positions, width, o.sinusoid);
  return {table, std::move(encoding), options};
}

template <class T>
Transformer<T>::Transformer(ParameterStore<T>& store, const TransformerOptions& options, const std::string& scope)
    : options_(options),
      tables_(declare_tables(store, scope, options)),
      source_embedding_(make_embedding(store, in_scope(scope, "src_pos_emb"), *tables_.source, options)),
      target_embedding_(make_embedding(store, in_scope(scope, "tgt_pos_emb"), *tables_.target, options)),
      encoder_(store, in_scope(scope, "encoder"), with_layers(options.stack, options.encoder_layers)),
      decoder_(store, in_scope(scope, "decoder"), with_layers(options.stack, options.decoder_layers)) {
  if (!options.output_bias) return;
  output_bias_ = &store.declare(in_scope(scope, "generator.bias"), {options.target_vocabulary}, init::constant(0));
  output_bias_->fixed_row = options.start_row.value_or(-1);
}

template <class T>
Variable<T> Transformer<T>::encode(Context<T>& context, std::span<const int> source, const RowLayout& layout,
                                   AttentionWeights<T>* weights) const {
  return encoder_(source_embedding_(context, source, layout), layout, weights ? &weights->encoder : nullptr);
}

template <class T>
Variable<T> Transformer<T>::decode(Context<T>& context, std::span<const int> target, const RowLayout& layout,
                                   const Variable<T>& memory, const RowLayout& memory_layout,
                                   AttentionWeights<T>* weights) const {
  return decoder_(target_embedding_(context, target, layout), layout, memory, memory_layout, weights);
}

template <class T>
Variable<T> Transformer<T>::project(const Variable<T>& states) const {
  Context<T>& c = states.context();
  const Variable<T> table = c.parameter(*tables_.output);
  return linear(states, table, c.optional_parameter(output_bias_));
}

template <class T>
void Transformer<T>::project_tiles(const Variable<T>& states,
                                   const std::function<void(const kernels::Tile<T>&)>& use) const {
  Context<T>& c = states.context();
  const Variable<T> table = c.parameter(*tables_.output);
  linear_tiles(states, table, c.optional_parameter(output_bias_), use);
}

template <class T>
CrossEntropy<T> Transformer<T>::loss(const Variable<T>& states, std::span<const int> next, int ignore_index,
                                     double label_smoothing) const {
  Context<T>& c = states.context();
  const Variable<T> table = c.parameter(*tables_.output);
  return linear_cross_entropy(states, table, c.optional_parameter(output_bias_), next, ignore_index, label_smoothing);
}

template <class T>
CrossEntropy<T> Transformer<T>::r_drop_loss(const Variable<T>& states, std::span<const int> next, double alpha,
                                            int ignore_index, double label_smoothing) const {
  Context<T>& c = states.context();
  const std::optional<Variable<T>> bias = c.optional_parameter(output_bias_);
  return r_drop(states, c.parameter(*tables_.output), bias, next, alpha, ignore_index, label_smoothing);
}

template <class T>
Variable<T> Transformer<T>::operator()(Context<T>& context, std::span<const int> source, const RowLayout& source_layout,
                                       std::span<const int> target, const RowLayout& target_layout) const {
  const Variable<T> memory = encode(context, source, source_layout);
  return project(decode(context, target, target_layout, memory, source_layout));
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace glossa
