#include "data/text/stored_text.h"

#include <doctest/doctest.h>

#include "data/text/text_file.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a path may lead into a zip archive") {
  const TemporaryFolder folder;
  const std::string gzipped = folder / "gzipped";
  write_gzip(gzipped, "packed twice\n");
  const std::string archive = folder.write(
      "en-es.txt.zip",
      zip_archive({{"README", "x"}, {"Corpus.en-es.en", "one\ntwo\n"}, {"deep/a.es.gz", read_file(gzipped)}}));
  const std::string member = archive + "/Corpus.en-es.en";
  REQUIRE(archive_member(member));
  CHECK_EQ(archive_member(member)->archive, archive);
  CHECK_EQ(archive_member(member)->member, "Corpus.en-es.en");
  CHECK_EQ(file_of_text(member), archive);
  CHECK_EQ(file_of_text("none.zip/x"), "none.zip/x");
  CHECK(read_lines(member) == std::vector<std::string>{"one", "two"});
  CHECK(read_lines(resolve(archive + "/deep/a.es")) == std::vector<std::string>{"packed twice"});
  CHECK_EQ(text_bytes(member), 8);
  CHECK(text_exists(member));
  CHECK_FALSE(text_exists(archive + "/Corpus.en-es.es"));
  CHECK_EQ(text_bytes(archive + "/Corpus.en-es.es"), 0);
  CHECK(find_text(archive + "/deep/a.es") == archive + "/deep/a.es.gz");
  CHECK_FALSE(find_text(archive + "/deep/a"));
  CHECK(contains(error_of<Error>([&] { read_lines(archive + "/Corpus.en-es.es"); }),
                 archive + "] expected 'Corpus.en-es.es' in the archive; not found"));
}

TEST_CASE("a folder may have the name of an archive") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.zip");
  CHECK_FALSE(archive_member(folder.write("folder.zip/corpus.en", "text\n")));
  CHECK(read_lines(folder / "folder.zip/corpus.en").front() == "text");
}

TEST_CASE("a member that cannot be unpacked matters only if it is read, and a replaced archive is opened anew") {
  const TemporaryFolder folder;
  std::string archive = zip_archive({{"secret", "x"}, {"a.en", "one\n"}});
  const std::size_t entry = archive.find("PK\x01\x02");
  archive[entry + 8] = 1;  // encrypted
  const std::string path = folder.write("a.zip", archive);
  CHECK(read_lines(path + "/a.en").front() == "one");
  CHECK(contains(error_of<Error>([&] { read_lines(path + "/secret"); }),
                 "a.zip] expected 'secret' to be stored or deflated, not encrypted; got another form. Hint: unzip"));
  folder.write("a.zip", zip_archive({{"a.en", "two words\n"}}));
  CHECK(read_lines(path + "/a.en").front() == "two words");
}

TEST_CASE("damaged archives and members are errors that name the archive") {
  const TemporaryFolder folder;
  const std::string good = zip_archive({{"a.en", std::string(3000, 'x') + "\n"}});
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const std::string path = folder.write("a.zip", damaged) + "/a.en";
    CAPTURE(i);
    std::vector<std::string> lines;
    const std::string error = error_of<Error>([&] { lines = read_lines(path); });
    CHECK((contains(error, "a.zip") || lines == std::vector<std::string>{std::string(3000, 'x')}));
  }
  CHECK_EQ(text_bytes(folder.write("b.zip", good.substr(0, 40)) + "/a.en"), 0);
}
