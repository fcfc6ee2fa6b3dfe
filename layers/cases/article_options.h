#pragma once

#include "layers/transformer.h"

namespace glossa {

constexpr int article_count = 5;

/// Options of the Transformer in article number `article`, 0 to 4 (see docs/articles.md). The model is small enough to
/// check every element: two layers per side, width 8, two heads, 9 tokens, 6 positions. recipes/article-N.yaml has the
/// same options for a model of trainable size.
TransformerOptions article_options(int article);

}  // namespace glossa
