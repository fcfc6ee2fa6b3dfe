#pragma once

#include "autograd/kernels/int8/matrix.h"

/// Products of codes, summed in int32. A kind is one implementation of their innermost loops; product.h calls it.
namespace glossa::kernels::int8 {

/// One implementation. Integers add exactly, so all kinds give the same bits.
struct Kind {
  const char* name;
  int offset;  // added to the left factor's codes: 128 if the instructions need unsigned codes

  /// Writes a row of codes to `to`, in the form in which `multiply` reads left factors.
  void (*lay_out)(Index quads, const Code* codes, Unit* to);

  /// Computes sums[i * panel_columns + j] = start[j] + sum over k of left code (i, k) times right code (k, j). Covers
  /// `rows` rows and at least `cols` columns of one panel. Row i of the left factor starts at a[i * row].
  void (*multiply)(Index rows, Index cols, Index quads, const Unit* a, Index row, const Unit* b,
                   const std::int32_t* start, std::int32_t* sums);
};

const Kind& plain();
const Kind& avx2();
const Kind& avxvnni();
const Kind& vnni();
const Kind& amx();

/// The kind for this processor, or the one selected by GLOSSA_ISA (see processor.h).
const Kind& kind();

/// Implementations of Kind::lay_out: one keeps the codes, the other adds 128 to each.
void lay_out_signed(Index quads, const Code* codes, Unit* to);
void lay_out_unsigned(Index quads, const Code* codes, Unit* to);

}  // namespace glossa::kernels::int8
