#include "train/prepared/corpus_cache.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/folder.h"
#include "base/random.h"
#include "tests/support/restore_runtime.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// The fixture's run, prepared in a folder of its own.
struct Prepared : TrainerFixture {
  Prepared() {
    config.data.prepare_above = 0;
    config.data.cache = (*this / "cache").string();
    config.train.max_updates = updates(6);
  }

  std::shared_ptr<const PreparedCorpus> get() {
    const Quiet quiet;
    return CorpusCache(config.data).get(config, {}, {});
  }

  /// The prepared folders.
  std::vector<fs::path> folders() const {
    std::vector<fs::path> found;
    for (const CachedCorpus& corpus : CorpusCache(config.data).list()) found.push_back(corpus.folder);
    return found;
  }

  /// Names in the cache that a listing does not show.
  int left_over() const {
    int count = 0;
    for (const std::string& name : glossa::names_in(*this / "cache/corpora"))
      count += name.starts_with(".") && !name.starts_with(".lock-");
    return count;
  }

  void append(const std::string& file, const std::string& text) const {
    std::ofstream(*this / file, std::ios::app) << text;
  }
};

}  // namespace

TEST_CASE("a prepared corpus gives the weights of one in memory, also on resume, with any options of the text") {
  Prepared fixture;
  DataConfig& data = fixture.config.data;
  SUBCASE("plain") {}
  SUBCASE("duplicates dropped") {
    data.train = std::vector{data.train.front(), data.train.front()};
    data.duplicates = DataConfig::Duplicates::drop;
  }
  SUBCASE("pairs held out") {
    data.valid.clear();
    data.split = HeldOut{.valid = 6, .test = 4};
  }
  SUBCASE("pairs held out by the rule, and pairs that are too long") {
    data.valid.clear();
    data.split.reset();
    data.encoding.max_length = 5;
  }
  SUBCASE("a vocabulary of a sample, of each side") {
    data.vocab_sentences = 30;
    data.shared_vocabulary = false;
    fixture.config.model.transformer.tied = Tied::none;
  }
  SUBCASE("drawn subwords, and options that depend on the corpus") {
    data.tokenizer = DataConfig::Tokenizer::sentencepiece;
    data.bpe_dropout = 0.2;
    fixture.config.undecided = {"data.vocab_size", "optim.warmup"};
    fixture.config.optim.schedule.kind = ScheduleOptions::Kind::inverse_sqrt;
  }
  SUBCASE("several corpora with weights, one of them of several files, that lose different numbers of pairs") {
    fs::create_directory(fixture / "folder");
    for (const char* name : {"a", "b"})
      for (const char* language : {"en", "de"})
        std::ofstream(fixture / "folder" / (std::string(name) + "." + language)) << name << " w1\nw2\nw3 w4 w5\n";
    data.train = std::vector<std::string>{data.train.front(), (fixture / "folder").string(), data.train.front()};
    data.batches.weights = {1, 7, 2};
    data.encoding.max_length = 5;
    data.duplicates = DataConfig::Duplicates::drop;
    fixture.config.train.allow.push_back(TrainConfig::Mistake::same_text);
  }
  SUBCASE("a prefix and lower case") {
    data.reading.lowercase = true;
    data.encoding.source_prefix = "w1";
    fixture.append("corpus.en", "W1 END\n");
    fixture.append("corpus.de", "ENDE\n");
  }
  Config in_memory = fixture.config;
  in_memory.data.prepare_above = 1000;
  fixture.train(in_memory, "in memory");
  CHECK(fixture.folders().empty());
  fixture.train(fixture.config, "prepared");
  CHECK_EQ(fixture.folders().size(), 1);
  fixture.train(fixture.config, "found");
  CHECK_EQ(fixture.weights("in memory"), fixture.weights("prepared"));
  CHECK_EQ(fixture.weights("in memory"), fixture.weights("found"));
  Config half = fixture.config;
  half.train.max_updates = updates(3);
  fixture.train(half, "half");
  fixture.train(fixture.config, "half", true);
  CHECK_EQ(fixture.folders().size(), 1);  // the one that the first run made
  CHECK_EQ(fixture.weights("in memory"), fixture.weights("half"));
  fixture.train(half, "begun prepared");
  fixture.train(in_memory, "begun prepared", true);
  CHECK_EQ(fixture.weights("in memory"), fixture.weights("begun prepared"));
}

TEST_CASE("a log of a prepared corpus reports what one in memory does") {
  Prepared fixture;
  fixture.config.data.train = std::vector<std::string>{fixture.config.data.train.front(), "toy:200"};
  fixture.config.data.source = "en";
  fixture.config.data.target = "hi";
  fs::rename(fixture / "corpus.de", fixture / "corpus.hi");
  fixture.config.data.encoding.max_length = 6;
  fixture.append("corpus.en", "w1\n\n");
  fixture.append("corpus.hi", "\nv1\n");
  fs::create_directory(fixture / "folder");
  fixture.append("folder/a.en", "w1\nw2\n");
  fixture.append("folder/a.hi", "v1\nv2\n");
  fixture.append("folder/b.en", "w3\n\n");
  fixture.append("folder/b.hi", "v3\n\n");
  SUBCASE("of two corpora") {}
  SUBCASE("of a folder") {
    fixture.config.data.train =
        std::vector<std::string>{fixture.config.data.train.front(), "toy:200", (fixture / "folder").string()};
  }
  fixture.config.train.allow = {TrainConfig::Mistake::valid_is_train, TrainConfig::Mistake::swapped_sides};
  Config in_memory = fixture.config;
  in_memory.data.prepare_above = 1000;
  const auto head = [&](const Config& config, const std::string& run) {
    const Quiet quiet;
    return fixture.prepared(config, run).task->head();
  };
  CHECK_EQ(head(fixture.config, "prepared"), head(in_memory, "in memory"));
}

TEST_CASE("a log reports held-out pairs, the first pair and training pairs in data.valid as of text in memory") {
  Prepared fixture;
  fixture.config.train.allow = {};
  fixture.append("corpus.en", "apart\n");
  fixture.append("corpus.de", "getrennt\n");
  Config in_memory = fixture.config;
  in_memory.data.prepare_above = 1000;
  const auto head = [&](const Config& config, const std::string& run) {
    const Quiet quiet;
    try {
      return fixture.prepared(config, run).task->head();
    } catch (const Error& error) {
      return std::vector<std::string>{error.what()};
    }
  };
  CHECK_EQ(head(fixture.config, "refused"), head(in_memory, "refused as well"));
  CHECK(doctest::String(head(fixture.config, "refused")[0].c_str()) == doctest::Contains("data.valid"));
  for (Config* config : {&fixture.config, &in_memory}) {
    config->data.valid.clear();
    config->data.split = HeldOut{.valid = 6, .test = 4};
  }
  CHECK_EQ(head(fixture.config, "prepared"), head(in_memory, "in memory"));
  for (Config* config : {&fixture.config, &in_memory}) {
    config->data.split.reset();
    config->data.test = config->data.train.front();
  }
  CHECK_EQ(head(fixture.config, "by rule"), head(in_memory, "by rule, in memory"));
  fixture.config.data.test.clear();
  in_memory.data.test.clear();
  CHECK_EQ(head(fixture.config, "with a test part"), head(in_memory, "with a test part, in memory"));
}

TEST_CASE("a pipe is refused before it is read") {
  Prepared fixture;
  fs::remove(fixture / "corpus.de");
  REQUIRE_EQ(mkfifo((fixture / "corpus.de").c_str(), 0600), 0);
  CHECK_THROWS_WITH_AS(fixture.get(), doctest::Contains("expected a regular file to prepare"), Error);
}

TEST_CASE("changed files or options are prepared anew; others are found") {
  Prepared fixture;
  const auto count = [&] {
    fixture.get();
    return fixture.folders().size();
  };
  CHECK_EQ(count(), 1);
  CHECK_EQ(count(), 1);
  fixture.config.data.batches.max_tokens = 80;  // concerns batches
  CHECK_EQ(count(), 1);
  fixture.config.data.reading.lowercase = true;
  CHECK_EQ(count(), 2);
  fixture.config.data.reading.lowercase = false;
  CHECK_EQ(count(), 2);
  // The same bytes in another file, and other bytes with the same size and time.
  fs::copy_file(fixture / "corpus.en", fixture / "copy");
  fs::rename(fixture / "copy", fixture / "corpus.en");
  CHECK_EQ(count(), 3);
  const auto time = fs::last_write_time(fixture / "corpus.de");
  std::fstream(fixture / "corpus.de", std::ios::in | std::ios::out).seekp(0) << "V0";
  fs::last_write_time(fixture / "corpus.de", time);
  CHECK_EQ(count(), 4);
  CHECK_EQ(fixture.left_over(), 0);
}

TEST_CASE("damage anywhere in the files is an error, never other numbers") {
  Prepared fixture;
  const std::uint64_t right = fixture.get()->PairStore::fingerprint();
  const fs::path folder = fixture.folders().front();
  RandomStream random(1, 0);
  for (const char* name : {"corpus", "ids", "index", "hashes"}) {
    CAPTURE(name);
    const std::string before = read_bytes(folder / name);
    constexpr std::size_t block = 32;
    for (std::size_t begin = 0; begin < before.size(); begin += block) {
      std::string damaged = before;
      char& byte = damaged[begin + random.below(std::min(block, before.size() - begin))];
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
      if (begin / block % 4 == 3) damaged.resize(begin);
      std::ofstream(folder / name, std::ios::binary) << damaged;
      const auto read = [&] {
        const PreparedCorpus corpus(folder);
        corpus.verify();
        CHECK_EQ(corpus.PairStore::fingerprint(), right);
      };
      CHECK_THROWS_WITH_AS(read(), doctest::Contains(folder.c_str()), Error);
    }
    std::ofstream(folder / name, std::ios::binary) << before;
  }
  PreparedCorpus(folder).verify();
}

TEST_CASE("an interrupted preparation leaves nothing that is used, and clear removes it") {
  Prepared fixture;
  std::uint64_t right = 0;
  {
    Prepared other;
    right = other.get()->fingerprint();
  }
  const auto start = std::chrono::steady_clock::now();
  fixture.get();
  const auto whole = std::chrono::steady_clock::now() - start;
  CorpusCache(fixture.config.data).clear();
  RandomStream random(1, 0);
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      set_threads(1);
      fixture.get();
      _exit(0);
    }
    std::this_thread::sleep_for(random.uniform() * 1.5 * whole);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    for (const fs::path& folder : fixture.folders()) CHECK_EQ(PreparedCorpus(folder).fingerprint(), right);
    if (round % 20 == 0) CHECK_EQ(fixture.get()->fingerprint(), right);
    CorpusCache(fixture.config.data).clear();
    CHECK_EQ(fixture.folders().size(), 0);
    CHECK_EQ(fixture.left_over(), 0);
  }
}

TEST_CASE("programs that need the same corpus at once share it") {
  Prepared fixture;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      set_threads(1);
      const auto corpus = fixture.get();
      _exit(corpus->size() == 60 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  CHECK_EQ(fixture.folders().size(), 1);
  CHECK_EQ(fixture.left_over(), 0);
}

TEST_CASE("the cache is where data.cache and the environment say") {
  const auto with = [](const char* cache, const char* home) {
    const auto set = [](const char* name, const char* value) { value ? setenv(name, value, 1) : unsetenv(name); };
    const auto get = [](const char* name) {
      const char* const value = getenv(name);
      return value ? std::optional<std::string>(value) : std::nullopt;
    };
    const auto old_cache = get("XDG_CACHE_HOME"), old_home = get("HOME");
    set("XDG_CACHE_HOME", cache);
    set("HOME", home);
    std::string folder;
    try {
      folder = CorpusCache({}).folder().string();
    } catch (const Error& error) {
      folder = error.what();
    }
    set("XDG_CACHE_HOME", old_cache ? old_cache->c_str() : nullptr);
    set("HOME", old_home ? old_home->c_str() : nullptr);
    return folder;
  };
  CHECK_EQ(with("/c", "/h"), "/c/glossa/corpora");
  CHECK_EQ(with("c", "/h"), "/h/.cache/glossa/corpora");
  CHECK_EQ(with(nullptr, "/h"), "/h/.cache/glossa/corpora");
  CHECK(doctest::String(with(nullptr, nullptr).c_str()) == doctest::Contains("set data.cache"));
  DataConfig data;
  data.cache = "here";
  CHECK_EQ(CorpusCache(data).folder().string(), "here/corpora");
}
