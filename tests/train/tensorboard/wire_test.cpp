#include "train/tensorboard/wire.h"

#include <doctest/doctest.h>

#include <limits>

using namespace glossa;
using wire::Message;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

}  // namespace

TEST_CASE("fields have the bytes of the wire format") {  // the first two are the examples of its description
  CHECK_EQ(Message().whole(1, 150).text(), bytes({0x08, 0x96, 0x01}));
  CHECK_EQ(Message().bytes(2, "testing").text(), bytes({0x12, 0x07}) + "testing");
  CHECK_EQ(Message().whole(1, -1).text(), bytes({0x08}) + std::string(9, '\xFF') + '\x01');
  CHECK_EQ(Message().real(1, 1).text(), bytes({0x09, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F}));
  CHECK_EQ(Message().single(2, -2).text(), bytes({0x15, 0, 0, 0, 0xC0}));
  CHECK_EQ(Message().message(3, Message().whole(1, 150)).text(), bytes({0x1A, 3, 0x08, 0x96, 0x01}));
  CHECK_EQ(Message().bytes(16, "").text(), bytes({0x82, 0x01, 0}));
}

TEST_CASE("written fields are read back") {
  const std::string text = Message()
                               .whole(1, std::numeric_limits<std::int64_t>::max())
                               .real(2, 1)
                               .single(3, 1)
                               .bytes(4, std::string(300, 'x'))
                               .whole(100, 0)
                               .text();
  std::string_view rest = text;
  auto field = wire::next_field(rest);
  REQUIRE(field);
  CHECK_EQ(field->number, 1);
  CHECK_EQ(field->whole, std::numeric_limits<std::int64_t>::max());
  field = wire::next_field(rest);
  REQUIRE(field);
  CHECK_EQ(field->whole, 0x3FF0000000000000u);
  field = wire::next_field(rest);
  REQUIRE(field);
  CHECK_EQ(field->whole, 0x3F800000u);
  field = wire::next_field(rest);
  REQUIRE(field);
  CHECK_EQ(field->number, 4);
  CHECK_EQ(field->bytes, std::string(300, 'x'));
  field = wire::next_field(rest);
  REQUIRE(field);
  CHECK_EQ(field->number, 100);
  CHECK_FALSE(wire::next_field(rest));
}

TEST_CASE("an invalid message is read up to the fault, and never beyond its end") {
  const std::string whole = Message().real(1, 1).single(2, 1).bytes(3, "abc").whole(4, 1000).text();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string_view rest = std::string_view(whole).substr(0, size);
    int fields = 0;
    while (wire::next_field(rest)) ++fields;
    CHECK_LT(fields, 4);
  }
  for (const std::string& text :
       {std::string(11, '\xFF'), bytes({0x0B}), bytes({0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F})}) {
    std::string_view rest = text;
    CHECK_FALSE(wire::next_field(rest));
  }
}
