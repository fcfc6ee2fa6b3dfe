#include "app/serve/answer.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace glossa::serve {

Outbox::Outbox() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  check(wake_.number() >= 0, "serve", "cannot wait for answers: {}", std::strerror(errno));
}

void Outbox::add(std::list<Item>& items) noexcept {
  const std::scoped_lock lock(mutex_);
  items_.splice(items_.end(), items);
  const std::uint64_t one = 1;
  static_cast<void>(::write(wake_.number(), &one, sizeof one));
}

std::list<Outbox::Item> Outbox::take() noexcept {
  const std::scoped_lock lock(mutex_);
  std::uint64_t ignored = 0;
  static_cast<void>(::read(wake_.number(), &ignored, sizeof ignored));
  return std::exchange(items_, {});
}

Answer::Answer(std::shared_ptr<Outbox> outbox, std::uint64_t connection) : outbox_(std::move(outbox)) {
  unsent_.push_back({connection, no_memory_reply()});
}

Answer::~Answer() {
  if (!unsent_.empty()) outbox_->add(unsent_);
}

void Answer::send(Reply reply) noexcept {
  if (unsent_.empty()) return;
  unsent_.front().reply = std::move(reply);
  outbox_->add(unsent_);
}

}  // namespace glossa::serve
