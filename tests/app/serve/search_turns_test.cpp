#include "app/serve/search_turns.h"

#include <doctest/doctest.h>

#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::serve;
using namespace glossa::testing;
using namespace std::chrono_literals;

namespace {

using Found = Promise<std::vector<Translation>>::Future;

/// One thread's searches, and requests of several clients.
struct Turns {
  std::shared_ptr<Pending> request(const std::string& client) {
    return std::make_shared<Pending>(
        Caller{.client = client, .deadline = std::chrono::steady_clock::now() + 1h, .has_left = left}, ends);
  }

  /// A piece of that many words, whose search does not end before the length limit.
  Piece piece(const std::shared_ptr<const Pending>& of, std::size_t words, Index wanted = 1) {
    std::string line;
    for (std::size_t i = 0; i < words; ++i) line += "a" + std::to_string(i % 7) + " ";
    return {.ids = translator.source_ids(line, "text", 1), .number = 1, .wanted = wanted, .request = of, .found = {}};
  }

  Found begin(Piece piece) { return std::move(begin_batch(std::move(piece)).front()); }

  template <class... Pieces>
  std::vector<Found> begin_batch(Pieces... pieces) {
    std::vector<Piece> batch;
    (batch.push_back(std::move(pieces)), ...);
    std::vector<Found> found;
    for (Piece& piece : batch) found.push_back(piece.found.future());
    turns.begin(std::move(batch));
    return found;
  }

  std::size_t steps_until(const Found& found) {
    std::size_t steps = 0;
    for (; !found.is_ready(); ++steps) turns.step();
    return steps;
  }

  static bool is_ready(const Found& found) { return found.is_ready(); }

  static std::string text(Found found) { return found.get().at(0).text; }

  TranslatorFixture fixture{600};
  DecodeOptions decode = [] {
    DecodeOptions config;
    config.min_length = 10000;
    return config;
  }();
  const ServedRun run{fixture.transformer.get(), fixture.tokenizers, fixture.data, decode};
  Translator translator = fixture.translator();
  const std::shared_ptr<std::atomic<bool>> left = std::make_shared<std::atomic<bool>>(false),
                                           ends = std::make_shared<std::atomic<bool>>(false);
  PreparedWeights<float> weights;
  SearchTurns turns{run, weights};
};

}  // namespace

TEST_CASE_FIXTURE(Turns, "searches take turns: a short sentence does not wait for the end of a long one") {
  Found slow = begin(piece(request("a"), 500));
  turns.step();
  Found quick = begin(piece(request("b"), 3));
  steps_until(quick);
  CHECK_FALSE(is_ready(slow));
  steps_until(slow);
  CHECK(turns.empty());
  // Each finds what it would alone.
  CHECK_EQ(text(std::move(quick)), text([&] {
             Found alone = begin(piece(request("c"), 3));
             steps_until(alone);
             return alone;
           }()));
}

TEST_CASE_FIXTURE(Turns, "batches hold sentences of similar length, equally many translations and few tokens") {
  const auto a = request("a");
  std::vector<Piece> batch;
  batch.push_back(piece(a, 10));
  CHECK(turns.joins(batch, piece(a, 60)));
  CHECK_FALSE(turns.joins(batch, piece(a, 70)));
  CHECK_FALSE(turns.joins(batch, piece(a, 500)));
  CHECK_FALSE(turns.joins(batch, piece(a, 10, 2)));
  while (turns.joins(batch, piece(a, 60))) batch.push_back(piece(a, 60));
  CHECK_EQ(std::ssize(batch), 1 + (decode.max_tokens - 11) / 61);
}

TEST_CASE_FIXTURE(Turns, "a client has one search for each range of lengths, so that others find a place") {
  const auto a = request("a"), b = request("b");
  Found first = begin(piece(a, 500));
  CHECK_FALSE(turns.may_begin(piece(a, 400)));
  CHECK(turns.may_begin(piece(a, 5)));
  CHECK(turns.may_begin(piece(b, 500)));
  std::vector<Piece> of_b;
  of_b.push_back(piece(b, 500));
  CHECK(turns.joins(of_b, piece(b, 400)));
  CHECK_FALSE(turns.joins(of_b, piece(a, 400)));
  Found second = begin(piece(b, 500));
  steps_until(first);
  CHECK(turns.may_begin(piece(a, 400)));
  steps_until(second);
}

TEST_CASE_FIXTURE(Turns, "a client whose sentence is answered may begin, though others of the batch are searched") {
  const auto a = request("a"), b = request("b");
  std::vector<Found> found = begin_batch(piece(b, 3), piece(a, 60));
  steps_until(found[0]);
  CHECK_FALSE(is_ready(found[1]));
  CHECK(turns.may_begin(piece(b, 3)));
  CHECK_FALSE(turns.may_begin(piece(a, 3)));
  steps_until(found[1]);
}

TEST_CASE_FIXTURE(Turns, "long sentences of however many clients leave places to shorter ones") {
  std::vector<Found> found;
  int clients = 0;
  const auto fill = [&](std::size_t words) {
    const int before = clients;
    for (;; ++clients) {
      Piece next = piece(request("client " + std::to_string(clients)), words);
      if (!turns.may_begin(next)) return clients - before;
      found.push_back(begin(std::move(next)));
    }
  };
  CHECK_EQ(fill(500), 2);
  CHECK_EQ(fill(200), 2);
  CHECK_EQ(fill(100), 4);
  CHECK_EQ(fill(3), 8);
  CHECK_EQ(fill(500), 0);
  for (Found& each : found) steps_until(each);
}

TEST_CASE_FIXTURE(Turns, "a long sentence beside ever new short ones of another client gets its share of the time") {
  const std::size_t alone = steps_until(begin(piece(request("a"), 500)));
  Found slow = begin(piece(request("a"), 500));
  std::size_t steps = 0;
  for (; !is_ready(slow); ++steps) {
    if (Piece next = piece(request("b"), 3); turns.may_begin(next)) begin(std::move(next));
    turns.step();
  }
  CHECK_LT(steps, 20 * alone);
}

TEST_CASE_FIXTURE(Turns, "the sentences of a batch that throws are searched one by one, in turn with other searches") {
  const auto a = request("a"), b = request("b");
  Piece bad = piece(a, 300);
  bad.ids[5] = 1 << 20;  // not in the vocabulary
  std::vector<Found> found = begin_batch(piece(a, 300), std::move(bad), piece(a, 300));
  for (const Found& each : found) CHECK_FALSE(is_ready(each));
  steps_until(begin(piece(b, 3)));
  CHECK_FALSE(is_ready(found[0]));
  while (!turns.empty()) turns.step();
  CHECK_EQ(text(std::move(found[0])), text(std::move(found[2])));
  CHECK_THROWS_AS(found[1].get(), Error);
}

TEST_CASE_FIXTURE(Turns, "a piece whose request is over, late, left or cancelled is given up at the next step") {
  const auto check_given_up = [&](const std::shared_ptr<Pending>& request, const auto& give_up) {
    std::vector<Found> found = begin_batch(piece(request, 300), piece(request, 300));
    turns.step();
    turns.step();
    CHECK_FALSE(is_ready(found[0]));
    give_up();
    turns.step();
    CHECK(turns.empty());
    for (Found& each : found) CHECK_THROWS_AS(each.get(), BrokenPromise);
  };
  const auto over = request("a"), late = request("a");
  check_given_up(over, [&] { over->is_over = true; });
  check_given_up(late, [&] { late->caller.deadline = {}; });
  check_given_up(request("a"), [&] { *left = true; });
  *left = false;
  check_given_up(request("a"), [&] { *ends = true; });
}

TEST_CASE_FIXTURE(Turns, "a piece that is given up does not disturb the others of its batch") {
  const auto stays = request("a"), goes = request("b");
  Found alone = begin(piece(stays, 20));
  const std::size_t steps = steps_until(alone);
  std::vector<Found> found = begin_batch(piece(goes, 20), piece(stays, 20));
  turns.step();
  goes->is_over = true;
  CHECK_EQ(steps_until(found[1]), steps - 1);  // it was not searched again
  CHECK_EQ(text(std::move(found[1])), text(std::move(alone)));
  CHECK(turns.empty());
}
