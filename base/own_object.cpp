#include "base/own_object.h"

#include <dlfcn.h>
#include <link.h>

namespace glossa {

std::filesystem::path own_object() {
  Dl_info info{};
  link_map* object = nullptr;
  const bool is_known = dladdr1(reinterpret_cast<const void*>(&own_object), &info, reinterpret_cast<void**>(&object),
                                RTLD_DL_LINKMAP) != 0;
  // The program itself has an empty name in the list of objects.
  const bool is_program = !is_known || object == nullptr || object->l_name[0] == '\0';
  return is_program ? std::filesystem::read_symlink("/proc/self/exe") : std::filesystem::canonical(object->l_name);
}

}  // namespace glossa
