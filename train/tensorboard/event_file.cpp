#include "train/tensorboard/event_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>

#include "autograd/check.h"
#include "data/text/text_file.h"
#include "files/atomic_file.h"
#include "files/folder.h"
#include "train/tensorboard/record.h"

namespace glossa {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begins = "events.out.tfevents.";  // TensorBoard recognizes its files by this

fs::path folder_in(const fs::path& run) { return run / "tensorboard"; }

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// The event files in a folder, oldest first.
std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const std::string& name : names_in(folder, code))
    if (name.starts_with(name_begins)) files.push_back(folder / name);
  check(!code || code == std::errc::no_such_file_or_directory, folder.string(),
        "cannot read the folder: {}. Hint: check the path and its permissions", code.message());
  return files;
}

std::int64_t second_in_name(const fs::path& file) {
  const std::string name = file.filename();
  std::int64_t second = 0;
  std::from_chars(name.data() + name_begins.size(), name.data() + name.size(), second);
  return second;
}

/// Returns a name that sorts after all existing ones, even if the clock was set back.
fs::path next_name(const fs::path& folder) {
  create_folder(folder);
  std::int64_t second = static_cast<std::int64_t>(now());
  for (const fs::path& file : event_files(folder)) second = std::max(second, second_in_name(file) + 1);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return folder / fmt::format("{}{:010}.{}", name_begins, second, host);
}

/// The part of a file to keep.
struct KeptPart {
  std::uint64_t bytes = 0;              // 0 if only the version would be kept
  std::optional<std::uint64_t> damage;  // the file is unreadable from here on
};

KeptPart kept_part(std::string_view bytes, std::int64_t updates_done, bool resumes) {
  std::string_view rest = bytes;
  KeptPart kept;
  for (bool is_first = true;; is_first = false) {
    const auto data = next_record(rest);
    const std::uint64_t read = bytes.size() - rest.size();
    if (!data && !is_torn(rest)) kept.damage = read;
    if (!data) break;
    const EventHead head = head_of_event(*data);
    if (head.step > updates_done || (resumes && head.stops_session)) break;
    if (!is_first) kept.bytes = read;  // the first record is the version
  }
  return kept;
}

/// Truncates a file in place, because TensorBoard would also read a second file.
void shorten(const fs::path& file, std::uint64_t bytes) {
  const auto require = [&](int result) {
    check(result >= 0, file.string(), "cannot truncate it to {} bytes: {}", bytes, std::strerror(errno));
  };
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  require(descriptor);
  const bool shortened = ftruncate(descriptor, static_cast<off_t>(bytes)) == 0 && fsync(descriptor) == 0;
  const int reason = errno;
  const int closed = close(descriptor);
  if (!shortened) errno = reason;
  require(shortened ? closed : -1);
}

/// Formats lines as Markdown code, which is shown verbatim.
std::string as_code(std::string_view text) {
  std::string lines = "    ";
  for (const char c : text) c == '\n' ? lines += "\n    " : lines += c;
  return lines;
}

}  // namespace

std::vector<std::string> EventFile::cut(const fs::path& run, std::int64_t updates_done, bool resumes) {
  std::vector<std::string> damages;
  const std::vector<fs::path> files = event_files(folder_in(run));
  for (const fs::path& file : files) {
    const std::string bytes = read_file(file, std::numeric_limits<std::size_t>::max());
    const KeptPart kept = kept_part(bytes, updates_done, resumes);
    if (kept.damage)
      damages.push_back(
          fmt::format("{} is damaged from byte {}: its later events, which TensorBoard cannot read either, are "
                      "dropped. Hint: metrics.jsonl has the figures",
                      file.string(), *kept.damage));
    if (kept.bytes == 0) {
      std::error_code code;
      fs::remove(file, code);
      check(!code, file.string(), "cannot remove it: {}", code.message());
    } else if (kept.bytes < bytes.size()) {
      shorten(file, kept.bytes);
    }
  }
  if (!files.empty()) sync_folder(folder_in(run));
  return damages;
}

EventFile::EventFile(const fs::path& run, std::int64_t updates_done, bool resumes) : file_(next_name(folder_in(run))) {
  write(event::version({now(), 0}));
  if (resumes) write(event::session_start({now(), updates_done + 1}));
}

void EventFile::scalars(std::int64_t step, std::span<const Scalar> scalars) {
  write(event::scalars({now(), step}, scalars));
}

void EventFile::text(std::int64_t step, std::string_view tag, std::string_view text) {
  write(event::text({now(), step}, tag, as_code(text)));
}

void EventFile::end(std::int64_t step) { write(event::session_stop({now(), step})); }

void EventFile::write(const std::string& event) { file_.write(as_record(event)); }

}  // namespace glossa
