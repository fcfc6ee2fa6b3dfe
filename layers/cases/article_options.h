#pragma once

#include "layers/transformer.h"

namespace glossa {

constexpr int article_count = 5;

/// Options of the Transformer in article 0 to 4 (docs/articles.md), sized for elementwise checks: two layers per side,
/// width 8, two heads, 9 tokens, 6 positions. recipes/article-N.yaml has the same options in a trainable size.
TransformerOptions article_options(int article);

}  // namespace glossa
