#include <nanobind/stl/string.h>

#include <filesystem>

#include "base/check.h"
#include "exchange/export_run.h"
#include "exchange/import_run.h"
#include "python/binding/arguments.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"
#include "python/binding/settings.h"
#include "report/report.h"
#include "train/run.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

void import_model(const std::string& path, const std::string& run, const std::string& config_path,
                  const NamedOptions& options) {
  const std::map<std::string, GivenValue> given = to_options(options);
  const Computing computing;
  check(std::filesystem::exists(path), path,
        "expected the folder of a pretrained model, or a file of weights; not found");
  if (std::filesystem::is_directory(path))
    import_folder(path, run, given);
  else
    import_file(path, config_path, run, given);
}

void export_model(const std::string& run, const std::string& checkpoint, const ExportPaths& paths) {
  const Computing computing;
  export_run(RunName(run, checkpoint), paths);
}

/// Returns the page of `glossa report`, without attention.
std::string report_of(const std::string& run) {
  const Computing computing;
  const std::string folder = RunName(run).folder();
  const RunHistory history = read_history(folder, load_run_config(folder));
  CorpusBook corpora;
  const RunAttention attention;
  return report_page(report_json({&history, 1}, {&attention, 1}, corpora, false));
}

}  // namespace

void add_exchange(nb::module_& m) {
  m.def("import_model", import_model, "path"_a, "run"_a, "config_path"_a, "options"_a);
  m.def(
      "export_model",
      [](const std::string& run, const std::string& checkpoint, const std::string& safetensors,
         const std::string& huggingface, const std::string& marian) {
        export_model(run, checkpoint, {.safetensors = safetensors, .huggingface = huggingface, .marian = marian});
      },
      "run"_a, "checkpoint"_a, "safetensors"_a, "huggingface"_a, "marian"_a);
  m.def(
      "average",
      [](const std::string& from, std::int64_t last, const std::string& run) {
        const Computing computing;
        write_average_run(from, last, run);
      },
      "source"_a, "last"_a, "run"_a);
  m.def("report", report_of, "run"_a);
}

}  // namespace glossa::python
