#include "base/atomic_file.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/check.h"
#include "tests/support/small_disk.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

using Names = std::vector<std::string>;

TEST_CASE("a file is written or replaced, with the permissions of the umask") {
  const TemporaryFolder folder;
  const auto path = folder / "a.txt";
  write_file_atomically(path, "first");
  CHECK(read_bytes(path) == "first");
  write_file_atomically(path, "");
  CHECK(read_bytes(path) == "");

  const mode_t old = umask(027);
  write_file_atomically(path, "third");
  umask(old);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(names_in(folder.path()) == Names{"a.txt"});
}

TEST_CASE("a relative name is written in the current folder") {
  const TemporaryFolder folder;
  const auto before = fs::current_path();
  fs::current_path(folder.path());
  write_file_atomically("b.txt", "text");
  fs::current_path(before);
  CHECK(read_bytes(folder / "b.txt") == "text");
}

TEST_CASE("a relative name in a current folder that was removed is an error") {
  const TemporaryFolder folder;
  const auto before = fs::current_path();
  fs::create_directory(folder / "sub");
  fs::current_path(folder / "sub");
  fs::remove(folder / "sub");
  const std::string error = error_of<Error>([&] { write_file_atomically("b.txt", "text"); });
  fs::current_path(before);
  CHECK(error.starts_with("[b.txt] cannot find the current folder: No such file"));
}

TEST_CASE("a file that is not committed, is incomplete or is refused by its reader leaves no trace") {
  const TemporaryFolder folder;
  const auto path = folder / "a.txt";
  write_file_atomically(path, "old");
  const std::string text = "new";
  const auto bytes = std::as_bytes(std::span(text));
  {
    AtomicFile file(path, 3);
    file.write(bytes);
    const Names during = names_in(folder.path());
    REQUIRE(during.size() == 2);
    CHECK(is_temporary_name(during[0]));
    CHECK_FALSE(is_temporary_name(during[1]));
  }
  {
    AtomicFile file(path, 4);
    file.write(bytes);
    CHECK_THROWS_AS(file.commit(), Error);
  }
  {
    AtomicFile file(path, 2);
    CHECK_THROWS_AS(file.write(bytes), Error);
  }
  {
    AtomicFile file(path, 3);
    file.write(bytes);
    CHECK_THROWS_AS(file.commit([&](const fs::path& written) { fail(written.string(), "expected more; got less"); }),
                    Error);
  }
  CHECK(read_bytes(path) == "old");
  CHECK(names_in(folder.path()) == Names{"a.txt"});
}

TEST_CASE("a temporary file in the way is not touched") {
  const TemporaryFolder folder;
  const auto path = folder / "a.txt";
  std::string in_the_way;
  {
    AtomicFile file(path, 0);
    in_the_way = names_in(folder.path()).at(0);
  }
  write_bytes(folder / in_the_way, "somebody else's");
  write_file_atomically(path, "mine");
  CHECK(read_bytes(folder / in_the_way) == "somebody else's");
  CHECK(read_bytes(path) == "mine");
}

TEST_CASE("a missing folder, a folder in the way and a long name are errors that name the file") {
  const TemporaryFolder folder;
  const auto error_for = [&](const fs::path& path) {
    return error_of<Error>([&] { write_file_atomically(path, "x"); });
  };

  CHECK(error_for(folder / "none/a.txt") ==
        fmt::format("[{0}/none/a.txt] cannot create the file: No such file or directory. Hint: create the folder "
                    "{0}/none first",
                    folder.path().string()));

  fs::create_directory(folder / "sub");
  CHECK(error_for(folder / "sub").find("got a folder") != std::string::npos);
  CHECK(error_for("") ==
        "[path] expected the name of a file or folder; got ''. Hint: name one, such as 'weights.safetensors'");
  CHECK(error_of<Error>([&] { create_folder(""); }).starts_with("[path] expected the name of a file or folder"));
  CHECK(error_for("/proc/a.txt") ==
        "[/proc/a.txt] cannot create the file: the folder does not take "
        "new files. Hint: choose another folder");
  CHECK(error_for(folder / std::string(300, 'n')).find("File name too long") != std::string::npos);
  CHECK(names_in(folder.path()) == Names{"sub"});
}

TEST_CASE("writing to a link replaces the file that it points to, and the link stays") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "elsewhere");
  fs::create_symlink("elsewhere/file", folder / "link");
  for (const char* text : {"made", "written over"}) {
    write_file_atomically(folder / "link", text);
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(read_bytes(folder / "elsewhere/file") == text);
  }
}

TEST_CASE("a device or a pipe is not replaced by a file") {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(error_of<Error>([&] {
          write_file_atomically(pipe, "text");
        }).starts_with("[" + pipe.string() + "] expected the name of a file; got a device or a pipe"));
  CHECK(fs::is_fifo(pipe));
  CHECK(names_in(folder.path()) == Names{"pipe"});
}

TEST_CASE("without permission the error says so, and the previous file stays") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "old");
  fs::permissions(folder.path(), fs::perms{0555});
  std::string text;
  {
    const Unprivileged user;
    text = error_of<Error>([&] { write_file_atomically(folder / "a.txt", "new"); });
  }
  fs::permissions(folder.path(), fs::perms{0755});
  CHECK(text.find("Permission denied. Hint") != std::string::npos);
  CHECK(read_bytes(folder / "a.txt") == "old");
  CHECK(names_in(folder.path()) == Names{"a.txt"});
}

TEST_CASE("exceeding the file size limit is an error, not a signal") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "old");
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  rlimit tight = old;
  tight.rlim_cur = 1000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const std::string text = error_of<Error>([&] { write_file_atomically(folder / "a.txt", std::string(1001, 'x')); });
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK(text.find("1001 bytes needed") != std::string::npos);
  CHECK(read_bytes(folder / "a.txt") == "old");
  CHECK(names_in(folder.path()) == Names{"a.txt"});
}

TEST_CASE("a full disk is reported with needed and free bytes, the previous file stays, and a retry may work") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder.path(), "128k");
  if (!disk.mounted()) {
    MESSAGE("SKIPPED: a small tmpfs cannot be mounted, so a full disk is not tested");
    return;
  }
  write_file_atomically(folder / "a.txt", "old");
  for (int free_pages = 0; free_pages <= 15; ++free_pages) {
    fs::remove(folder / "filler");
    write_file_atomically(folder / "filler", std::string(128 * 1024 - 4096 * (free_pages + 1), 'f'));
    const std::string text = error_of<Error>([&] { write_file_atomically(folder / "a.txt", std::string(65536, 'x')); });
    CAPTURE(free_pages);
    CHECK(text.find("65536 bytes needed, " + std::to_string(4096 * free_pages) + " free") != std::string::npos);
    CHECK(read_bytes(folder / "a.txt") == "old");
    CHECK(names_in(folder.path()) == Names{"a.txt", "filler"});
  }
  fs::remove(folder / "filler");
  write_file_atomically(folder / "a.txt", std::string(65536, 'x'));
  CHECK(fs::file_size(folder / "a.txt") == 65536);
}

TEST_CASE("a link is created and replaced; a failure leaves the old one") {
  const TemporaryFolder folder;
  replace_link(folder / "last", "one");
  CHECK(fs::read_symlink(folder / "last") == "one");
  replace_link(folder / "last", "two");
  CHECK(fs::read_symlink(folder / "last") == "two");
  fs::create_directory(folder / "folder");
  CHECK_THROWS_AS(replace_link(folder / "folder", "three"), Error);
  CHECK_THROWS_AS(replace_link(folder / "none" / "last", "three"), Error);
  CHECK(names_in(folder.path()) == Names{"folder", "last"});
}

TEST_CASE("a folder is created with its parents, even if a parent may not be read") {
  const TemporaryFolder folder;
  create_folder(folder / "a/b/c/");
  CHECK(fs::is_directory(folder / "a/b/c"));
  CHECK_NOTHROW(create_folder(folder / "a/b/c"));
  write_bytes(folder / "file", "");
  CHECK(error_of<Error>([&] { create_folder(folder / "file/d"); }).find((folder / "file").string()) !=
        std::string::npos);
  fs::permissions(folder.path(), fs::perms{0333});
  {
    const Unprivileged user;
    CHECK_NOTHROW(create_folder(folder / "d"));
  }
  fs::permissions(folder.path(), fs::perms{0755});
  CHECK(fs::is_directory(folder / "d"));
}
