#include "train/checkpoint/checkpoint_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <ctime>
#include <functional>
#include <optional>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/random.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string some_bytes(std::size_t length, std::uint64_t seed) {
  RandomStream random(seed, "checkpoint test");
  std::string bytes(length, '\0');
  for (char& b : bytes) b = static_cast<char>(random.below(256));
  return bytes;
}

std::string error_of_open(const fs::path& path) {
  return error_of<Error>([&] { CheckpointReader reader(path); });
}

/// A checkpoint of about `payload` bytes in a few entries, one of them empty and one a scalar.
void write_sample(const fs::path& path, std::size_t payload) {
  const std::string weights = some_bytes(payload / 2 / 4 * 4, 1), moments = some_bytes(payload / 2 / 8 * 8, 2);
  const std::string state = "update 37", scalar = some_bytes(8, 3);
  CheckpointWriter writer;
  writer.add("state", EntryKind::state, Dtype::u8, {state.size()}, bytes_of(state));
  writer.add("encoder.weight", EntryKind::parameter, Dtype::f32, {weights.size() / 4, 1}, bytes_of(weights));
  writer.add("empty", EntryKind::buffer, Dtype::f64, {3, 0, 7}, {});
  writer.add("adam.m.encoder.weight", EntryKind::moment, Dtype::f64, {moments.size() / 8}, bytes_of(moments));
  writer.add("scalar", EntryKind::buffer, Dtype::i64, {}, bytes_of(scalar));
  writer.write(path);
}

/// A handmade checkpoint, with correct checksums whatever the fields contain.
struct RawEntry {
  std::string name = "a";
  std::vector<std::uint64_t> dims = {4};
  std::uint8_t kind = 1, dtype = 4;
  std::string bytes = "1234";
  std::optional<std::uint64_t> offset = {}, length = {};
  std::optional<std::uint8_t> rank = {}, name_length = {};
};

struct RawFile {
  std::vector<RawEntry> entries = {{}};
  std::uint32_t version = 0x10000, order = 0x01020304;
  std::optional<std::uint64_t> file_length, table_length;
  std::optional<std::uint32_t> count;
  char padding = 0;
  std::string end_marker = "GLS-END\n";

  std::string bytes() const {
    const auto put = [](std::string& to, auto value) {
      to.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    const auto aligned = [](std::size_t n) { return (n + 63) / 64 * 64; };
    std::size_t table_bytes = 0;
    for (const auto& e : entries) table_bytes += 24 + 8 * e.dims.size() + e.name.size();
    std::string table, payload;
    const std::size_t front = 40 + table_bytes + 4;
    for (const auto& e : entries) {
      payload.resize(aligned(front + payload.size()) - front, padding);
      put(table, e.kind);
      put(table, e.dtype);
      put(table, e.rank.value_or(static_cast<std::uint8_t>(e.dims.size())));
      put(table, e.name_length.value_or(static_cast<std::uint8_t>(e.name.size())));
      put(table, crc32c(bytes_of(e.bytes)));
      put(table, e.offset.value_or(front + payload.size()));
      put(table, e.length.value_or(e.bytes.size()));
      for (const std::uint64_t dim : e.dims) put(table, dim);
      table += e.name;
      payload += e.bytes;
    }
    payload.resize(aligned(front + payload.size()) - front, padding);
    std::string file = "\x89GLS\r\n\x1A\n";
    put(file, version);
    put(file, order);
    put(file, file_length.value_or(front + payload.size() + 24));
    put(file, table_length.value_or(table_bytes));
    put(file, count.value_or(static_cast<std::uint32_t>(entries.size())));
    put(file, crc32c(bytes_of(file)));
    file += table;
    put(file, crc32c(bytes_of(table)));
    file += payload;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(file.data(), file.size()));
    put(file, hash);
    return file + end_marker;
  }
};

}  // namespace

TEST_CASE("a checkpoint is read back, and writing it again gives the same bytes") {
  const TemporaryFolder folder;
  RandomStream random(7, "models");
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t count = random.below(12);
    std::vector<std::string> names, values;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("tensor." + std::to_string((i * 7) % 12));
      values.push_back(some_bytes(4 * random.below(60), 100 * trial + i));
    }
    CheckpointWriter forward, backward;
    for (std::size_t i = 0; i < count; ++i) {
      const auto add = [&](CheckpointWriter& writer, std::size_t at) {
        writer.add(names[at], EntryKind::parameter, Dtype::f32, {values[at].size() / 4}, bytes_of(values[at]));
      };
      add(forward, i);
      add(backward, count - 1 - i);
    }
    forward.write(folder / "a.ckpt");
    backward.write(folder / "b.ckpt");
    REQUIRE(read_bytes(folder / "a.ckpt") == read_bytes(folder / "b.ckpt"));

    const CheckpointReader reader(folder / "a.ckpt");
    REQUIRE(reader.entries().size() == count);
    CheckpointWriter again;
    std::vector<std::vector<std::byte>> read;
    for (const auto& entry : reader.entries()) read.push_back(reader.read(entry.name));
    for (std::size_t i = 0; i < count; ++i) {
      const auto& entry = reader.entries()[i];
      again.add(entry.name, entry.kind, entry.dtype, entry.dims, read[i]);
    }
    again.write(folder / "b.ckpt");
    REQUIRE(read_bytes(folder / "a.ckpt") == read_bytes(folder / "b.ckpt"));
  }
}

TEST_CASE("entries have kind, dtype, dims and aligned bytes; a failed read does not change its destination") {
  const TemporaryFolder folder;
  const auto path = folder / "sample.ckpt";
  write_sample(path, 1024);
  CheckpointReader reader(path);
  const auto* entry = reader.find("encoder.weight");
  REQUIRE(entry != nullptr);
  CHECK(name_of(entry->kind) == "parameter");
  CHECK(name_of(entry->dtype) == "f32");
  CHECK(entry->dims == std::vector<std::uint64_t>{128, 1});
  CHECK(reader.find("encoder") == nullptr);
  CHECK(reader.find("scalar")->dims.empty());
  CHECK(reader.read("empty").empty());
  for (const auto& each : reader.entries()) CHECK(each.offset % 64 == 0);

  std::vector<std::byte> destination(8, std::byte{42}), wrong(9, std::byte{42});
  CHECK_THROWS_AS(reader.read("scalar", wrong), Error);
  CHECK(wrong == std::vector<std::byte>(9, std::byte{42}));
  CHECK_THROWS_AS(reader.read("nothing", destination), Error);
  reader.read("scalar", destination);
  const std::string scalar = some_bytes(8, 3);
  CHECK(std::equal(destination.begin(), destination.end(), bytes_of(scalar).begin()));

  // Another process writes into the file after it was verified.
  std::string bytes = read_bytes(path);
  bytes[reader.find("scalar")->offset] ^= 1;
  write_bytes(path, bytes);
  destination.assign(8, std::byte{42});
  CHECK_THROWS_AS(reader.read("scalar", destination), Error);
  CHECK(destination == std::vector<std::byte>(8, std::byte{42}));

  CheckpointReader moved = std::move(reader);
  CHECK(moved.read("state").size() == 9);
}

TEST_CASE("a file that is cut at any length or followed by bytes is refused") {
  const TemporaryFolder folder;
  const auto path = folder / "sample.ckpt";
  write_sample(path, 12 * 1024);
  const std::string bytes = read_bytes(path);
  for (std::size_t extra = 1; extra <= 64; ++extra) {
    write_bytes(path, bytes + std::string(extra, '\0'));
    REQUIRE_THROWS_AS(CheckpointReader{path}, Error);
  }
  for (std::size_t length = bytes.size(); length-- > 0;) {
    REQUIRE(truncate(path.c_str(), static_cast<off_t>(length)) == 0);
    REQUIRE_THROWS_AS(CheckpointReader{path}, Error);
  }
}

TEST_CASE("every flipped bit is detected") {
  const TemporaryFolder folder;
  const auto path = folder / "sample.ckpt";
  write_sample(path, 2 * 1024);
  const std::string bytes = read_bytes(path);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char value) { file.seekp(static_cast<std::streamoff>(at)).put(value).flush(); };
  std::size_t detected = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    put(bit / 8, static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8)));
    detected += !error_of_open(path).empty();
    put(bit / 8, bytes[bit / 8]);
  }
  CHECK(detected == 8 * bytes.size());
  CHECK(error_of_open(path) == "");
}

TEST_CASE("zeroed, filled, swapped and repeated blocks, and a mix of two checkpoints, are detected") {
  const TemporaryFolder folder;
  const auto path = folder / "sample.ckpt";
  write_sample(path, 12 * 1024);
  const std::string bytes = read_bytes(path);
  const auto refused = [&](const std::string& changed) {
    write_bytes(path, changed);
    return changed == bytes || !error_of_open(path).empty();
  };
  for (const std::size_t block : {512, 4096}) {
    for (std::size_t at = 0; at + block <= bytes.size(); at += block) {
      const auto with = [&](const std::string& content) { return std::string(bytes).replace(at, block, content); };
      REQUIRE(refused(with(std::string(block, '\0'))));
      REQUIRE(refused(with(std::string(block, '\xFF'))));
      REQUIRE(refused(with("")));
      for (std::size_t other = 0; other + block <= bytes.size(); other += block) {
        std::string swapped = with(bytes.substr(other, block));
        REQUIRE(refused(swapped));
        REQUIRE(refused(swapped.replace(other, block, bytes.substr(at, block))));
      }
    }
  }
  // Equal shapes with other values: header and table of one, values of the other.
  RawFile one, two;
  two.entries[0].bytes = "5678";
  CHECK(refused(one.bytes().substr(0, 128) + two.bytes().substr(128)));
}

TEST_CASE("hand-made files with correct checksums are refused for the fault in them") {
  const TemporaryFolder folder;
  const auto path = folder / "made.ckpt";
  const auto error_for = [&](const std::function<void(RawFile&)>& change) {
    RawFile file;
    file.entries.push_back({.name = "b"});
    change(file);
    write_bytes(path, file.bytes());
    const std::clock_t begin = std::clock();
    const std::string text = error_of_open(path);
    CHECK(std::clock() - begin < CLOCKS_PER_SEC);
    if (!text.empty()) CHECK(text.find("[" + path.string() + "] expected ") == 0);
    return text;
  };
  const auto refused = [&](const std::string& reason, const std::function<void(RawFile&)>& change) {
    const std::string text = error_for(change);
    CAPTURE(text);
    CHECK(text.find(reason) != std::string::npos);
  };
  CHECK(error_for([](RawFile&) {}) == "");
  CHECK(error_for([](RawFile& f) { f.entries.clear(); }) == "");
  CHECK(error_for([](RawFile& f) { f.entries[0].name = std::string(255, 'a'); }) == "");
  CHECK(error_for([](RawFile& f) { f.entries[1].name = "विश्व"; }) == "");
  CHECK(error_for([](RawFile& f) { f.entries[0].dims = {1, 1, 1, 1, 1, 1, 1, 4}; }) == "");
  CHECK(error_for([](RawFile& f) { f.entries[0] = {.dims = {}, .dtype = 1}; }) == "");  // rank 0: one element

  for (const std::uint64_t huge :
       {(1ull << 31) - 1, 1ull << 31, (1ull << 32) + 1, 1ull << 48, 1ull << 63, ~0ull, ~0ull - 63}) {
    refused("bytes, as in the header", [&](RawFile& f) { f.file_length = huge; });
    refused("expected a table", [&](RawFile& f) { f.table_length = huge; });
    refused("to have the length of its dims", [&](RawFile& f) { f.entries[0].length = huge; });
    refused("to have the length of its dims", [&](RawFile& f) { f.entries[0].dims = {huge}; });
    refused("to end within", [&](RawFile& f) { f.entries[1].dims = {huge}, f.entries[1].length = huge; });
    refused("the next multiple", [&](RawFile& f) { f.entries[0].offset = huge; });
  }
  refused("expected a table", [](RawFile& f) { f.table_length = 1000; });
  refused("entries that fit", [](RawFile& f) { f.count = 1'000; });
  refused("entries that fit", [](RawFile& f) { f.count = 1'000'000; });
  refused("entries that fit", [](RawFile& f) { f.count = 0xFFFFFFFF; });
  refused("end of the table", [](RawFile& f) { f.count = 1; });
  refused("", [](RawFile& f) { f.count = 3; });
  // Products beyond 64 bits, among them one that wraps round to the true length.
  refused("to have the length of its dims", [](RawFile& f) {
    f.entries[0].dims = {4194305, 4194305, 211106198978564};
  });
  refused("to have the length of its dims", [](RawFile& f) { f.entries[0].dims = {1ull << 32, 1ull << 32, 0, 4}; });
  refused("to have the length of its dims",
          [](RawFile& f) { f.entries[0].dims = {(1ull << 62) + 1}, f.entries[0].dtype = 1; });
  refused("at most 8 dimensions", [](RawFile& f) { f.entries[0].dims.assign(9, 1); });
  refused("at most 8 dimensions", [](RawFile& f) { f.entries[0].rank = 255; });
  refused("to have the length of its dims", [](RawFile& f) { f.entries[0].dims = {2, 3}; });
  refused("known dtype", [](RawFile& f) { f.entries[0].dtype = 0; });
  refused("known dtype", [](RawFile& f) { f.entries[0].dtype = 6; });
  refused("known kind", [](RawFile& f) { f.entries[0].kind = 0; });
  refused("known kind", [](RawFile& f) { f.entries[0].kind = 77; });
  // Overlap, hole, misalignment, past the end.
  refused("the next multiple", [](RawFile& f) { f.entries[1].offset = 128; });
  refused("the next multiple", [](RawFile& f) { f.entries[1].offset = 256; });
  refused("the next multiple", [](RawFile& f) { f.entries[1].offset = 193; });
  refused("to end within", [](RawFile& f) { f.entries[1].dims = {400}, f.entries[1].length = 400; });
  refused("as in the table", [](RawFile& f) { f.entries[1].dims = {70}, f.entries[1].length = 70; });
  refused("zeros between", [](RawFile& f) { f.padding = 1; });
  refused("end marker", [](RawFile& f) { f.end_marker = "GLS-ENDx"; });
  for (const std::string& name :
       {std::string(), std::string("a\0b", 3), std::string("../a"), std::string("/a"), std::string("a\\b"),
        std::string("a\nb"), std::string("\x7F"), std::string("\xC3"), std::string("\xC0\x80"), std::string("\xFF")}) {
    refused("plain name", [&](RawFile& f) { f.entries[0].name = name; });
  }
  refused("plain name", [&](RawFile& f) { f.entries[0].name_length = 0; });
  refused("", [&](RawFile& f) { f.entries[1].name_length = 255; });
  refused("names in order", [](RawFile& f) { f.entries[1].name = "a"; });
  refused("names in order", [](RawFile& f) { f.entries[0].name = "c"; });
  // From another version or machine.
  refused("got 2.0", [](RawFile& f) { f.version = 0x20000; });
  refused("got 1.1", [](RawFile& f) { f.version = 0x10001; });
  refused("got 0.9", [](RawFile& f) { f.version = 9; });
  refused("byte-swapped", [](RawFile& f) { f.order = 0x04030201; });
  refused("byte order", [](RawFile& f) { f.order = 0x02010403; });
}

TEST_CASE("files that are not regular checkpoints are refused by name") {
  const TemporaryFolder folder;
  const auto path = folder / "it";
  CHECK(error_of_open(path).find("No such file") != std::string::npos);
  fs::create_directory(path);
  CHECK(error_of_open(path).find("not a regular file") != std::string::npos);
  fs::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0666) == 0);
  CHECK(error_of_open(path).find("not a regular file") != std::string::npos);
  fs::remove(path);
  write_bytes(path, std::string(1000, 'x'));
  CHECK(error_of_open(path).find("another kind of file") != std::string::npos);
  write_sample(path, 100);
  std::string text_mode = read_bytes(path);
  text_mode.erase(4, 1);  // CR LF became LF
  write_bytes(path, text_mode);
  CHECK(error_of_open(path).find("another kind of file") != std::string::npos);
}

TEST_CASE("a writer keeps the bytes handed over to it") {
  const TemporaryFolder folder;
  CheckpointWriter writer;
  for (const char* name : {"c", "a", "b"}) writer.add_owned(name, EntryKind::state, std::string(name) + "'s bytes");
  writer.write(folder / "a.ckpt");
  const CheckpointReader reader(folder / "a.ckpt");
  CHECK_EQ(reader.entries().size(), 3);
  CHECK(reader.entries().front().dtype == Dtype::u8);
  const std::vector<std::byte> bytes = reader.read("b");
  CHECK_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "b's bytes");
}

TEST_CASE("a writer refuses what a reader would refuse") {
  CheckpointWriter writer;
  const std::string bytes(8, 'x');
  const auto add = [&](const std::string& name, std::vector<std::uint64_t> dims) {
    writer.add(name, EntryKind::parameter, Dtype::f32, std::move(dims), bytes_of(bytes));
  };
  CHECK_THROWS_AS(add("", {2}), Error);
  CHECK_THROWS_AS(add(std::string(256, 'n'), {2}), Error);
  CHECK_THROWS_AS(add("a/b", {2}), Error);
  CHECK_THROWS_AS(add("a", {3}), Error);
  CHECK_THROWS_AS(add("a", {1ull << 63, 4}), Error);
  CHECK_THROWS_AS(add("a", std::vector<std::uint64_t>(9, 1)), Error);
  add("a", {2});
  CHECK_THROWS_AS(add("a", {2}), Error);
}

TEST_CASE("a failed save leaves the previous checkpoint and no temporary file") {
  const TemporaryFolder folder;
  write_sample(folder / "a.ckpt", 1000);
  const std::string before = read_bytes(folder / "a.ckpt");
  fs::permissions(folder.path(), fs::perms{0555});
  {
    const Unprivileged user;
    CHECK_THROWS_AS(write_sample(folder / "a.ckpt", 2000), Error);
  }
  fs::permissions(folder.path(), fs::perms{0755});
  CHECK(read_bytes(folder / "a.ckpt") == before);
  CHECK_THROWS_AS(write_sample(folder / "missing" / "a.ckpt", 2000), Error);
  fs::create_directory(folder / "b.ckpt");
  CHECK_THROWS_AS(write_sample(folder / "b.ckpt", 2000), Error);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.ckpt", "b.ckpt"});
}
