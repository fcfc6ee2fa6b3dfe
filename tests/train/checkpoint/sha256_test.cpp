#include "train/checkpoint/sha256.h"

#include <doctest/doctest.h>

using glossa::Sha256;

TEST_CASE("sha256 gives the digests published by NIST") {
  CHECK(Sha256().hex_digest() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256().update("abc").hex_digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256().update("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex_digest() ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256().update(std::string(1'000'000, 'a')).hex_digest() ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256 does not depend on how the bytes are cut, and a digest does not end it") {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'x');
    const std::string whole = Sha256().update(text).hex_digest();
    Sha256 pieces;
    for (std::size_t at = 0; at < length; at += 7) pieces.update(std::string_view(text).substr(at, 7));
    REQUIRE(pieces.hex_digest() == whole);
    REQUIRE(pieces.hex_digest() == whole);
    REQUIRE(pieces.update("y").hex_digest() == Sha256().update(text + "y").hex_digest());
  }
}
