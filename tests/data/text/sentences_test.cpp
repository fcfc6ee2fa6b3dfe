#include "data/text/sentences.h"

#include <doctest/doctest.h>

#include <string>

#include "data/text/utf8.h"
#include "tests/support/long_lines.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The sentences of a line, separated by bars.
std::string marked(std::string_view line, std::string_view language = {}) {
  std::string text;
  for (const std::string_view sentence : split_sentences(line, language))
    text.append(text.empty() ? "" : "|").append(sentence);
  return text;
}

/// Checks lines in which bars mark the places to split, with or without a space there.
void check_split(std::initializer_list<const char*> lines, std::string_view language = {}) {
  for (const std::string marks : lines) {
    std::string line;
    for (const char c : marks)
      if (c != '|') line += c;
    std::string expected;
    for (std::size_t i = 0; i < marks.size(); ++i)
      if (marks[i] != ' ' || (i > 0 && marks[i - 1] != '|')) expected += marks[i];
    CHECK_EQ(marked(line, language), expected);
  }
}

}  // namespace

TEST_CASE("a line is split where a sentence certainly ends: Latin script") {
  check_split({
      "I am tired.| Where is the station?",
      "We saw it.| Then we left!| Did you?!| Yes...| 5 dogs.",
      "I met Tom.| He left.| We went to Rome.| No.| I don't.| It isn't.| OK.",
      "Wir kamen an.| Über uns war nichts.",
      "Ça va ?| Très bien !| Merci.",
      "Estoy cansado.| ¿Dónde está la estación?| ¡Aquí!",
      // abbreviations, initials
      "I met Mr. Smith and Prof. Jones.| Mrs. Dr. Hill vs. Lt. Col. Kim.",
      "See No. 5 and fig. 3, pp. 4 and vol. 234.| Then No.| Art.| Go on.",
      "It was 5 p.m. He left.",
      "z. B. Berlin, z.B. Bonn, bzw. Köln",
      "The U.S. Army, Ph.D. Jones, e.g. Tom.",
      "J. R. R. Tolkien and J.-P. Sartre wrote it.| Plan B. failed",
      "Il s'appelle M. Dupont.| Mme. Curie, le Dr. Hild.",
      "Vi el Sr. Ruiz y a la Sra. Paz.| Ud. Habla.",
      "Jag kommer sen.| Det är hon.| Bra.",
      "I like art.| He saw me.| Go.",
      // decimals, ordinals, years, Roman numerals
      "Pi is 3.14 or 3,14.| It is.",
      "Er kam am 3. Oktober und am 25. Dezember.",
      "1. Introduction",
      "2.1. Methods",
      "It was 1990.| He left.| It took 100.| Then 50%.| Fine.",
      "Johannes Paul II. Er",
      "100 a.m. Then",
      // ellipses
      "Wait... what? no",
      "Well...| Tom said yes…| Then no … Angst ... Und",
      "... And then",
      "so.. and",
      // quotes, brackets
      "\"Stop!\"| He ran.| 'Go.'| She (he?) went.| (See above.)| [Done.]| {End.}| Yes.",
      "“Stop!”| He ran.| ‘Go.’| Yes.",
      "„Komm.“| Er kam.| »Nein.«| Dann ja.| Er ging.| »Komm!«| Ja.",
      "« Bonjour ! »| Il partit.| « Oui ! », dit-il.",
      "\"Stop!\" he said.",
      "\"Stop!\" (he said so) and",
      "It works.[1] Then",
      "He said \"yes\".| Then \"no\".| It was 'at 5 p.m.'| Then",
      // addresses, names of files
      "Visit https://a.org/b?c=d.e or www.example.com.| Then write to me@example.com!| See a.b.c for more",
      // lower case: in doubt, whole
      "he said so. and went on",
      "Is it? yes! it is",
      "Yahoo! is old",
      "a.b.c",
      ".",
      "?! ...",
      "Hi! :)",
      // punctuation alone is not a sentence
      "Hi! :)",
      "! ! Hello.| ? Yes.",
      "- Hi.| - Hello.| – Yes.",
  });
  CHECK_EQ(marked("a\xFF. B\xFE"), "a\xFF.|B\xFE");  // invalid bytes are kept
  CHECK_EQ(marked(" One.  \t Two.\u00A0Three. "), "One.|Two.|Three.");
  CHECK_EQ(marked(" hello world "), "hello world");
  CHECK_EQ(marked("  "), "");
  CHECK_EQ(marked(""), "");
}

TEST_CASE("a line is split where a sentence certainly ends: Chinese, Japanese, Korean") {
  check_split({
      "你好。|再见！|你是谁？|我是汤姆。",
      "你好。|iPhone很好。",
      "你好!|再见?|好.|我很好...不知道",
      "价格是3.14元。|圆周率３．１４。",
      "我……不知道。|好……",
      "他说：“你好。”然后走了。|“你好。”|“再见。”",
      "（你好。）|（再见。）",
      "今日は。|はい！|Yes.| 元気？",
      "彼は「元気？」と聞いた。|「はい。」|「よし。」",
      "そうです。| 元気ですか。",
      "네.| 그래요.| 좋아!",
      "나는 3.14를 좋아한다.| 그래?",
  });
  CHECK_EQ(marked("そうです！\u3000元気ですか。"), "そうです！|元気ですか。");
}

TEST_CASE("a line is split where a sentence certainly ends: Devanagari, Arabic, Cyrillic, Greek and others") {
  check_split({
      "यह ठीक है।| वह नहीं।|मैं हूँ॥| क्या?| हाँ!| ठीक",
      "डॉ. शर्मा और प्रो. वर्मा आए।| ए. बी. सिंह",
      "यह घर है.| मैं ठीक हूँ.| हाँ",
      "यह ठीक है।| iPhone भी।",
      "मूल्य 3.50 है।| \"हाँ।\"| (नहीं।)| बस",
      "كيف حالك؟| أنا بخير.| نعم!",
      "قابلت د. محمد اليوم.| ثم",
      "یہ ٹھیک ہے۔| وہ نہیں۔",
      "Я устал.| Где вокзал?| Вот!",
      "г. Москва, ул. Ленина, А. С. Пушкин, т.е. поэт, рис. 5а.| Потом",
      "«Да!»| Он ушёл.| – Нет.| Да",
      "Πού είσαι;| Είμαι εδώ.| Ναι",
      "Semi; Colon",
      "Ո՞վ է։| Ես եմ։| Այո",
      "សួស្តី។| បាទ",
      "እንዴት ነህ።| ደህና።| አዎ",
      "ဟုတ်တယ်။| မဟုတ်ဘူး။",
  });
}

TEST_CASE(
    "a line is split where a sentence certainly ends: abbreviations, ordinals and short words of many languages") {
  check_split({
      "Pi is 3.14.| That is all.",
      "It costs 3.50.| Where is the station?",
      "Version 1.2.| Then we left.",
      "2.1. Methods",
      "We use v2.0.| It is old.",
      "I am 25. Where do you live?",
      "It costs $25.| Where is it?",
      "At 7:30.| Then go.",
      "Voir l'art. 5 du code",
      "dell'art. 5",
      "à partir d'env. 5 km",
      "Ecco l'Avv. Rossi",
      "un roman d'A. Dumas",
      "un roman d’A. Dumas",
      "dall’art. 5",
      "It isn't.| OK.",
      "Vas-y.| Je viens.",
      "J'y vais et il y a.| Où est la gare ?",
      "il y en a.| Où est la gare ?",
      "o que é.| Vamos",
      "Non so dov'è.| Andiamo",
      "Это я.| Где вокзал?",
      "Хто це є.| Де він?",
      "на о. Сахалин",
      "EE. UU. es grande",
      "los JJ. OO. de 1992",
      "en Sta. Cruz y Sto. Domingo con Dña. Ana",
      "p. ej. Juan",
      "en 52 av. J.-C. Puis",
      "en 52 apr. J.-C. Puis",
      "MM. Dupont et Durand",
      "voir chap. II et art. IV",
      "il dott. Rossi e l'avv. Bianchi, l'ing. Verdi e il sig. Neri",
      "Hauptstr. 5, § 3 Abs. 1, 5 Std. Fahrt, max. Höhe, Hl. Geist",
      "Mw. Jansen en ir. Jansen",
      "hr. Jensen og frk. Hansen",
      "im. Adama, ks. Jan, str. 5, godz. 15",
      "им. Ленина, пл. Революции, кв. 5, тел. Петрова",
      "MR. SMITH AND MRS. HILL AND DR. WHO IN ST. LOUIS",
      "I SAW HIM.| HE SAW ME.| GO AWAY.",
      "Han gik ud.| Hun blev",
      "Hij is er al.| Kom",
      "He watches TV.| She works at the BBC.| Hmm.| I see.",
      "Hij kijkt tv.| Zij niet.",
      "Er wiegt 80 kg.| Sie auch.",
      "Es sind 5 km.| Dann links.",
      "Fahr 100 km/h.| Dann stopp.",
      "Bei 20 °C.| Dann nicht.",
      "Je to vlk.| Bojím se.",
      "RNDr. Novák, MUDr. Malá, sv. Václav",
      "u. a. Berlin, d. h. Bonn, i. d. R. Tom",
      "bl. a. Tom, t. ex. Anna",
      "et al. Then, but al.| Then",
      "Estoy cansado.| \"¿Dónde está la estación?\"",
      "« Oui ! ».| Il part.| \"Non.\"| \"Oui.\"",
      "გამარჯობა.| როგორ ხარ?",
      "ა. წერეთელი მოვიდა.| კარგი",
      "'Mr. Smith' came.| 'Dr. Hill' too.",
      "a. Introduction",
      "She'll.| He won't.",
      "Det är en ö.| Vi bor där.",
      "Tôi đồng ý.| Bạn thì sao?",
      "Δρ. Παπαδόπουλος.| Ναι",
      "ดร. สมชาย",
      "O que é isso?| Não sei.",
      "Pkw.| Dann",
      "z. B. Berlin, z.B. Bonn, bzw. Köln",
      "A.1. Methods",
      "१. परिचय",
      "Passa in via dell'arch. Bianchi.",
      "voir chap. V, p. 5",
      "He said no.| I left.",
      "en 52 apr. J.-C. Puis",
      "She said no.| Bob left.",
  });
  check_split({"I am 25.| Where do you live?", "World War II.| He fought.", "II. Methods",
               "He lives at 5 Elm St. in Boston.| She does not.",
               "Gen. Lee met Col. Kim on Jan. 5 at 7 a.m. sharp.| They talked.",
               "See vol. II, ch. 3, and fig. B of it.| Then stop.", "\"Is it No. 7?\"| \"No.| I don't know.\"",
               "We moved to Washington, D.C. in May.| It rained.", "The bill was $5.| He paid $10.50.| Then he left.",
               "Turn to page 12.| Read it.", "Approx. 50 people vs. Prof. Hill et al. Then", "It's vitamin C. Take it.",
               "Ready?| One.| Go!", "We passed the arch.| Then it rained.", "He said no.| I left."},
              "en");
  check_split({"Tom is 15.| He is tall."}, "en-US");
  check_split({"Tom is 15.| He is tall."}, "English");
  check_split({"Er kam am 25. Dezember.| Dann ging er.", "Am 24.12. Hochzeit, am 3. Oktober und der 100. Geburtstag.",
               "Es kostet 3.50.| Wo ist er?", "Johannes Paul II. Er", "Das ist Max.| Er ist 1,80 m groß.",
               "Er wohnt in der Goethestr. 12 in 10115 Berlin.| Komm!",
               "Das kostet ca. 5 Mio. Euro bzw. 3 Mrd. Dollar.| Viel, oder?", "Ich weiß es.| Er nicht.",
               "Fr. Müller, Hrn. Maier, Dipl.-Ing. Hill und St. Pauli", "Um 8 Uhr.| Am 1. Mai.| Im 19. Jh. Danach",
               "Er ist am 3.10.1990 geboren.| Sie auch.", "Er ging (z. B. Montag).| Dann kam er.",
               "Er kam mit dem Pkw.| Dann ging er."},
              "de");
  check_split({"Tom is 15. He is tall."}, "xx");
  check_split({"Han satte sig.| Hon gick.", "Han är 25.| Var bor du?| Det är min.| Han satte sig.| Hon sa: ja.",
               "Vi ses kl. 5, t.ex. Fredag.| Det är sen.| Hon kom i maj.| Den 3 maj."},
              "sv");
  check_split({"Quiero ir.| No puedo.", "La pág. 5 y el art. 3.| Luego, el cap. IV.",
               "Nació el 5 de mayo de 44 a. C. En Roma", "D. Juan y Dña. Ana viven en Avda. Colón.| Sí.",
               "Eran las 5 p. m. Luego salió.", "¿Qué tal?| ¡Bien!| \"¡Hola!\"| —Sí.| —No."},
              "es");
  check_split({"J'ai 25 ans.| Il a 30.| Et toi ?", "Il habite 12, av. Foch.| Mme. Curie et Mgr. Martin sont là.",
               "C'est à 5 km.| Tournez", "Louis XIV.| Il régna.", "On y va.| Vas-y !| Qu'est-ce qu'il y a ?| Rien.",
               "Par ex. Paris, p. ex. Lyon.| Puis voilà.", "S'il te plaît...| Viens.", "voir chap. I, p. 5"},
              "fr");
  check_split(
      {"Il prof. Rossi abita in p. Garibaldi.| Non lo so.| Come sta?", "Ho visto S. Pietro e l'arch. Bianchi.| Bello.",
       "Sono le 5.| Andiamo.", "Per es. Roma.| Perché no?| È qui.| Non c'è.| Dov'è?"},
      "it");
  check_split(
      {"O Sr. Silva e a Sra. Costa moram na Av. Paulista.| Sim.", "Tenho 25.| E tu?| É ele.| O que é que há.| Vamos.",
       "O Sto. Antônio e a Sta. Maria, no séc. XX.| Depois, nada."},
      "pt");
  check_split({"Hij is 25.| Zij is 30.| Dhr. Jansen en mevr. Bakker, m.n. Jan.",
               "Ik zag drs. Bakker, bijv. Maandag.| Ik kom al.| Hij is er."},
              "nl");
  check_split({"Jeg kom ind.| Han gik ud.| Hr. Hansen, frk. Jensen og dr. Holm.",
               "Det er den 2. Verdenskrig.| Det var i maj.| Han vaskede sig.| Hun sov."},
              "da");
  check_split({"Mieszka przy ul. Długiej i pl. Wolności.| To on.", "Prof. dr hab. Jan Nowak i mgr inż. Kot.| Tak."},
              "pl");
  check_split({"To je ministr.| Bojím se.| Ing. Novák, např. Praha.| Dal mi prst.| Ne.", "To je Jan.| V Praze bydlí."},
              "cs");
  check_split({"Ez ő.| Hol van?| Dr. Kovács a Fő u. 5 alatt lakik.| Jó."}, "hu");
  check_split({"Bu o.| Nerede?| Prof. Dr. Ali Bey geldi.| Evet.| Çok iyi."}, "tr");
  check_split({"Esim. Helsinki on kaunis.| Hän on 25 v. vanha.| Niin."}, "fi");
  check_split({"Он живёт на ул. Ленина, д. 5, кв. 3.| Хорошо.", "В 1990 г. Москва была другой.| Мне 25.| А тебе?",
               "И. И. Иванов и проф. Петров, т. е. Все.| Да."},
              "ru");
  check_split({"Вул. Шевченка, буд. 5.| Так."}, "uk");
  check_split({"Това е.| Къде е?| Той е."}, "bg");
  check_split({"Дао ми је прст.| Не."}, "sr");
  check_split({"Ο κ. Παπάς και η Δρ. Νικολάου ήρθαν.| Πού είναι;| Εδώ."}, "el");
  check_split({"श्री. राम और डॉ. शर्मा।| मैं 25.| आप?"}, "hi");
  check_split({"قابلت د. أحمد.| أين هو؟| هنا."}, "ar");
  check_split({"פגשתי את ד\"ר כהן.| איפה הוא?"}, "he");
  check_split({"Tôi đồng ý.| Tp. Hồ Chí Minh.| Bạn ở đâu?"}, "vi");
  check_split({"Dia tinggal di Jl. Sudirman.| Ya."}, "id");
  check_split({"Str. Unirii nr. 5, dl. Popescu.| Da."}, "ro");
  check_split({"나는 톰이다.| 너는?| 3.14다.| 응."}, "ko");
  check_split({"彼は25歳。|「はい。」と言った。"}, "ja");
  check_split({"他25岁。|“好。”他走了。"}, "zh");
  check_split({"ดร. สมชาย ไป"}, "th");
  check_split({"Mi estas Tom.| Li iris.| Kio?"}, "eo");
  check_split({"Mae'n bws.| Ydy."}, "cy");
}

TEST_CASE("text without capital letters is split before lower-case letters, if asked for") {
  const auto count = [](std::string_view line) { return split_lowercased(line).size(); };
  CHECK_EQ(count("i am tired. where is the station? there."), 3);
  CHECK_EQ(count("i met mr. hill at 5 p.m. in st. louis."), 1);
  CHECK_EQ(count("\"stop!\" he said... and left"), 1);
  CHECK_EQ(count("i am tired . where is the station ?"), 2);
}

TEST_CASE("every place at which a sentence may end: also the doubtful ones") {
  CHECK_EQ(split_at_end_marks("Mr. Hill? yes 3.14 (no.) ..."),
           std::vector<std::string_view>{"Mr.", "Hill?", "yes 3.14 (no.)", "..."});
}

TEST_CASE("no text is lost, and long lines of any shape are split with work that grows with their length") {
  std::vector<std::string> lines = lines_of_a_megabyte();
  for (std::string& line : lines) line.resize(100'000);
  for (const std::string_view unit :
       {"! ", ".", ". ", "好.", "。", "\u0964)", " \u00BB !", "a. ", "A.", "\xFF. ", "1. B"}) {
    std::string& line = lines.emplace_back();
    while (line.size() < lines.front().size()) line += unit;
  }
  const auto size = [](std::string_view text) {
    std::size_t bytes = 0;
    utf8::for_each(
        text, [&](std::string_view piece, utf8::CodePoint c) { bytes += utf8::is_space(c.value) ? 0 : piece.size(); });
    return bytes;
  };
  for (const std::string& line : lines) {
    CAPTURE(line.substr(0, 10));
    std::size_t kept = 0;
    for (const std::string_view sentence : split_sentences(line)) kept += size(sentence);
    CHECK_EQ(kept, size(line));
  }
}
