#include "data/text/languages.h"

#include <algorithm>
#include <set>
#include <utility>

#include "data/text/utf8.h"

namespace glossa {
namespace {

// Codes of ISO 639-1, and longer codes and names. All are in lower case, each between two spaces.
constexpr std::string_view iso_639_1 =
    " aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja "
    "jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb "
    "nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq "
    "sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";
constexpr std::string_view longer =
    " ara arabic ben bengali bul bulgarian cat catalan ces czech cmn chinese mandarin dan danish deu german ell "
    "greek eng english epo esperanto est estonian eus basque fas persian fin finnish fra french gle irish heb hebrew "
    "hin hindi hrv croatian hun hungarian ind indonesian isl icelandic ita italian jpn japanese kat georgian kor "
    "korean lat latin lav latvian lit lithuanian mar marathi nld dutch nno nob norwegian pes pol polish por "
    "portuguese ron romanian rus russian slk slovak slv slovene slovenian spa spanish sqi albanian srp serbian swa "
    "swahili swe swedish tam tamil tel telugu tgl tagalog tha thai tur turkish ukr ukrainian urd urdu vie vietnamese "
    "zho ";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A language's names, with its script's range of code points or, in Latin script, its frequent words.
struct Language {
  std::string_view names;  // names in lower case, each between two spaces; the first is the usual code
  char32_t first = 0, last = 0;
  std::string_view words = {};
};

constexpr Language languages[] = {
    {" en eng english ", 0, 0, "the and of to is that you it was for with have this are"},
    {" fr fra fre french ", 0, 0, "le les des est une pas que vous je dans pour et il du"},
    {" de deu ger german ", 0, 0, "der die das und ist nicht ich ein zu den mit sie es auf"},
    {" es spa spanish ", 0, 0, "el los las una que es por con para no está se lo y"},
    {" it ita italian ", 0, 0, "il di che non per una sono è gli della un mi ha"},
    {" pt por portuguese ", 0, 0, "o não que uma os em para com do da é um ele"},
    {" nl nld dut dutch ", 0, 0, "de het een van en niet ik dat is zijn op te"},
    {" sv swe swedish ", 0, 0, "och att det är jag som inte en på för av han"},
    {" da dan danish ", 0, 0, "og det er jeg ikke en på at til af han der"},
    {" nb no nob nor norwegian ", 0, 0, "og det er jeg ikke en på at til av han som"},
    {" fi fin finnish ", 0, 0, "ja on ei että se hän oli minä mutta ovat"},
    {" pl pol polish ", 0, 0, "nie się jest to na w z że i do jak"},
    {" cs ces cze czech ", 0, 0, "je se na to v že jsem a ne byl"},
    {" ro ron rum romanian ", 0, 0, "și nu este un o de la în că am"},
    {" hu hun hungarian ", 0, 0, "a az és nem hogy egy van ez"},
    {" tr tur turkish ", 0, 0, "bir ve bu ne için değil mi çok o"},
    {" id ind indonesian ", 0, 0, "yang dan di itu tidak saya dia ini"},
    {" vi vie vietnamese ", 0, 0, "là của và không một tôi có anh"},
    {" el ell gre greek ", 0x370, 0x3FF},
    {" ru rus russian ", 0x400, 0x52F},
    {" uk ukr ukrainian ", 0x400, 0x52F},
    {" bg bul bulgarian ", 0x400, 0x52F},
    {" he heb hebrew ", 0x590, 0x5FF},
    {" ar ara arabic ", 0x600, 0x6FF},
    {" fa fas per persian ", 0x600, 0x6FF},
    {" ur urd urdu ", 0x600, 0x6FF},
    {" hi hin hindi ", 0x900, 0x97F},
    {" mr mar marathi ", 0x900, 0x97F},
    {" bn ben bengali ", 0x980, 0x9FF},
    {" ta tam tamil ", 0xB80, 0xBFF},
    {" te tel telugu ", 0xC00, 0xC7F},
    {" th tha thai ", 0xE00, 0xE7F},
    {" ka kat georgian ", 0x10A0, 0x10FF},
    {" ja jpn japanese ", 0x3040, 0x30FF},
    {" zh zho chi cmn chinese mandarin ", 0x4E00, 0x9FFF},
    {" ko kor korean ", 0xAC00, 0xD7A3},
};

/// A language's name without region or script, in lower case.
std::string primary(std::string_view name) { return utf8::lower_case(name.substr(0, name.find_first_of("-_"))); }

/// Region or script in a language's name: `-br` for `pt_BR`.
std::string variant(std::string_view name) {
  return plain_language(name.substr(std::min(name.find_first_of("-_"), name.size())));
}

const Language* find(std::string_view name) {
  const std::string wanted = " " + primary(name) + " ";
  for (const Language& language : languages)
    if (language.names.find(wanted) != std::string_view::npos) return &language;
  return nullptr;
}

using Words = std::set<std::string, std::less<>>;

/// Words of a text (runs of letters), in lower case.
Words words_of(std::string_view text) {
  Words words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.insert(std::exchange(word, {}));
  };
  utf8::for_each(utf8::lower_case(text), [&](std::string_view piece, utf8::CodePoint c) {
    if (utf8::is_space(c.value) || utf8::is_punctuation(c.value) || utf8::is_number(c.value))
      end();
    else
      word += piece;
  });
  end();
  return words;
}

/// Words of a language that the other language does not share.
Words own_words(const Language& language, const Language& other) {
  Words own = words_of(language.words);
  for (const std::string& word : words_of(other.words)) own.erase(word);
  return own;
}

/// Fraction of the sentences with a letter of the language's script, or with one of its `own` words. Of long texts,
/// reads at most 1000 evenly spread sentences.
double share_in(const Language& language, const Words& own, std::span<const std::string> sentences) {
  const std::size_t step = (sentences.size() + 999) / 1000;
  std::size_t read = 0, found = 0;
  for (std::size_t i = 0; i < sentences.size(); i += step, ++read) {
    bool has_letter = false;
    if (language.last > 0)
      utf8::for_each(sentences[i], [&](std::string_view, utf8::CodePoint c) {
        has_letter = has_letter || (c.value >= language.first && c.value <= language.last);
      });
    const auto is_own = [&](const std::string& word) { return own.contains(word); };
    found += has_letter || (!own.empty() && std::ranges::any_of(words_of(sentences[i]), is_own));
  }
  return static_cast<double>(found) / static_cast<double>(read);
}

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

bool same_language(std::string_view a, std::string_view b) {
  const Language *first = find(a), *second = find(b);
  const bool same = first || second ? first == second : primary(a) == primary(b);
  const std::string of_a = variant(a), of_b = variant(b);
  return same && (of_a.empty() || of_b.empty() || of_a == of_b);
}

bool look_like_other(std::span<const std::string> sentences, std::string_view language, std::string_view other,
                     double least) {
  const Language *own = find(language), *found = find(other);
  if (!own || !found || own == found || sentences.size() < 10) return false;
  const double share = share_in(*found, own_words(*found, *own), sentences);
  return share >= least && share_in(*own, own_words(*own, *found), sentences) <= share / 4;
}

bool look_exchanged(std::span<const std::string> source, std::span<const std::string> target,
                    std::string_view source_language, std::string_view target_language) {
  constexpr double least = 0.2;  // minimum share of sentences on each side with words of the other language
  return look_like_other(source, source_language, target_language, least) &&
         look_like_other(target, target_language, source_language, least);
}

}  // namespace glossa
