#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace glossa::testing {

/// Results of a program that has ended.
struct Outcome {
  int status = -1;  ///< exit status, or 128 + the signal that ended it
  std::string out, err;
};

/// Settings for starting a program.
struct Launch {
  std::vector<std::string> arguments;  ///< the program's path comes first
  std::string input;                   ///< its standard input
  std::filesystem::path folder;        ///< its working directory; empty means the test's
  int error = -1;                      ///< descriptor for its standard error; -1 means an unnamed file
  bool unprivileged = false;           ///< run as nobody if the test runs as root, so that permissions apply
};

/// A child process. Its standard output and error go to unnamed files, so that it never waits for a reader. The
/// destructor kills it if it still runs.
class Program {
 public:
  explicit Program(const Launch& launch);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool running();
  Outcome wait();

  /// Its standard output so far.
  std::string printed() const;

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1, wait_status_ = 0;
  bool ended_ = false;
};

/// The program under test: the one built with the tests, or the one named by the environment variable GLOSSA_PROGRAM.
std::string tested_program();

/// True if the tested program is built with AddressSanitizer, which makes it slow and changes its memory use.
bool program_is_sanitized();

/// Runs a program to its end.
Outcome run_program(const Launch& launch);

/// Runs glossa to its end.
Outcome glossa_program(std::vector<std::string> arguments, const std::string& input = {});

/// The program glossa-bench that is built with the tests.
std::string benchmarks();

/// Runs glossa-bench to its end.
Outcome bench_program(std::vector<std::string> arguments);

}  // namespace glossa::testing
