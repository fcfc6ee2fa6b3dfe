#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glossa {

/// Progress of a training run.
struct Progress {
  std::int64_t updates = 0;
  double epochs = 0;  ///< completed passes over the corpus; fractional within a pass
  std::int64_t target_tokens = 0;
};

/// A length of training in updates, epochs or target tokens: `500u`, `2e`, `10Mt`. An amount of 0 means never or
/// unlimited.
struct Period {
  enum class Unit { updates, epochs, target_tokens };

  double amount = 0;  ///< whole unless the unit is epochs
  Unit unit = Unit::updates;

  bool operator==(const Period&) const = default;

  /// True if the period is never due.
  bool never() const { return amount == 0; }

  /// True if a multiple of the period is in (before, after]: a periodic action is then due.
  bool due(const Progress& before, const Progress& after) const;

  /// Returns the progress `now` as a multiple of this period, which may exceed 1; 0 if the amount is 0.
  double part(const Progress& now) const;

  /// True if `now` has reached this period, which serves as a limit. Never true for an amount of 0.
  bool reached(const Progress& now) const;
};

/// Parses `NUMBER[K|M|G][u|e|t]`; a number without a unit has the unit `plain`. Returns an empty value if the text is
/// not a period, exceeds 10^15 or has a fraction of an update or token. Exponents are refused, because the e in `1e5`
/// could be the unit.
std::optional<Period> parse_period(std::string_view text, Period::Unit plain);

/// Returns the shortest text that parse_period reads back as this period; `0` for never.
std::string to_string(const Period& period);

}  // namespace glossa
