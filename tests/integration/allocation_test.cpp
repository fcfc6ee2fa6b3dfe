// Commands whose allocations fail, one after another. Each ends with success or an error, never by a signal, and leaves
// no unfinished work.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <thread>

#include "base/atomic_file.h"
#include "tests/integration/served_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Lets allocations fail in programs that start while this object lives (see failing_allocations.cpp).
class Failing {
 public:
  Failing(const char* mode, const std::string& value) : mode_(mode) {
    setenv("LD_PRELOAD", GLOSSA_FAILING_ALLOCATIONS, 1);
    setenv(mode_, value.c_str(), 1);
  }
  ~Failing() {
    unsetenv("LD_PRELOAD");
    unsetenv(mode_);
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

 private:
  const char* mode_;
};

/// Number of allocations of each command that fail: the environment variable GLOSSA_ALLOCATIONS, or 8.
std::size_t failures() {
  const char* const set = std::getenv("GLOSSA_ALLOCATIONS");
  return set == nullptr ? 8 : std::stoul(set);
}

/// The number of allocations of a run that succeeds.
template <class Run, class Check>
std::size_t allocations_of(const TinyRun& tiny, const Run& run, const Check& check) {
  const fs::path count = tiny / "count";
  const Failing none("COUNT_TO", count);
  const Outcome outcome = run();
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  check(outcome);
  return std::stoul(read_bytes(count));
}

/// Names of temporary files.
std::string temporary_files(const fs::path& folder) {
  std::string names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (glossa::is_temporary_name(entry.path().filename().string())) names += " " + entry.path().string();
  return names;
}

/// True if libgomp ended the program, as it does if it has no memory for a thread's settings.
bool is_by_libgomp(const Outcome& outcome) { return outcome.err.find("libgomp: ") != std::string::npos; }

/// Calls `run` and `check` with allocations failing, alone and with all later ones: numbers from `first` to the last
/// that an undisturbed run makes.
template <class Run, class Check>
void with_failures(const TinyRun& tiny, const Run& run, const Check& check, std::size_t first = 1) {
  const std::size_t last = allocations_of(tiny, run, check), tried = std::min(failures(), last + 1 - first);
  REQUIRE_GT(last, first);
  for (const std::string mode : {"FAIL_AT", "FAIL_FROM"})
    for (std::size_t i = 0; i < tried; ++i) {
      const std::size_t number = first + i * (last - first) / std::max<std::size_t>(1, tried - 1);
      CAPTURE(mode);
      CAPTURE(number);
      const auto outcome = [&] {
        const Failing failing(mode.c_str(), std::to_string(number));
        return run();
      }();
      CAPTURE(outcome.err);
      CHECK((outcome.status == 0 || outcome.status == 1));
      if (outcome.status == 1) CHECK((is_by_libgomp(outcome) || outcome.err.find("glossa: [") != std::string::npos));
      if (!is_by_libgomp(outcome)) CHECK_EQ(temporary_files(tiny.path()), "");
      check(outcome);
    }
}

}  // namespace

TEST_CASE("glossa and its benchmarks allocate from a preloaded malloc") {
  const TinyRun tiny;
  const auto run = [] { return glossa_program({"--help"}); };
  const auto run_benchmarks = [] { return bench_program({"--help"}); };
  const auto nothing = [](const Outcome&) {};
  CHECK_GT(allocations_of(tiny, run, nothing), 100);  // mappings are far fewer
  CHECK_GT(allocations_of(tiny, run_benchmarks, nothing), 100);
  for (const auto& folder : fs::directory_iterator("/usr/lib")) {
    const fs::path jemalloc = folder.path() / "libjemalloc.so.2";
    std::error_code unreadable;
    if (!fs::exists(jemalloc, unreadable)) continue;  // installed by `./run python`
    setenv("LD_PRELOAD", jemalloc.c_str(), 1);
    const Outcome outcome = run(), of_benchmarks = run_benchmarks();
    unsetenv("LD_PRELOAD");
    succeeded(outcome);
    succeeded(of_benchmarks);
  }
}

TEST_CASE("translate without memory writes a whole output or none") {
  const ServedRun& served = fixture();
  const fs::path output = served.tiny / "output";
  write_bytes(served.tiny / "input", served.lines[0] + "\n" + served.lines[1] + "\n");
  with_failures(
      served.tiny,
      [&] {
        fs::remove(output);
        return glossa_program({"translate", served.run(), "--input", served.tiny / "input", "--output", output});
      },
      [&](const Outcome& outcome) {
        CHECK_EQ(fs::exists(output), outcome.status == 0);
        if (outcome.status == 0)
          CHECK_EQ(read_bytes(output), served.translated[0] + "\n" + served.translated[1] + "\n");
      });
}

TEST_CASE("translate ends with an error under any limit of its address space") {
  const ServedRun& served = fixture();
  for (int kib = 50'000; kib <= 130'000; kib += 2'000) {
    CAPTURE(kib);
    const Outcome outcome =
        run_program({.arguments = {"/bin/sh", "-c", "ulimit -v $0; exec \"$@\"", std::to_string(kib), tested_program(),
                                   "translate", served.run()},
                     .input = served.lines[0] + "\n",
                     .folder = {}});
    CAPTURE(outcome.err);
    if (outcome.status == 0) CHECK_EQ(outcome.out, served.translated[0] + "\n");
    if (outcome.status == 1) CHECK((is_by_libgomp(outcome) || outcome.err.find("glossa: [") != std::string::npos));
    CHECK((outcome.status == 0 || outcome.status == 1 || outcome.status == 127));  // 127: its libraries do not fit
  }
}

TEST_CASE("export and import without memory write whole files or none") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const fs::path file = tiny / "a.safetensors", imported = tiny / "imported";
  succeeded(glossa_program({"export", tiny / "run", "--safetensors", tiny / "whole.safetensors"}));
  const std::string whole = read_bytes(tiny / "whole.safetensors");
  with_failures(
      tiny,
      [&] {
        fs::remove(file);
        return glossa_program({"export", tiny / "run", "--safetensors", file});
      },
      [&](const Outcome& outcome) {
        if (outcome.status == 0) CHECK(fs::exists(file));
        if (fs::exists(file)) CHECK_EQ(read_bytes(file) == whole, true);
      });
  const auto weights = [&](const std::string& run) {
    return tiny.hashes(run).substr(tiny.hashes(run).find(' ') + 1, 64);
  };
  const std::string expected = weights("run");
  with_failures(
      tiny,
      [&] {
        fs::remove_all(imported);
        return glossa_program({"import", tiny / "whole.safetensors", tiny / "tiny.yaml", "--run", imported});
      },
      [&](const Outcome& outcome) {
        if (outcome.status == 0 || fs::exists(imported / "checkpoints/last")) CHECK_EQ(weights("imported"), expected);
      });
}

TEST_CASE("training without memory can be resumed, with the bits of an undisturbed run") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=6", "train.save_every=2u"};
  succeeded(tiny.train("whole", sets));
  const std::string expected = tiny.hashes("whole");
  const auto check = [&](const Outcome& outcome) {
    if (outcome.status == 1 && fs::exists(tiny / "run/checkpoints/last")) succeeded(tiny.resume("run", sets));
    if (outcome.status == 0 || fs::exists(tiny / "run/checkpoints/last")) CHECK_EQ(tiny.hashes("run"), expected);
  };
  with_failures(
      tiny,
      [&] {
        fs::remove_all(tiny / "run");
        return tiny.train("run", sets);
      },
      check);
  succeeded(tiny.train("begun", {"train.max_updates=3", "train.save_every=2u"}));
  with_failures(
      tiny,
      [&] {
        fs::remove_all(tiny / "run");
        fs::copy(tiny / "begun", tiny / "run", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        return tiny.resume("run", sets);
      },
      check);
}

TEST_CASE("the server without memory answers or closes the connection, and ends when it should") {
  const ServedRun& served = fixture();
  const auto serve = [&](bool is_asked) {
    Program program({.arguments = {tested_program(), "serve", served.run(), "--port", "0", "--timeout", "2"},
                     .input = {},
                     .folder = {}});
    static const std::regex address(R"(listening on http://[^:]*:(\d+)\n)");
    std::smatch match;
    std::string printed;
    while (program.running() && !std::regex_match(printed = program.printed(), match, address))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const bool is_listening = program.running();
    if (is_asked && is_listening) {
      const Answer answer = ask(std::stoi(match[1]), post("/translate", translation(served.lines[0])));
      CHECK((answer.status == 0 || answer.status == 200 || answer.status == 500 || answer.status == 503));
      if (answer.status == 200) CHECK_EQ(json_object(answer.body).at("translatedText"), in_json(served.translated[0]));
    }
    const bool has_ended = !program.running();
    program.signal(SIGTERM);
    const Outcome outcome = program.wait();
    if (has_ended && is_listening) CHECK(is_by_libgomp(outcome));
    return outcome;
  };
  const auto nothing = [](const Outcome&) {};
  const auto start = [&] { return serve(false); };
  const auto request = [&] { return serve(true); };
  with_failures(served.tiny, start, nothing);
  with_failures(served.tiny, request, nothing, allocations_of(served.tiny, start, nothing));
}
