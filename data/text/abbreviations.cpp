#include "data/text/abbreviations.h"

#include <algorithm>
#include <string>

#include "data/text/utf8.h"

namespace glossa {
namespace {

/// Abbreviations that other words of the sentence follow. Those that also end sentences, such as `etc.`, are missing. A
/// capitalized entry, such as a title, matches only that case: `hon` is a word of Swedish.
constexpr std::string_view always =
    // English
    " Mr Mrs Ms Messrs Dr Prof Rev Hon St Ste Mt Ft Jr Sr Gen Col Maj Capt Cmdr Lt Sgt Cpl Pvt Adm Gov Sen Rep Pres "
    "Supt"
    " Dept Univ Assn Inc Corp Co Ltd Bros Ave Blvd Rd vs cf al viz approx esp dr prof"
    // German
    " Hr Hrn Fr Frl Dipl Ing Hrsg Mio Mrd bzw evtl ggf inkl exkl sog vgl zzgl abzgl bspw geb gest ca"
    // French, Italian, Spanish, Portuguese
    " Mme Mlle Me Mgr Sig Sigg Dott Avv Arch Geom Sra Srta Sres Dra Dres Ud Uds Vd Vds Gral Lic Arq Av Avda Exmo Exma "
    "Eng"
    " sr sra srta dra ud uds env"
    // Dutch, Danish, Norwegian, Swedish
    " Dhr Mevr Mej Ir dhr mevr drs bijv resp kl"
    // Polish, Czech, Hungarian, Turkish
    " ul św inż np tzw tzn tzv např tj Mudr Judr PhDr pl ún Sn Doç Cad Sok"
    // Russian, Ukrainian
    " ул просп пер обл проф акад доц тов гр св см напр вул ім"
    // Hindi: titles, and names of Latin letters
    " डॉ डा पं कु मि प्रो श्रीमती बी सी डी एफ जे एल एम एन आर एस टी ";

/// Abbreviations only if a number follows.
constexpr std::string_view numbered =
    " no nos nr nrs núm num art arts fig figs abb vol vols pp pg pag pág págs ch chap kap sec sect op tab anm bd max "
    "min"
    " tel jan feb mar apr jun jul aug sep sept oct okt nov dec dez стр рис табл гл ст ";

bool is_in(std::string_view list, const std::string& word) { return list.find(' ' + word + ' ') != list.npos; }

/// True if the list has the word, or has it in lower case.
bool has(std::string_view list, std::string_view word) {
  return is_in(list, std::string(word)) || is_in(list, utf8::lower_case(word));
}

/// True for the letters that stand for a name or a title by themselves. Syllables of Korean and Chinese do not.
bool may_be_initial(char32_t c) { return utf8::is_upper(c) || utf8::is_lower(c) || (c >= 0x0590 && c <= 0x0DFF); }

}  // namespace

bool may_be_abbreviation(std::string_view word, bool before_number) {
  constexpr int longest_part = 3;  // of a dotted word, as in `B.Sc`
  int letters = 0, digits = 0, longest = 0, part = 0;
  char32_t last = 0;
  bool is_dotted = false, is_roman = true;
  utf8::for_each(word, [&](std::string_view, utf8::CodePoint c) {
    if (c.value == '.') {
      is_dotted = true;
      part = 0;
      return;
    }
    last = c.value;
    ++(utf8::is_number(c.value) ? digits : letters);
    is_roman = is_roman && (c.value == 'I' || c.value == 'V' || c.value == 'X');
    longest = std::max(longest, ++part);
  });
  if (is_dotted) return longest <= longest_part;
  if (letters == 0) return digits == 1 || digits == 2;
  if (letters + digits == 1) return may_be_initial(last);
  return is_roman || has(always, word) || (before_number && has(numbered, word));
}

}  // namespace glossa
