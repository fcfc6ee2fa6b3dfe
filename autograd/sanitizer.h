#pragma once

/// GLOSSA_SANITIZES(address) and GLOSSA_SANITIZES(thread): 1 if the compiler applies that sanitizer, otherwise 0.
#ifdef __has_feature  // clang
#define GLOSSA_SANITIZES(name) __has_feature(name##_sanitizer)
#else
#define GLOSSA_SANITIZES(name) GLOSSA_SANITIZES_##name
#ifdef __SANITIZE_ADDRESS__
#define GLOSSA_SANITIZES_address 1
#else
#define GLOSSA_SANITIZES_address 0
#endif
#ifdef __SANITIZE_THREAD__
#define GLOSSA_SANITIZES_thread 1
#else
#define GLOSSA_SANITIZES_thread 0
#endif
#endif
