// The installed program and libraries work without the source tree.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path tree = GLOSSA_SOURCE_DIR, build = fs::path(GLOSSA_BINARY).parent_path();

Outcome cmake(Strings arguments, const fs::path& folder) {
  arguments.insert(arguments.begin(), GLOSSA_CMAKE);
  return run_program({.arguments = std::move(arguments), .input = {}, .folder = folder});
}

/// `cmake --install` into a folder, once for all tests.
const TemporaryFolder& installed() {
  static const TemporaryFolder folder;
  static const Outcome done = cmake({"--install", build, "--prefix", folder.path()}, folder.path());
  REQUIRE_MESSAGE(done.status == 0, done.err);
  return folder;
}

std::string prefix() { return "-DCMAKE_PREFIX_PATH=" + installed().path().string(); }

/// The line of compile_commands.json, in the folder `commands`, that compiles `file`.
std::string command_of(const fs::path& commands, const std::string& file) {
  const std::string text = read_bytes(commands / "compile_commands.json");
  const std::size_t place = text.find(file), begin = text.rfind("\"command\"", place);
  REQUIRE_NE(place, text.npos);
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// All files below a folder, as paths relative to it.
std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) files.insert(fs::relative(entry.path(), folder));
  return files;
}

/// The installed file whose path ends with `end`.
fs::path file_that_ends(const std::string& end) {
  for (const std::string& file : files_below(installed().path()))
    if (("/" + file).ends_with("/" + end)) return installed() / file;
  FAIL("not installed: ", end);
  return {};
}

}  // namespace

TEST_CASE("everything is installed, and no installed file names the source or build folder") {
  const std::set<std::string> files = files_below(installed().path());
  CHECK_GT(files.size(), 150);
  for (const char* end :
       {"man1/glossa.1.gz", "completions/glossa", "_glossa", "recipes/toy.yaml", "LICENSE", "CHANGELOG.md", "README.md",
        "docs/options.md", "examples/own_op.cpp", "glossaConfig.cmake", "libglossa_train.a"})
    CHECK_FALSE(file_that_ends(end).empty());
  CHECK_EQ(std::ranges::count_if(files, [](const std::string& file) { return file.starts_with("bin/"); }), 1);
  std::size_t headers = 0;
  for (const char* folder : {"base", "autograd", "layers", "optim", "data", "decoding", "config", "train", "exchange",
                             "evaluation", "pages", "report"})
    for (const auto& entry : fs::recursive_directory_iterator(tree / folder))
      headers +=
          entry.path().extension() == ".h" && files.contains("include/glossa" / fs::relative(entry.path(), tree));
  CHECK_EQ(headers,
           std::count_if(files.begin(), files.end(), [](const std::string& file) { return file.ends_with(".h"); }));
  CHECK_GT(headers, 100);
  for (const std::string& file : files) {
    const std::string bytes = read_bytes(installed() / file);
    CAPTURE(file);
    CHECK_EQ(bytes.find(tree.string() + "/"), bytes.npos);
    CHECK_EQ(bytes.find(build.string()), bytes.npos);
  }
  const Outcome page =
      run_program({.arguments = {"/bin/bash", "-c", "gzip -dc \"$0\"", file_that_ends("man1/glossa.1.gz")},
                   .input = {},
                   .folder = {}});
  CHECK_EQ(succeeded(page).out, glossa_program({"manual"}).out);
}

TEST_CASE("the installed program runs, as one process and as several") {
  const fs::path program = installed() / "bin/glossa";
  const auto run = [&](Strings arguments) {
    return succeeded(run_program({.arguments = std::move(arguments), .input = {}, .folder = installed().path()})).out;
  };
  CHECK_EQ(run({program, "--version"}), glossa_program({"--version"}).out);
  CHECK_NE(run({program, "train", file_that_ends("recipes/toy.yaml"), "--dump-config"}).find("toy:50000"),
           std::string::npos);
  if (!fs::exists(build / "libglossa_mpi.so")) {
    MESSAGE("skipped: built without MPI");
    return;
  }
  CHECK_EQ(file_that_ends("glossa/libglossa_mpi.so").parent_path().filename(), "glossa");
  for (const char* allowed : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(allowed, "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);  // also on one core
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
  const TinyRun tiny;
  const Strings sets{"train.accumulate=2", "train.max_updates=2"};
  Strings several{"/usr/bin/mpirun", "--bind-to", "none", "-n", "2", program};
  std::ranges::copy(tiny.train_arguments("several", sets), std::back_inserter(several));
  run(several);
  CHECK_NE(read_bytes(tiny / "several/train.log").find("2 processes"), std::string::npos);
  succeeded(tiny.train("one", sets));
  CHECK_EQ(tiny.hashes("several"), tiny.hashes("one"));
}

TEST_CASE("another project finds, links and runs the installed libraries, and every header compiles there") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const fs::path folder = tiny / "outside";
  fs::copy(tree / "tests/outside", folder);
  std::string headers;
  for (const std::string& file : files_below(installed() / "include/glossa")) headers += "#include \"" + file + "\"\n";
  write_bytes(folder / "headers.cpp", headers);
  write_bytes(folder / "CMakeLists.txt",
              read_bytes(folder / "CMakeLists.txt") +
                  "add_library(headers OBJECT headers.cpp)\ntarget_link_libraries(headers PRIVATE glossa::train)\n"
                  "target_compile_options(headers PRIVATE -fsyntax-only -Wall -Wextra -Werror)\n");
  const Outcome configured = cmake({"-S", ".", "-B", "build", prefix(), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"}, folder);
  REQUIRE_MESSAGE(configured.status == 0, configured.err);
  CHECK_NE(configured.err.find("CMAKE_BUILD_TYPE is not set"), std::string::npos);
  for (const auto& row : {std::pair("-O0", true), {"-O", false}, {"-O2", false}}) {
    const char* const flag = row.first;
    CAPTURE(flag);
    const Outcome outcome = cmake(
        {"-S", ".", "-B", std::string("build") + flag, prefix(), std::string("-DCMAKE_CXX_FLAGS=") + flag}, folder);
    CHECK_EQ(outcome.err.find("CMAKE_BUILD_TYPE is not set") != std::string::npos, row.second);
  }
  const Outcome built = cmake({"--build", "build", "--parallel", "2"}, folder);
  REQUIRE_MESSAGE(built.status == 0, built.out, built.err);
  const std::string sentence = "how are you";
  const Outcome outcome = succeeded(
      run_program({.arguments = {folder / "build/outside", tiny / "run", sentence}, .input = {}, .folder = folder}));
  CHECK_EQ(outcome.out, "4\n" + succeeded(glossa_program({"translate", tiny / "run"}, sentence + "\n")).out);
  // Headers contain vector loops, so their users are compiled for the instruction set of the libraries.
  const auto instruction_set = [](const fs::path& commands, const std::string& file) {
    const std::string command = command_of(commands, file);
    const std::size_t flag = command.find("-march=");
    return command.substr(flag, command.find(' ', flag) - flag);
  };
  CHECK_EQ(instruction_set(folder / "build", "main.cpp"), instruction_set(build, "glossa_optim.dir"));
}

TEST_CASE(
    "the CMakeLists.txt of docs/cpp.md builds, optimized and without the trainer, a program that saves and loads") {
  const TemporaryFolder folder;
  const std::string page = read_bytes(tree / "docs/cpp.md");
  const std::size_t begin = page.find("```cmake\n") + 9, end = page.find("```\n", begin);
  REQUIRE_LT(begin, end);
  folder.write("CMakeLists.txt", page.substr(begin, end - begin));
  folder.write("main.cpp", read_bytes(tree / "docs/examples/saving.cpp"));
  Strings configure{"-S", ".", "-B", "build", prefix(), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "--no-warn-unused-cli"};
  for (const char* needless : {"EXPAT", "ZLIB", "yaml-cpp", "PkgConfig"})
    configure.push_back(std::string("-DCMAKE_DISABLE_FIND_PACKAGE_") + needless + "=ON");
  const Outcome configured = cmake(configure, folder.path());
  REQUIRE_MESSAGE(configured.status == 0, configured.err);
  CHECK_EQ(configured.err, "");  // in particular no warning of a missing build type
  CHECK_NE(command_of(folder / "build", "main.cpp").find(" -O3 "), std::string::npos);
  const Outcome built = cmake({"--build", "build"}, folder.path());
  REQUIRE_MESSAGE(built.status == 0, built.out, built.err);
  const Launch launch{.arguments = {folder / "build/app", "file"}, .input = {}, .folder = folder.path()};
  CHECK(succeeded(run_program(launch)).out.starts_with("update 500  loss "));
  CHECK(succeeded(run_program(launch)).out.starts_with("update 1000  loss "));
}

TEST_CASE("the short program of docs/translating.md prints what glossa translate prints") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string text = "how are you\n\nhello world\n";
  const Outcome outcome = succeeded(run_program(
      {.arguments = {build / "example_translate_with_a_run", tiny / "run"}, .input = text, .folder = tiny.path()}));
  CHECK_EQ(outcome.out, succeeded(glossa_program({"translate", tiny / "run"}, text)).out);

  const Outcome failed = run_program(
      {.arguments = {build / "example_translate_with_a_run", tiny / "none"}, .input = text, .folder = tiny.path()});
  CHECK_EQ(failed.status, 1);  // not that of std::terminate
  CHECK_MESSAGE(failed.err.starts_with("["), failed.err);
  CHECK_NE(failed.err.find("none"), std::string::npos);
}

TEST_CASE("the program of docs/cpp.md that trains prints its own lines only, and resumes to the same bits") {
  const TemporaryFolder folder;
  const Outcome outcome = succeeded(run_program(
      {.arguments = {build / "example_train_from_code", folder.path()}, .input = {}, .folder = folder.path()}));
  CHECK_EQ(outcome.err, "");
  const Strings lines = lines_of(outcome.out);
  REQUIRE_GE(lines.size(), 6);
  for (const std::string& line : lines)
    CHECK_MESSAGE((line.starts_with("update ") || line == "stopped" || line == lines.back()), line);
  CHECK_EQ(std::ranges::count(lines, "stopped"), 1);
  CHECK_EQ(lines.back(), "the resumed run has the same bits as the undisturbed one");
}

TEST_CASE("a project with glossa as a subdirectory keeps its own settings, and gets C++20 and no tests") {
  const TemporaryFolder folder;
  folder.write("main.cpp", "int main() {}\n");
  folder.write("CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.22)\nproject(parent LANGUAGES CXX)\n"
               "add_subdirectory(" +
                   tree.string() + " glossa)\n" + R"(
foreach(name CMAKE_BUILD_TYPE CMAKE_CXX_STANDARD CMAKE_CXX_EXTENSIONS CMAKE_POSITION_INDEPENDENT_CODE)
  if(NOT "${${name}}" STREQUAL "")
    message(FATAL_ERROR "${name} is ${${name}}")
  endif()
endforeach()
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
if(options OR TARGET test_autograd OR TARGET example_own_op OR TARGET glossa-bench OR CMAKE_CXX_COMPILER_LAUNCHER OR
   CMAKE_RUNTIME_OUTPUT_DIRECTORY OR CMAKE_UNITY_BUILD_BATCH_SIZE OR TARGET glossa_texts)
  message(FATAL_ERROR "glossa adds options or targets: ${options}")
endif()
add_executable(app main.cpp)
target_link_libraries(app PRIVATE glossa::train glossa::optim glossa::layers glossa::data glossa::autograd)
install(TARGETS app)
)");
  const Outcome configured = cmake({"-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"}, folder.path());
  REQUIRE_MESSAGE(configured.status == 0, configured.err);
  CHECK_EQ(configured.err, "");
  const std::string commands = read_bytes(folder / "build/compile_commands.json");
  const std::size_t begin = commands.find("CMakeFiles/app.dir"), line = commands.rfind("\"command\"", begin);
  const std::string command = commands.substr(line, commands.find('\n', line) - line);
  CHECK_NE(command.find("++20"), std::string::npos);
  CHECK_NE(command.find("-march="), std::string::npos);
  CHECK_EQ(command.find("-Wall"), std::string::npos);
  const std::string install = read_bytes(folder / "build/glossa/cmake_install.cmake");
  CHECK_EQ(install.find("include/glossa"), std::string::npos);
}
