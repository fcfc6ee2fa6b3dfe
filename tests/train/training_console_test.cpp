#include "train/training_console.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "base/console/print.h"
#include "tests/support/pseudo_terminal.h"

using namespace glossa;
using glossa::testing::PseudoTerminal;
using Kind = LogLine::Kind;

namespace {

LogLine message(const std::string& text, Kind kind = Kind::note) {
  return {.kind = kind, .text = text, .time = "2026-01-31 23:59:59"};
}

const UpdateReport kUpdate{.training = {50, 1, 2.5, 12345.6, 0.001, 0.75, 61.5},
                           .epochs = 1.5,
                           .part = 0.5,
                           .seconds_left = 7,
                           .seconds_to_validation = 3};

}  // namespace

TEST_CASE("on a terminal lines are above the bar and wrapped between words") {
  PseudoTerminal terminal(140);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  const std::string path(120, 'p');
  std::string text;
  for (int i = 0; i < 20; ++i) text += "abc ä fgh ";
  {
    TrainingConsole console(terminal.file());
    console.update(kUpdate);
    console.log(message(text + "end\nbeside " + path));
    console.log(message("Ep. 1 : Up. 50 : loss 2.5000 : ppl 12.18 : 12346 tokens/s : lr 1.000e-03 : gnorm 0.750",
                        Kind::figures));  // stacked lines are as long as the terminal is wide
  }
  const std::string& shown = terminal.text();
  CAPTURE(shown);
  CHECK(
      shown.starts_with("\r\x1b[K 50% [============            ] update 50, epoch 1.50, loss 2.500, 12346 tokens/s, "
                        "0:07 left, validation in 0:03\r\x1b[K[20"));
  const std::string fits = text.substr(0, 7 * 11 + 6);  // 75 characters behind the 22 of the time
  CHECK_NE(shown.find("] " + fits + "\n    fgh abc"), shown.npos);
  CHECK_NE(shown.find("end\nbeside\n    " + path + "\n["), shown.npos);  // words stay whole
  CHECK_NE(shown.find("lr 1.000e-03 : gnorm 0.750\n"), shown.npos);
}

TEST_CASE("a closed terminal does not end the run") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  std::FILE* terminal = std::fopen(ptsname(master), "w");
  REQUIRE(terminal != nullptr);
  std::setvbuf(terminal, nullptr, _IONBF, 0);  // like standard error
  {
    TrainingConsole console(terminal);
    close(master);
    CHECK_NOTHROW(console.update(kUpdate));
    CHECK_NOTHROW(console.log(message("hello")));
  }
  std::fclose(terminal);
}

TEST_CASE("a terminal highlights in color; warnings and errors are printed even with -q") {
  PseudoTerminal terminal(100);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  {
    TrainingConsole console(terminal.file());
    LogLine best = message("Ep. 2 : Up. 100 : valid loss 1.0000 : new best loss\noutput  new best", Kind::figures);
    best.highlight = "new best";
    console.log(best);
    set_verbosity(Verbosity::quiet);
    console.log(message("hello"));
    console.log(message("update 7 skipped: not finite", Kind::warning));
    console.log(message("loss 2.5", Kind::figures));
    set_verbosity(Verbosity::verbose);
    console.log(message("configuration", Kind::detail));
    set_verbosity(Verbosity::usual);
    console.log(message("nothing", Kind::detail));
    console.log(message("the program prints errors", Kind::error));
  }
  const std::string& shown = terminal.text();
  CAPTURE(shown);
  CHECK_NE(shown.find(" : \x1b[32mnew best\x1b[0m loss\noutput  new best\n["), shown.npos);
  CHECK_NE(shown.find("] \x1b[33mupdate 7 skipped:\x1b[0m not finite\n"), shown.npos);
  CHECK_EQ(shown.find("hello"), shown.npos);
  CHECK_EQ(shown.find("loss 2.5"), shown.npos);
  CHECK(shown.ends_with("] configuration\n"));
}

TEST_CASE("a validation that translates shows its progress") {
  PseudoTerminal terminal(100);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  {
    TrainingConsole console(terminal.file());
    console.validating(10, 40);
    console.validation({});
    console.log(message("x"));  // clears the bar, so that the next one is due at once
    console.validating(20, 40);
  }
  CHECK_NE(terminal.text().find(" 25% [======                  ] 10 of 40 sentences, "), std::string::npos);
  CHECK_NE(terminal.text().find(" 50% [============            ] 20 of 40 sentences, "), std::string::npos);
}
