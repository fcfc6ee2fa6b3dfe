#include "train/console/failure.h"

#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "train/console/out_of_memory.h"

namespace glossa {

Error failure_of(const std::exception_ptr& thrown) {
  constexpr Error::Kind failure = Error::Kind::failure;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::filesystem::filesystem_error& error) {
    return {failure, error.path1().string(), "cannot access it: {}. Hint: check the path and its permissions",
            error.code().message()};
  } catch (const std::system_error& error) {
    // From {fmt} if standard output is closed or full; or if a thread cannot be started.
    if (std::ferror(stdout) != 0)
      return {failure, "standard output", "cannot write the output: {}. Hint: check whether the disk is full",
              error.code().message()};
    return {failure, "system",
            "cannot get a system resource: {}. Hint: check the limit of processes and threads (ulimit -u)",
            error.code().message()};
  } catch (const std::bad_alloc&) {
    return {failure, {.where = out_of_memory::where, .problem = out_of_memory::problem, .hint = out_of_memory::hint}};
  } catch (const std::exception& error) {
    return {failure, "internal", "{}", error.what()};
  }
}

}  // namespace glossa
