#include <pthread.h>

#include <condition_variable>

/// libstdc++ 12 gave this function a new version, GLIBCXX_3.4.30. Systems with glibc 2.34 have libstdc++ 11, which has
/// all other functions that glossa calls.
void std::condition_variable::wait(std::unique_lock<std::mutex>& lock) noexcept {
  pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}
