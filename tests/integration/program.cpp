#include "tests/integration/program.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/temporary_folder.h"

namespace glossa::testing {
namespace {

constexpr uid_t nobody = 65534;

/// An unnamed file.
int anonymous_file(const std::string& bytes = {}) {
  std::string name = std::filesystem::temp_directory_path() / "glossa-stream-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor == -1 || unlink(name.c_str()) == -1) throw std::runtime_error("cannot create a temporary file");
  if (write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
      lseek(descriptor, 0, SEEK_SET) != 0)
    throw std::runtime_error("cannot write a temporary file");
  return descriptor;
}

std::string bytes_of(int descriptor) {
  std::string bytes(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
  if (pread(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("cannot read a temporary file");
  return bytes;
}

}  // namespace

Program::Program(const Launch& launch) : out_(anonymous_file()), err_(anonymous_file()) {
  std::vector<char*> arguments;
  for (const std::string& argument : launch.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int in = anonymous_file(launch.input);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in, STDIN_FILENO);
    dup2(out_, STDOUT_FILENO);
    dup2(launch.error >= 0 ? launch.error : err_, STDERR_FILENO);
    if (!launch.folder.empty() && chdir(launch.folder.c_str()) == -1) _exit(126);
    if (launch.unprivileged && geteuid() == 0 &&
        (setgroups(0, nullptr) == -1 || setgid(nobody) == -1 || setuid(nobody) == -1))
      _exit(126);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(in);
  if (pid_ == -1) throw std::runtime_error("fork failed");
}

Program::~Program() {
  if (!ended_) {
    signal(SIGKILL);
    wait();
  }
  close(out_);
  close(err_);
}

void Program::signal(int number) const { kill(pid_, number); }

bool Program::running() {
  if (!ended_) ended_ = waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  return !ended_;
}

std::string Program::printed() const { return bytes_of(out_); }

Outcome Program::wait() {
  if (!ended_) ended_ = waitpid(pid_, &wait_status_, 0) == pid_;
  const int status = WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  return {status, bytes_of(out_), bytes_of(err_)};
}

std::string tested_program() {
  const char* other = std::getenv("GLOSSA_PROGRAM");
  return other != nullptr ? other : GLOSSA_BINARY;
}

bool program_is_sanitized() { return read_bytes(tested_program()).find("__asan_init") != std::string::npos; }

Outcome run_program(const Launch& launch) { return Program(launch).wait(); }

Outcome glossa_program(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), tested_program());
  return run_program({.arguments = std::move(arguments), .input = input, .folder = {}});
}

std::string benchmarks() { return std::filesystem::path(GLOSSA_BINARY).parent_path() / "glossa-bench"; }

Outcome bench_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), benchmarks());
  return run_program({.arguments = std::move(arguments), .input = {}, .folder = {}});
}

}  // namespace glossa::testing
