#include "autograd/cases/attention_by_head.h"

namespace glossa {

namespace {

using Matrix = AttentionReference::Matrix;

Matrix zero_matrix(Index rows, Index cols) { return Matrix(rows, std::vector<double>(cols)); }

/// Head h, `width` columns wide, in the rows of a sequence.
Matrix head_of(const Tensor<const double>& x, const RowSpan& rows, Index h, Index width) {
  Matrix result = zero_matrix(rows.length, width);
  for (Index i = 0; i < rows.length; ++i)
    for (Index c = 0; c < width; ++c) {
      const double number = x.row(rows.offset + i)[h * width + c];
      if (std::isfinite(number)) result[i][c] = number;
    }
  return result;
}

/// Adds a head at its columns in a matrix of `cols` columns.
void add_head(const Matrix& head, const RowSpan& rows, Index h, std::vector<double>& to, Index cols) {
  for (Index i = 0; i < rows.length; ++i)
    for (std::size_t c = 0; c < head[i].size(); ++c)
      to[(rows.offset + i) * cols + h * static_cast<Index>(head[i].size()) + static_cast<Index>(c)] += head[i][c];
}

}  // namespace

std::vector<double> alibi_slopes(Index heads) {
  Index closest = 1;  // largest power of 2 that is at most `heads`
  while (2 * closest <= heads) closest *= 2;
  std::vector<double> slopes;
  const double start = std::pow(2.0, -std::pow(2.0, 3 - std::log2(static_cast<double>(closest))));
  for (double slope = start; std::ssize(slopes) < closest; slope *= start) slopes.push_back(slope);
  if (closest == heads) return slopes;
  const std::vector<double> twice = alibi_slopes(2 * closest);
  for (Index i = 0; std::ssize(slopes) < heads; i += 2) slopes.push_back(twice[static_cast<std::size_t>(i)]);
  return slopes;
}

AttentionByHead::Result AttentionByHead::compute() const {
  const Index group = key_heads == 0 ? 1 : heads / key_heads;
  const Index d_k = q.cols() / heads, d_v = dy.cols() / heads;
  Result result{std::vector<double>(dy.size()),
                std::vector<double>(q.size()),
                std::vector<double>(k.size()),
                std::vector<double>(v.size()),
                {}};
  for (Index b = 0; b < query.sequence_count(); ++b)
    for (Index h = 0; h < heads; ++h) {
      const RowSpan rows = query.sequences[b], keys = key.sequences[b];
      const Index n = rows.length, m = keys.length;
      Matrix M = zero_matrix(n, m), D = zero_matrix(n, m);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) {
          M[i][j] = mask(b, h, i, j);
          D[i][j] = dropout(b, h, i, j);
        }
      AttentionReference head{.Q = head_of(q, rows, h, d_k),
                              .K = head_of(k, keys, h / group, d_k),
                              .V = head_of(v, keys, h / group, d_v),
                              .M = M,
                              .D = D,
                              .dY = head_of(dy, rows, h, d_v),
                              .S = zero_matrix(n, m),
                              .P = zero_matrix(n, m),
                              .Y = zero_matrix(n, d_v),
                              .dP = zero_matrix(n, m),
                              .dS = zero_matrix(n, m),
                              .dQ = zero_matrix(n, d_k),
                              .dK = zero_matrix(m, d_k),
                              .dV = zero_matrix(m, d_v)};
      head.compute(static_cast<int>(n), static_cast<int>(m), static_cast<int>(d_k), static_cast<int>(d_v), scale);
      add_head(head.Y, rows, h, result.y, dy.cols());
      add_head(head.dQ, rows, h, result.dq, q.cols());
      add_head(head.dK, keys, h / group, result.dk, k.cols());
      add_head(head.dV, keys, h / group, result.dv, v.cols());
      for (const std::vector<double>& row : head.P) result.weights.insert(result.weights.end(), row.begin(), row.end());
    }
  return result;
}

}  // namespace glossa
