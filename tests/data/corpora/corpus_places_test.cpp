#include "data/corpora/corpus_places.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "data/corpora/datasets.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A project with a corpus and a run that began in the project's folder.
struct Project {
  Project() {
    fs::create_directories(folder / "project/text");
    fs::create_directories(folder / "project/runs/mine");
    folder.write("project/text/a.en", "one\ntwo\nthree\n");
    folder.write("project/text/a.de", "eins\nzwei\ndrei\n");
    folder.write("project/text/b.tsv", "one\teins\n");
    record_origin(folder / "project/runs/mine", folder / "project");
    data.tokenizer = DataConfig::Tokenizer::words;
    data.train = "text/a";
    data.test = "text/b.tsv";
  }
  TemporaryFolder folder;
  DataConfig data;
};

}  // namespace

TEST_CASE("a run's corpora are found from any folder, also after a move") {
  const Project project;
  const fs::path folder = project.folder.path();
  for (const char* name : {"project", "moved"}) {
    if (!fs::exists(folder / name)) fs::rename(folder / "project", folder / name);
    const CorpusPlaces places(folder / name / "runs/mine");
    CHECK_EQ(places.find("text/a", project.data), (folder / name / "text/a").string());
    CHECK_EQ(places.find((folder / "project/text/a").string(), project.data), (folder / name / "text/a").string());
    CHECK_EQ(places.working_folder(), folder / name);
    const Corpora corpora = read_corpora(project.data, 1, places);
    CHECK_EQ(corpora.training.source.size(), 3);
    CHECK_EQ(corpora.training.name, "text/a");  // as from the folder where training began
    CHECK_EQ(corpora.training.source_name, (folder / name / "text/a.en").string());
    CHECK_EQ(read_test_corpus(project.data, 1, places).source.size(), 1);
  }
  CHECK_EQ(CorpusPlaces().find("text/a", project.data), "text/a");
}

TEST_CASE("so are the folders and patterns of a run, in a folder with any name") {
  Project project;
  const fs::path folder = project.folder.path();
  project.folder.write("project/text/c.en.gz", "");
  fs::rename(folder / "project", folder / "[1] moved*");
  const CorpusPlaces places(folder / "[1] moved*/runs/mine");
  for (const char* name : {"text", "text/[ab]*"}) {
    CAPTURE(name);
    fs::remove(folder / "[1] moved*/text/c.en.gz");
    CHECK_EQ(places.find(name, project.data), (folder / "[1] moved*" / name).string());
    project.data.train = name;
    const Corpora corpora = read_corpora(project.data, 1, places);
    CHECK_EQ(corpora.training.source, std::vector<std::string>{"one", "two", "three", "one"});
    CHECK_EQ(corpora.training.name, name);
  }
  const std::string error = error_of<Error>([&] { places.find("text/d*", project.data); });
  CHECK_NE(error.find("looked for " + (folder / "project/text/d*").string() + ", "), error.npos);
}

TEST_CASE("a run's corpus that is missing is an error with the places looked at") {
  const Project project;
  const fs::path folder = project.folder.path();
  fs::rename(folder / "project/runs", folder / "runs");
  fs::remove_all(folder / "project");
  const CorpusPlaces places(folder / "runs/mine");
  const std::string error = error_of<Error>([&] { read_corpora(project.data, 1, places); });
  CHECK_EQ(error, fmt::format("[text/a] cannot find the run's corpus: looked for {0}/project/text/a.en, "
                              "{0}/text/a.en, {1}/text/a.en. Hint: move it to one of these places",
                              folder.string(), fs::current_path().string()));
  project.folder.write("runs/mine/origin.txt", "here\n");
  CHECK(error_of<Error>([&] { CorpusPlaces(folder / "runs/mine"); }).starts_with("[" + (folder / "runs").string()));
  fs::remove(folder / "runs/mine/origin.txt");  // a run of an older version
  CHECK_EQ(CorpusPlaces(folder / "runs/mine").find("text/a", project.data), "text/a");
}
