#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace glossa::testing {

/// What a program that has ended left behind.
struct Outcome {
  int status = -1;  ///< exit status, or 128 + the signal that ended it
  std::string out, err;
};

/// How to start a program.
struct Launch {
  std::vector<std::string> arguments;  ///< the program's path comes first
  std::string input;                   ///< its standard input
  std::filesystem::path folder;        ///< where it runs; empty: here
  int error = -1;                      ///< descriptor of its standard error; -1: a file of its own
  bool unprivileged = false;           ///< as nobody where the test runs as root, so that permissions count
};

/// A child process; standard output and error go to unnamed files, so that it never waits for a reader. Destroyed, it
/// kills what still runs.
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

  /// What it has written to standard output so far.
  std::string printed() const;

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1, wait_status_ = 0;
  bool ended_ = false;
};

/// The program under test: the one built with the tests, or the one that the environment variable GLOSSA_PROGRAM names.
std::string tested_program();

/// Whether that one is built with AddressSanitizer: slow, and with a memory of its own.
bool program_is_sanitized();

/// Runs a program to its end.
Outcome run_program(const Launch& launch);

/// Runs glossa to its end.
Outcome glossa_program(std::vector<std::string> arguments, const std::string& input = {});

}  // namespace glossa::testing
