#include "autograd/arena.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>

#include "autograd/library_scope.h"
#include "autograd/sanitizer.h"
#include "base/check.h"
#include "base/heap.h"

using namespace glossa;

TEST_CASE("every allocation starts on a cache line and overlaps no other") {
  Arena arena;
  std::vector<std::byte*> pieces;
  for (std::size_t bytes : {1, 63, 64, 65, 0, 100000, 7, 3000000, 64}) {
    auto* piece = static_cast<std::byte*>(arena.allocate(bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(piece) % Arena::alignment == 0);
    std::memset(piece, static_cast<int>(pieces.size()), bytes);
    pieces.push_back(bytes ? piece : nullptr);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i]) CHECK(static_cast<std::size_t>(*pieces[i]) == i);
}

TEST_CASE("reset keeps the memory and joins the blocks") {
  Arena arena;
  const auto step = [&] {
    for (int i = 0; i < 100; ++i) arena.allocate(10000);
  };
  step();
  const std::size_t used = arena.bytes_used();
  CHECK(used >= 1000000);
  CHECK(arena.peak_bytes() == used);
  CHECK(arena.heap_allocations() > 1);
  arena.reset();
  CHECK(arena.bytes_used() == 0);
  const std::size_t joined = arena.heap_allocations(), asked = heap_allocations();
  for (int i = 0; i < 10; ++i) {
    step();
    arena.reset();
  }
  CHECK(arena.heap_allocations() == joined);
  CHECK(heap_allocations() == asked);
}

TEST_CASE("reserved memory suffices for the arrays that it was computed for") {
  Arena arena;
  const std::size_t bytes =
      Arena::size_of<float>(1) + Arena::size_of<std::uint32_t>(1000000) + Arena::size_of<std::uint8_t>(65);
  arena.reserve(bytes);
  const std::size_t asked = arena.heap_allocations();
  const std::byte* const first = reinterpret_cast<std::byte*>(arena.array<float>(1).data());
  arena.array<std::uint32_t>(1000000);
  const std::span<std::uint8_t> last = arena.array<std::uint8_t>(65);
  CHECK(reinterpret_cast<std::byte*>(last.data()) + Arena::size_of<std::uint8_t>(65) == first + arena.bytes_used());
  CHECK(arena.heap_allocations() == asked);
  CHECK_THROWS_AS(arena.reserve(1), Error);

  Arena empty;
  empty.reserve(0);
  empty.reserve(64);
  CHECK(empty.heap_allocations() == 1);
}

TEST_CASE("memory released by a mark is reused block by block, without asking the system for more") {
  Arena arena;
  const std::span<char> held = arena.zeros<char>(100);
  const auto step = [&](std::initializer_list<std::ptrdiff_t> sizes) {
    const Arena::Mark mark(arena);
    std::vector<std::span<char>> pieces;
    for (const std::ptrdiff_t size : sizes) {
      pieces.push_back(arena.zeros<char>(size));
      std::ranges::fill(pieces.back(), static_cast<char>(pieces.size()));
    }
    for (std::size_t i = 0; i < pieces.size(); ++i)
      CHECK(std::ranges::count(pieces[i], static_cast<char>(i + 1)) == std::ssize(pieces[i]));
    CHECK(std::ranges::count(held, 0) == 100);
  };
  constexpr std::ptrdiff_t large = 1 << 20;
  step({200'000, large, large, large});
  const std::size_t asked = arena.heap_allocations();
  for (int i = 0; i < 3; ++i) step({large, 200'000, large, large});  // the second block is too small for the first
  CHECK(arena.heap_allocations() == asked);
}

TEST_CASE("a mark taken before a reset releases nothing") {
  Arena arena;
  arena.allocate(1000);
  {
    const Arena::Mark mark(arena);
    arena.reset();
    arena.allocate(5000);
  }
  CHECK(arena.bytes_used() >= 5000);
}

TEST_CASE("allocating more than the machine has is an error, and earlier allocations stay in use") {
  Arena arena;
  auto* const held = static_cast<std::byte*>(arena.allocate(64));
  CHECK_THROWS_AS(arena.allocate(std::size_t{1} << 60), Error);
  CHECK(static_cast<std::byte*>(arena.allocate(64)) - held == 64);
  CHECK(arena.bytes_used() == 128);
}

#if !GLOSSA_SANITIZES(address)  // its malloc ends the program instead of returning null, and is not counted
TEST_CASE("an arena that cannot join its blocks is empty and stays usable") {
  Arena arena;
  for (int i = 0; i < 2; ++i) arena.allocate(std::size_t{40} << 20);  // two blocks, too large for malloc's cache
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  bool threw = false;
  try {
    arena.reset();
  } catch (const Error&) {
    threw = true;
  }
  setrlimit(RLIMIT_AS, &before);
  CHECK(threw);
  CHECK(arena.bytes_used() == 0);
  CHECK_NOTHROW(arena.allocate(64));
  CHECK(arena.bytes_used() == 64);
}

TEST_CASE("the heap counter counts allocations, those of product libraries separately") {
  std::size_t own = heap_allocations(), library = library_heap_allocations();
  ::operator delete(::operator new(100));
  CHECK(heap_allocations() > own);
  CHECK(library_heap_allocations() == library);
  {
    LibraryScope scope;
    own = heap_allocations();
    ::operator delete(::operator new(100));
    CHECK(heap_allocations() == own);
    CHECK(library_heap_allocations() == library + 1);
  }
  ::operator delete(::operator new(100));
  CHECK(heap_allocations() == own + 1);
}
#endif
