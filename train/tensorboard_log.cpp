#include "train/tensorboard_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/folder.h"
#include "train/report_figures.h"
#include "train/tensorboard_event.h"

namespace glossa {

namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Returns the path of a new event file. Its name contains the current second, or a later one if needed to sort after
/// all existing files: the clock may have been set back. Creates the folder if it is missing.
std::filesystem::path next_event_file(const std::filesystem::path& folder) {
  constexpr std::string_view name_begins = "events.out.tfevents.";  // TensorBoard recognizes its files by this prefix
  create_folder(folder);
  std::error_code code;
  auto second = static_cast<std::int64_t>(seconds_since_1970());
  for (const std::string& name : names_in(folder, code)) {
    std::int64_t other = 0;
    if (name.starts_with(name_begins))
      std::from_chars(name.data() + name_begins.size(), name.data() + name.size(), other);
    second = std::max(second, other + 1);
  }
  check(!code, folder.string(), "cannot read the folder: {}. Hint: check its permissions", code.message());
  return folder / fmt::format("{}{:010}", name_begins, second);
}

/// Converts a report's numbers to TensorBoard's names: `valid_loss` of the group `valid` becomes `valid/loss`.
std::vector<event::Scalar> scalars_of(const std::string& group, const auto& report) {
  std::vector<event::Scalar> scalars{{group + "/epoch", static_cast<double>(report.epoch)}};
  for (const auto& [key, value] : figures_of(report)) {
    const bool has_group = key.starts_with(group + "_");
    scalars.push_back({fmt::format("{}/{}", group, has_group ? key.substr(group.size() + 1) : key), value});
  }
  return scalars;
}

}  // namespace

TensorboardLog::TensorboardLog(const std::filesystem::path& run, std::int64_t first_step,
                               std::string_view configuration)
    : file_(next_event_file(run / "tensorboard")) {
  file_.write(event::version({seconds_since_1970(), 0}));
  file_.write(event::session_start({seconds_since_1970(), first_step}));
  text(first_step, "configuration", configuration);
}

void TensorboardLog::training(const TrainingReport& report) {
  file_.write(event::scalars({seconds_since_1970(), report.update}, scalars_of("train", report)));
}

void TensorboardLog::validation(const ValidationReport& report) {
  file_.write(event::scalars({seconds_since_1970(), report.update}, scalars_of("valid", report)));
  for (std::size_t i = 0; i < report.samples.size(); ++i)
    text(report.update, fmt::format("samples/{}", i + 1), report.samples[i]);
}

/// Adds text as Markdown code, which TensorBoard shows verbatim, line by line.
void TensorboardLog::text(std::int64_t step, std::string_view tag, std::string_view text) {
  std::string code = "    ";
  for (const char c : text) c == '\n' ? code += "\n    " : code += c;
  file_.write(event::text({seconds_since_1970(), step}, tag, code));
}

}  // namespace glossa
