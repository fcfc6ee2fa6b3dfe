#include "data/text/abbreviations.h"

#include <algorithm>
#include <string>

#include "data/text/languages.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

/// Abbreviations, in any letter case, that do not end sentences. The list omits those that also end sentences, such as
/// `etc.`, and those without a vowel, which need no entry.
constexpr std::string_view in_any_case =
    // English
    " mr mrs ms messrs dr prof supt capt cmdr gov univ assn ltd bros blvd viz approx esp vs"
    // German, with `Mio. Euro`
    " hrn frl dipl hrsg mio mrd tsd std evtl evt ggf inkl exkl sog abzgl allg ehem insb gebr geb gest ca jh"
    // French, Italian
    " mme mmes mlle mlles mgr env av dott avv arch ing sig sigg geom"
    // Spanish, Portuguese, Romanian
    " sra srta sres dra dres dña ntra gral lic arq avda exmo exma excmo ilmo aprox depto vda hnos profa jud"
    // Dutch, Danish, Norwegian, Finnish
    " dhr mevr mej ir drs bijv incl excl resp frk tlf pga vha vedr iflg ekskl esim"
    // Polish, Czech, Hungarian, Turkish
    " ul inż np hab godz tj nám např pl ún doç özv ifj blv"
    // Russian, Ukrainian
    " ул просп пер обл проф акад доц тов св напр вул ім пос наб корп"
    // two words, such as `et al.`
    " et_al per_es ad_es par_ex por_ej por_ex"
    // Hindi: titles, and names of Latin letters
    " डॉ डा पं कु मि प्रो श्री श्रीमती बी सी डी एफ जे एल एम एन आर एस टी"
    // Thai
    " ดร ";

/// Abbreviations only in the letter case given here, because the words have other meanings in other cases. A
/// capitalized entry also matches all capitals, if it has at least three letters or no vowel.
constexpr std::string_view in_one_case =
    " Rev Hon St Ste Mt Ft Jr Sr Gen Col Maj Lt Sgt Cpl Pvt Adm Sen Rep Pres Dept Inc Corp Co Ave Rd Hr Fr"
    " Me On Sta Sto Eng Ud Uds Vd Vds Av Pe Cel Ir Cad Sok GS PGS ThS"
    " max dna nám im им тел о макс ";

/// Words that are abbreviations only before a number, a letter or an initial.
constexpr std::string_view numbered =
    " no nos nr nrs núm num art arts fig figs abb abs afb anm vol vols pp pg pag pág pàg págs ch chap kap cap sec sect "
    "séc op tab bd blz apt apto ext ver est krt max min mind tel tél puh ap стр рис табл гл ст тел эт оф буд ";

/// Words that are abbreviations only before a number or an initial, as in `apr. J.-C.`.
constexpr std::string_view months = " jan feb mar apr jun jul aug sep sept oct okt nov dec dez ";

/// Words without a vowel that may end sentences.
constexpr std::string_view no_abbreviations =
    " hm hmm pst psst sh shh ssh brr grr pff tsk tss хм гм тсс tv pc cd dvd wc sms gps gsm bh kfz pkw lkw km kg cm mm "
    "mg ml hz ";

/// Listed abbreviations that, in lower case, are common words of a language.
struct CommonWord {
  std::string_view word, language;
};
constexpr CommonWord common_words[] = {{"sig", "sv"}, {"sig", "da"}, {"sig", "nb"}, {"arch", "en"},
                                       {"ir", "es"},  {"ir", "pt"},  {"ir", "gl"},  {"ir", "ca"},
                                       {"av", "sv"},  {"av", "nb"},  {"av", "nn"}};

/// Languages in which an ordinal such as `3.` may precede a capital letter.
constexpr std::string_view with_ordinals[] = {"de",  "da",  "nb",  "nn", "fo",  "is", "isl", "fi", "et",  "est",
                                              "lv",  "lav", "cs",  "sk", "slk", "sl", "slv", "hr", "hrv", "sr",
                                              "srp", "bs",  "bos", "hu", "pl",  "tr", "eus", "eu"};

bool is_vowel(char32_t letter) {
  constexpr std::u32string_view vowels = U"aeiouyæøœıəɛɔаеиоуыэюяіъєәөүұαειουωη";
  return vowels.find(utf8::base_letter(letter)) != vowels.npos;
}

bool is_in(std::string_view list, const std::string& word) { return list.find(' ' + word + ' ') != list.npos; }

/// The word before a period, with the text on both sides of it.
class Word {
 public:
  Word(std::string_view sentence, std::string_view rest, std::string_view language)
      : text_(utf8::last_word(sentence.substr(0, sentence.find_last_not_of(' ') + 1))),  // tokenized text has `Mr .`
        before_(sentence.data(), text_.data()),
        rest_(rest),
        language_(language) {
    drop_elision();
    utf8::for_each(text_, [&](std::string_view, utf8::CodePoint c) { word_ += c.value; });
    lower_ = utf8::lower_case(text_);
  }

  bool may_be_abbreviation() const {
    if (word_.empty()) return false;
    if (std::ranges::any_of(word_, utf8::is_number)) return may_be_ordinal();
    if (is_dotted()) return longest_part() <= 3;  // `B.Sc`
    if (word_.size() == 1) return may_be_initial();
    if (word_.find_first_not_of(U"IVX") == word_.npos) return is_first() || may_have_ordinals();
    return is_doubled_capital() || is_listed() || is_without_vowel() || ends_in_title() || continues_abbreviation();
  }

 private:
  /// Removes an elided article: keeps `art` of `l'art` and `A` of `d'A`. Also removes an apostrophe at the start, but
  /// this does not count as an elision, because it may be a quote.
  void drop_elision() {
    for (const std::string_view apostrophe : {"'", "\u2019"}) {
      const std::size_t at = text_.rfind(apostrophe);
      if (at == text_.npos) continue;
      is_elided_ = is_elided_ || at > 0;
      text_.remove_prefix(at + apostrophe.size());
    }
  }

  bool is_dotted() const { return word_.find(U'.') != word_.npos; }

  std::size_t longest_part() const {
    std::size_t longest = 0, part = 0;
    for (const char32_t c : word_) longest = std::max(longest, part = c == '.' ? 0 : part + 1);
    return longest;
  }

  bool is_first() const { return utf8::first_of_words(before_) == 0; }

  /// The end of the text before the word, trimmed. Limiting its length keeps long lines with many words fast.
  std::string_view before() const {
    constexpr std::size_t enough = 64;
    return utf8::trimmed(before_.substr(before_.size() - std::min(before_.size(), enough)));
  }
  bool follows_number() const { return !before().empty() && utf8::is_number(utf8::last_code_point(before())); }

  /// True if a symbol, a slash or a colon directly precedes the word, as in `$5`, `km/h` and `7:30`.
  bool is_joined() const {
    if (before_.empty()) return false;
    const char32_t c = utf8::last_code_point(before_);
    return utf8::is_symbol(c) || c == '/' || c == ':';
  }

  bool is_before_number() const { return utf8::is_number(utf8::first_of_words(rest_)); }
  bool is_before_initial() const {
    const utf8::CodePoint c = utf8::first(rest_);
    return (utf8::is_upper(c.value) || utf8::is_lower(c.value)) && rest_.substr(c.bytes).starts_with('.');
  }

  /// True before a Roman numeral or a consonant, as in `chap. II` and `fig. B`. `I` counts only if the language is
  /// known and not English, because `I` is an English word.
  bool is_before_letter() const {
    const auto ends_at = [&](std::size_t at) {
      return at >= rest_.size() || !utf8::is_word_character(utf8::first(rest_.substr(at)).value);
    };
    const std::size_t roman = std::min(rest_.find_first_not_of("IVXLC"), rest_.size());
    if (roman > 1 || (rest_.starts_with('I') && names_a_language(language_) && !same_language(language_, "en")))
      return ends_at(roman);
    const char32_t c = utf8::first(rest_).value;
    return c < 0x80 && utf8::is_upper(c) && !is_vowel(c) && ends_at(1);
  }

  /// True if the language has ordinals that may precede a capital letter. Always true for unknown languages.
  bool may_have_ordinals() const {
    const auto is_language = [&](std::string_view name) { return same_language(language_, name); };
    return !names_a_language(language_) || std::ranges::any_of(with_ordinals, is_language);
  }

  bool may_be_ordinal() const {
    const auto is_part = [](char32_t c) { return c == '.' || utf8::is_number(c); };
    if (!std::ranges::all_of(word_, is_part)) return is_dotted() && is_first() && longest_part() == 1;
    if (is_first()) return is_dotted() || word_.size() <= 3;
    if (is_dotted()) return is_date() && names_a_language(language_) && may_have_ordinals();
    const std::size_t longest = names_a_language(language_) ? 3 : 2;
    return word_.size() <= longest && !is_joined() && (is_before_number() || may_have_ordinals());
  }

  /// True for a day and month, as in `24.12`.
  bool is_date() const {
    const std::size_t period = text_.find('.');
    const auto is_up_to = [](std::string_view number, std::string_view most) {
      return !number.empty() && (number.size() < 2 || (number.size() == 2 && number <= most));
    };
    return is_up_to(text_.substr(0, period), "31") && is_up_to(text_.substr(period + 1), "12");
  }

  /// True for a single letter that may abbreviate a name or title. Korean and Chinese characters do not.
  bool may_be_initial() const {
    const char32_t c = word_.front();
    if (is_joined()) return false;
    if (utf8::is_upper(c)) return true;
    if (is_elided_) return false;
    const bool is_georgian = c >= 0x10D0 && c <= 0x10FF;
    if (!utf8::is_lower(c)) return (c >= 0x0590 && c <= 0x0EFF) || is_georgian;
    if (!is_vowel(c) || is_listed() || is_first()) return true;
    return is_before_initial() || is_before_number() || before().ends_with('.');
  }

  bool is_doubled_capital() const { return word_.size() == 2 && word_[0] == word_[1] && utf8::is_upper(word_[0]); }

  bool is_without_vowel() const {
    if (is_elided_ || follows_number() || is_in(no_abbreviations, lower_)) return false;
    for (std::size_t i = 0; i < word_.size(); ++i) {
      const char32_t c = word_[i];
      const bool is_in_script = c < 0x0530 || (c >= 0x1E00 && c < 0x2000);  // Latin, Greek, Cyrillic
      if (!is_in_script || is_vowel(c) || (i > 0 && !utf8::is_lower(c))) return false;
      constexpr std::u32string_view syllabic = U"rlwрл";  // vowels of `vlk`, `cwm`, `смрт`
      if (i > 0 && i + 1 < word_.size() && syllabic.find(utf8::base_letter(c)) != syllabic.npos) return false;
    }
    return true;
  }

  /// True for titles such as `PhDr` and `MUDr`.
  bool ends_in_title() const { return text_.ends_with("Dr"); }

  /// True for the second word of abbreviations such as `p. ej.` and `t. ex.`.
  bool continues_abbreviation() const {
    if (word_.size() > 3 || !utf8::is_lower(word_.front()) || !before().ends_with('.')) return false;
    const std::string_view letter = utf8::last_word(before().substr(0, before().size() - 1));
    const utf8::CodePoint c = utf8::first(letter);
    return !letter.empty() && c.bytes == letter.size() && utf8::is_lower(c.value);
  }

  bool is_listed() const {
    for (const CommonWord& common : common_words)
      if (text_ == common.word && same_language(language_, common.language)) return false;
    if (is_in(in_any_case, lower_) || is_in(in_one_case, std::string(text_))) return true;
    const bool is_upper = std::ranges::all_of(word_, utf8::is_upper);
    if (is_upper && (word_.size() > 2 || std::ranges::none_of(word_, is_vowel))) {
      const std::size_t first = utf8::first(text_).bytes;
      if (is_in(in_one_case, std::string(text_.substr(0, first)) + utf8::lower_case(text_.substr(first)))) return true;
    }
    if (is_in(in_any_case, utf8::lower_case(utf8::last_word(before())) + '_' + lower_)) return true;
    const bool is_before_digit_or_initial = is_before_number() || is_before_initial();
    if (is_before_digit_or_initial && is_in(months, lower_)) return true;
    // German street names may end in `str`.
    return (is_before_digit_or_initial || is_before_letter()) && (is_in(numbered, lower_) || text_.ends_with("str"));
  }

  std::string_view text_, before_, rest_, language_;
  std::u32string word_;
  std::string lower_;
  bool is_elided_ = false;
};

}  // namespace

bool may_be_abbreviation(std::string_view sentence, std::string_view rest, std::string_view language) {
  return Word(sentence, rest, language).may_be_abbreviation();
}

}  // namespace glossa
