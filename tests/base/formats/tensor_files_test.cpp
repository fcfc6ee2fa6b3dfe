// Files of torch.save and NumPy, as written by their own libraries (tests/golden/marian.py) and by hand.
#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/formats/npz_file.h"
#include "base/formats/open_tensors.h"
#include "base/formats/pickle.h"
#include "base/tensor_file.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path marian_files = GLOSSA_SOURCE_DIR "/tests/golden/marian";

/// Opens a file and reads it all.
void read_all(const fs::path& path) {
  const auto file = open_tensors(path);
  for (const auto& [name, entry] : file->entries()) {
    const std::size_t size = file->read<double>(name).size();
    CHECK_EQ(size, entry.count());
  }
}

std::string error_of_tensor_file(std::string_view bytes) {
  const TemporaryFolder folder;
  write_bytes(folder / "some.bin", bytes);
  return error_of<Error>([&] { read_all(folder / "some.bin"); });
}

/// An archive of stored or deflated entries; sizes may be wrong.
struct Entry {
  std::string name, bytes;
  std::uint32_t size = 0;  // 0: the actual size
  int method = 0;
};

template <class T>
void put(std::string& bytes, T number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string zip_of(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    std::string fields;
    for (const int number : {20, 0, entry.method, 0, 0x21}) put(fields, static_cast<std::uint16_t>(number));
    put(fields, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(entry.bytes.data()),
                                                 static_cast<uInt>(entry.bytes.size()))));
    const auto stored = static_cast<std::uint32_t>(entry.bytes.size());
    put(fields, stored);
    put(fields, entry.size > 0 ? entry.size : stored);
    put(fields, static_cast<std::uint16_t>(entry.name.size()));
    put(fields, std::uint16_t{0});
    directory += std::string("PK\x01\x02") + std::string("\x14\0", 2) + fields + std::string(10, '\0');
    put(directory, static_cast<std::uint32_t>(file.size()));
    directory += entry.name;
    file += std::string("PK\x03\x04") + fields + entry.name + entry.bytes;
  }
  const auto begin = static_cast<std::uint32_t>(file.size());
  file += directory + "PK\x05\x06" + std::string(4, '\0');
  for (int i = 0; i < 2; ++i) put(file, static_cast<std::uint16_t>(entries.size()));
  put(file, static_cast<std::uint32_t>(directory.size()));
  put(file, begin);
  return file + std::string(2, '\0');
}

/// A state_dict of torch.save with this pickle.
std::string torch_of(const std::string& pickle) { return zip_of({{"a/data.pkl", pickle}, {"a/data/0", "12345678"}}); }

std::string pickled(const std::string& value) {
  std::string bytes = "X";
  put(bytes, static_cast<std::uint32_t>(value.size()));
  return bytes + value;
}

/// A pickle of one tensor 'x' on a storage of two floats.
std::string tensor_pickle(const std::string& offset, const std::string& shape, const std::string& strides,
                          const std::string& storage = "FloatStorage") {
  return "\x80\x02}" + pickled("x") + "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled("storage") + "ctorch\n" +
         storage + "\n" + pickled("0") + pickled("cpu") + "K\x02tQ" + offset + shape + strides + "\x89" +
         "ccollections\nOrderedDict\n)RtRs.";
}

const std::string head = "\x80\x02", zero("K\0", 2), one = "K\x01", two = "K\x02";
const std::string matrix_shape = one + two + "\x86", vector = two + "\x85", step = one + "\x85";

}  // namespace

TEST_CASE("torch.save's files are read as PyTorch reads them") {
  for (const char* name : {"types_zip.bin", "types_stream.bin"}) {
    CAPTURE(name);
    const auto file = open_tensors(marian_files / name);
    CHECK_EQ(file->entries().size(), 9);
    CHECK_EQ(file->read<double>("F32"), std::vector<double>{0, 0.125, 0.25});
    CHECK_EQ(file->read<double>("F64"), std::vector<double>{0.1, -1e300});
    CHECK_EQ(file->read<double>("F16"), std::vector<double>{1.5, -65504});
    CHECK_EQ(file->read<double>("BF16"), std::vector<double>{3.140625, -0.0});
    CHECK_EQ(file->read<double>("I64"), std::vector<double>{1, -2, 1099511627776.0, 4});
    CHECK_EQ(file->read<float>("parameter"), std::vector<float>{1, 1.125F, 1.25F, 1.375F});
    CHECK_EQ(file->read<float>("piece"), std::vector<float>{0.375F, 0.5F, 0.625F, 0.75F, 0.875F, 1});
    CHECK_EQ(file->entries().at("piece").shape, std::vector<std::uint64_t>{2, 3});
    CHECK_EQ(file->read<float>("scalar"), std::vector<float>{2.5F});
    CHECK(file->entries().at("scalar").shape.empty());
    CHECK(file->read<float>("empty").empty());
    CHECK(file->same_bytes("F32", "F32"));
    CHECK_FALSE(file->same_bytes("F32", "piece"));
  }
  const auto tied = open_tensors(marian_files / "zip.bin");
  CHECK(tied->same_bytes("lm_head.weight", "model.shared.weight"));
  const std::string error = error_of<Error>([] { read_all(marian_files / "transposed.bin"); });
  CHECK_NE(error.find("expected 't' to be contiguous; got the shape [3, 2] with strides [1, 3]"), std::string::npos);
}

TEST_CASE("NumPy's files are read as NumPy reads them, even deflated") {
  const auto file = open_tensors(marian_files / "types.npz");
  CHECK_EQ(file->read<float>("F32"), std::vector<float>{0, 1, 2, 3, 4, 5});
  CHECK_EQ(file->entries().at("F32").shape, std::vector<std::uint64_t>{2, 3});
  CHECK_EQ(file->read<double>("F64"), std::vector<double>{0.1, -1e300});
  CHECK_EQ(file->read<float>("F16"), std::vector<float>{1.5F, -65504});
  CHECK_EQ(file->read<double>("I64"), std::vector<double>{1099511627776.0});
  CHECK_EQ(file->read<float>("U8"), std::vector<float>(1000));
  CHECK(file->read<float>("empty").empty());
}

TEST_CASE("a written archive is read back, and is the same each time") {
  const TemporaryFolder folder;
  std::vector<float> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7;
  const std::vector<NamedTensor<const float>> tensors{
      {"b", {100, 1000}, values}, {"a", {}, std::span(values).first(1)}, {"e", {0, 2}, {}}};
  write_npz(folder / "x.npz", tensors, {{"special:model.yml", "type: transformer\n"}});
  write_npz(folder / "y.npz", tensors, {{"special:model.yml", "type: transformer\n"}});
  CHECK_EQ(read_bytes(folder / "x.npz"), read_bytes(folder / "y.npz"));
  const NpzFile file(ZipFile(folder / "x.npz"));
  CHECK_EQ(file.read<float>("b"), values);
  CHECK_EQ(file.entries().at("b").shape, std::vector<std::uint64_t>{100, 1000});
  CHECK(file.entries().at("a").shape.empty());
  CHECK_EQ(file.text("special:model.yml", 100), "type: transformer\n");
  CHECK_THROWS_WITH_AS(file.text("special:model.yml", 3), doctest::Contains("at most 3 bytes"), Error);
  CHECK_THROWS_WITH_AS(file.text("b", 3), doctest::Contains("to be text"), Error);
  CHECK_THROWS_AS(write_npz(folder / "z", std::vector{tensors[0], tensors[0]}), Error);
  CHECK_THROWS_AS(write_npz(folder / "z", std::vector<NamedTensor<const float>>{{"b", {3}, values}}), Error);
}

TEST_CASE("a name in a pickle that is not a tensor's is refused by name") {
  for (const auto& row : {
           std::pair<std::string, std::string>{head + "cos\nsystem\n" + pickled("true") + "\x85R.", "'os.system'"},
           {head + "cbuiltins\neval\n.", "'builtins.eval'"},
           {head + "ctorch\nIntStorage\n.", "'torch.IntStorage'"},
           {head + "ctorch._utils\n_rebuild_tensor\n.", "'torch._utils._rebuild_tensor'"},
           {head + pickled("os") + pickled("system") + "\x93.", "opcode 0x93"},
           {head + ")\x81.", "opcode 0x81"},
           {head + "(ios\nsystem\n.", "opcode 0x69"},
           {head + "(o.", "opcode 0x6f"},
           {head + "G\1\1\1\1\1\1\1\1.", "opcode 0x47"},
           {head + "\x82\1.", "opcode 0x82"},
           {head + "P1\n.", "opcode 0x50"},
           {head + "\xFF.", "opcode 0xff"},
           {"\x80\x04.", "protocol 2"},
           {head + "c\x1B[31m\nx\n.", "'\\x1b[31m.x'"},
       }) {
    const auto& pickle = row.first;
    const auto& named = row.second;
    CAPTURE(named);
    const std::string error = error_of_tensor_file(torch_of(pickle));
    CHECK_NE(error.find(named), std::string::npos);
    CHECK_NE(error.find("some.bin"), std::string::npos);
  }
}

TEST_CASE("a tensor must lie within its storage") {
  CHECK_EQ(error_of_tensor_file(torch_of(tensor_pickle(zero, matrix_shape, two + one + "\x86"))), "");
  for (const auto& row : {
           std::pair{tensor_pickle(one, vector, step), "to lie within its storage"},
           {tensor_pickle(zero, "K\x03\x85", step), "to lie within its storage"},
           {tensor_pickle(zero, "J\xFF\xFF\xFF\xFF\x85", step), "an offset, a shape and strides"},
           {tensor_pickle(zero, "\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x85", step), "to lie within its storage"},
           {tensor_pickle(zero, vector, zero + "\x85"), "to be contiguous"},
           {tensor_pickle(zero, vector, two + "\x85"), "to be contiguous"},
           {tensor_pickle(zero, matrix_shape, step), "an offset, a shape and strides"},
           {tensor_pickle(zero, vector, step, "DoubleStorage"), "to hold 2 numbers in F64"},
           {head + "}" + pickled("x") + one + "s.", "a tensor as 'x'"},
           {head + "]" + pickled("x") + "a.", "a dict of tensors"},
           {head + std::string("}q\0h\0h\0s.", 9), "tensor names"},
       }) {
    const auto& pickle = row.first;
    const auto& part = row.second;
    CAPTURE(part);
    CHECK_NE(error_of_tensor_file(torch_of(pickle)).find(part), std::string::npos);
  }
}

TEST_CASE("pickles that grow are refused") {
  const auto many = [](const std::string& piece, std::size_t times) {
    std::string bytes = head;
    for (std::size_t i = 0; i < times; ++i) bytes += piece;
    return bytes + ".";
  };
  std::string remember = head + "N";
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    remember += 'r';
    put(remember, i * 40'000);
  }
  const std::string nested = head + ")" + many("\x85", 100'000).substr(2),
                    fetched = head + std::string("Nq\0", 3) + many(std::string("h\0", 2), 100'000).substr(2);
  for (const auto& [pickle, part] : {std::pair{many("}", 100'000), "at most 65536 values"},
                                     {many("(", 100'000), "at most 65536 marks"},
                                     {many("N", 100'000), "at most 65536 values"},
                                     {remember, "at most 65536 values to remember"},
                                     {nested, "at most 65536 values at"},
                                     {fetched, "at most 65536 values on the stack"},
                                     {head + "X\xFF\xFF\xFF\xFF.", ""}}) {
    const std::string error = error_of_tensor_file(torch_of(pickle));
    CAPTURE(error);
    CHECK_NE(error.find("some.bin"), std::string::npos);
    CHECK_NE(error.find(part), std::string::npos);
  }
  CHECK_NE(error_of_tensor_file(torch_of(std::string(2 << 20, 'N'))).find("at most 1048576 bytes"), std::string::npos);
  // A long tuple, and many calls with it.
  std::string calls = head + std::string("Nq\0(", 4);
  for (int i = 0; i < 20'000; ++i) calls += std::string("h\0", 2);
  calls +=
      "tq\x02"
      "ctorch._utils\n_rebuild_tensor_v2\nq\x01";
  for (int i = 0; i < 3'000; ++i) calls += "h\x01h\x02R";
  CHECK_NE(error_of_tensor_file(torch_of(calls + ".")).find("a call of few arguments"), std::string::npos);
}

TEST_CASE("archives that grow or lie are refused") {
  const std::string bytes(100, 'x');
  for (const auto& row : {
           std::pair<std::vector<Entry>, std::string>{{{"a.npy", bytes, 1 << 30, 8}}, "entries of at most"},
           {{{"a.npy", bytes, 6 << 20, 8}, {"b.npy", bytes, 6 << 20, 8}}, "entries of at most"},
           {{{"a.npy", bytes, 1000, 8}}, "'a.npy' to be 1000 bytes, deflated"},
           {{{"a.npy", bytes, 50}}, "to have one size"},
           {{{"a.npy", bytes, 0, 12}}, "to be stored or deflated"},
           {{{"a.npy", bytes}, {"a.npy", bytes}}, "every entry once"},
           {{{"a.npy", bytes}}, ".npy of version 1 to 3"},
           {{{"a.txt", bytes}}, "an archive of .npy"},
           {{{std::string(1025, 'a'), bytes}}, "names of at most 1024 bytes"},
       }) {
    const auto& entries = row.first;
    const auto& part = row.second;
    CAPTURE(part);
    CHECK_NE(error_of_tensor_file(zip_of(entries)).find(part), std::string::npos);
  }
  std::string shared = zip_of({{"a.npy", bytes}, {"b.npy", bytes}});
  shared.replace(shared.rfind("PK\x01\x02") + 42, 4, std::string(4, '\0'));  // both begin at byte 0
  CHECK_NE(error_of_tensor_file(shared).find("to follow the entry before it"), std::string::npos);
  std::string large = zip_of({{"a.npy", "", 0xFFFFFFFF, 8}});  // its 64-bit size is missing
  CHECK_NE(error_of_tensor_file(large).find("complete entries in the directory"), std::string::npos);
  std::string empty = zip_of({{"a.npy", ""}});
  empty[empty.rfind("PK\x01\x02") + 16] = 1;  // of the checksum
  CHECK_NE(error_of_tensor_file(empty).find("'a.npy' to be empty"), std::string::npos);
  std::string file = read_bytes(marian_files / "types_zip.bin");
  const std::size_t number = file.find(std::string("\x00\x00\x00\x3E\x00\x00\x80\x3E", 8));  // of tensor F32
  REQUIRE_NE(number, std::string::npos);
  file[number] ^= 1;
  CHECK_NE(error_of_tensor_file(file).find("to have the checksum"), std::string::npos);
}

TEST_CASE("headers of .npy must be as NumPy and Marian write them") {
  const auto npy = [](const std::string& header, const std::string& data = "", int version = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(version);
    bytes += '\0';
    if (version == 1)
      put(bytes, static_cast<std::uint16_t>(header.size()));
    else
      put(bytes, static_cast<std::uint32_t>(header.size()));
    return zip_of({{"x.npy", bytes + header + data}});
  };
  const auto header = [](const std::string& type, const std::string& order, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
  };
  for (const int version : {1, 2, 3})
    CHECK_EQ(error_of_tensor_file(npy(header("<f4", "False", "(1, 2)"), "12345678", version)), "");
  CHECK_EQ(error_of_tensor_file(npy(header("<f4", "False", "(2,)"), "12345678")), "");
  CHECK_EQ(error_of_tensor_file(npy(header("|i1", "False", "()"), "1")), "");
  for (const auto& row : {std::pair{header(">f4", "False", "(2,)"), "got >f4"},
                          {header("|O", "False", "(2,)"), "got |O"},
                          {header("<f4", "True", "(2,)"), "in C order"},
                          {header("<f4", "False", "(3,)"), "the length of its shape [3]"},
                          {header("<f4", "False", "(-2,)"), "the shape of 'x'"},
                          {header("<f4", "False", "(4294967296, 4294967296)"), "the length of its shape"},
                          {header("<f4", "False", "(99999999999999999999,)"), "the shape of 'x'"},
                          {header("<f4", "False", "(1,1,1,1,1,1,1,1,2)"), "the shape of 'x'"},
                          {std::string("{"), "the type of 'x'"},
                          {std::string(5000, ' '), "a header of 'x' of at most"}}) {
    const auto& text = row.first;
    const auto& part = row.second;
    CAPTURE(text);
    CHECK_NE(error_of_tensor_file(npy(text, "12345678")).find(part), std::string::npos);
  }
}

TEST_CASE("a file's first bytes determine its format") {
  CHECK_NE(error_of_tensor_file("version https://git-lfs.github.com/spec/v1\n").find("git lfs pull"),
           std::string::npos);
  CHECK_NE(error_of_tensor_file("").find("another kind of file"), std::string::npos);
  CHECK_NE(error_of_tensor_file("PK\x03\x04").find("the directory of a zip archive"), std::string::npos);
  CHECK_NE(error_of<Error>([] { open_tensors("/nowhere"); }).find("/nowhere"), std::string::npos);
  CHECK_NE(error_of<Error>([] { open_tensors("/tmp"); }).find("not a regular file"), std::string::npos);
}
