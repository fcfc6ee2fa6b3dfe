#include "app/serve/languages.h"

#include <algorithm>

#include "data/text/languages.h"

namespace glossa::serve {

namespace {

/// ISO 639-1: code, a space, name, a bar.
constexpr std::string_view names =
    "aa Afar|ab Abkhazian|ae Avestan|af Afrikaans|ak Akan|am Amharic|an Aragonese|ar Arabic|as Assamese|av Avaric|"
    "ay Aymara|az Azerbaijani|ba Bashkir|be Belarusian|bg Bulgarian|bi Bislama|bm Bambara|bn Bengali|bo Tibetan|"
    "br Breton|bs Bosnian|ca Catalan|ce Chechen|ch Chamorro|co Corsican|cr Cree|cs Czech|cu Church Slavonic|"
    "cv Chuvash|cy Welsh|da Danish|de German|dv Divehi|dz Dzongkha|ee Ewe|el Greek|en English|eo Esperanto|es Spanish|"
    "et Estonian|eu Basque|fa Persian|ff Fulah|fi Finnish|fj Fijian|fo Faroese|fr French|fy Western Frisian|ga Irish|"
    "gd Scottish Gaelic|gl Galician|gn Guarani|gu Gujarati|gv Manx|ha Hausa|he Hebrew|hi Hindi|ho Hiri Motu|"
    "hr Croatian|ht Haitian|hu Hungarian|hy Armenian|hz Herero|ia Interlingua|id Indonesian|ie Interlingue|ig Igbo|"
    "ii Sichuan Yi|ik Inupiaq|io Ido|is Icelandic|it Italian|iu Inuktitut|ja Japanese|jv Javanese|ka Georgian|"
    "kg Kongo|ki Kikuyu|kj Kuanyama|kk Kazakh|kl Kalaallisut|km Khmer|kn Kannada|ko Korean|kr Kanuri|ks Kashmiri|"
    "ku Kurdish|kv Komi|kw Cornish|ky Kyrgyz|la Latin|lb Luxembourgish|lg Ganda|li Limburgish|ln Lingala|lo Lao|"
    "lt Lithuanian|lu Luba-Katanga|lv Latvian|mg Malagasy|mh Marshallese|mi Maori|mk Macedonian|ml Malayalam|"
    "mn Mongolian|mr Marathi|ms Malay|mt Maltese|my Burmese|na Nauru|nb Norwegian Bokmål|nd North Ndebele|ne Nepali|"
    "ng Ndonga|nl Dutch|nn Norwegian Nynorsk|no Norwegian|nr South Ndebele|nv Navajo|ny Chichewa|oc Occitan|oj Ojibwa|"
    "om Oromo|or Odia|os Ossetian|pa Punjabi|pi Pali|pl Polish|ps Pashto|pt Portuguese|qu Quechua|rm Romansh|rn Rundi|"
    "ro Romanian|ru Russian|rw Kinyarwanda|sa Sanskrit|sc Sardinian|sd Sindhi|se Northern Sami|sg Sango|si Sinhala|"
    "sk Slovak|sl Slovenian|sm Samoan|sn Shona|so Somali|sq Albanian|sr Serbian|ss Swati|st Southern Sotho|"
    "su Sundanese|sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai|ti Tigrinya|tk Turkmen|tl Tagalog|"
    "tn Tswana|to Tonga|tr Turkish|ts Tsonga|tt Tatar|tw Twi|ty Tahitian|ug Uyghur|uk Ukrainian|ur Urdu|uz Uzbek|"
    "ve Venda|vi Vietnamese|vo Volapük|wa Walloon|wo Wolof|xh Xhosa|yi Yiddish|yo Yoruba|za Zhuang|zh Chinese|zu Zulu|";

}  // namespace

std::size_t match(std::string_view named, std::string_view served) {
  if (named == served) return exact_language;
  const std::string a = plain_language(named), b = plain_language(served);
  if (a == b) return 2;
  const std::size_t of_a = std::min(a.find('-'), a.size()), of_b = std::min(b.find('-'), b.size());
  const bool one_has_region = (of_a < a.size()) != (of_b < b.size());
  return one_has_region && std::string_view(a).substr(0, of_a) == std::string_view(b).substr(0, of_b) ? 1 : 0;
}

std::string language_name(std::string_view code) {
  const std::size_t region = std::min(code.find_first_of("-_"), code.size());
  std::string_view rest = names;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('|'));
    rest.remove_prefix(entry.size() + 1);
    if (entry.substr(0, 2) != code.substr(0, region)) continue;
    std::string name(entry.substr(3));
    if (region < code.size()) name += " (" + std::string(code.substr(region + 1)) + ")";
    return name;
  }
  return std::string(code);
}

}  // namespace glossa::serve
