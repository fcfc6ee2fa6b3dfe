#pragma once

#include <nlohmann/json.hpp>

/// Compiled in tests/main.cpp, and nowhere else.
extern template class nlohmann::basic_json<>;
