#include "base/error.h"

#include <doctest/doctest.h>

#include <type_traits>

#include "base/check.h"

using namespace glossa;

namespace {

// Words at which a reader of the text might cut it.
const std::string arguments[] = {"3",  "x; got y",    "a] b",    "y. Hint: z",   "; not found",
                                 "{}", "{0}",         "Ça va ?", "这是：标点。", "expected x",
                                 "?",  "cannot a: b", "",        "line\nfeed",   "[x] expected"};

template <class Act>
Error thrown_by(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return {Error::Kind::misuse, {.where = "nothing thrown"}};
}

}  // namespace

static_assert(std::is_nothrow_copy_constructible_v<Error>);

TEST_CASE("an error has the parts of its sentence, whatever the arguments contain") {
  for (const std::string& a : arguments)
    for (const std::string& b : arguments)
      for (const std::string& c : arguments) {
        CAPTURE(a);
        CAPTURE(b);
        CAPTURE(c);
        const Error got = thrown_by([&] { fail(c, "expected {} {{}}; got {}. Hint: {}", a, b, c); });
        CHECK_EQ(got.parts().where, c);
        CHECK_EQ(got.parts().expected, a + " {}");
        CHECK_EQ(got.parts().got, b);
        CHECK_EQ(got.parts().hint, c);
        CHECK_EQ(got.parts().problem, "");
        const std::string text = fmt::format("[{}] expected {} {{}}; got {}", c, a, b);
        CHECK_EQ(got.what(), c.empty() ? text : fmt::format("{}{} Hint: {}", text, b.ends_with('?') ? "" : ".", c));
        const Error missing = thrown_by([&] { misuse(a, "expected {}, {}; not found", b, c); });
        CHECK_EQ(missing.parts().expected, b + ", " + c);
        CHECK_EQ(missing.parts().got, std::nullopt);
        CHECK_EQ(missing.parts().hint, "");
        CHECK_EQ(missing.what(), fmt::format("[{}] expected {}, {}; not found", a, b, c));
        const Error failed = thrown_by([&] { check(false, a, "cannot {}: {}. Hint: use {}", a, b, c); });
        CHECK_EQ(failed.parts().problem, fmt::format("cannot {}: {}", a, b));
        CHECK_EQ(failed.parts().expected, "");
        CHECK_EQ(failed.parts().hint, "use " + c);
      }
}

TEST_CASE("a sentence that expects something also has what it got") {
  static_assert(is_complete_sentence("expected A; got B"));
  static_assert(is_complete_sentence("expected {}; not found. Hint: {}"));
  static_assert(is_complete_sentence("cannot expect anything"));
  static_assert(!is_complete_sentence("expected A. Hint: C"));  // does not compile as a Sentence
  static_assert(!is_complete_sentence("expected A. Hint: B; got C"));
}

TEST_CASE("arguments are formatted in the part that has their place") {
  const Error mixed(Error::Kind::misuse, "where", "expected {:.1f} of {:>{}}; got {:04X}. Hint: {} and {}", 1.25, "x",
                    3, 255, true, 'c');
  CHECK_EQ(mixed.what(), std::string("[where] expected 1.2 of   x; got 00FF. Hint: true and c"));
  const Error numbered(Error::Kind::failure, "where", "expected '{0}'; got '- {0}'. Hint: {1}, not {0}", "a", "b");
  CHECK_EQ(numbered.parts().expected, "'a'");
  CHECK_EQ(numbered.parts().got, "'- a'");
  CHECK_EQ(numbered.parts().hint, "b, not a");
  CHECK_EQ(numbered.exit_status(), 1);
  CHECK_EQ(mixed.exit_status(), 2);
}

TEST_CASE("an error can be made from parts, with another hint or place") {
  const Error::Parts parts{.where = "c.yaml:3", .key = "model.width", .expected = "a number", .got = "x"};
  CHECK_EQ(Error(Error::Kind::misuse, parts).what(), std::string("[c.yaml:3] model.width: expected a number; got x"));
  CHECK_EQ(Error(Error::Kind::misuse, parts.with_hint("8 is one")).what(),
           std::string("[c.yaml:3] model.width: expected a number; got x. Hint: 8 is one"));
  CHECK_EQ(Error(Error::Kind::misuse, {.where = "a", .problem = "unknown 'b'; did you mean 'c'?", .hint = "d"}).what(),
           std::string("[a] unknown 'b'; did you mean 'c'? Hint: d"));
}
