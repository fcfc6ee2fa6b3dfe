#include "app/serve/form.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <chrono>
#include <map>
#include <vector>

#include "app/serve/http_error.h"
#include "base/random.h"
#include "tests/support/damaged_files.h"

using namespace glossa::serve;
using glossa::RandomStream;
using glossa::testing::mutated;

namespace {

const std::string type = "multipart/form-data; boundary=XX";

/// The fields as text, by name; the status, if the form is refused.
std::string summary(const std::string& content_type, std::string_view body) {
  try {
    std::string text;
    for (const auto& [name, field] : fields_of_multipart(content_type, body)) {
      text += fmt::format("{}{}", name, field.is_list ? "[]" : "");
      for (const std::string& value : field.values) text += fmt::format("={}", value);
      text += ";";
    }
    return text;
  } catch (const HttpError& error) {
    CHECK(std::string(error.what()).starts_with("expected a "));
    return fmt::format("{}", error.status());
  }
}

/// A part of a form whose boundary is XX.
std::string part(const std::string& name, const std::string& value) {
  return fmt::format("--XX\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", name, value);
}

double seconds_to_read(const std::string& content_type, const std::string& body) {
  const auto begin = std::chrono::steady_clock::now();
  summary(content_type, body);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("%XX is decoded, and any other % is itself") {
  CHECK_EQ(percent_decoded("a%20%4a%4Bc+"), "a JKc+");
  CHECK_EQ(percent_decoded("%%41%4%zz%"), "%A%4%zz%");
  CHECK_EQ(percent_decoded("%00%ff"), std::string("\0\xFF", 2));
  CHECK_EQ(percent_decoded("%u0041"), "%u0041");
}

TEST_CASE("a multipart form gives its parts' names and values") {
  CHECK_EQ(summary(type, part("a", "b") + part("q", "x\r\n--X\r\n") + part("a", "c") + part("", "") + "--XX--\r\n"),
           "=;a[]=b=c;q=x\r\n--X\r\n;");
  const std::string end = "\r\n\r\nb\r\n--XX--\r\n";
  CHECK_EQ(summary(type, "preamble\r\n--XX\r\nContent-Disposition: form-data; name=a" + end + "epilogue"), "a=b;");
  for (const char* head :
       {"content-disposition:form-data;name=\"a\"", "CONTENT-DISPOSITION: Form-Data; Name=\"a\"; filename=\"b;c\"",
        "Content-Disposition: form-data; filename=\"name=x\"; name=\"a\"",
        "Content-Type: text/plain\r\nContent-Disposition: form-data; name=\"a\"  \r\nX: y"})
    CHECK_MESSAGE(summary(type, "--XX\r\n" + std::string(head) + end) == "a=b;", head);
  for (const char* head : {"Content-Disposition: form-data", "Content-Disposition: form-data; name=\"a", "X: name=a",
                           "Content-Disposition: form-data; xname=a"})
    CHECK_MESSAGE(summary(type, "--XX\r\n" + std::string(head) + end) == "=b;", head);
  for (const char* other : {"multipart/form-data; boundary=\"XX\"", "multipart/form-data;charset=utf-8; BOUNDARY=XX ",
                            "multipart/form-data; a=\"; boundary=Y\"; boundary=XX; b"})
    CHECK_MESSAGE(summary(other, part("a", "b") + "--XX--\r\n") == "a=b;", other);
}

TEST_CASE("a malformed multipart form is refused") {
  for (const char* other :
       {"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"XX", "multipart/form-data; boundary=Y"})
    CHECK_MESSAGE(summary(other, part("a", "b") + "--XX--\r\n") == "400", other);
  for (const char* body :
       {"", "--XX", "--XX\r\n", "--XX\r\n\r\n", "XX--\r\n", "--XX\r\nnothing", "--XX\r\na: b\r\n--XX--\r\n",
        "--XX\r\n\r\n--XX--\r\n", "--XX\r\n\r\nb\r\n--XX", "--XX\r\n\r\nb\r\n--XX--", "--XX\r\n\r\nb\r\n--XX\n",
        "--XX\r\n\r\nb\r\n--XXY--\r\n", "--XX\n\nb\n--XX--\n", "--XX\r\n\r\n\xFF\r\n--XX--\r\n",
        "--XX\r\nContent-Disposition: form-data; name=\"\xFF\"\r\n\r\nb\r\n--XX--\r\n"})
    CHECK_MESSAGE(summary(type, body) == "400", body);
  std::string names, values;
  for (int i = 0; i < 63; ++i) names += part(fmt::format("{}", i), "");
  for (int i = 0; i < 4095; ++i) values += part("a", "");
  CHECK_NE(summary(type, names + "--XX--\r\n"), "400");
  CHECK_EQ(summary(type, names + part("a", "") + "--XX--\r\n"), "400");
  CHECK_NE(summary(type, values + "--XX--\r\n"), "400");
  CHECK_EQ(summary(type, values + part("a", "") + "--XX--\r\n"), "400");
}

TEST_CASE("random fields come back from a multipart form, and damaged forms are read or refused") {
  RandomStream random(1, "forms");
  const std::vector<std::string> pieces{"\r\n", "--",     "--XX", "--Q", "\r", "\n",
                                        "a",    "\u00FC", "\"",   ";",   "=",  std::string(1, '\0')};
  std::map<bool, int> refused;
  for (unsigned round = 0; round < 5000; ++round) {
    std::string body, expected;
    for (std::uint64_t fields = 1 + random.below(4), i = 0; i < fields; ++i) {
      std::string value;
      for (std::uint64_t k = random.below(8); k > 0; --k) value += pieces[random.below(pieces.size())];
      if (value.find("\r\n--Q") != value.npos) continue;
      expected += fmt::format("{}={};", i, value);
      body += fmt::format("--Q\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", i, value);
    }
    body += "--Q--\r\n";
    CHECK_EQ(summary("multipart/form-data; boundary=Q", body), expected);
    ++refused[summary("multipart/form-data; boundary=Q", mutated(body, round)) == "400"];
  }
  CHECK_GT(refused[true], 500);
  CHECK_GT(refused[false], 500);
}

TEST_CASE("a multipart form of a megabyte is read in time proportional to its size") {
  const std::string dashes(8000, '-'), head = "\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n";
  for (const std::string& boundary : {std::string("XX"), dashes}) {
    for (const std::string& unit : {std::string("a"), std::string("\r\n"), std::string("\r\n--"), std::string("-"),
                                    "\r\n--" + boundary.substr(1), std::string("\r\n--XX"), std::string(";name=")}) {
      std::string text;
      while (text.size() < 1'000'000) text += unit;
      const std::string content_type = "multipart/form-data; boundary=" + boundary, first = "--" + boundary;
      for (const std::string& body :
           {text, first + head + text + "\r\n" + first + "--\r\n", first + "\r\nContent-Disposition: form-data" + text})
        CHECK_LT(seconds_to_read(content_type, body), 1);
    }
  }
}
