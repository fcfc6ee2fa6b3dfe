// `glossa serve` as its clients see it, with valid and invalid requests.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <regex>

#include "tests/integration/served_run.h"

using namespace glossa::testing;

TEST_CASE("JSON, forms and lists are answered with the output of translate") {
  Served served({fixture().run()});
  const int port = served.port();
  const std::string line = fixture().lines[0], expected = in_json(fixture().translated[0]);
  CHECK_EQ(translated(port, line), expected);
  const Answer form =
      ask(port, post("/translate", "source=en&target=hi&q=" + std::regex_replace(line, std::regex(" "), "+"),
                     "application/x-www-form-urlencoded"));
  CHECK_EQ(form.status, 200);
  CHECK_EQ(json_object(form.body).at("translatedText"), expected);
  std::string parts;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"q", line}, {"source", "en"}, {"target", "hi"}})
    parts += "--XX\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  const Answer multipart = ask(port, post("/translate", parts + "--XX--\r\n", "Multipart/Form-Data; boundary=XX"));
  CHECK_EQ(multipart.status, 200);
  CHECK_EQ(json_object(multipart.body).at("translatedText"), expected);
  CHECK_EQ(ask(port, post("/translate?source=en&target=hi", "q=hello", "application/x-www-form-urlencoded")).status,
           200);
  CHECK_EQ(ask(port, post("/translate", translation("hello"), "Application/JSON; Charset=UTF-8")).status, 200);
  for (const char* type : {"text/plain", "text/plain; x=json", "text/json", "application/json-patch+json",
                           "application/x-www-form-urlencoded-x", "multipart/form-data-x; boundary=XX", "*/*"})
    check_error(ask(port, post("/translate", translation("hello"), type)), 415, "application/json");
  const Answer list = ask(port, post("/translate", "{\"q\":[" + in_json(line) + "," + in_json(fixture().lines[1]) +
                                                       "],\"source\":\"auto\",\"target\":\"hi\"}"));
  CHECK_EQ(json_object(list.body).at("translatedText"), "[" + expected + "," + in_json(fixture().translated[1]) + "]");

  const std::string whole = fmt::format("{}", fmt::join(fixture().lines, "\r\n")) + "\n\n";
  CHECK_EQ(translated(port, whole), in_json(fmt::format("{}", fmt::join(fixture().translated, "\r\n")) + "\n\n"));
  std::string long_line;
  for (int i = 0; i < 1500; ++i) long_line += i % 2 == 0 ? "hello " : "world ";
  CHECK_EQ(translated(port, long_line), in_json(fixture().translate({long_line})[0]));

  const Answer best = ask(port, post("/translate", translation(line, R"(,"alternatives":2,"scores":true)")));
  auto object = json_object(best.body);
  Strings expected_list;
  for (const std::string& each :
       lines_of(succeeded(glossa_program({"translate", fixture().run(), "--nbest", "3"}, line + "\n")).out))
    expected_list.push_back(in_json(each.substr(6, each.rfind(" ||| ") - 6)));
  REQUIRE_EQ(expected_list.size(), 3);
  CHECK_EQ(object.at("translatedText"), expected_list[0]);
  CHECK_EQ(object.at("alternatives"), "[" + expected_list[1] + "," + expected_list[2] + "]");
  CHECK_GT(std::stod(object.at("probability")), 0);
  CHECK_LE(std::stod(object.at("probability")), 1);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("/attention answers with the numbers of glossa attention, in every precision") {
  const std::string line = fixture().lines[0];
  std::map<std::string, std::string> of_precision;  // the probability of the translation
  for (const std::string precision : {"float", "bf16", "int8"}) {
    Served served({fixture().run(), "--precision", precision});
    const Answer answer = ask(
        served.port(), post("/attention", translation(line, ",\"translation\":" + in_json(fixture().translated[0]))));
    CHECK_EQ(answer.status, 200);
    auto found = json_object(answer.body);
    const Outcome printed =
        glossa_program({"attention", fixture().run(), "--json", "--set", "decode.precision=" + precision}, line + "\n");
    auto expected = json_object(succeeded(printed).out);
    for (const char* key : {"source", "target", "output", "encoder", "decoder", "cross", "probabilities"})
      CHECK_EQ(found.at(key), expected.at(key));
    check_error(ask(served.port(), post("/attention", translation(line))), 400, "translation");
    const Answer scored = ask(served.port(), post("/translate", translation(line, R"(,"scores":true)")));
    of_precision[precision] = json_object(scored.body).at("probability");
    CHECK_EQ(served.stop().status, 0);
  }
  CHECK_NE(of_precision.at("float"), of_precision.at("bf16"));
  CHECK_NE(of_precision.at("float"), of_precision.at("int8"));
}

TEST_CASE("a quantized run is served with the translations of its run in int8") {
  const std::string quantized = fixture().tiny / "quantized";
  succeeded(glossa_program({"quantize", fixture().run(), "--run", quantized}));
  std::string answers;
  for (const Strings& arguments : {Strings{quantized}, Strings{fixture().run(), "--precision", "int8"}}) {
    Served served(arguments);
    std::string all;
    for (const std::string& line : fixture().lines)
      all += ask(served.port(), post("/translate", translation(line, R"(,"scores":true)"))).body + "\n";
    CHECK_EQ(served.stop().status, 0);
    if (!answers.empty()) CHECK_EQ(all, answers);
    answers = all;
  }
  CHECK_NE(answers.find("translatedText"), answers.npos);
}

TEST_CASE("languages, health, metrics and the page are served") {
  Served served({fixture().run()});
  const int port = served.port();
  CHECK_EQ(get(port, "/languages").body,
           R"([{"code":"en","name":"English","targets":["hi"]},{"code":"hi","name":"Hindi","targets":[]}])");
  CHECK_EQ(json_object(get(port, "/health").body).at("status"), "\"ok\"");
  CHECK_EQ(json_object(get(port, "/frontend/settings").body).at("keyRequired"), "false");
  const Answer page = get(port, "/");
  CHECK_EQ(page.status, 200);
  CHECK_NE(page.head.find("text/html"), page.head.npos);
  CHECK_NE(page.body.find("</html>"), page.body.npos);
  translated(port, "hello world");
  check_error(get(port, "/nowhere"), 404, "/nowhere");
  const Answer method = get(port, "/translate");
  check_error(method, 405, "POST");
  CHECK_NE(method.head.find("Allow: POST\r\n"), method.head.npos);
  const Answer metrics = get(port, "/metrics");
  for (const char* line : {"\nglossa_requests_total{status=\"200\"} 5\n", "\nglossa_requests_total{status=\"404\"} 1\n",
                           "\nglossa_requests_total{status=\"405\"} 1\n", "\nglossa_request_seconds_count 7\n",
                           "\nglossa_queue_length 0\n", "\nglossa_sentences_total 1\n"})
    CHECK_MESSAGE(metrics.body.find(line) != metrics.body.npos, metrics.body);

  Connection kept(port);
  for (int i = 0; i < 3; ++i) {
    kept.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" +
              post("/translate", translation("hello world")));  // pipelined
    CHECK_EQ(kept.answer().status, 200);
    CHECK_EQ(kept.answer().status, 200);
  }
  kept.send("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes=0-0,0-0\r\n\r\n");
  CHECK_EQ(kept.answer().status, 200);
  CHECK(kept.is_closed_within(5000));
  Connection head(port);
  head.send("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  CHECK(head.is_closed_within(5000) == false);  // it gets an answer
  const std::string models = get(port, "/models").body;
  CHECK(models.starts_with(R"([{"parameters":)"));
  CHECK_NE(models.find(R"("source":"en","target":"hi","trainedOn":["toy/train"],"update":150}])"), models.npos);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("each reply has the server's headers, and the reply to HEAD has no body") {
  Served served({fixture().run()});
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
  Connection connection(served.port());
  connection.send("HEAD /health" + host + "\r\nGET /%68ealth" + host + "\r\n");
  const Answer head = connection.response();
  for (const char* header :
       {"Cache-Control: no-store", "Content-Length: 15", "Content-Security-Policy: default-src 'none'; ",
        "Content-Type: application/json\r\n", "Keep-Alive: timeout=60, max=1000000", "X-Content-Type-Options: nosniff"})
    CHECK_MESSAGE(head.head.find("\r\n" + std::string(header)) != head.head.npos, head.head);
  CHECK_EQ(head.body, "HTTP/1.1 200 OK");  // of the next reply
  const Answer last = ask(served.port(), "GET /health" + host + "Connection: close\r\n\r\n");
  CHECK_EQ(last.body, R"({"status":"ok"})");
  CHECK_NE(last.head.find("\r\nConnection: close\r\n"), last.head.npos);
  CHECK_EQ(last.head.find("Keep-Alive"), last.head.npos);
  for (const char* method : {"PUT", "PATCH", "DELETE", "OPTIONS", "POST"}) {
    const Answer refused = ask(served.port(), fmt::format("{} /health{}\r\n", method, host));
    check_error(refused, 405, method);
    CHECK_NE(refused.head.find("\r\nAllow: GET, HEAD\r\n"), refused.head.npos);
    CHECK_NE(refused.head.find("\r\nCache-Control: no-store\r\n"), refused.head.npos);
  }
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("a bad request is answered with its error and status, and the next one is served") {
  Served served({fixture().run(), "--max-kib", "16", "--queue", "50", "--timeout", "1"});
  const int port = served.port();
  const auto refused = [&](const std::string& request, int status, const std::string& part = "expected ") {
    check_error(ask(port, request), status, part);
  };
  refused(post("/translate", ""), 400);
  refused(post("/translate", "{"), 400, "JSON");
  refused(post("/translate", "{\"q\":\"\xFF\"}"), 400, "UTF-8");
  refused(post("/translate", "q=%FF&source=en&target=hi", "application/x-www-form-urlencoded"), 400, "UTF-8");
  refused(post("/translate", R"({"source":"en","target":"hi"})"), 400, " q ");
  refused(post("/translate", translation("a", R"(,"format":"html")")), 400, "html");
  refused(post("/translate", translation("a", R"(,"alternatives":1000)")), 400, "1000");
  refused(post("/translate", R"({"q":"a","source":"en","target":"de"})"), 400, "en-hi");
  refused(post("/translate", "{\"q\":\"a\\u0000\",\"source\":\"en\",\"target\":\"hi\"}"), 400, "NUL");
  refused(post("/translate", std::string(10000, '[')), 400, "got array");
  refused(post("/translate", "--X\r\nnothing", "multipart/form-data; boundary=X"), 400);
  refused(post("/translate", "abc", "application/json", "Content-Encoding: gzip\r\n"), 415);
  refused(post("/translate", std::string(16385, 'a')), 413);
  refused(post("/translate", translation(std::string(51, '\n'))), 413, "50");
  refused("POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4001\r\n", 413);
  refused("POST /translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);
  refused("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400);
  refused("hello\r\n\r\n", 400);
  refused("BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  refused("GET /" + std::string(20000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 431);
  refused("GET / HTTP/1.1\r\n\r\n", 400, "Host");
  refused("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400, "Host");
  CHECK_EQ(ask(port, "GET / HTTP/1.0\r\n\r\n").status, 200);
  refused("GET / HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(9000, 'a') + "\r\n\r\n", 431);
  refused("GET /faviconxico HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "/faviconxico");
  refused("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
  for (const bool ends : {true, false}) {  // a body that is cut off: the client is gone, or silent
    Connection half(port);
    half.send(post("/translate", translation("hello")).substr(0, 120));
    if (ends) half.end();
    check_error(half.answer(), ends ? 400 : 408);
  }
  Connection waits(port);
  const std::string body = translation("hello world");
  waits.send("POST /translate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
             std::to_string(body.size()) + "\r\nContent-Type: application/json\r\n\r\n");
  CHECK_EQ(waits.response().status, 100);
  waits.send(body);
  CHECK_EQ(waits.answer().status, 200);
  CHECK_EQ(translated(port, fixture().lines[0]), in_json(fixture().translated[0]));
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("only clients with a key may translate") {
  write_bytes(fixture().tiny / "keys", "# of tests\n\nfirst\nsecond\n");
  Served served({fixture().run(), "--api-key-file", fixture().tiny / "keys"});
  const int port = served.port();
  check_error(ask(port, post("/translate", translation("hello"))), 403, "api_key");
  for (const char* key : {"", "third", "firs", "first ", "# of tests"})
    check_error(ask(port, post("/translate", translation("hello", std::string(R"(,"api_key":")") + key + "\""))), 403);
  translated(port, "hello", R"(,"api_key":"second")");
  CHECK_EQ(get(port, "/languages").status, 200);
  CHECK_EQ(json_object(get(port, "/frontend/settings").body).at("keyRequired"), "true");
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("pages of another origin may ask if --allow-origin names it") {
  const std::string origin = "https://example.org",
                    before = "OPTIONS /translate HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin + "\r\n\r\n",
                    allows = "\r\nAccess-Control-Allow-";
  Served closed({fixture().run()}), open({fixture().run(), "--allow-origin", origin});
  check_error(ask(closed.port(), before), 405);
  CHECK_EQ(get(closed.port(), "/languages").head.find(allows), std::string::npos);
  const Answer asked_first = ask(open.port(), before);
  CHECK_EQ(asked_first.status, 204);
  for (const char* header : {"Origin: https://example.org\r\n", "Methods: POST\r\n", "Headers: Content-Type\r\n"})
    CHECK_NE(asked_first.head.find(allows + header), std::string::npos);
  for (const Answer& answer : {get(open.port(), "/languages"), ask(open.port(), post("/translate", "{}"))})
    CHECK_NE(answer.head.find(allows + "Origin: https://example.org\r\n"), std::string::npos);
  for (const char* wrong : {"example.org", "https://example.org/", "https://", "https://a b", "*.example.org", ""})
    check_refused(glossa_program({"serve", fixture().run(), "--port", "0", "--allow-origin", wrong}), 2,
                  {"--allow-origin"});
}

TEST_CASE("without --allow-origin only the server's own page may ask") {
  Served served({fixture().run(), "--host", "127.1", "--host-name", "Glossa.example", "--host-name", "box"});
  const int port = served.port();
  const std::string json = "application/json", form = "application/x-www-form-urlencoded";
  const auto from = [&](const std::string& origin, const std::string& type) {
    const std::string body = type == form ? "q=hello&source=en&target=hi" : translation("hello");
    return ask(port, post("/translate", body, type, "Origin: " + origin + "\r\n"));
  };
  for (const std::string& type : {json, form}) {
    for (const char* own : {"http://localhost", "https://localhost", "http://LOCALHOST:80"})
      CHECK_EQ(from(own, type).status, 200);
    for (const char* other : {"https://example.org", "http://localhost:81", "http://127.0.0.1", "null", "file://", ""})
      check_error(from(other, type), 403, "--allow-origin");
  }
  check_error(ask(port, post("/nowhere", "", form, "Origin: null\r\n")), 403);

  const auto called = [&](const std::string& host, const std::string& more = "") {
    return ask(port, "GET /languages HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n");
  };
  const std::string number = ":" + std::to_string(port);
  for (const char* host : {"127.0.0.1", "192.0.2.1", "[::1]", "localhost", "glossa.example", "BOX", "127.1"})
    for (const std::string& each : {host + number, std::string(host)}) CHECK_EQ(called(each).status, 200);
  CHECK_EQ(called("localhost", "Origin: https://example.org\r\n").status, 200);  // its page cannot read this
  for (const char* host : {"example.org", "www.glossa.example", "127.0.0.1.example.org", "localhost."}) {
    check_error(called(host), 421, fmt::format("--host-name {}", host));
    check_error(called(host + number, "Origin: http://" + (host + number) + "\r\n"), 421);
  }
  check_error(ask(port, "GET http://example.org/languages HTTP/1.1\r\nHost: localhost\r\n\r\n"), 421);
  check_error(called("%6cocalhost"), 400);
  CHECK_EQ(served.stop().status, 0);
  for (const char* wrong : {"https://example.org", "example.org:80", "a b", ""})
    check_refused(glossa_program({"serve", fixture().run(), "--port", "0", "--host-name", wrong}), 2, {"--host-name"});
}

TEST_CASE("an error quotes the start of a long value") {
  Served served({fixture().run()});
  const std::string megabyte(1000000, 'a'), path(8000, 'a');
  for (const std::string& body :
       {translation("a", R"(,"format":")" + megabyte + "\""),
        translation("a", R"(,"alternatives":")" + megabyte + "\""),
        R"({"q":"a","source":")" + megabyte + R"(","target":"hi"})", "{\"" + megabyte + "\":{}}", "\"" + megabyte}) {
    const Answer answer = ask(served.port(), post("/translate", body));
    check_error(answer, 400, "aaa...");
    CHECK_LT(answer.body.size(), 1000);
  }
  const Answer answer = get(served.port(), "/" + path);
  check_error(answer, 404, "aaa...");
  CHECK_LT(answer.body.size(), 1000);
  CHECK_EQ(served.stop().status, 0);
}

TEST_CASE("bad runs, addresses and keys are refused at the start") {
  const std::string run = fixture().run();
  Served served({run});
  check_refused(glossa_program({"serve", run, "--port", std::to_string(served.port())}), 1, {"[--port]", "in use"});
  check_refused(glossa_program({"serve", run, "--host", "192.0.2.1", "--port", "0"}), 1, {"[--host]", "192.0.2.1"});
  check_refused(glossa_program({"serve", run, run, "--port", "0"}), 2, {"[RUN]", "for en-hi"});
  check_refused(glossa_program({"serve", "nowhere"}), 1, {"nowhere"});
  check_refused(glossa_program({"serve"}), 2, {"RUN"});
  write_bytes(fixture().tiny / "no-keys", "# none\n");
  check_refused(glossa_program({"serve", run, "--api-key-file", fixture().tiny / "no-keys"}), 1, {"no-keys"});
  CHECK_EQ(served.stop().status, 0);
}
