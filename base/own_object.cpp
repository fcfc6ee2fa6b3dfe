#include "base/own_object.h"

#include <dlfcn.h>
#include <link.h>

namespace glossa {

std::filesystem::path own_object() {
  Dl_info info{};
  link_map* object = nullptr;
  const bool is_known = dladdr1(reinterpret_cast<const void*>(&own_object), &info, reinterpret_cast<void**>(&object),
                                RTLD_DL_LINKMAP) != 0;
  const bool is_program = !is_known || object == nullptr || object->l_name[0] == '\0';  // the list of objects has no
                                                                                        // name for a program
  return is_program ? std::filesystem::read_symlink("/proc/self/exe") : std::filesystem::canonical(object->l_name);
}

}  // namespace glossa
