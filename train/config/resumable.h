#pragma once

#include <string_view>

namespace glossa {

/// True if an option may change when a run resumes, because the state of training does not depend on it.
bool may_change_on_resume(std::string_view key);

}  // namespace glossa
