#include "data/found_corpora.h"

#include <doctest/doctest.h>

#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Names = std::vector<std::string>;

namespace {

/// A folder with corpora of every form, and files that are none.
struct Mixed : TemporaryFolder {
  Mixed() {
    for (const char* name : {"b.en", "b.de", "a-2.en.gz", "a-2.de.zst", "a-10.en", "a-10.de.gz", "pairs.tsv.gz",
                             "memory.TMX", "b.fr", "README", ".hidden.en"})
      write(name, "");
    write("opus.zip", zip_archive({{"LICENSE", ""}, {"x.de", "y\n"}, {"x.en", "x\n"}, {"sub/t.tsv", ""}}));
    std::filesystem::create_directory(*this / "sub");
    write("sub/c.en", "");
    write("sub/c.de", "");
  }

  /// Names without the folder.
  Names found(const std::string& name) const { return cut(find(name).names); }
  Names ignored(const std::string& name) const { return cut(find(name).ignored); }
  FoundCorpora find(const std::string& name) const { return find_corpora(*this / name, "en", "de"); }

 private:
  Names cut(Names names) const {
    for (std::string& name : names) name = name.substr(std::string(*this / "").size());
    return names;
  }
};

}  // namespace

TEST_CASE("a folder stands for its corpora, also those in archives, in the order of their names") {
  const Mixed folder;
  CHECK(folder.found("") == Names{"a-10", "a-2", "b", "memory.TMX", "opus.zip/sub/t.tsv", "opus.zip/x", "pairs.tsv"});
  CHECK(folder.ignored("") == Names{"README", "b.fr", "opus.zip/LICENSE", "sub"});
}

TEST_CASE("an archive stands for its corpora") {
  const Mixed folder;
  CHECK(folder.found("opus.zip") == Names{"opus.zip/sub/t.tsv", "opus.zip/x"});
  CHECK(folder.ignored("opus.zip") == Names{"opus.zip/LICENSE"});
}

TEST_CASE("a pattern matches files of either language, common names, tables and folders") {
  const Mixed folder;
  CHECK(folder.found("a-*") == Names{"a-10", "a-2"});
  CHECK(folder.found("a-?") == Names{"a-2"});
  CHECK(folder.found("a-*.en*") == Names{"a-10", "a-2"});
  CHECK(folder.found("a-*.en") == Names{"a-10"});
  CHECK(folder.found("[ab]*") == Names{"a-10", "a-2", "b"});
  CHECK(folder.ignored("[ab]*") == Names{"b.fr"});
  CHECK(folder.found("*.gz") == Names{"a-10", "a-2", "pairs.tsv"});
  CHECK(folder.found("*.zip") == Names{"opus.zip/sub/t.tsv", "opus.zip/x"});
  CHECK(folder.found("s?b") == Names{"sub/c"});
  CHECK(folder.found("s*/c") == Names{"sub/c"});
}

TEST_CASE("brackets in the name of a folder are no pattern") {
  const Mixed folder;
  std::filesystem::create_directory(folder / "[old] text");
  for (const char* name : {"a.en", "a.de", "b.tsv"}) folder.write("[old] text/" + std::string(name), "");
  CHECK(folder.found("[old] text") == Names{"[old] text/a", "[old] text/b.tsv"});
  CHECK(folder.found("[old] text/[ab]") == Names{"[old] text/a"});
}

TEST_CASE("the name of one corpus stands for itself") {
  const Mixed folder;
  const auto several = [&](const std::string& name) { return names_several(folder / name, "en", "de"); };
  for (const char* name : {"b", "pairs.tsv", "missing", "none.zip", "b.en"}) CHECK_FALSE(several(name));
  for (const char* name : {"", "sub", "opus.zip", "a-*", "x[1]"}) CHECK(several(name));
  folder.write("x[1].en", "");
  folder.write("sub.de.zst", "");
  CHECK_FALSE(several("x[1]"));
  CHECK_FALSE(several("sub"));  // files that have the folder's name
}

TEST_CASE("it is known whether there is anything of a name") {
  const Mixed folder;
  const auto exists = [&](const std::string& name) { return has_several(folder / name, "en", "de"); };
  for (const char* name : {"sub", "opus.zip", "a-*", "a-?", "*.tsv*"}) CHECK(exists(name));
  for (const char* name : {"c-*", "a-[3-9]"}) CHECK_FALSE(exists(name));
}

TEST_CASE("what the systems of other people leave in archives and folders is no corpus") {
  const Mixed folder;
  folder.write("mac.zip",
               zip_archive({{"a.en", ""}, {"a.de", ""}, {"__MACOSX/._a.en", ""}, {"sub/", ""}, {".x.de", ""}}));
  CHECK(folder.found("mac.zip") == Names{"mac.zip/a"});
  CHECK(folder.ignored("mac.zip").empty());
  std::filesystem::create_directories(folder / "sub/old.en");
  std::filesystem::create_directories(folder / "sub/x.tsv");
  CHECK(folder.found("sub") == Names{"sub/c"});
  CHECK(folder.ignored("sub") == Names{"sub/old.en", "sub/x.tsv"});
  std::filesystem::create_directory(folder / "sub.en");
  CHECK(names_several(folder / "sub", "en", "de"));
}

TEST_CASE("the same text as two files is refused, because only one would be read") {
  const Mixed folder;
  folder.write("sub/c.en.gz", "");
  CHECK(contains(error_of<Error>([&] { folder.found("sub"); }),
                 fmt::format("sub/c.en] expected one file of this text; got {0} and {0}.gz. Hint: remove one of them",
                             (folder / "sub/c.en").string())));
  CHECK(contains(error_of<Error>([&] { folder.found("sub/*.en.gz"); }), "expected one file of this text; got "));
}

TEST_CASE("files that belong to no corpus may be there twice") {
  const Mixed folder;
  for (const char* name : {"README.gz", "b.fr.zst"}) folder.write(name, "");
  CHECK(folder.ignored("[Rb]*") == Names{"README", "README.gz", "b.fr", "b.fr.zst"});
}

TEST_CASE("nothing found is an error that names what is there") {
  const Mixed folder;
  const auto error = [&](const std::string& name) {
    return error_of<Error>([&] { find_corpora(folder / name, "fi", "sv"); });
  };
  CHECK(contains(error("c-*"), "c-*] expected corpora of fi and sv; got no file. Hint: the names of files end in .fi"));
  CHECK(contains(error("sub"), "got only files such as "));
  CHECK(contains(error("sub"), "sub/c.de, "));
}
