#include "tests/integration/browser.h"

#include <doctest/doctest.h>
#include <httplib.h>  // included only here, like JSON: both compile slowly

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <thread>

#include "tests/integration/program.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// The program's path as the shell would find it; empty if it is nowhere.
std::string path_of(const std::string& program) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
  return "";
}

/// Calls `act` every few milliseconds until it returns true or the time is up.
template <class Act>
bool within(double seconds, const Act& act) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    if (act()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (Clock::now() < end);
  return false;
}

std::string decoded_base64(std::string_view text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned value = 0, bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) continue;
    value = (value << 6 | static_cast<unsigned>(digit)) & 0xFFFFFF;
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(value >> bits & 0xFF);
  }
  return bytes;
}

/// chromedriver on a port of its own choice. It dies with the test (setpriv), and Chromium with the pipe between the
/// two; their leftovers are in a folder that is removed with the object.
Launch driver_in(const fs::path& folder) {
  return {.arguments = {path_of("env"), "HOME=" + folder.string(), "TMPDIR=" + folder.string(), "setpriv",
                        "--pdeathsig", "KILL", "chromedriver", "--port=0"},
          .input = {},
          .folder = folder};
}

}  // namespace

struct Browser::Driver {
  Driver() : client(std::make_unique<httplib::Client>("127.0.0.1", start())) {
    client->set_keep_alive(true);
    client->set_tcp_nodelay(true);
    client->set_read_timeout(120);
    const json options{
        {"binary", path_of("chromium")},
        {"args",
         {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
          "--hide-scrollbars", "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
          "--user-data-dir=" + (folder / "profile").string()}}};
    const json capabilities{{"goog:chromeOptions", options},
                            {"goog:loggingPrefs", {{"browser", "ALL"}, {"performance", "ALL"}}}};
    session = "/session/" + call("POST", "/session", {{"capabilities", {{"alwaysMatch", capabilities}}}})
                                .at("sessionId")
                                .get<std::string>();
  }

  ~Driver() {
    try {
      call("DELETE", session);
    } catch (const std::exception&) {  // if it no longer answers, it is killed
    }
  }

  /// Starts chromedriver; returns its port. If another program takes that port first, chromedriver ends: tries again.
  int start() {
    const std::regex started(R"(successfully on port (\d+))");
    std::string printed;
    for (int attempt = 0; attempt < 3; ++attempt) {
      program.emplace(driver_in(folder.path()));
      std::smatch port;
      if (within(
              30,
              [&] { return std::regex_search(printed = program->printed(), port, started) || !program->running(); }) &&
          !port.empty())
        return std::stoi(port[1]);
    }
    throw std::runtime_error("chromedriver did not start: " + printed);
  }

  /// WebDriver's answer to a command.
  json call(const std::string& method, const std::string& path, const json& body = json::object()) {
    const httplib::Result result = method == "POST"     ? client->Post(path, body.dump(), "application/json")
                                   : method == "DELETE" ? client->Delete(path)
                                                        : client->Get(path);
    if (!result) throw std::runtime_error("chromedriver: " + httplib::to_string(result.error()) + " at " + path);
    json value = json::parse(result->body).at("value");
    if (result->status != 200)
      throw std::runtime_error(value.at("error").get<std::string>() + ": " + value.at("message").get<std::string>());
    return value;
  }
  json post(const std::string& command, const json& body = json::object()) {
    return call("POST", session + command, body);
  }

  json execute(const std::string& script) {
    return post("/execute/sync", {{"script", script}, {"args", json::array()}});
  }

  /// A command of Chromium's own protocol, for features that WebDriver lacks.
  json devtools(const std::string& command, const json& parameters) {
    return post("/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
  }

  json log(const std::string& type) { return post("/se/log", {{"type", type}}); }

  std::string element(const std::string& selector) {
    return post("/element", {{"using", "css selector"}, {"value", selector}}).begin().value();
  }

  /// chromedriver returns each entry of its logs once.
  void read_logs() {
    for (const json& entry : log("browser"))
      if (entry.at("level") == "SEVERE" || entry.at("level") == "WARNING")
        complaints.push_back(entry.at("message").get<std::string>());
    for (const json& entry : log("performance")) {
      const json event = json::parse(entry.at("message").get<std::string>()).at("message");
      if (event.at("method") != "Network.requestWillBeSent") continue;
      const std::string url = event.at("params").at("request").at("url");
      if (!url.starts_with("data:")) asked.push_back(url);
    }
  }

  TemporaryFolder folder;
  std::optional<Program> program;
  std::unique_ptr<httplib::Client> client;
  std::string session;
  std::vector<std::string> complaints, asked;
};

bool Browser::is_there() {
  for (const char* program : {"chromium", "chromedriver"})
    if (path_of(program).empty()) {
      MESSAGE("skipped: " << program << " is not installed (Debian's packages: chromium, chromium-driver)");
      return false;
    }
  return true;
}

Browser::Browser(const Window& window) : driver_(std::make_unique<Driver>()) { show(window); }

Browser::~Browser() = default;

void Browser::open(const std::string& url) {
  driver_->read_logs();
  driver_->complaints.clear();
  driver_->asked.clear();
  driver_->post("/url", {{"url", url}});
}

void Browser::show(const Window& window) {
  driver_->devtools("Emulation.setDeviceMetricsOverride",
                    {{"width", window.width}, {"height", window.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  const json scheme{{"name", "prefers-color-scheme"}, {"value", window.dark ? "dark" : "light"}};
  driver_->devtools("Emulation.setEmulatedMedia", {{"features", json::array({scheme})}});
}

std::string Browser::run(const std::string& script) { return driver_->execute(script).dump(); }

std::string Browser::text(const std::string& expression) {
  const json value = driver_->execute("return " + expression);
  if (!value.is_string()) throw std::runtime_error(expression + " is not a string: " + value.dump());
  return value;
}

bool Browser::wait_for(const std::string& expression, double seconds) {
  return within(seconds, [&] { return driver_->execute("return !!(" + expression + ")") == true; });
}

void Browser::click(const std::string& selector) {
  std::string refusal;  // a moving element is not where the browser looks for it
  if (!within(10, [&] {
        try {
          driver_->post("/element/" + driver_->element(selector) + "/click");
          return true;
        } catch (const std::runtime_error& error) {
          refusal = error.what();
          return false;
        }
      }))
    throw std::runtime_error(refusal);
}

void Browser::type(const std::string& selector, const std::string& keys) {
  driver_->post("/element/" + driver_->element(selector) + "/value", {{"text", keys}});
}

void Browser::press(const std::string& keys) {
  const std::string active = driver_->call("GET", driver_->session + "/element/active").begin().value();
  driver_->post("/element/" + active + "/value", {{"text", keys}});
}

std::vector<std::string> Browser::complaints() {
  driver_->read_logs();
  return driver_->complaints;
}

std::vector<std::string> Browser::asked() {
  driver_->read_logs();
  return driver_->asked;
}

std::vector<std::string> Browser::asked_elsewhere(const std::string& origin) {
  std::vector<std::string> others = asked();
  std::erase_if(others, [&](const std::string& url) { return url.starts_with(origin); });
  return others;
}

void Browser::screenshot(const std::filesystem::path& png, bool all) {
  const json picture = driver_->devtools("Page.captureScreenshot", {{"captureBeyondViewport", all}});
  write_bytes(png, decoded_base64(picture.at("data").get<std::string>()));
}

}  // namespace glossa::testing
