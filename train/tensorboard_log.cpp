#include "train/tensorboard_log.h"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "train/report_figures.h"
#include "train/tensorboard/attention_image.h"

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

/// Labels for the pictures of attention.
std::string tokens_of(std::span<const AttentionMaps> sentences) {
  std::string text =
      "a tile is one layer (downward) and head (rightward) of a sentence;\nits rows attend to its columns, darkest "
      "where most";
  for (const AttentionMaps& maps : sentences)
    text += fmt::format("\n\nsource     {}\ntarget     {}\nwritten    {}", fmt::join(maps.source, " "),
                        fmt::join(maps.target, " "), fmt::join(maps.output, " "));
  return text;
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
  if (report.attention.empty()) return;
  const std::pair<const char*, AttentionMaps::Layers AttentionMaps::*> parts[] = {
      {"encoder", &AttentionMaps::encoder}, {"decoder", &AttentionMaps::decoder}, {"cross", &AttentionMaps::cross}};
  for (const auto& [name, part] : parts)
    file_.image(report.update, fmt::format("attention/{}", name), attention_image(report.attention, part));
  file_.text(report.update, "attention/tokens", tokens_of(report.attention));
}

}  // namespace glossa
