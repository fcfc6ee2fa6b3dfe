#include "base/console/progress_bar.h"

#include <doctest/doctest.h>

#include "base/counted.h"
#include "tests/support/pseudo_terminal.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// All that `act` draws on a terminal of `columns`; empty if the machine has no terminals.
template <class Act>
std::string drawn(const Act& act, unsigned short columns = 80) {
  PseudoTerminal terminal(columns);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return "";
  }
  {
    ProgressBar bar(terminal.file());
    act(bar);
  }
  return terminal.text();
}

const std::string back = "\r\x1b[K";

}  // namespace

TEST_CASE("a count is followed by its noun") {
  CHECK_EQ(counted(1, "batch"), "1 batch");
  CHECK_EQ(counted(0, "batch"), "0 batches");
  CHECK_EQ(counted(2, "epoch"), "2 epochs");
  CHECK_EQ(counted(1.0, "epoch"), "1 epoch");
  CHECK_EQ(counted(0.5, "epoch"), "0.5 epochs");
  CHECK_EQ(counted(1e6, "update"), "1000000 updates");
}

TEST_CASE("a bar is drawn over itself and cleared at the end") {
  const std::string text = drawn([](ProgressBar& bar) {
    CHECK(bar.is_due());
    bar.draw(0.5, "loss 1.25");
    bar.draw(1.5, "");  // an exceeded limit
    bar.draw(std::nullopt, "no end in sight");
    bar.clear();
    CHECK(bar.is_due());
    bar.clear();
    bar.draw(0.0, "once more");
  });
  if (text.empty()) return;
  const std::string cells(24, '='), empty(24, ' ');
  CHECK_EQ(text, back + " 50% [" + cells.substr(12) + empty.substr(12) + "] loss 1.25" + back + "100% [" + cells +
                     "] " + back + "no end in sight" + back + back + "  0% [" + empty + "] once more" + back);
}

TEST_CASE("a bar's text cannot drive the terminal") {
  const std::string text = drawn([](ProgressBar& bar) { bar.draw(std::nullopt, "checking \x1b[2Ja\nb"); });
  if (text.empty()) return;
  CHECK_EQ(text, back + "checking \\x1b[2Ja\\nb" + back);
}

TEST_CASE("on a narrow terminal text takes precedence over the bar, and never wraps") {
  const std::string text = drawn(
      [](ProgressBar& bar) {
        bar.draw(0.5, std::string(12, 'x'));
        bar.draw(0.5, std::string(28, 'y'));
        bar.draw(0.5, std::string(40, 'z'));
      },
      30);
  if (text.empty()) return;
  CHECK_EQ(text, back + " 50% [====     ] " + std::string(12, 'x') + back + " 50% " + std::string(24, 'y') + back +
                     " 50% " + std::string(24, 'z') + back);
}

TEST_CASE("on a narrow terminal the last parts of a text are left out") {
  const std::string text = drawn(
      [](ProgressBar& bar) {
        bar.draw(0.5, "update 12, loss 1.25, 0:30 left");
        bar.draw(std::nullopt, "update 12, loss 1.25, 0:30 left");
      },
      30);
  if (text.empty()) return;
  CHECK_EQ(text, back + " 50% update 12, loss 1.25" + back + "update 12, loss 1.25" + back);
}

TEST_CASE("nothing is ever drawn to a file") {
  const TemporaryFolder folder;
  std::FILE* file = std::fopen((folder / "file").c_str(), "w");
  {
    ProgressBar bar(file);
    CHECK_FALSE(bar.is_on_terminal());
    CHECK_FALSE(bar.is_due());
    bar.draw(0.5, "loss 1.25");
    const ElapsedProgress elapsed(bar, "learning");
    CountProgress(bar, "sentence", 3).add(2);
  }
  std::fclose(file);
  CHECK_EQ(read_bytes(folder / "file"), "");
}

TEST_CASE("seconds are shown as on a clock") {
  CHECK_EQ(clock_text(0.9), "0:00");
  CHECK_EQ(clock_text(61), "1:01");
  CHECK_EQ(clock_text(3600 + 2 * 60 + 3), "1:02:03");
  CHECK_EQ(clock_text(-1), "0:00");
}

TEST_CASE("the time left is known once something is done, and is zero at the end") {
  const TimeLeft fresh, resumed(0.5);
  CHECK_EQ(fresh.after(0), "");
  CHECK_EQ(resumed.after(0.5), "");
  CHECK_EQ(resumed.after(1), ", 0:00 left");
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const std::string left = fresh.after(0.01);  // after more than a second here
  CAPTURE(left);
  REQUIRE(left.ends_with(" left"));
  CHECK_GE(std::stoi(left.substr(2)), 1);
  CHECK_NE(resumed.after(0.75), ", 0:00 left");  // as much again remains
}

TEST_CASE("a count is shown with the total and the time left if the total is known") {
  const std::string known = drawn([](ProgressBar& bar) {
    CountProgress progress(bar, "sentence", 4);
    progress.add(1);
    progress.add(1);  // too soon to redraw
  });
  if (known.empty()) return;
  CHECK(known.starts_with(back + " 25% [======                  ] 1 of 4 sentences, "));
  CHECK_NE(known.find("/s, 0:0"), known.npos);
  const std::string unknown = drawn([](ProgressBar& bar) { CountProgress(bar, "sentence").add(1); });
  CHECK(unknown.starts_with(back + "1 sentence, "));
}

TEST_CASE("elapsed time is shown from the start, and advances by itself") {
  PseudoTerminal terminal(80);
  if (!terminal.is_there()) return;
  {
    ProgressBar bar(terminal.file());
    const ElapsedProgress elapsed(bar, "learning");
    terminal.wait_for("learning 0:00" + back + "learning 0:0");
  }
  CHECK(terminal.text().ends_with(back));
}
