#include "tests/disk/calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

namespace glossa::disk {
namespace {

Watch* current = nullptr;

/// The library's definition of a function that this program also defines.
template <class Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

[[noreturn]] void die() {
  raise(SIGKILL);
  std::abort();
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 12> names{"open",    "close",  "read",  "write",    "sync",     "rename",
                                                   "symlink", "remove", "mkdir", "allocate", "truncate", "mark"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string text_of(const Call& call) { return std::string(name_of(call.kind)) + " " + call.path; }

Watch::Watch(std::filesystem::path folder, Fault fault) : folder_(std::move(folder)), fault_(fault) {
  if (current != nullptr) std::abort();
  current = this;
}

Watch::~Watch() { current = nullptr; }

void mark(std::int64_t number) {
  if (current != nullptr) current->calls_.push_back({.kind = Kind::mark, .path = {}, .text = {}, .number = number});
}

/// The work of the functions below while a folder is watched.
struct Interposer {
  /// The path below the watched folder; nothing for any other.
  static std::optional<std::string> below(const char* path) {
    if (current == nullptr) return std::nullopt;
    const auto relative = std::filesystem::absolute(path).lexically_normal().lexically_relative(current->folder_);
    const std::string text = relative.string();
    if (text.empty() || text.starts_with("..")) return std::nullopt;
    return text == "." ? "" : text;
  }

  static const Watch::Descriptor* watched(int descriptor) {
    if (current == nullptr) return nullptr;
    const auto found = current->descriptors_.find(descriptor);
    return found == current->descriptors_.end() ? nullptr : &found->second;
  }

  static Call on(const Watch::Descriptor& descriptor, Kind kind) {
    return {.kind = kind, .path = descriptor.path, .text = {}, .handle = descriptor.handle, .flags = descriptor.flags};
  }

  static void forget(int descriptor) {
    if (current != nullptr) current->descriptors_.erase(descriptor);
  }

  /// The fault for the current call, if any.
  static Fault::Kind strike() {
    Watch& watch = *current;
    const Fault::Kind kind = watch.next_++ == watch.fault_.at ? watch.fault_.kind : Fault::Kind::none;
    if (kind == Fault::Kind::kill) die();
    return kind;
  }

  template <class Result>
  static Result record(Call call, Result result) {
    const int code = errno;
    call.failed = result == Result(-1);
    current->calls_.push_back(std::move(call));
    errno = code;
    return result;
  }

  template <class Result>
  static Result refuse(Call call) {
    errno = current->fault_.code;
    return record(std::move(call), Result(-1));
  }

  template <class Act>
  static auto happen(Call call, Act act) {
    using Result = decltype(act());
    if (strike() == Fault::Kind::fail) {
      if (call.kind == Kind::close) act();  // Linux closes the descriptor regardless of the result
      return refuse<Result>(std::move(call));
    }
    return record(std::move(call), act());
  }

  template <class Act>
  static int open(const char* path, int flags, Act act) {
    const std::optional<std::string> name = below(path);
    if (!name) return act();
    const std::size_t handle = current->calls_.size();
    const int descriptor =
        happen({.kind = Kind::open, .path = *name, .text = {}, .handle = handle, .flags = flags}, act);
    if (descriptor != -1) current->descriptors_[descriptor] = {*name, handle, flags};
    return descriptor;
  }

  template <class Act>
  static ssize_t read(int descriptor, std::size_t size, Act act) {
    const Watch::Descriptor* file = watched(descriptor);
    if (file == nullptr) return act(size);
    const Call call = on(*file, Kind::read);
    const Fault::Kind fault = strike();
    if (fault == Fault::Kind::fail) return refuse<ssize_t>(call);
    return record(call, act(fault == Fault::Kind::shorten ? (size + 1) / 2 : size));
  }

  /// `act` writes bytes; `offset` is -1 to use the descriptor's.
  template <class Act>
  static ssize_t write(int descriptor, const void* data, std::size_t size, std::int64_t offset, Act act) {
    const Watch::Descriptor* file = watched(descriptor);
    if (file == nullptr) return act(data, size);
    Call call = on(*file, Kind::write);
    const Fault::Kind fault = strike();
    if (fault == Fault::Kind::fail) return refuse<ssize_t>(std::move(call));
    call.number = offset >= 0 ? offset : lseek(descriptor, 0, file->flags & O_APPEND ? SEEK_END : SEEK_CUR);
    call.text.assign(static_cast<const char*>(data), size);
    if (fault == Fault::Kind::shorten || fault == Fault::Kind::kill_half_way) call.text.resize((size + 1) / 2);
    if (fault == Fault::Kind::garble && size > 0) call.text[size / 2] ^= 1;
    const ssize_t written = act(call.text.data(), call.text.size());
    if (fault == Fault::Kind::kill_half_way) die();
    if (written >= 0) call.text.resize(static_cast<std::size_t>(written));
    return record(std::move(call), written);
  }

  template <class Act>
  static int on_descriptor(int descriptor, Kind kind, std::int64_t number, Act act) {
    const Watch::Descriptor* file = watched(descriptor);
    if (file == nullptr) return act();
    Call call = on(*file, kind);
    call.number = number;
    if (kind == Kind::close) forget(descriptor);
    return happen(std::move(call), act);
  }

  template <class Act>
  static int on_path(const char* path, Kind kind, std::string text, Act act) {
    const std::optional<std::string> name = below(path);
    if (!name) return act();
    return happen({.kind = kind, .path = *name, .text = std::move(text)}, act);
  }
};

}  // namespace glossa::disk

using glossa::disk::Interposer;
using glossa::disk::Kind;

#define REAL(name) static auto* const library = glossa::disk::real(&::name, #name)

extern "C" {

int open(const char* path, int flags, ...) {
  REAL(open);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Interposer::open(path, flags, [&] { return library(path, flags, mode); });
}

int openat(int folder, const char* path, int flags, ...) {  // listing a folder
  REAL(openat);
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const auto act = [&] { return library(folder, path, flags, mode); };
  return folder == AT_FDCWD ? Interposer::open(path, flags, act) : act();
}

DIR* fdopendir(int descriptor) {  // closedir closes it later
  REAL(fdopendir);
  Interposer::forget(descriptor);
  return library(descriptor);
}

FILE* fopen64(const char* path, const char* mode) {  // streams of the standard library
  REAL(fopen64);
  FILE* file = nullptr;
  Interposer::open(path, *mode == 'r' ? O_RDONLY : O_WRONLY, [&] {
    file = library(path, mode);
    return file == nullptr ? -1 : fileno(file);
  });
  return file;
}

int fclose(FILE* file) {
  REAL(fclose);
  Interposer::forget(fileno(file));
  return library(file);
}

int close(int descriptor) {
  REAL(close);
  return Interposer::on_descriptor(descriptor, Kind::close, 0, [&] { return library(descriptor); });
}

ssize_t read(int descriptor, void* bytes, size_t size) {
  REAL(read);
  return Interposer::read(descriptor, size, [&](size_t count) { return library(descriptor, bytes, count); });
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
  REAL(pread);
  return Interposer::read(descriptor, size, [&](size_t count) { return library(descriptor, bytes, count, offset); });
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  REAL(write);
  return Interposer::write(descriptor, bytes, size, -1,
                           [&](const void* data, size_t count) { return library(descriptor, data, count); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  REAL(pwrite);
  return Interposer::write(descriptor, bytes, size, offset,
                           [&](const void* data, size_t count) { return library(descriptor, data, count, offset); });
}

int fsync(int descriptor) {
  REAL(fsync);
  if (Interposer::watched(descriptor) == nullptr) return library(descriptor);
  return Interposer::on_descriptor(descriptor, Kind::sync, 0, [] { return 0; });  // not needed for the tests' own files
}

int fallocate(int descriptor, int mode, off_t offset, off_t size) {
  REAL(fallocate);
  return Interposer::on_descriptor(descriptor, Kind::allocate, offset + size,
                                   [&] { return library(descriptor, mode, offset, size); });
}

int ftruncate(int descriptor, off_t size) noexcept {
  REAL(ftruncate);
  return Interposer::on_descriptor(descriptor, Kind::truncate, size, [&] { return library(descriptor, size); });
}

int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  return Interposer::on_path(from, Kind::rename, Interposer::below(to).value_or(""), [&] { return library(from, to); });
}

int symlink(const char* text, const char* path) noexcept {
  REAL(symlink);
  return Interposer::on_path(path, Kind::symlink, text, [&] { return library(text, path); });
}

int unlink(const char* path) noexcept {
  REAL(unlink);
  return Interposer::on_path(path, Kind::remove, "", [&] { return library(path); });
}

int remove(const char* path) noexcept {  // used by std::filesystem
  REAL(remove);
  return Interposer::on_path(path, Kind::remove, "", [&] { return library(path); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  REAL(mkdir);
  return Interposer::on_path(path, Kind::make_folder, "", [&] { return library(path, mode); });
}

}  // extern "C"
