#include "app/serve/answer.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <utility>

using namespace glossa::serve;

namespace {

bool is_readable(int descriptor) {
  pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, 0) == 1;
}

}  // namespace

TEST_CASE("an answer sends its reply once; destroyed unsent, it reports that memory ran out") {
  const auto outbox = std::make_shared<Outbox>();
  CHECK_FALSE(is_readable(outbox->descriptor()));
  {
    Answer answer(outbox, 7), moved(std::move(answer)), unsent(outbox, 8);
    CHECK(outbox->take().empty());
    moved.send({.status = 204});
    moved.send({.status = 200});
  }
  CHECK(is_readable(outbox->descriptor()));
  const auto items = outbox->take();
  REQUIRE_EQ(items.size(), 2);
  CHECK_EQ(items.front().connection, 7);
  CHECK_EQ(items.front().reply.status, 204);
  CHECK_EQ(items.back().connection, 8);
  CHECK_EQ(items.back().reply.constant, no_memory_reply().constant);
  CHECK_FALSE(is_readable(outbox->descriptor()));
}
