#include "autograd/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/kernels/row.h"
#include "autograd/kernels/small_product.h"
#include "autograd/kernels/vector_math.h"
#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

/// Hands out a thread's scratch in whole vectors.
template <class T>
struct Bump {
  T* next;
  T* take(Index rows, Index cols) {
    T* result = next;
    next += rows * padded<T>(cols);
    return result;
  }
};

Index longest(const RowLayout& layout) {
  Index longest = 0;
  for (const RowSpan& sentence : layout.sentences) longest = std::max(longest, sentence.length);
  return longest;
}

/// Copies [rows, cols] into rows of whole vectors, zeros behind; true if all of it is finite.
template <class T>
bool pack(Index rows, Index cols, const T* from, Index stride, T* to) {
  const Index width = padded<T>(cols);
  T anything{0};  // NaN if an element is NaN or infinite
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      to[i * width + j] = from[i * stride + j];
      anything += from[i * stride + j] * T{0};
    }
    std::fill(to + i * width + cols, to + (i + 1) * width, T{0});
  }
  return anything == T{0};
}

/// The same, transposed: to [cols, rows].
template <class T>
bool pack_transposed(Index rows, Index cols, const T* from, Index stride, T* to) {
  const Index width = padded<T>(rows);
  T anything{0};
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      to[j * width + i] = from[i * stride + j];
      anything += from[i * stride + j] * T{0};
    }
    std::fill(to + j * width + rows, to + (j + 1) * width, T{0});
  }
  return anything == T{0};
}

template <class T>
void unpack(Index rows, Index cols, const T* from, T* to, Index stride, bool add) {
  const Index width = padded<T>(cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      to[i * stride + j] = add ? to[i * stride + j] + from[i * width + j] : from[i * width + j];
}

/// softmax of a row of scores in place, over what may be attended to; what may not becomes 0 without being read.
template <class T>
void masked_softmax(T* score, Index keys, T scale, const T* mask) {
  constexpr T blocked = -std::numeric_limits<T>::infinity();
  if (mask) {
    for (Index j = 0; j < keys; ++j) score[j] = mask[j] == blocked ? blocked : score[j] * scale + mask[j];
  } else {
    for (Index j = 0; j < keys; ++j) score[j] *= scale;
  }
  const T top = row_max<T>(keys, blocked, [&](Index j) { return score[j]; });
  if (top == blocked) {  // nothing to attend to, or NaN only, which shows
    for (Index j = 0; j < keys; ++j) score[j] = std::isnan(score[j]) ? score[j] : T{0};
    return;
  }
  for (Index j = 0; j < keys; ++j) score[j] = kernels::exp(score[j] - top);
  const T inverse = T{1} / row_sum<T>(keys, [&](Index j) { return score[j]; });
  for (Index j = 0; j < keys; ++j) score[j] *= inverse;
}

/// Rows of no sentence become zero.
template <class T>
void zero_gaps(const RowLayout& layout, Columns<T> matrix, Index cols) {
  Index row = 0;
  const auto zero_until = [&](Index end) {
    for (; row < end; ++row) std::fill_n(matrix.data + row * matrix.stride, cols, T{0});
  };
  for (const RowSpan& sentence : layout.sentences) {
    zero_until(sentence.offset);
    row = std::max(row, sentence.offset + sentence.length);
  }
  zero_until(layout.rows);
}

/// Products of one head; the careful form where NaN or infinity may sit behind a mask.
template <class T>
void product(bool finite, Index m, Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, T* c) {
  const Index width = padded<T>(n);
  if (finite)
    small_product(m, width, k, a, a_row, a_col, b, width, c, width);
  else
    small_product_skipping_zeros(m, width, k, a, a_row, a_col, b, width, c, width);
}

}  // namespace

template <class T>
Index AttentionShape<T>::scratch_size() const {
  const Index rows = longest(query), keys = longest(key);
  const Index k = padded<T>(key_width), v = padded<T>(value_width), s = padded<T>(keys);
  // Backward: q, dq, dout [rows]; k, dk, dv [keys]; v^T [value_width, keys]; two score matrices. Forward adds k^T.
  return rows * (2 * k + v) + keys * (2 * k + v) + value_width * s + key_width * s + 2 * rows * s;
}

template <class T>
void attention_forward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                       T* weights, Columns<T> out, T* scratch) {
  zero_gaps(shape.query, out, shape.heads * shape.value_width);
  const Index scratch_size = shape.scratch_size();
  parallel_for(shape.query.sentence_count() * shape.heads, [&](Index piece) {
    const Index b = piece / shape.heads, h = piece % shape.heads;
    const RowSpan rows = shape.query.sentences[b], keys = shape.key.sentences[b];
    if (rows.length == 0) return;
    const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(keys.length);
    Bump<T> memory{scratch + thread_index() * scratch_size};

    T* const key_t = memory.take(kw, keys.length);
    T* const value = memory.take(keys.length, vw);
    T* const score = memory.take(rows.length, keys.length);
    T* const result = memory.take(rows.length, vw);
    pack_transposed(keys.length, kw, k.data + keys.offset * k.stride + h * kw, k.stride, key_t);
    const bool finite = pack(keys.length, vw, v.data + keys.offset * v.stride + h * vw, v.stride, value);

    // scores = q k^T
    small_product(rows.length, width, kw, q.data + rows.offset * q.stride + h * kw, q.stride, Index{1}, key_t, width,
                  score, width);
    const Index at = shape.heads * shape.cells[b] + h * rows.length * keys.length;
    for (Index i = 0; i < rows.length; ++i) {
      T* const row = score + i * width;
      const Index visible = shape.causal ? std::min(i + 1, keys.length) : keys.length;
      masked_softmax(row, visible, shape.scale, shape.mask.data ? shape.mask.row(i) : nullptr);
      std::fill(row + visible, row + width, T{0});
      if (weights) std::copy_n(row, keys.length, weights + at + i * keys.length);
      if (!shape.keep.empty()) {
        const std::uint8_t* keep = shape.keep.data() + at + i * keys.length;
        for (Index j = 0; j < keys.length; ++j) row[j] = keep[j] ? row[j] * shape.keep_scale : T{0};
      }
    }
    // out = weights v
    product(finite, rows.length, vw, keys.length, score, width, Index{1}, value, result);
    unpack(rows.length, vw, result, out.data + rows.offset * out.stride + h * vw, out.stride, false);
  });
}

template <class T>
void attention_backward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                        const T* weights, Columns<const T> dout, Columns<T> dq, Columns<T> dk, Columns<T> dv,
                        T* scratch) {
  if (dq.data && !dq.add) zero_gaps(shape.query, dq, shape.heads * shape.key_width);
  if (dk.data && !dk.add) zero_gaps(shape.key, dk, shape.heads * shape.key_width);
  if (dv.data && !dv.add) zero_gaps(shape.key, dv, shape.heads * shape.value_width);
  const Index scratch_size = shape.scratch_size();
  parallel_for(shape.query.sentence_count() * shape.heads, [&](Index piece) {
    const Index b = piece / shape.heads, h = piece % shape.heads;
    const RowSpan rows = shape.query.sentences[b], keys = shape.key.sentences[b];
    const Index kw = shape.key_width, vw = shape.value_width, width = padded<T>(keys.length);
    Bump<T> memory{scratch + thread_index() * scratch_size};
    const auto write = [&](Columns<T> to, RowSpan span, Index cols, const T* from) {
      unpack(span.length, cols, from, to.data + span.offset * to.stride + h * cols, to.stride, to.add);
    };

    T* const query = memory.take(rows.length, kw);
    T* const key = memory.take(keys.length, kw);
    T* const value_t = memory.take(vw, keys.length);
    T* const d_out = memory.take(rows.length, vw);
    T* const d_score = memory.take(rows.length, keys.length);
    T* const dropped = memory.take(rows.length, keys.length);
    bool finite = pack(rows.length, kw, q.data + rows.offset * q.stride + h * kw, q.stride, query);
    finite &= pack(keys.length, kw, k.data + keys.offset * k.stride + h * kw, k.stride, key);
    finite &= pack(rows.length, vw, dout.data + rows.offset * dout.stride + h * vw, dout.stride, d_out);
    pack_transposed(keys.length, vw, v.data + keys.offset * v.stride + h * vw, v.stride, value_t);

    // d(dropped weights) = dout v^T
    small_product(rows.length, width, vw, d_out, padded<T>(vw), Index{1}, value_t, width, d_score, width);
    const Index at = shape.heads * shape.cells[b] + h * rows.length * keys.length;
    for (Index i = 0; i < rows.length; ++i) {
      const T* const weight = weights + at + i * keys.length;
      const std::uint8_t* const keep = shape.keep.empty() ? nullptr : shape.keep.data() + at + i * keys.length;
      T *const d = d_score + i * width, *const drop = dropped + i * width;
      if (keep)
        for (Index j = 0; j < keys.length; ++j) {
          drop[j] = keep[j] ? weight[j] * shape.keep_scale : T{0};
          d[j] = keep[j] ? d[j] * shape.keep_scale : T{0};
        }
      else
        std::copy_n(weight, keys.length, drop);
      // dscore = weight (dweight - sum_j weight dweight), and 0 where the weight is 0: what is blocked stays unread.
      const T sum = row_sum<T>(keys.length, [&](Index j) { return weight[j] == T{0} ? T{0} : weight[j] * d[j]; });
      for (Index j = 0; j < keys.length; ++j) d[j] = weight[j] == T{0} ? T{0} : weight[j] * (d[j] - sum) * shape.scale;
      std::fill(d + keys.length, d + width, T{0});
      std::fill(drop + keys.length, drop + width, T{0});
    }
    if (dv.data) {  // dv = dropped^T dout
      T* const result = memory.take(keys.length, vw);
      product(finite, keys.length, vw, rows.length, dropped, Index{1}, width, d_out, result);
      write(dv, keys, vw, result);
    }
    if (dq.data) {  // dq = dscore k
      T* const result = memory.take(rows.length, kw);
      product(finite, rows.length, kw, keys.length, d_score, width, Index{1}, key, result);
      write(dq, rows, kw, result);
    }
    if (dk.data) {  // dk = dscore^T q
      T* const result = memory.take(keys.length, kw);
      product(finite, keys.length, kw, rows.length, d_score, Index{1}, width, query, result);
      write(dk, keys, kw, result);
    }
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                                         \
  template struct AttentionShape<T>;                                                                                  \
  template void attention_forward(const AttentionShape<T>&, Columns<const T>, Columns<const T>, Columns<const T>, T*, \
                                  Columns<T>, T*);                                                                    \
  template void attention_backward(const AttentionShape<T>&, Columns<const T>, Columns<const T>, Columns<const T>,    \
                                   const T*, Columns<const T>, Columns<T>, Columns<T>, Columns<T>, T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
