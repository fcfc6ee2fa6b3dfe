#include "train/console/failure.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "autograd/check.h"

namespace glossa {

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {error.exit_status(), error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {1, fmt::format("[{}] expected to reach it; got {}. Hint: check the path and its permissions",
                           error.path1().string(), error.code().message())};
  } catch (const std::system_error& error) {
    // {fmt} on a closed or full standard output; an unavailable thread.
    const bool lost = std::ferror(stdout) != 0;
    return {1, fmt::format("[{}] expected {}; got {}. Hint: {}", lost ? "standard output" : "system",
                           lost ? "room for the output" : "to get what the program needs", error.code().message(),
                           lost ? "is the disk full?" : "is the number of processes and threads limited (ulimit -u)?")};
  } catch (const std::bad_alloc&) {
    return {1,
            "[memory] expected enough memory; the machine has no more. Hint: lower data.max_tokens, or "
            "decode.max_tokens where text is translated"};
  } catch (const std::exception& error) {
    return {1, fmt::format("[internal] {}", error.what())};
  }
}

}  // namespace glossa
