#include "python/binding/rows.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "base/check.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Adds a sequence of `length` rows, and padding up to `width`.
void add(Rows& rows, Index length, Index width) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (width > most - rows.rows) misuse("Rows", "expected at most {} rows; got more", most);
  rows.sequences.push_back({rows.rows, length});
  rows.rows += width;
}

}  // namespace

Rows Rows::packed(const std::vector<Index>& lengths) {
  Rows rows;
  for (const Index length : lengths) {
    if (length < 0) misuse("Rows", "expected lengths of at least 0; got {}", length);
    add(rows, length, length);
  }
  return rows;
}

Rows Rows::padded(const std::vector<Index>& lengths, Index width) {
  Rows rows;
  for (const Index length : lengths) {
    if (length < 0 || length > width) misuse("Rows", "expected lengths from 0 to the width {}; got {}", width, length);
    add(rows, length, width);
  }
  return rows;
}

namespace {

std::vector<Index> lengths_of(const Rows& rows) {
  std::vector<Index> lengths;
  for (const RowSpan& sequence : rows.sequences) lengths.push_back(sequence.length);
  return lengths;
}

std::vector<Index> starts_of(const Rows& rows) {
  std::vector<Index> starts;
  for (const RowSpan& sequence : rows.sequences) starts.push_back(sequence.offset);
  return starts;
}

/// Makes rows of the given width; `width` 0 means packed.
Rows make_rows(const std::vector<Index>& lengths, Index width, const std::vector<std::uint32_t>& ids, Index first) {
  Rows rows = width > 0 ? Rows::padded(lengths, width) : Rows::packed(lengths);
  if (!ids.empty() && ids.size() != lengths.size())
    misuse("Rows", "expected one id per sequence, {}; got {}", lengths.size(), ids.size());
  rows.sequence_ids = ids;
  rows.first_position = first;
  return rows;
}

}  // namespace

Rows to_rows(const char* where, const RowsLike& given) {
  const nb::object& object = given.object;
  if (const Rows* rows = nullptr; !object.is_none() && nb::try_cast(object, rows)) return *rows;
  if (nb::hasattr(object, "rows")) return to_rows(where, {object.attr("rows")});  // `object` is a Pack
  if (std::vector<Index> lengths; nb::try_cast(object, lengths)) return Rows::packed(lengths);
  misuse(where,
         "expected rows as Rows, a Pack, or a list of lengths; got {}. Hint: the rows of sentences of ids are those of "
         "glossa.pack(sentences)",
         string_of(nb::repr(object)));
}

void add_rows(nb::module_& m) {
  nb::class_<Rows>(
      m, "Rows",
      "The sequences of a matrix [N, D] with one row per token. Packed: they follow each other without "
      "gaps. With `width` each takes that many rows, of which the last ones may be padding. Random numbers "
      "depend on `ids`, the sequences' numbers (0, 1, ... if none are given), so that a sequence draws the "
      "same dropout mask in any batch.")
      .def(
          "__init__",
          [](Rows* self, const AxesLike& lengths, Index width, const std::vector<std::uint32_t>& ids,
             Index first_position) {
            new (self) Rows(make_rows(to_extents("Rows", lengths), width, ids, first_position));
          },
          "lengths"_a, nb::kw_only(), "width"_a = 0, "ids"_a = std::vector<std::uint32_t>(), "first_position"_a = 0)
      .def_prop_ro("lengths", lengths_of, "The length of each sequence")
      .def_prop_ro("starts", starts_of, "The first row of each sequence")
      .def_ro("ids", &Rows::sequence_ids, "The number of each sequence, if numbers were given")
      .def_ro("count", &Rows::rows, "The number of rows, N")
      .def("__len__", [](const Rows& rows) { return rows.sequences.size(); })
      .def("__repr__", [](const Rows& rows) {
        return fmt::format("<glossa.Rows: {} sequences in {} rows>", rows.sequences.size(), rows.rows);
      });
}

}  // namespace glossa::python
