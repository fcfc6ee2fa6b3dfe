#include "report/report.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/atomic_file.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/counted.h"
#include "base/stopwatch.h"
#include "data/text/text_file.h"
#include "report/report_attention.h"
#include "report/run_groups.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/checkpoint/int8_file.h"
#include "train/run.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> runs;
  std::string out;    // empty: report.html in the folder of the only run
  std::string input;  // file with sentences whose attention is shown; empty: some samples
  bool follow = false;
};

/// Returns the folders of the runs, each at most once.
std::vector<std::string> folders_of(const ReportArguments& arguments) {
  std::vector<std::string> folders;
  std::set<fs::path> seen;
  for (const std::string& named : arguments.runs) {
    const std::string folder = RunName(named).folder();
    load_run_config(folder);    // throws if the folder has no run
    check_is_in_float(folder);  // a run in int8 has no training to report
    if (!seen.insert(fs::canonical(folder)).second) misuse(named, "expected each run once; got it twice");
    folders.push_back(folder);
  }
  return folders;
}

/// Returns the output file. Throws unless it ends in .html, so that it cannot replace another file of a run.
std::string file_of(const ReportArguments& arguments, const std::vector<std::string>& folders) {
  if (arguments.out.empty()) {
    if (folders.size() > 1) misuse("--out", "expected a file for the report of {} runs; got none", folders.size());
    return fs::path(folders.front()) / "report.html";
  }
  if (fs::path(arguments.out).extension() != ".html")
    misuse("--out", "expected a file name that ends in .html; got {}", arguments.out);
  return arguments.out;
}

/// Returns the state of the files that a run's report depends on, for comparison.
std::string stamp_of(const std::string& folder) {
  std::string stamp = has_trainer(folder) ? "training" : "";
  for (const char* file : {"metrics.jsonl", "train.log"}) {
    std::error_code missing;
    const fs::path path = fs::path(folder) / file;
    const auto written = fs::last_write_time(path, missing).time_since_epoch().count();
    stamp += fmt::format(" {} {}", fs::file_size(path, missing), written);
  }
  return stamp;
}

/// Writes the report, once or repeatedly.
class Reporter {
 public:
  /// Shows attention for `sentences` or, if they are empty, for some of each run's samples.
  Reporter(std::vector<std::string> folders, std::string file, std::vector<std::string> sentences)
      : folders_(std::move(folders)),
        file_(std::move(file)),
        names_(names_of_runs(folders_)),
        sentences_(std::move(sentences)) {
    const AtomicFile probe(file_, 0);  // throws before reading anything if the file cannot be written
  }

  /// True if any of the runs is training.
  bool any_trains() const { return std::any_of(folders_.begin(), folders_.end(), has_trainer); }

  std::string stamp() const {
    std::string all;
    for (const std::string& folder : folders_) all += stamp_of(folder) + "\n";
    return all;
  }

  /// Writes the page. Returns the spreads of groups of runs, as group_table formats them.
  std::string write(bool following) {
    std::vector<RunHistory> runs;
    std::vector<RunAttention> attention;
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      runs.push_back(read_history(folders_[i], load_run_config(folders_[i])));
      RunHistory& run = runs.back();
      run.name = names_[i];
      attention.push_back(attention_of(run));
      for (const std::string& problem : run.problems)
        if (reported_.insert(problem).second) warn("{}", problem);
      for (const std::string& missing : attention.back().missing)
        if (const std::string note = run.folder + ": " + missing; reported_.insert(note).second)
          print_note("note: {}\n", note);
    }
    const std::string page = report_page(report_json(runs, attention, corpora_, following));
    const Uninterrupted whole;
    try {
      write_file_atomically(file_, page);
    } catch (const Error&) {
      write_file_atomically(file_, page);  // a trainer that starts in the folder may have removed the temporary file
    }
    return group_table(runs, groups_of(runs));
  }

 private:
  RunAttention attention_of(RunHistory& run) {
    std::vector<std::string> sentences = sentences_;
    for (const WatchedSentence& sample : run.samples)
      if (sentences_.empty() && sentences.size() < max_samples) sentences.push_back(sample.source);
    return attention_.of(run.folder, sentences, run.is_training, run.problems);
  }

  static constexpr std::size_t max_samples = 3;

  std::vector<std::string> folders_;
  std::string file_;
  std::vector<std::string> names_, sentences_;
  ReportAttention attention_;
  CorpusBook corpora_;
  std::set<std::string> reported_;
};

/// Rewrites the report on every change, until no run is training or a signal arrives. Returns the result of the last
/// Reporter::write.
std::string follow(Reporter& reporter) {
  using namespace std::chrono_literals;
  constexpr double min_wait = 2, share = 0.05;  // minimum wait in seconds; maximum fraction of time spent on reports
  Requests requests;
  const SignalWatch signals(requests);
  while (!requests.stops() && reporter.any_trains()) {
    const Stopwatch writing;
    const std::string stamp = reporter.stamp();
    reporter.write(true);
    const double wait = std::max(min_wait, writing.seconds() / share);
    const Stopwatch waiting;
    while (!requests.stops() && reporter.any_trains() && (waiting.seconds() < wait || reporter.stamp() == stamp))
      std::this_thread::sleep_for(100ms);
  }
  return reporter.write(false);
}

int run(const ReportArguments& arguments) {
  const std::vector<std::string> folders = folders_of(arguments);
  const std::string file = file_of(arguments, folders);
  std::vector<std::string> sentences;
  if (!arguments.input.empty())
    sentences = read_lines(arguments.input, load_run_config(folders.front()).data.reading.text);
  Reporter reporter(folders, file, sentences);
  const std::string groups = arguments.follow ? follow(reporter) : reporter.write(false);
  fmt::print("wrote the report of {} to {}\n{}", counted(folders.size(), "run"), file, groups);
  return 0;
}

}  // namespace

void add_report(CommandTable& table) {
  const auto [command, arguments] = table.add<ReportArguments>(
      {.name = "report", .help = "Write an HTML page about runs, even while they train", .group = "Look"}, run);
  command.add_option("RUN", arguments.runs, "folders of runs")->required();
  command.add_option("--out", arguments.out, "HTML file to write (default for one run: RUN/report.html)");
  command.add_option("--input", arguments.input,
                     "file of sentences to show attention for (default: some of the samples)");
  command.add_flag("--follow", arguments.follow, "rewrite it on every change until training ends");
}

}  // namespace glossa::commands
