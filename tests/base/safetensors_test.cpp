#include "base/safetensors.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A file with the given literal header and data.
std::string file_of(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string error_of_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder / "some.safetensors", bytes);
  return error_of<Error>([&] { SafetensorsReader reader(folder / "some.safetensors"); });
}

/// Bytes of numbers.
template <class... Number>
std::string raw(Number... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

std::vector<double> read_one(const std::string& dtype, const std::string& data) {
  const TemporaryFolder folder;
  const std::size_t size = dtype == "F64" || dtype == "I64"    ? 8
                           : dtype == "F32" || dtype == "I32"  ? 4
                           : dtype == "F16" || dtype == "BF16" ? 2
                                                               : 1;
  write_bytes(folder / "one", file_of(fmt::format(R"({{"x":{{"dtype":"{}","shape":[{}],"data_offsets":[0,{}]}}}})",
                                                  dtype, data.size() / size, data.size()),
                                      data));
  return SafetensorsReader(folder / "one").read<double>("x");
}

const std::string two_tensors =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[],"data_offsets":[8,9]}})";

}  // namespace

TEST_CASE("a file has the bytes that the format's own library writes") {
  const TemporaryFolder folder;
  const std::vector<float> matrix{1, 2, 3, 4, 5, 6}, scalar{-0.5F};
  write_safetensors(folder / "x", {{"m", {2, 3}, matrix}, {"empty", {0, 7}, {}}, {"a", {}, scalar}},
                    {{"format", "pt"}});
  // From safetensors.torch.save of safetensors 0.8.0.
  std::string header = R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                       R"("empty":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},)"
                       R"("m":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  CHECK_EQ(read_bytes(folder / "x"), file_of(header, raw(-0.5F, 1.F, 2.F, 3.F, 4.F, 5.F, 6.F)));

  const SafetensorsReader reader(folder / "x");
  CHECK_EQ(reader.metadata().at("format"), "pt");
  CHECK_EQ(reader.entries().size(), 3);
  CHECK_EQ(reader.entries().at("m").shape, std::vector<std::uint64_t>{2, 3});
  CHECK_EQ(reader.entries().at("empty").count(), 0);
  CHECK_EQ(reader.read<float>("m"), matrix);
  CHECK_EQ(reader.read<double>("a"), std::vector<double>{-0.5});
  CHECK(reader.read<float>("empty").empty());
  CHECK_THROWS_WITH_AS(reader.read<float>("z"), doctest::Contains("'z'"), Error);
}

TEST_CASE("metadata and names keep what JSON has to escape") {
  const TemporaryFolder folder;
  const std::vector<float> one{1};
  const std::string text = "train:\n  \"name\": \\ \u00fc\t\n";
  write_safetensors(folder / "x", {{"w\"\\\u00fc", {1}, one}}, {{"config", text}, {"a", ""}});
  const SafetensorsReader reader(folder / "x");
  CHECK_EQ(reader.metadata(), std::map<std::string, std::string>{{"config", text}, {"a", ""}});
  CHECK_EQ(reader.read<float>("w\"\\\u00fc"), one);
}

TEST_CASE("every dtype is read as its numbers") {
  CHECK_EQ(read_one("F64", raw(0.1, -1e300)), std::vector<double>{0.1, -1e300});
  CHECK_EQ(read_one("F32", raw(0.1F)), std::vector<double>{double{0.1F}});
  CHECK_EQ(read_one("I64", raw(std::int64_t{-5}, std::int64_t{1} << 40)), std::vector<double>{-5, 1099511627776.0});
  CHECK_EQ(read_one("I32", raw(std::int32_t{-7})), std::vector<double>{-7});
  CHECK_EQ(read_one("U8", "\xFF"), std::vector<double>{255});
  CHECK_EQ(read_one("BOOL", std::string("\x01\x00", 2)), std::vector<double>{1, 0});
  using Half = std::uint16_t;
  CHECK_EQ(read_one("BF16", raw(Half{0x3F80}, Half{0xC049}, Half{0x0001})),
           std::vector<double>{1, -3.140625, std::ldexp(1.0, -133)});
  // 1, -2, largest, smallest normal, largest and smallest subnormal, 1/3 rounded, +-0.
  const auto halves = read_one("F16", raw(Half{0x3C00}, Half{0xC000}, Half{0x7BFF}, Half{0x0400}, Half{0x03FF},
                                          Half{0x0001}, Half{0x3555}, Half{0x0000}, Half{0x8000}));
  CHECK_EQ(halves, std::vector<double>{1, -2, 65504, std::ldexp(1.0, -14), std::ldexp(1023.0, -24),
                                       std::ldexp(1.0, -24), 0.333251953125, 0, 0});
  CHECK(std::signbit(halves[8]));
  const auto limits = read_one("F16", raw(Half{0x7C00}, Half{0xFC00}, Half{0x7E00}));
  CHECK_EQ(limits[0], INFINITY);
  CHECK_EQ(limits[1], -INFINITY);
  CHECK(std::isnan(limits[2]));
  CHECK_NE(error_of_bytes(file_of(R"({"x":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", "1"))
               .find("'x' to be F64"),
           std::string::npos);
}

TEST_CASE("hostile and damaged headers are refused, naming the file") {
  const auto entry = [](const std::string& fields, const std::string& data) {
    return file_of(R"({"x":{)" + fields + "}}", data);
  };
  const std::string huge = "9223372036854775808";  // 2^63
  const std::pair<std::string, std::string> cases[] = {
      // the length of the header
      {"", "at least 8 bytes"},
      {std::string(7, '\0'), "at least 8 bytes"},
      {std::string(8, '\0'), "begins with {"},
      {raw(std::uint64_t{1000}) + "{}", "header of at most"},
      {raw(~std::uint64_t{0}) + "{}", "header of at most"},
      {raw(~std::uint64_t{7}) + "{}", "header of at most"},
      {"PK\x03\x04 and more bytes", "expected a safetensors file; got a zip archive, as torch.save writes it"},
      // not JSON, or not the right JSON
      {file_of(" {}"), "begins with {"},
      {file_of("[]"), "begins with {"},
      {file_of("{"), "JSON"},
      {file_of("{}}"), "JSON"},
      {file_of(std::string("{}\0", 3)), "JSON"},
      {file_of("{\"\xFF\":{}}"), "JSON"},
      {file_of(R"({"x":5})"), "'x' to be an object"},
      {file_of(R"({"x":[]})"), "'x' to be an object"},
      {file_of(R"({"x":{}})"), "dtype, shape and data_offsets"},
      {file_of(R"({"x":{"dtype":{}}})"), "'x' to be an object"},
      {file_of("{\"x\":" + std::string(100000, '[')), "'x' to be an object"},
      {file_of("{\"x\":{\"shape\":" + std::string(100000, '[')), "'x' to be an object"},
      {file_of(R"({"x\u001b[2J":{}})"), "control characters"},
      {file_of(R"({"x\u007f":{}})"), "control characters"},
      {file_of(R"({"__metadata__":5})"), "to be an object"},
      {file_of(R"({"__metadata__":{"a":5}})"), "only texts in __metadata__"},
      // duplicate names
      {file_of(two_tensors.substr(0, two_tensors.size() - 1) + "," + two_tensors.substr(1), "123456789"),
       "got 'a' twice"},
      {entry(R"("dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1])", "1"), "got 'dtype' twice"},
      {file_of(R"({"__metadata__":{},"__metadata__":{}})"), "twice"},
      {file_of(R"({"__metadata__":{"a":"","a":""}})"), "got 'a' twice"},
      // entries
      {entry(R"("dtype":"U8","shape":[],"data_offsets":[0,1],"more":1)", "1"), "dtype, shape and data_offsets"},
      {entry(R"("dtype":8,"shape":[],"data_offsets":[0,1])", "1"), "'x' to be F64"},
      {entry(R"("dtype":"u8","shape":[],"data_offsets":[0,1])", "1"), "'x' to be F64"},
      {entry(R"("dtype":"U8","shape":1,"data_offsets":[0,1])", "1"), "x.shape to be a list"},
      {entry(R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])", "1"), "x.shape to be a list"},
      {entry(R"("dtype":"U8","shape":[1.0],"data_offsets":[0,1])", "1"), "x.shape to be a list"},
      {entry(R"("dtype":"U8","shape":[18446744073709551617],"data_offsets":[0,1])", "1"), "x.shape to be a list"},
      {entry(R"("dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1])", "1"), "at most 8 whole numbers"},
      {file_of("{\"" + std::string(1025, 'x') + "\":{}}"), "names of at most 1024 bytes"},
      {entry(R"("dtype":"U8","shape":[1],"data_offsets":[0])", "1"), "a begin and an end"},
      {entry(R"("dtype":"U8","shape":[1],"data_offsets":[0,1,2])", "1"), "a begin and an end"},
      {entry(R"("dtype":"U8","shape":[1],"data_offsets":[1,0])", "1"), "a begin and an end"},
      {entry(R"("dtype":"U8","shape":[2],"data_offsets":[0,1])", "1"), "length of its shape"},
      {entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,1])", "1"), "length of its shape"},
      {entry(R"("dtype":"U8","shape":[)" + huge + "," + R"(2],"data_offsets":[0,0])", ""), "length of its shape"},
      {entry(R"("dtype":"F64","shape":[)" + huge + R"(],"data_offsets":[0,0])", ""), "length of its shape"},
      {entry(R"("dtype":"U8","shape":[)" + huge + R"(],"data_offsets":[0,)" + huge + "]", "1"), "got 1"},
      // holes, overlaps, ends
      {entry(R"("dtype":"U8","shape":[1],"data_offsets":[1,2])", "12"), "'x' to begin at byte 0"},
      {entry(R"("dtype":"U8","shape":[1],"data_offsets":[0,1])", "12"), "1 bytes of data, as in the header; got 2"},
      {entry(R"("dtype":"U8","shape":[2],"data_offsets":[0,2])", "1"), "2 bytes of data, as in the header; got 1"},
      {file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
               "123"),
       "'b' to begin at byte 2"},
      {file_of(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
               "12"),
       "'b' to begin at byte 2"},
      {file_of("{}", "1"), "0 bytes of data, as in the header; got 1"},
  };
  for (const auto& row : cases) {
    const auto& bytes = row.first;
    const auto& expected = row.second;
    CAPTURE(expected);
    const std::string error = error_of_bytes(bytes);
    CAPTURE(error);
    CHECK_NE(error.find(expected), std::string::npos);
    CHECK_NE(error.find("some.safetensors]"), std::string::npos);
    CHECK_LT(error.size(), 1000);
  }
  CHECK_EQ(error_of_bytes(file_of(two_tensors + "   ", "123456789")), "");
  CHECK_EQ(error_of_bytes(file_of("{}")), "");
}

TEST_CASE("a header of many values is refused before they fill the memory") {
  std::string many = R"({"x":{"shape":[0)";
  for (int i = 0; i < 5000; ++i) many += ",0";
  CHECK_NE(error_of_bytes(file_of(many)).find("'x' to be an object"), std::string::npos);
}

TEST_CASE("every truncation is refused, and every flipped bit of the header is refused or harmless") {
  const TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  write_safetensors(folder / "x", {{"layer.weight", {2, 3}, values}, {"layer.bias", {0}, {}}}, {{"format", "pt"}});
  const std::string whole = read_bytes(folder / "x");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_NE(error_of_bytes(whole.substr(0, length)), "");
  }
  const std::size_t data = whole.size() - 4 * values.size();
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * data; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    write_bytes(folder / "flipped", flipped);
    CAPTURE(bit);
    try {
      // Parts that may differ without breaking a rule: names, texts of metadata, and shapes of equal size.
      const SafetensorsReader reader(folder / "flipped");
      for (const auto& [name, entry] : reader.entries()) CHECK_LE(reader.read<float>(name).size(), values.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK_GT(refused, 1000);
}

TEST_CASE("a file that cannot be read or written is an error") {
  const TemporaryFolder folder;
  const auto error_of_open = [](const fs::path& path) {
    return error_of<Error>([&] { SafetensorsReader reader(path); });
  };
  CHECK_NE(error_of_open(folder / "none").find("No such file"), std::string::npos);
  CHECK_NE(error_of_open(folder.path()).find("directory"), std::string::npos);
  REQUIRE_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  CHECK_NE(error_of_open(folder / "pipe"), "");

  const std::vector<float> two{1, 2};
  const auto error_of_write = [&](std::vector<NamedTensor<const float>> tensors, const std::string& name) {
    return error_of<Error>([&] { write_safetensors(folder / name, std::move(tensors), {}); });
  };
  CHECK_NE(error_of_write({{"a", {2}, two}, {"a", {2}, two}}, "x").find("unique tensor names"), std::string::npos);
  CHECK_NE(error_of_write({{"__metadata__", {2}, two}}, "x").find("unique tensor names"), std::string::npos);
  CHECK_NE(error_of_write({{"a", {3}, two}}, "x").find("shape of 'a'"), std::string::npos);
  CHECK_NE(error_of_write({{"a", {2}, two}}, "no/folder/x"), "");
  CHECK_FALSE(fs::exists(folder / "x"));

  write_safetensors(folder / "x", {{"a", {2}, two}}, {});
  const SafetensorsReader reader(folder / "x");
  fs::resize_file(folder / "x", fs::file_size(folder / "x") - 1);
  CHECK_THROWS_WITH_AS(reader.read<float>("a"), doctest::Contains("the file ended or changed"), Error);
}
