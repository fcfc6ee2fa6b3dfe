#include "data/tmx_corpus.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <ctime>
#include <random>

#include "autograd/sanitizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

const std::string head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
    "<tmx version=\"1.4\">\n<header srclang=\"en\" datatype=\"plaintext\"><note>no text</note></header>\n<body>\n";
const std::string tail = "</body>\n</tmx>\n";

std::string variant(const std::string& language, const std::string& segment) {
  return "<tuv xml:lang=\"" + language + "\"><prop type=\"x\">no text</prop><seg>" + segment + "</seg></tuv>\n";
}

std::string unit(const std::string& variants) { return "<tu>\n" + variants + "</tu>\n"; }

std::string pair(const std::string& english, const std::string& german) {
  return unit(variant("en", english) + variant("de", german));
}

ParallelCorpus read(const TemporaryFolder& folder, const std::string& units, const std::string& source = "en",
                    const std::string& target = "de", const CorpusOptions& options = {}) {
  return read_tmx(folder.write("memory.tmx", head + units + tail), source, target, options);
}

/// The error of a file, with the folder taken out.
std::string error(const TemporaryFolder& folder, const std::string& bytes, const CorpusOptions& options = {}) {
  std::string text = error_of<Error>([&] { read_tmx(folder.write("memory.tmx", bytes), "en", "de", options); });
  const std::string path = folder.path().string() + "/";
  for (std::size_t at = 0; (at = text.find(path, at)) != text.npos;) text.erase(at, path.size());
  return text;
}

/// UTF-16, with a byte order mark, of a text of characters below U+0800.
std::string utf16(const std::string& text, bool big_endian) {
  std::string bytes;
  const auto add = [&](unsigned unit) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  };
  add(0xFEFF);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    add(byte < 0x80 ? byte : ((byte & 0x1Fu) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3Fu));
  }
  return bytes;
}

/// The process's peak memory so far in bytes; 0 with AddressSanitizer, which keeps freed memory.
std::size_t peak_memory() {
#if GLOSSA_SANITIZES(address)
  return 0;
#endif
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

TEST_CASE("a translation memory gives pairs in order, each with the number of its unit") {
  const TemporaryFolder folder;
  const ParallelCorpus corpus =
      read(folder, pair("A dog &amp; a cat", "Ein Hund &amp; eine Katze") +
                       unit(variant("de", "zwei") + variant("fr", "deux") + variant("en", "two")));
  CHECK(corpus.source == Lines{"A dog & a cat", "two"});
  CHECK(corpus.target == Lines{"Ein Hund & eine Katze", "zwei"});
  CHECK(corpus.lines == std::vector<std::int64_t>{1, 2});
  CHECK(corpus.place(1) == "unit 2");
  CHECK(describe(corpus.report) == "2 pairs from 2 units");
  const ParallelCorpus back = read(folder, pair("dog", "Hund"), "de", "en");
  CHECK(back.source == Lines{"Hund"});
  CHECK(read(folder, pair("A Dog", "ÜBEL"), "en", "de", {.lowercase = true}).target == Lines{"übel"});
}

TEST_CASE("translation memories are recognized by their names") {
  for (const char* name : {"a.tmx", "a.tmx.gz", "A.TMX"}) CHECK(is_translation_memory(name));
  for (const char* name : {"a.tmx.tsv", "tmx", "a.tmx.gzip"}) CHECK_FALSE(is_translation_memory(name));
  const TemporaryFolder folder;
  write_gzip(folder / "packed.tmx.gz", head + pair("dog", "Hund") + tail);
  for (const char* name : {"packed.tmx", "packed.tmx.gz"})
    CHECK(read_tmx(folder / name, "en", "de").source == Lines{"dog"});
}

TEST_CASE("positions count units, whatever the lines, empty units and joins") {
  const TemporaryFolder folder;
  std::mt19937 random(38);
  std::string units;
  std::vector<std::int64_t> kept;
  for (std::int64_t number = 1; number <= 200; ++number) {
    const bool has_text = number == 200 || random() % 3 > 0;
    if (has_text) kept.push_back(number);
    units += std::string(random() % 4, '\n') + pair(has_text ? "a" : "", "b");
  }
  ParallelCorpus corpus = read(folder, units);
  CHECK(corpus.lines == kept);
  CHECK(corpus.report.units == 200);
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(corpus.place(i) == fmt::format("unit {}", kept[i]));
  const std::string path = corpus.name;
  ParallelCorpus lines;
  lines.name = "p";
  lines.source = lines.target = {"a"};
  lines.report.lines = 3;
  lines.report.pairs = 1;
  CHECK(lines.place(0) == "line 1");
  const ParallelCorpus all = joined({lines, std::move(corpus)});
  CHECK(all.place(0) == "p:1");
  CHECK(all.place(1) == fmt::format("{}, unit {}", path, kept[0]));
  CHECK(describe(all.report, false) == fmt::format("{} pairs from 3 lines and 200 units", kept.size() + 1));
}

TEST_CASE("inline tags are dropped with the code in them; the text of hi and unknown elements stays") {
  const TemporaryFolder folder;
  const auto text = [&](const std::string& segment) { return read(folder, pair(segment, "x")).source.at(0); };
  CHECK(text("Click <bpt i=\"1\">&lt;b&gt;</bpt>here<ept i=\"1\">&lt;/b&gt;</ept>!") == "Click here!");
  CHECK(text("H<bpt i=\"1\">{\\sub </bpt>2<ept i=\"1\">}</ept>O") == "H2O");
  CHECK(text("a <ph x=\"1\">&lt;img alt=\"<sub>a picture</sub>\"/></ph> b") == "a b");
  CHECK(text("<it pos=\"begin\">code</it>one<ut>code</ut>") == "one");
  CHECK(text("the <hi type=\"term\">old <hi>house</hi></hi> there") == "the old house there");
  CHECK(text("<hi>a <ph>code <hi>no text</hi> code</ph>b</hi>") == "a b");
  CHECK(text("<g id=\"1\">kept</g><x/>") == "kept");
  CHECK(text("<![CDATA[a < b]]><!-- no text --> &#x263A;<?no text?>") == "a < b ☺");
}

TEST_CASE("white space and line breaks in a segment become one space, and none at its ends") {
  const TemporaryFolder folder;
  CHECK(read(folder, pair("\n    one\r\n    two&#10;three\t \xC2\xA0 four\n  ", "x")).source ==
        Lines{"one two three four"});
}

TEST_CASE("languages match in any letter case and variant; the exact one is preferred, then the first") {
  const TemporaryFolder folder;
  const auto target = [&](const std::string& variants, const std::string& wanted = "de") {
    return read(folder, unit(variant("EN-us", "x") + variants), "en", wanted).target.at(0);
  };
  CHECK(target(variant("DE", "a")) == "a");
  CHECK(target(variant("de-AT", "a")) == "a");
  CHECK(target(variant("de_CH", "a"), "DE") == "a");
  CHECK(target(variant("de-AT", "a") + variant("de", "b") + variant("de-DE", "c")) == "b");
  CHECK(target(variant("de-AT", "a") + variant("de-DE", "b")) == "a");
  CHECK(target(variant("de", "a") + variant("de", "b")) == "a");
  CHECK(target(variant("de-AT", "a") + variant("de-DE", "b"), "de-de") == "b");
  CHECK(target("<tuv lang=\"de\"><seg>old</seg></tuv>") == "old");
  CHECK(read(folder, unit(variant("en", "x") + variant("de-AT", "a") + variant("de", "b") + variant("de", "c")))
            .report.further_variants == 2);
  const ParallelCorpus both = read(folder, unit(variant("pt", "a") + variant("pt-BR", "b")), "pt", "pt-BR");
  CHECK(both.source == Lines{"a"});
  CHECK(both.target == Lines{"b"});
}

TEST_CASE("units without both languages, and pairs with an empty side, are counted") {
  const TemporaryFolder folder;
  const ParallelCorpus corpus =
      read(folder, unit(variant("en", "only")) + pair("dog", "Hund") + unit(variant("fr", "x") + variant("deu", "y")) +
                       pair("", "leer") + pair(" <ph>x</ph> ", "leer") + pair("empty", "") + unit("") +
                       unit(variant("en", "x") + "<tuv xml:lang=\"de\"></tuv>"));
  CHECK(corpus.source == Lines{"dog"});
  CHECK(describe(corpus.report) ==
        "1 pair from 8 units; left out: empty 4 (2 sources, 2 targets); left out: language 3");
  CHECK(error(folder, head + unit(variant("EN-gb", "a") + variant("fr", "b")) + tail) ==
        "[memory.tmx] expected units with en and de; got only the languages en-gb, fr. Hint: set source_language and "
        "target_language to two of these");
  CHECK(contains(error(folder, head + tail), "[memory.tmx] expected at least one pair of sentences; got none"));
}

TEST_CASE("UTF-16 in both byte orders and UTF-8 with a mark are read; other encodings are refused") {
  const TemporaryFolder folder;
  std::string text = head + pair("a dog", "für") + tail;
  for (const bool big_endian : {false, true})
    for (const char* encoding : {"UTF-16", "utf-8"}) {
      std::string declared = text;
      declared.replace(declared.find("UTF-8"), 5, encoding);
      const std::string path = folder.write("wide.tmx", utf16(declared, big_endian));
      if (encoding == std::string("UTF-16"))
        CHECK(read_tmx(path, "en", "de").target == Lines{"für"});
      else
        CHECK(contains(error_of<Error>([&] { read_tmx(path, "en", "de"); }), "wide.tmx:1]"));
    }
  CHECK(read_tmx(folder.write("mark.tmx", "\xEF\xBB\xBF" + text), "en", "de").target == Lines{"für"});
  text.replace(text.find("UTF-8"), 5, "ISO-8859-1");
  CHECK(error(folder, text) ==
        "[memory.tmx:1] expected UTF-8 or UTF-16; got the encoding ISO-8859-1. Hint: convert the file (iconv -t UTF-8) "
        "and change the encoding in its first line");
  CHECK(contains(error(folder, head + pair("caf\xE9", "x") + tail), "[memory.tmx:7] expected well-formed XML; got "));
}

TEST_CASE("a file that is not a translation memory is refused with file and line") {
  const TemporaryFolder folder;
  CHECK(error(folder, "<xliff>\n<body/></xliff>") ==
        "[memory.tmx:1] expected a translation memory, whose root element is tmx; got xliff");
  for (const std::string& bytes :
       {std::string(), std::string("dog\tHund\n"), head + pair("a", "b"), head + "<tu>\n</tuv>" + tail})
    CHECK(contains(error(folder, bytes), "expected well-formed XML; got "));
  CHECK(contains(error(folder, head + pair("a", "b") + pair("c", "d&nbsp;")),
                 "[memory.tmx:12] expected no entities but &amp; &lt; &gt; &quot; and &apos;; got &nbsp;"));
  CorpusOptions options;
  options.text.max_line_bytes = 5;
  CHECK(read(folder, pair("five5", "<ph>any code</ph>x"), "en", "de", options).source == Lines{"five5"});
  const std::string refusal = ", unit 1] expected at most 5 bytes in the segments of a language; got more";
  CHECK(contains(error(folder, head + pair("six666", "x") + tail, options), "[memory.tmx:7" + refusal));
  // Several segments of a variant are one text.
  CHECK(read(folder, pair("ab</seg><seg>cd", "x"), "en", "de", options).source == Lines{"ab cd"});
  CHECK(contains(error(folder, head + pair("abc</seg>\n<seg>def", "x") + tail, options), "[memory.tmx:8" + refusal));
  options.text.max_bytes = 4;
  CHECK(read(folder, pair("ab", "cd"), "en", "de", options).source == Lines{"ab"});
  CHECK(contains(error(folder, head + pair("ab", "cd") + pair("e", "") + tail, options),
                 "[memory.tmx] expected at most 4 bytes of text; got more"));
  options.text.max_bytes = CorpusOptions().text.max_bytes;
  std::string empty_segments = "abcde";
  for (int i = 0; i < 100; ++i) empty_segments += "</seg><seg>";
  CHECK(read(folder, pair(empty_segments, "x"), "en", "de", options).source == Lines{"abcde"});
}

TEST_CASE("a document type is skipped; entities that it declares are refused") {
  const TemporaryFolder folder;
  const std::string body = "<tmx version=\"1.4\"><body>" + pair("dog", "Hund") + tail;
  for (const char* type :
       {"<!DOCTYPE tmx>", "<!DOCTYPE tmx SYSTEM \"http://nowhere.invalid/tmx14.dtd\">",
        "<!DOCTYPE tmx PUBLIC \"-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN\" \"tmx14.dtd\">",
        "<!DOCTYPE tmx [<!ELEMENT tmx ANY><!ATTLIST tuv xml:lang CDATA \"fr\">]>"})
    CHECK(read_tmx(folder.write("typed.tmx", type + body), "en", "de").source == Lines{"dog"});
  std::string laughs = "<!DOCTYPE tmx [\n<!ENTITY lol0 \"lol\">\n";
  for (int i = 1; i < 10; ++i) {
    laughs += "<!ENTITY lol" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) laughs += "&lol" + std::to_string(i - 1) + ";";
    laughs += "\">\n";
  }
  CHECK(contains(error(folder, laughs + "]>\n<tmx><body>" + pair("&lol9;", "x") + tail),
                 "[memory.tmx:2] expected no entity declarations; got one of lol0"));
  for (const std::string declaration :
       {"<!ENTITY secret SYSTEM \"file:///etc/passwd\">", "<!ENTITY % part SYSTEM \"part.dtd\"> %part;",
        "<!ENTITY a \"&a;\">", "<!ENTITY picture SYSTEM \"p.gif\" NDATA gif>"})
    CHECK(contains(error(folder, "<!DOCTYPE tmx [" + declaration + "]>" + body),
                   "[memory.tmx:1] expected no entity declarations"));
}

TEST_CASE("malicious files are refused by name, within a second and in little memory") {
  const TemporaryFolder folder;
  const auto repeated = [](const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  std::string names = "<tmx>", attributes = "<tmx ";
  for (int i = 0; i < 300'000; ++i) names += fmt::format("<n{}/>", i);
  for (int i = 0; i < 150'000; ++i) attributes += fmt::format("a{}='' ", i);
  const std::string big(3'000'000, 'x');
  const std::pair<const char*, std::string> files[] = {
      {"deep", repeated("<tmx>", 600'000)},
      {"names", names + "</tmx>"},
      {"attributes", attributes + "/>"},
      {"long name", "<tmx><" + big + "/></tmx>"},
      {"long attribute", "<tmx version='" + big + "'/>"},
      {"long comment", "<tmx><!--" + big + "--></tmx>"},
      {"open tag", "<tmx><tu a='" + big},
      {"long entity", "<tmx><body>&" + big + ";</body></tmx>"},
      {"long document type", "<!DOCTYPE tmx [<!ATTLIST tuv a CDATA '" + big + "'>]><tmx/>"},
      {"long segment", head + pair(big, big) + tail},
      {"long language", head + unit(variant(big, "x")) + tail},
      {"long encoding", "<?xml version='1.0' encoding='" + big + "'?><tmx/>"}};
  for (const auto& row : files) {
    const auto& name = row.first;
    const auto& bytes = row.second;
    INFO(name);
    const std::string path = folder.write("harm.tmx", bytes);
    const std::size_t before = peak_memory();
    const std::clock_t begin = std::clock();
    const std::string message = error_of<Error>([&] { read_tmx(path, "en", "de"); });
    CHECK_LT(std::clock() - begin, CLOCKS_PER_SEC);
    CHECK_LT(peak_memory() - before, 2 * bytes.size() + (std::size_t{6} << 20));
    CHECK(message.starts_with("[" + path));
    CHECK_LT(message.size(), 600);
  }
  // A small gzip file that unpacks to 40 MB of spaces. It is written in parts: the peak of a whole text would hide that
  // of the reader.
  const gzFile bomb = ::gzopen((folder / "bomb.tmx.gz").c_str(), "wb");
  ::gzwrite(bomb, head.data(), static_cast<unsigned>(head.size()));
  const std::string part(1'000'000, ' ');
  for (int i = 0; i < 40; ++i) ::gzwrite(bomb, part.data(), static_cast<unsigned>(part.size()));
  ::gzwrite(bomb, tail.data(), static_cast<unsigned>(tail.size()));
  REQUIRE_EQ(::gzclose(bomb), Z_OK);
  const std::size_t before = peak_memory();
  CHECK(contains(error_of<Error>([&] { read_tmx(folder / "bomb.tmx.gz", "en", "de"); }), "bomb.tmx.gz] expected"));
  CHECK_LT(peak_memory() - before, std::size_t{16} << 20);
}

TEST_CASE("200 mutated translation memories are read or refused by name") {
  const TemporaryFolder folder;
  std::string whole = head;
  for (int i = 0; i < 20; ++i)
    whole += unit(variant("en-GB", "One <bpt i='1'>&lt;b></bpt>dog<ept i='1'/> &amp; " + std::to_string(i)) +
                  variant("de", "Ein <hi>Hund</hi> für\n " + std::to_string(i)) + variant("fr", "<![CDATA[un]]>"));
  whole += tail;
  const std::string wide = utf16(std::string(whole).replace(whole.find("UTF-8"), 5, "UTF-16"), true);
  int read = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string bytes = seed % 4 == 0 ? wide : whole;
    const auto at = [&] { return random() % bytes.size(); };
    for (unsigned change = 0; change <= seed % 3; ++change) switch (random() % 5) {
        case 0:
          bytes[at()] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at(), 1 + random() % 40);
          break;
        case 2:
          bytes.insert(at(), bytes.substr(at(), 1 + random() % 200));
          break;
        case 3:
          bytes.resize(1 + at());
          break;
        default:
          bytes.insert(at(), std::string(1 + random() % 3, "<>&\";\0"[random() % 6]));
      }
    const std::string path = folder.write("changed.tmx", bytes);
    try {
      const ParallelCorpus corpus = read_tmx(path, "en", "de");
      ++read;
      CHECK(corpus.source.size() == corpus.target.size());
      CHECK(corpus.source.size() == corpus.lines.size());
      CHECK(corpus.report.pairs == static_cast<std::int64_t>(corpus.source.size()));
      const CorpusReport& r = corpus.report;
      CHECK(r.lines == 0);
      CHECK(r.units == r.pairs + r.empty_source + r.empty_target + r.empty_both + r.language);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).starts_with("[" + path));
    }
  }
  CHECK_GE(read, 5);
  CHECK_LE(read, 150);
}
