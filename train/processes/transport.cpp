#include "train/processes/transport.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/check.h"
#include "base/own_object.h"

namespace glossa {

std::unique_ptr<Transport> enter_mpi() {
  std::filesystem::path folder = own_object().parent_path();
  // A library compiled for one level of x86-64 is in a subfolder, for example glibc-hwcaps/x86-64-v3.
  if (folder.parent_path().filename() == "glibc-hwcaps") folder = folder.parent_path().parent_path();
  std::filesystem::path module = folder / "libglossa_mpi.so";  // in the build folder
  if (!std::filesystem::exists(module)) module = folder / GLOSSA_MODULES / "libglossa_mpi.so";
  if (!std::filesystem::exists(module)) return nullptr;
  // RTLD_GLOBAL, because MPI's own modules look up its symbols in the program.
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  check(library != nullptr, module.string(), "cannot load the module: {}. Hint: check that MPI is installed",
        library ? "" : dlerror());
  const auto enter = reinterpret_cast<Transport* (*)()>(dlsym(library, "glossa_enter_mpi"));
  check(enter != nullptr, module.string(), "expected this program's module; got another file");
  return std::unique_ptr<Transport>(enter());
}

}  // namespace glossa
