#include <cstdio>

#include "autograd/check.h"
#include "layers/cases/layer_case.h"
#include "train/commands/commands.h"
#include "train/json_line.h"

namespace glossa::commands {

namespace {

/// Prints one group of reports; false if one failed.
bool print(const char* kind, const std::vector<CaseReport>& reports, bool json) {
  bool passed = true;
  for (const CaseReport& report : reports) {
    if (json) {
      JsonLine line;
      line.add("name", report.name).add("kind", kind).add("cases", report.cases).add("elements", report.elements);
      line.add("worst_error", report.worst_error).add("kinks", report.kinks).add("seconds", report.seconds);
      line.add("passed", report.failures.empty());
      std::puts(line.text().c_str());
    } else {
      fmt::print("{:<6} {:<28} {:>6} {:>9} {:>12.2e} {:>6} {:>8.2f}  {}\n", kind, report.name, report.cases,
                 report.elements, report.worst_error, report.kinks, report.seconds,
                 report.failures.empty() ? "ok" : "FAILED");
    }
    std::fflush(stdout);
    for (const std::string& failure : report.failures) std::fprintf(stderr, "  %s\n", failure.c_str());
    passed = passed && report.failures.empty();
  }
  return passed;
}

}  // namespace

int run(const Gradcheck& arguments) {
  if (!arguments.json)
    fmt::print("{:<6} {:<28} {:>6} {:>9} {:>12} {:>6} {:>8}\n", "kind", "name", "cases", "elements", "worst error",
               "kinks", "seconds");
  bool passed = print("op", check_ops(), arguments.json);
  passed = print("layer", check_layers(), arguments.json) && passed;
  passed = print("model", check_models(), arguments.json) && passed;
  return passed ? 0 : 1;
}

}  // namespace glossa::commands
