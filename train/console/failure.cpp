#include "train/console/failure.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "autograd/check.h"
#include "train/console/out_of_memory.h"

namespace glossa {

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {error.exit_status(), error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {1, fmt::format("[{}] cannot access it: {}. Hint: check the path and its permissions",
                           error.path1().string(), error.code().message())};
  } catch (const std::system_error& error) {
    // From {fmt} if standard output is closed or full; or if a thread cannot be started.
    const bool lost = std::ferror(stdout) != 0;
    return {1, fmt::format(
                   "[{}] cannot {}: {}. Hint: {}", lost ? "standard output" : "system",
                   lost ? "write the output" : "get a system resource", error.code().message(),
                   lost ? "check whether the disk is full" : "check the limit of processes and threads (ulimit -u)")};
  } catch (const std::bad_alloc&) {
    return {1, out_of_memory};
  } catch (const std::exception& error) {
    return {1, fmt::format("[internal] {}", error.what())};
  }
}

}  // namespace glossa
