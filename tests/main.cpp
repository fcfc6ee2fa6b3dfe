#define DOCTEST_CONFIG_IMPLEMENT  // both, because the header may have been read before, precompiled
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
