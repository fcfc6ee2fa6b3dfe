#include "layers/embedding.h"

#include "layers/cases/layer_case.h"
#include "layers/cases/layer_layouts.h"
#include "layers/init.h"

namespace glossa {

namespace {

constexpr Index row_width = 4, positions = 5;

/// Makes a table of positions of the named kind.
template <class T>
PositionalEncoding<T> make_positions(ParameterStore<T>& store, const std::string& kind) {
  if (kind == "learned") return PositionalEncoding<T>::learned(store, "positions", positions, row_width);
  const Sinusoid order = kind == "halves"      ? Sinusoid::halves
                         : kind == "raw_index" ? Sinusoid::raw_index
                         : kind == "sorted"    ? Sinusoid::sorted
                                               : Sinusoid::interleaved;
  return PositionalEncoding<T>::sinusoidal(positions, row_width, order);
}

}  // namespace

void add_embedding_cases(LayerCases& cases) {
  for (const std::string kind : {"learned", "interleaved", "halves", "raw_index", "sorted"})
    cases.add("PositionalEncoding." + kind, {{positions, row_width}}, [=]<class T>(ParameterStore<T>& store) {
      return [table = make_positions(store, kind)](Context<T>& c, Inputs<T> x) { return mul(x[0], table(c)); };
    });

  for (const std::string kind : {"learned", "interleaved"})
    for (const CaseLayouts* const layouts : case_layouts) {
      const RowLayout rows = layouts->source;
      cases.add(fmt::format("PositionalEncoding.added_{}_{}", kind, layouts->name), {{rows.rows, row_width}},
                [=]<class T>(ParameterStore<T>& store) {
                  return [=, layer = make_positions(store, kind)](Context<T>&, Inputs<T> x) {
                    return mean_pool(layer(x[0], rows), rows);
                  };
                });
    }

  // Tokens repeat; some tokens and positions do not occur. The ids of gap rows have no effect.
  static constexpr int packed_ids[] = {3, 0, 3, 3, 5}, padded_ids[] = {3, 0, 3, 3, 1, 1, 5, 1, 1, 1, 1, 1};
  for (const std::string kind : {"learned", "interleaved", "halves", "no_positions"})
    for (const CaseLayouts* const layouts : case_layouts)
      for (const double dropout : {0.0, 0.3}) {
        const RowLayout rows = layouts->source;
        const std::span<const int> ids = rows.rows == 5 ? std::span<const int>(packed_ids) : padded_ids;
        cases.add(fmt::format("Embedding.{}_{}{}", kind, layouts->name, dropout > 0 ? "_dropout" : ""), {},
                  [=]<class T>(ParameterStore<T>& store) {
                    Parameter<T>& table = store.declare("table", {6, row_width}, init::normal(0.5));
                    const typename Embedding<T>::Options options{.factor = 2, .dropout = dropout};
                    const Embedding<T> layer = kind == "no_positions"
                                                   ? Embedding<T>(table, options)
                                                   : Embedding<T>(table, make_positions(store, kind), options);
                    return [=](Context<T>& c, Inputs<T>) { return layer(c, ids, rows); };
                  });
      }
}

}  // namespace glossa
