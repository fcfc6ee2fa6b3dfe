// Reading a configuration refuses heads and relative positions that do not fit the model's attention.
#include <doctest/doctest.h>

#include "base/check.h"
#include "config/config.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

std::string attention_error(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"data.train=toy:5000", "train.max_updates=10K"});
  const std::string error = error_of<Error>([&] { validate(load_config("", sets)); });
  return error.empty() ? "no error" : error;
}

}  // namespace

TEST_CASE("the number of heads of keys divides the number of heads") {
  CHECK(attention_error({"model.heads=8", "model.key_heads=2"}) == "no error");
  CHECK(attention_error({"model.key_heads=4"}) == "no error");
  CHECK(attention_error({"model.heads=8", "model.key_heads=3"}) ==
        "[model.key_heads] expected a divisor of model.heads (8), or 0; got 3. Hint: 2 and 4 divide it");
  CHECK(attention_error({"model.key_heads=8"}) ==
        "[model.key_heads] expected a divisor of model.heads (4), or 0; got 8. Hint: 4 divides it");
}

TEST_CASE("if auto finds no heads for model.key_heads, the error names this option and its divisors") {
  CHECK(attention_error({"model.heads=auto", "model.key_heads=8"}) == "no error");
  CHECK(attention_error({"model.heads=auto", "model.key_heads=3"}) ==
        "[model.key_heads] expected a divisor of model.width (256) with model.heads: auto, or 0; got 3. Hint: 2 and 4 "
        "divide it");
  CHECK(attention_error({"model.heads=auto", "model.key_heads=3", "model.head_width=16"}) == "no error");
  const std::vector<std::string> rotary{"model.heads=auto", "model.positions=rotary"};
  const auto rotary_error = [&](std::vector<std::string> sets) {
    sets.insert(sets.begin(), rotary.begin(), rotary.end());
    return attention_error(sets);
  };
  CHECK(rotary_error({"model.key_heads=128"}) == "no error");
  CHECK(rotary_error({"model.key_heads=256"}) ==
        "[model.key_heads] expected a divisor of half of model.width (128) with model.heads: auto, or 0; got 256. "
        "Hint: 128 divides it");
  CHECK(rotary_error({"model.width=20"}) == "no error");
  CHECK(rotary_error({"model.width=9", "model.key_heads=9"})
            .starts_with("[model.width] expected heads of an even width with model.positions: rotary; got 1."));
}

TEST_CASE("relative positions need heads and a similarity that fit them") {
  CHECK(attention_error({"model.positions=rotary"}) == "no error");
  CHECK(attention_error({"model.positions=rotary", "model.width=20", "model.heads=4"}) ==
        "[model.width] expected heads of an even width with model.positions: rotary; got 5. Hint: use "
        "model.head_width: 6, or model.positions: sinusoidal");
  CHECK(attention_error({"model.positions=rotary", "model.head_width=7"}) ==
        "[model.head_width] expected heads of an even width with model.positions: rotary; got 7. Hint: use "
        "model.head_width: 8, or model.positions: sinusoidal");
  CHECK(attention_error({"model.positions=alibi", "model.head_width=7", "model.similarity=general"}) == "no error");
  CHECK(attention_error({"model.positions=alibi", "model.similarity=additive"}) ==
        "[model.similarity] expected another one with model.positions: alibi; got additive. Hint: use scaled_dot, or "
        "model.positions: sinusoidal");
  CHECK(attention_error({"model.positions=rotary", "model.similarity=general"}) ==
        "[model.similarity] expected scaled_dot or dot with model.positions: rotary; got general. Hint: use "
        "model.positions: sinusoidal");
}
