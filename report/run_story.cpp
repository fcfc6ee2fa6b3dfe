#include "report/run_story.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json_line.h"
#include "train/training_observer.h"

namespace glossa {

namespace {

using Kind = TrainingEvent::Kind;
using Strings = std::vector<std::string>;

void end(RunStory& story, RunEvent event, const char* state) {
  story.state = state;
  story.end = event.text;
  story.events.push_back(std::move(event));
}

}  // namespace

std::string changed_option(std::string_view logged) {
  constexpr std::string_view note = "note: ";
  const bool is_change =
      logged.starts_with(note) && logged.find(" is now ") != logged.npos && logged.find("; it was ") != logged.npos;
  return is_change ? fmt::format("; {}", logged.substr(note.size())) : "";
}

bool is_event(std::string_view line) {
  return line.find("\"event\"") != line.npos && text_in_json(line, "event").has_value();
}

std::string StoryReader::take(std::string_view line) {
  try {
    const nlohmann::json json = nlohmann::json::parse(line);
    const std::string kind = json.at("event");
    const std::int64_t update = json.at("update");
    const auto is = [&](Kind other) { return kind == name(other); };
    const bool starts = is(Kind::start), resumes = is(Kind::resume), refuses = is(Kind::refused),
               stops = is(Kind::stop), ends = is(Kind::end), fails = is(Kind::failure);
    if (!starts && !resumes && !refuses && !stops && !ends && !fails) return "";  // such a line has only figures
    const RunEvent event{fails     ? RunEvent::Kind::failure
                         : resumes ? RunEvent::Kind::resume
                         : refuses ? RunEvent::Kind::refused
                                   : RunEvent::Kind::stop,
                         update, json.at("time"), json.at("text")};
    std::optional<RunStory> story = story_;  // a copy: an unusable line must not change the story
    if (starts) story.emplace();
    if (!story) return "";
    if (starts || resumes) {
      if (resumes && story->state == "killed")
        story->events.push_back({RunEvent::Kind::stop, json.at("reached"), "", "ended without a message"});
      story->parameters = json.at("parameters");
      story->head = json.at("log").get<Strings>();
      if (resumes) {
        RunEvent& resumption = story->events.emplace_back(event);
        for (const std::string& logged : story->head) resumption.text += changed_option(logged);
      }
      story->end.clear();
      story->state = "killed";  // the state of a run without an event for its end
      const Strings decided = json.at("decided");
      if (starts || !decided.empty())
        decided_ = decided;
      else if (!decided_.empty())
        story->head.insert(story->head.begin(), fmt::format("{}", fmt::join(decided_, "\n")));
    } else if (refuses) {
      story->events.push_back(event);
    } else {
      end(*story, event, fails ? "failed" : stops ? "stopped" : "finished");
    }
    story_ = std::move(story);
    return "";
  } catch (const nlohmann::json::exception&) {
    return "expected an event with all its keys";
  }
}

}  // namespace glossa
