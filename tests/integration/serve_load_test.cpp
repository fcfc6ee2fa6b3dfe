// `glossa serve` under load, with clients that leave and with hostile clients.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>
#include <utility>

#include "tests/integration/served_run.h"
#include "tests/support/damaged_files.h"
#include "tests/support/long_lines.h"

using namespace glossa::testing;

namespace {

/// The number of per-thread heaps: glibc maps each at a multiple of 64 MiB, with a writable front.
int heaps_of_threads(int pid) {
  constexpr std::uint64_t heap_bytes = 64 << 20;
  int heaps = 0;
  std::uint64_t begin = 0, end = 0;  // of the mapping before
  for (const std::string& line : lines_of(read_bytes(fmt::format("/proc/{}/maps", pid)))) {
    const std::uint64_t from = std::stoull(line, nullptr, 16),
                        to = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    // The used part of a heap is followed by its reserve.
    heaps += line.find(" ---p ") != line.npos && from == end && begin % heap_bytes == 0 && to == begin + heap_bytes;
    begin = from;
    end = to;
  }
  return heaps;
}

/// A number of /metrics.
long metric(const Served& served, const std::string& name) {
  const Answer answer = get(served.port(), "/metrics");
  REQUIRE_EQ(answer.status, 200);
  const std::size_t line = answer.body.find("\n" + name + " ");
  REQUIRE_NE(line, answer.body.npos);
  return std::stol(answer.body.substr(line + name.size() + 2));
}

double seconds_of(const std::function<void()>& call) {
  const auto began = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Raises the limit of this process's descriptors to 5000 if it may; returns it.
rlim_t allow_descriptors() {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = std::min<rlim_t>(descriptors.rlim_max, 5000);
  setrlimit(RLIMIT_NOFILE, &descriptors);
  return descriptors.rlim_cur;
}

}  // namespace

TEST_CASE("many clients at once get the output of translate, even beside bad requests") {
  Served served({fixture().run()});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (std::size_t client = 0; client < 16; ++client)
    clients.emplace_back([&, client] {
      Connection connection(served.port());
      for (std::size_t k = 0; k < 15; ++k) {
        const std::size_t i = (7 * client + k) % fixture().lines.size();
        if (client % 4 == 3 && k % 3 == 0) {
          connection.send(post("/translate", "{\"q\":\"a\\u0000\",\"source\":\"en\",\"target\":\"hi\"}"));
          if (connection.answer().status != 400) ++wrong;
        }
        connection.send(post("/translate", translation(fixture().lines[i])));
        const Answer answer = connection.answer();
        if (answer.status != 200 || answer.body != "{\"translatedText\":" + in_json(fixture().translated[i]) + "}")
          ++wrong;
      }
    });
  for (std::thread& client : clients) client.join();
  CHECK_EQ(wrong, 0);
  if (!program_is_sanitized()) CHECK_EQ(heaps_of_threads(served.program().pid()), 0);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("100 MB, a thousand idle connections and slow senders do not block other clients") {
  const rlim_t descriptors = allow_descriptors();
  Served served({fixture().run(), "--timeout", "2"});
  const int port = served.port();
  std::vector<std::unique_ptr<Connection>> idle, slow;
  const std::size_t idle_count = std::min<std::size_t>(1000, descriptors - 200);
  for (std::size_t i = 0; i < idle_count; ++i) idle.push_back(std::make_unique<Connection>(port));
  const std::string request = post("/translate", translation(fixture().lines[0]));
  for (std::size_t i = 0; i < 100; ++i) {
    slow.push_back(std::make_unique<Connection>(port));
    slow.back()->send(request.substr(0, 10));
  }
  std::thread drip([&] {
    for (std::size_t at = 10; at < 35; ++at) {
      for (const auto& connection : slow) connection->send(request.substr(at, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  const std::string megabyte(1 << 20, 'a');
  std::thread large([&] {
    Connection declared(port);
    declared.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104857600\r\n\r\n");
    for (int i = 0; i < 100; ++i)
      if (!declared.send(megabyte)) break;
    CHECK_EQ(declared.answer().status, 413);
  });
  std::thread chunked([&] {
    Connection connection(port);
    connection.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100; ++i)
      if (!connection.send("80000\r\n" + megabyte.substr(0, 0x80000) + "\r\n80000\r\n" + megabyte.substr(0, 0x80000) +
                           "\r\n"))
        break;
    CHECK_EQ(connection.answer().status, 413);
  });
  for (int i = 0; i < 10; ++i)
    CHECK_LT(seconds_of([&] { CHECK_EQ(translated(port, fixture().lines[0]), in_json(fixture().translated[0])); }), 5);
  large.join();
  chunked.join();
  drip.join();
  for (const auto& connection : slow) CHECK_EQ(connection->answer().status, 408);
  idle.back()->send(request);
  CHECK_EQ(idle.back()->answer().status, 200);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("a request that was answered or refused leaves nothing in memory") {
  if (program_is_sanitized()) return;  // it keeps freed memory for a while, to detect uses
  Served served({fixture().run(), "--max-kib", "1024"});
  const auto resident = [&] {
    const std::string status = read_bytes(fmt::format("/proc/{}/status", served.program().pid()));
    return std::stol(status.substr(status.find("VmRSS:") + 6));  // KiB
  };
  const std::string large_chunk = fmt::format("{:x}\r\n{}\r\n", 1'000'000, std::string(1'000'000, 'a'));
  CHECK_EQ(get(served.port(), "/health").status, 200);
  const long before = resident();
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < 150; ++i) {
    for (const auto& [text, status] : {std::pair{"0\r\n\r\n" + std::string(), 400}, {large_chunk, 413}}) {
      Connection& connection = *connections.emplace_back(std::make_unique<Connection>(served.port()));
      connection.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      large_chunk + text);
      CHECK_EQ(connection.answer().status, status);
    }
  }
  CHECK_LT(resident() - before, 50 << 10);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("a thousand requests of a client leave threads and room for another client's") {
  const rlim_t descriptors = allow_descriptors();
  Served served({fixture().run(), "--timeout", "60"});
  std::string text;
  for (int i = 0; i < 6; ++i) {
    for (int words = 0; words < 250; ++words) text += "a ";
    text += "\n";
  }
  std::vector<std::unique_ptr<Connection>> many;
  while (many.size() < std::min<std::size_t>(1500, descriptors - 200)) {
    many.push_back(std::make_unique<Connection>(served.port()));
    many.back()->send(post("/translate", translation(text)));
  }
  for (int i = 0; i < 3; ++i)
    CHECK_LT(seconds_of([&] {
               const Answer answer = ask(served.port(), post("/translate", translation("hello world")), "127.0.0.2");
               CHECK_MESSAGE(answer.status == 200, answer.body);
             }),
             5);
  many.clear();
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("a client with too many connections loses the oldest of them, and other clients lose none") {
  if (allow_descriptors() < 5000) return;
  Served served({fixture().run(), "--timeout", "60"});
  Connection other(served.port(), "127.0.0.2");
  CHECK_EQ(get(served.port(), "/health").status, 200);  // it has been accepted
  std::vector<std::unique_ptr<Connection>> many;
  for (int i = 0; i < 4200; ++i) many.push_back(std::make_unique<Connection>(served.port()));
  CHECK(many.front()->is_closed_within(5000));
  for (Connection* const connection : {&other, many.back().get()}) {
    connection->send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_EQ(connection->answer().status, 200);
  }
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("requests that fill the server's memory yield to smaller ones of other clients") {
  Served served({fixture().run(), "--max-kib", "65536", "--timeout", "60"});
  const std::string megabyte(1 << 20, 'a');
  std::vector<std::unique_ptr<Connection>> large;
  for (int i = 0; i < 4; ++i) {  // together a few hundred bytes less than 256 MiB
    large.push_back(std::make_unique<Connection>(served.port()));
    large.back()->send("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108864\r\n\r\n");
    for (int sent = 1; sent < 64; ++sent) large.back()->send(megabyte);
    large.back()->send(megabyte.substr(200));
  }
  for (int i = 0; i < 10; ++i) {
    CHECK_EQ(get(served.port(), "/health").status, 200);
    translated(served.port(), "hello world" + std::string(1000, ' '));
  }
  translated(served.port(), "hello world" + std::string(100'000, ' '));
  CHECK_EQ(metric(served, "glossa_requests_total{status=\"503\"}"), 1);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("a request for too much at once delays nobody, and is refused when its time is up") {
  Served served({fixture().run(), "--timeout", "0.3", "--queue", "20000"});
  std::string text;
  for (int i = 0; i < 19000; ++i) text += fixture().lines[static_cast<std::size_t>(i) % 60] + "\n";
  Connection greedy(served.port());
  greedy.send(post("/translate", translation(text)));
  for (int i = 0; i < 5; ++i) {
    Connection small(served.port());
    small.send(post("/translate", translation("hello world")));
    const int status = small.answer().status;
    CHECK((status == 200 || status == 503));  // the machine may be busy
  }
  const Answer answer = greedy.answer();
  check_error(answer, 503, "in time");
  CHECK_NE(answer.head.find("Retry-After: "), answer.head.npos);
  CHECK_EQ(metric(served, "glossa_queue_length"), 0);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("requests with damaged bytes are answered, and never end the server") {
  Served served({fixture().run(), "--timeout", "1"});
  const std::string json = translation("hello world", R"(,"alternatives":1)");
  const Strings requests{
      post("/translate", json),
      post("/translate", R"({"q":["hello","","world \ud83d\ude00\n"],"source":"auto","target":"hi","format":"text"})"),
      post("/translate", "q=hello%20world&source=en&target=hi", "application/x-www-form-urlencoded"),
      "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; charset=utf-8\r\nExpect: "
      "100-continue\r\nTransfer-Encoding: chunked\r\n\r\n" +
          fmt::format("{:x};a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", json.size(), json),
      post("/attention", R"({"q":"hello world","translation":"hello","source":"en","target":"hi"})"),
      "GET /languages HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: http://localhost\r\nAccept-Encoding: gzip\r\n\r\n" +
          post("/translate", json),
  };
  std::map<int, int> statuses;
  for (unsigned number = 0; number < mutations(800); ++number) {
    CAPTURE(number);
    Connection connection(served.port());
    connection.send(mutated(requests[number % requests.size()], number));
    connection.end();
    const Answer answer = connection.answer();
    ++statuses[answer.status];
    CHECK_LT(answer.body.size(), 20000);
  }
  CHECK_GT(statuses[400], 50);
  CHECK_GT(statuses[200], 5);
  CHECK_EQ(statuses[500], 0);
  CHECK_EQ(translated(served.port(), fixture().lines[0]), in_json(fixture().translated[0]));
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("SIGTERM ends the server after the requests in progress, without waiting for silent clients") {
  Served served({fixture().run(), "--gather-ms", "600"});
  Connection idle(served.port()), half(served.port()), asks(served.port());
  half.send("POST /translate HTTP/1.1\r\nHost: localhost\r\n");
  asks.send(post("/translate", translation(fixture().lines[0])));
  // A queued request is in progress.
  while (metric(served, "glossa_queue_length") != 1) REQUIRE(served.program().running());
  served.program().signal(SIGTERM);
  const Answer answer = asks.answer();
  CHECK_EQ(answer.status, 200);
  CHECK_EQ(json_object(answer.body).at("translatedText"), in_json(fixture().translated[0]));
  check_error(half.answer(), 503, "shutting down");
  CHECK(idle.is_closed_within(5000));
  CHECK_EQ(served.program().wait().status, 0);
}

TEST_CASE("SIGTERM refuses requests that are not answered within two seconds") {
  Served served({fixture().run(), "--timeout", "600", "--max-kib", "4096", "--set", "decode.max_length_factor=100"});
  Connection asks(served.port());
  std::string text;
  for (int i = 0; i < 2000; ++i) text += fixture().lines[static_cast<std::size_t>(i) % fixture().lines.size()] + "\\n";
  asks.send(post("/translate", R"({"q":")" + text + R"(","source":"en","target":"hi"})"));
  while (metric(served, "glossa_queue_length") == 0) REQUIRE(served.program().running());
  served.program().signal(SIGTERM);
  const Answer answer = asks.answer();
  if (answer.status != 200) check_error(answer, 503, "shutting down");
  CHECK_EQ(served.program().wait().status, 0);
}

TEST_CASE("SIGTERM ends the server although a client does not read its answers") {
  Served served({fixture().run(), "--timeout", "60"});
  Connection deaf(served.port());
  for (int i = 0; i < 3000; ++i) deaf.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  long answered = 0, before = 0;
  do {  // until answers fill the system's buffers, and only this question is answered
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    before = std::exchange(answered, metric(served, "glossa_request_seconds_count"));
  } while (answered != before + 1);
  CHECK_LT(answered, 3000);
  CHECK_LT(seconds_of([&] { CHECK_EQ(served.stop().status, 0); }), 10);
}

TEST_CASE("requests of a megabyte, of any shape, delay neither a short one nor the end of the server") {
  Served served({fixture().run(), "--timeout", "600", "--max-kib", "4096", "--queue", "1000000"});
  std::vector<std::string> texts = lines_of_a_megabyte();
  std::string& lines = texts.emplace_back();
  while (lines.size() < 1'000'000) lines += "a\n";
  std::vector<std::unique_ptr<Connection>> large;
  for (const std::string& text : texts) {
    large.push_back(std::make_unique<Connection>(served.port()));
    large.back()->send(post("/translate", translation(text)));
  }
  CHECK_EQ(translated(served.port(), fixture().lines[0]), in_json(fixture().translated[0]));
  served.program().signal(SIGTERM);
  for (const auto& connection : large) {
    const int status = connection->answer().status;
    CAPTURE(status);
    CHECK((status == 200 || status == 400 || status == 413 || status == 503));
  }
  CHECK_EQ(served.program().wait().status, 0);
}

TEST_CASE("SIGTERM ends the server although long texts are being cut into tokens") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.tokenizer=sentencepiece", "data.vocab_size=100", "train.max_updates=1"}));
  Served served({tiny / "run", "--timeout", "600"});
  std::string text;
  while (text.size() < 1'000'000) text += "how are you ";
  std::vector<std::unique_ptr<Connection>> large;
  for (int i = 0; i < 24; ++i) {
    large.push_back(std::make_unique<Connection>(served.port()));
    large.back()->send(post("/translate", translation(text)));
  }
  CHECK_LT(seconds_of([&] { CHECK_EQ(served.stop().status, 0); }), 10);
}

TEST_CASE("a client that leaves gives up its request; one that only closes its sending side gets the answer") {
  Served served({fixture().run(), "--timeout", "600", "--gather-ms", "1000"});
  Connection half(served.port());
  half.send(post("/translate", translation(fixture().lines[0])));
  half.end();
  CHECK_EQ(half.answer().status, 200);
  {
    Connection leaves(served.port());
    leaves.send(post("/translate", translation(fixture().lines[0])));
    while (metric(served, "glossa_queue_length") != 1) REQUIRE(served.program().running());
  }
  while (metric(served, "glossa_connections") != 1)
    REQUIRE(served.program().running());  // the other's is closed before its answer
  CHECK_EQ(served.stop().status, 0);
}
