#pragma once

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace glossa::testing {

/// While a FewThreads exists, the system lets the process start `count` more threads and refuses the next. Each thread
/// takes a stack of 1 GiB. The limit on address space leaves room for `count` stacks and 0.5 GiB.
class FewThreads {
 public:
  explicit FewThreads(std::size_t count) {
    constexpr std::size_t stack = std::size_t{1} << 30;
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &limit_);
    pthread_getattr_default_np(&attributes_);
    pthread_attr_t large = attributes_;
    pthread_attr_setstacksize(&large, stack);
    REQUIRE_EQ(pthread_setattr_default_np(&large), 0);
    rlimit tight = limit_;
    tight.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + count * stack + stack / 2;
    REQUIRE_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  }
  ~FewThreads() {
    setrlimit(RLIMIT_AS, &limit_);
    pthread_setattr_default_np(&attributes_);
    pthread_attr_destroy(&attributes_);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  rlimit limit_{};
  pthread_attr_t attributes_{};
};

}  // namespace glossa::testing
