#include "train/tensorboard_log.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "train/report_figures.h"

namespace glossa {

namespace {

/// A report's numbers by TensorBoard's names: `valid_loss` of the group `valid` is `valid/loss`.
std::vector<Scalar> scalars_of(const std::string& group, const auto& report) {
  std::vector<Scalar> scalars{{group + "/epoch", static_cast<double>(report.epoch)}};
  for (const auto& [key, value] : figures_of(report)) {
    const bool has_group = key.starts_with(group + "_");
    scalars.push_back({fmt::format("{}/{}", group, has_group ? key.substr(group.size() + 1) : key), value});
  }
  return scalars;
}

}  // namespace

TensorboardLog::TensorboardLog(const std::filesystem::path& run, std::int64_t updates_done, bool resumes,
                               std::string_view configuration)
    : file_(run, updates_done, resumes) {
  if (resumes) file_.text(updates_done, "configuration", configuration);
}

void TensorboardLog::training(const TrainingReport& report) {
  file_.scalars(report.update, scalars_of("train", report));
}

void TensorboardLog::validation(const ValidationReport& report) {
  if (report.at_end) file_.end(report.update);
  file_.scalars(report.update, scalars_of("valid", report));
  for (std::size_t i = 0; i < report.samples.size(); ++i)
    file_.text(report.update, fmt::format("samples/{}", i + 1), report.samples[i]);
}

}  // namespace glossa
