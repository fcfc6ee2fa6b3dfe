#include "config/period.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace glossa {
namespace {

constexpr double kLargest = 1e15;  // below 2^53, so that every whole amount is exact
constexpr std::string_view kUnits = "uet";
constexpr std::string_view kMultipliers = "KMG";

double counter(const Progress& progress, Period::Unit unit) {
  if (unit == Period::Unit::epochs) return progress.epochs;
  return static_cast<double>(unit == Period::Unit::updates ? progress.updates : progress.target_tokens);
}

double multiplier(std::size_t index) { return std::pow(1000.0, static_cast<double>(index + 1)); }

}  // namespace

bool Period::due(const Progress& before, const Progress& after) const {
  return !never() && std::floor(counter(after, unit) / amount) > std::floor(counter(before, unit) / amount);
}

double Period::part(const Progress& now) const { return never() ? 0 : counter(now, unit) / amount; }

bool Period::reached(const Progress& now) const { return !never() && counter(now, unit) >= amount; }

std::optional<Period> parse_period(std::string_view text, Period::Unit plain) {
  Period period{0, plain};
  const char* end = text.data() + text.size();
  // The fixed format does not read the `e` of `2e` as an exponent.
  const auto [rest, error] = std::from_chars(text.data(), end, period.amount, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(period.amount) || std::signbit(period.amount)) return std::nullopt;
  std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  if (const auto m = suffix.empty() ? suffix.npos : kMultipliers.find(suffix.front()); m != suffix.npos) {
    period.amount *= multiplier(m);
    suffix.remove_prefix(1);
  }
  if (const auto u = suffix.empty() ? suffix.npos : kUnits.find(suffix.front()); u != suffix.npos) {
    period.unit = static_cast<Period::Unit>(u);
    suffix.remove_prefix(1);
  }
  if (!suffix.empty() || period.amount > kLargest) return std::nullopt;
  if (period.never()) return Period{0, plain};
  // Rounds, because 1.001K means 1001, but 1.001 * 1000 is not exactly 1001.
  const double whole = std::round(period.amount);
  if (whole > 0 && std::abs(period.amount - whole) <= 1e-12 * whole) period.amount = whole;
  if (period.unit != Period::Unit::epochs && period.amount != whole) return std::nullopt;
  return period;
}

std::string to_string(const Period& period) {
  if (period.never()) return "0";
  double amount = period.amount;
  std::string suffix;
  for (std::size_t m = kMultipliers.size(); m-- > 0 && suffix.empty();) {
    if (std::fmod(amount, multiplier(m)) != 0) continue;
    amount /= multiplier(m);
    suffix = kMultipliers[m];
  }
  char digits[400];
  char* end = std::to_chars(digits, digits + sizeof digits, amount, std::chars_format::fixed).ptr;
  return std::string(digits, end) + suffix + kUnits[static_cast<std::size_t>(period.unit)];
}

}  // namespace glossa
