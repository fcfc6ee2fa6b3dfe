#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace glossa::testing {

/// Headless Chromium, used like a person would: driven over WebDriver through its own chromedriver on the loopback
/// interface. No other host is ever reached. Both end with the object, and with the test if it is killed.
///
/// Failures (chromedriver's errors, exceptions in scripts) throw std::runtime_error with WebDriver's message.
/// `selector` is a CSS selector, meaning the first match; its absence is an error.
class Browser {
 public:
  /// False, with a MESSAGE that the test is skipped, if chromium or chromedriver is missing.
  static bool is_there();

  /// A window in CSS pixels for the page.
  struct Window {
    int width = 1400, height = 900;
    bool dark = false;  ///< true if the page sees a preference for dark colors
  };
  explicit Browser(const Window& window);
  ~Browser();

  /// Opens the page and returns when it has loaded; forgets the previous page's requests and messages.
  void open(const std::string& url);
  void open_file(const std::filesystem::path& path) { open("file://" + std::filesystem::absolute(path).string()); }
  void show(const Window& window);

  /// The value of `return` in a function body, as JSON: "3", "\"text\"", "null".
  std::string run(const std::string& script);
  /// The value of a string expression, as plain text.
  std::string text(const std::string& expression);
  /// Polls until the expression is truthy; false if it does not become so within the limit.
  bool wait_for(const std::string& expression, double seconds = 10);

  void click(const std::string& selector);
  /// Sends keys to the element, after its text; WebDriver's private characters stand for non-letters.
  void type(const std::string& selector, const std::string& keys);
  /// Sends keys to the focus.
  void press(const std::string& keys);

  /// Errors and warnings on the console since the page was opened, including uncaught exceptions.
  std::vector<std::string> complaints();
  /// Every address requested by the page since it was opened, itself first; not `data:`.
  std::vector<std::string> asked();
  /// `asked` without those starting with `origin`.
  std::vector<std::string> asked_elsewhere(const std::string& origin);

  /// The window as PNG, or the whole page.
  void screenshot(const std::filesystem::path& png, bool all = false);

 private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace glossa::testing
