#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace glossa::testing {

/// Headless Chromium, used as a person would use it: driven over WebDriver through its own chromedriver on the loopback
/// interface. It cannot reach any other host. Browser and chromedriver end with the object, and also if the test is
/// killed.
///
/// Failures (chromedriver's errors, exceptions in scripts) throw std::runtime_error with WebDriver's message.
/// `selector` is a CSS selector, of which the first match is used; not matching anything is an error.
class Browser {
 public:
  /// False, with a MESSAGE that the test is skipped, if chromium or chromedriver is missing.
  static bool is_there();

  /// Size of the page's window, in CSS pixels.
  struct Window {
    int width = 1400, height = 900;
    bool dark = false;  ///< the page sees a preference for dark colors
  };
  explicit Browser(const Window& window);
  ~Browser();

  /// Opens the page and returns when it has loaded; forgets the previous page's requests and messages.
  void open(const std::string& url);
  void open_file(const std::filesystem::path& path) { open("file://" + std::filesystem::absolute(path).string()); }
  void show(const Window& window);

  /// Runs a script as a function body and returns the value of its `return`, as JSON: "3", "\"text\"", "null".
  std::string run(const std::string& script);
  /// Returns the value of a string expression as plain text.
  std::string text(const std::string& expression);
  /// Polls until the expression is truthy; false if it does not become so within the limit.
  bool wait_for(const std::string& expression, double seconds = 10);

  void click(const std::string& selector);
  /// Sends keys to the element, which inserts them after its text. WebDriver's private-use characters stand for keys
  /// such as Enter.
  void type(const std::string& selector, const std::string& keys);
  /// Sends keys to the focused element.
  void press(const std::string& keys);

  /// Errors and warnings on the console since the page was opened, including uncaught exceptions.
  std::vector<std::string> complaints();
  /// Every address requested since the page was opened, the page's own first, without `data:` URLs.
  std::vector<std::string> asked();
  /// `asked` without those starting with `origin`.
  std::vector<std::string> asked_elsewhere(const std::string& origin);

  /// Saves the window, or all of the page if `all`, as a PNG.
  void screenshot(const std::filesystem::path& png, bool all = false);

 private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace glossa::testing
