#include "data/text/language_names.h"

#include <algorithm>

#include "data/text/utf8.h"

namespace glossa {
namespace {

// In lower case, each between two spaces.
constexpr std::string_view iso_639_1 =
    " aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo "
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka "
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng "
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";
constexpr std::string_view longer =
    " ara arabic ben bengali bul bulgarian cat catalan ces czech cmn chinese mandarin dan danish deu german ell greek "
    "eng english epo esperanto est estonian eus basque fas persian fin finnish fra french gle irish heb hebrew hin "
    "hindi "
    "hrv croatian hun hungarian ind indonesian isl icelandic ita italian jpn japanese kat georgian kor korean lat "
    "latin "
    "lav latvian lit lithuanian mar marathi nld dutch nno nob norwegian pes pol polish por portuguese ron romanian rus "
    "russian slk slovak slv slovene slovenian spa spanish sqi albanian srp serbian swa swahili swe swedish tam tamil "
    "tel "
    "telugu tgl tagalog tha thai tur turkish ukr ukrainian urd urdu vie vietnamese zho ";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool names_a_language(std::string_view text) {
  const auto region = std::min(text.find_first_of("-_"), text.size());
  std::string word(1, ' ');
  for (const char c : text.substr(0, region)) {
    if (!is_letter(c)) return false;
    word += static_cast<char>(c | 0x20);
  }
  word += ' ';
  const bool is_known = iso_639_1.find(word) != word.npos || longer.find(word) != word.npos;
  const std::string_view after = text.substr(region);
  return is_known && (after.empty() || (after.size() <= 5 && std::ranges::all_of(after.substr(1), is_letter)));
}

std::string plain_language(std::string_view name) {
  std::string plain = utf8::lower_case(name);
  std::ranges::replace(plain, '_', '-');
  return plain;
}

}  // namespace glossa
