#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/text/languages.h"

using namespace glossa;
using Lines = std::vector<std::string>;

namespace {

const Lines english_lines{
    "The dog is in the house.", "Do you have a car?", "It's for you.",    "Go!",         "This is my brother.",
    "He works with a friend",   "It was cold",        "Tom came with me", "I know that", "We have to leave."};
const Lines french_lines{"Le chien est dans la maison.",
                         "Est-ce que vous avez une voiture ?",
                         "C'est pour vous.",
                         "Va !",
                         "C'est mon frère",
                         "Il travaille avec un ami",
                         "Il faisait froid",
                         "Tom est venu avec moi.",
                         "Je le sais.",
                         "Nous devons partir."};
const Lines russian_lines{"Собака в доме.",   "У вас есть машина?",    "Это для вас.",  "Иди!",
                          "Это мой брат.",    "Он работает с другом.", "Было холодно.", "Том пришёл со мной.",
                          "Я знаю (OK) это.", "Нам надо идти."};
const Lines spanish_lines{"El perro está en la casa.",
                          "¿Tiene usted un coche?",
                          "Es para usted.",
                          "¡Vete!",
                          "Es mi hermano.",
                          "Él trabaja con los amigos",
                          "Hacía frío.",
                          "Tom vino con una amiga",
                          "Lo sé.",
                          "Nos vamos."};

}  // namespace

TEST_CASE("names of one language are recognized, with a region, in any case and form") {
  for (const auto& names : {std::pair{"fr", "fr"},
                            {"fr", "fr-FR"},
                            {"fr_CA", "FR"},
                            {"fra", "fr"},
                            {"French", "fre"},
                            {"pt_br", "pt-BR"},
                            {"xx", "XX"},
                            {"xx", "xx-YY"},
                            {"deu_Latn", "de"}}) {
    const char *const a = names.first, *const b = names.second;
    CAPTURE(a);
    CHECK(same_language(a, b));
    CHECK(same_language(b, a));
  }
  for (const auto& names : {std::pair{"fr", "en"}, {"pt-BR", "pt-PT"}, {"xx", "xy"}, {"fr", "xx"}, {"e", "en"}}) {
    const char *const a = names.first, *const b = names.second;
    CAPTURE(a);
    CHECK_FALSE(same_language(a, b));
    CHECK_FALSE(same_language(b, a));
  }
}

TEST_CASE("exchanged sides are recognized by script or words, and only if both are in the other's language") {
  const std::pair<const char*, const Lines*> texts[] = {
      {"en", &english_lines}, {"fr", &french_lines}, {"es-MX", &spanish_lines}, {"rus", &russian_lines}};
  for (const auto& first : texts)
    for (const auto& second : texts) {
      const char *const a = first.first, *const b = second.first;
      const Lines *const a_text = first.second, *const b_text = second.second;
      if (a == b) continue;
      CAPTURE(a);
      CAPTURE(b);
      CHECK_FALSE(look_exchanged(*a_text, *b_text, a, b));
      CHECK(look_exchanged(*b_text, *a_text, a, b));
      CHECK_FALSE(look_exchanged(*a_text, *a_text, a, b));
      CHECK_FALSE(look_exchanged(*b_text, *b_text, a, b));
    }
}

TEST_CASE("one side alone looks like another language if many sentences do, and hardly any like its own") {
  CHECK(look_like_other(french_lines, "en", "fr", 0.5));
  CHECK(look_like_other(russian_lines, "en-US", "ru", 0.5));
  CHECK_FALSE(look_like_other(french_lines, "fr", "en", 0.5));
  CHECK_FALSE(look_like_other(french_lines, "en", "fr", 0.9));  // two lines lack frequent words
  CHECK_FALSE(look_like_other(french_lines, "en", "de", 0.5));
  CHECK_FALSE(look_like_other(french_lines, "source", "target", 0.5));
  CHECK_FALSE(look_like_other(std::span(french_lines).first(9), "en", "fr", 0.5));
  Lines mixed = french_lines;
  mixed.insert(mixed.end(), english_lines.begin(), english_lines.begin() + 5);
  CHECK_FALSE(look_like_other(mixed, "en", "fr", 0.5));
}

TEST_CASE("no language is claimed in doubt") {
  CHECK_FALSE(look_exchanged(french_lines, english_lines, "en", "xx"));     // unknown
  CHECK_FALSE(look_exchanged(french_lines, english_lines, "en", "en-US"));  // one language
  CHECK_FALSE(look_exchanged(russian_lines, russian_lines, "ru", "uk"));    // one script
  CHECK_FALSE(look_exchanged(std::span(french_lines).first(9), std::span(english_lines).first(9), "en", "fr"));
  CHECK_FALSE(look_exchanged(Lines(20, "aadmi seb khaata hai"), Lines(20, "the man eats an apple"), "hi", "en"));
  Lines mixed = english_lines, other = french_lines;  // each side has both languages
  mixed.insert(mixed.end(), french_lines.begin(), french_lines.end());
  other.insert(other.end(), english_lines.begin(), english_lines.end());
  CHECK_FALSE(look_exchanged(mixed, other, "fr", "en"));
  CHECK_FALSE(look_exchanged(mixed, other, "en", "fr"));
}
