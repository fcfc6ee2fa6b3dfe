#include "train/processes/job.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include "base/byte_reader.h"
#include "base/console/failure.h"
#include "base/own_object.h"

namespace glossa {

namespace {

/// Returns the size of each process's slice after `cut`, and its position relative to `origin`.
Transport::Parts parts_of(std::span<const Index> bounds, const auto& cut, Index origin) {
  check(bounds.back() <= std::numeric_limits<int>::max(), "mpi", "expected at most {} parameters; got {}",
        std::numeric_limits<int>::max(), bounds.back());
  Transport::Parts parts;
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    const auto [begin, end] = cut(bounds[r], bounds[r + 1]);
    parts.counts.push_back(static_cast<int>(std::max<Index>(0, end - begin)));
    parts.places.push_back(static_cast<int>(end > begin ? begin - origin : 0));
  }
  return parts;
}

constexpr std::string Error::Parts::*texts_of_error[] = {
    &Error::Parts::where, &Error::Parts::key, &Error::Parts::expected, &Error::Parts::problem, &Error::Parts::hint};

void append_text(std::string& bytes, const std::string& text) {
  append_number(bytes, text.size());
  bytes += text;
}

std::string text_from(ByteReader& bytes) { return std::string(bytes.text(bytes.take<std::size_t>())); }

int in_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

/// Enters this process's MPI job. Loads the MPI module from the program's folder or from the folder of installed
/// modules. Returns null if neither folder has the module.
std::unique_ptr<Transport> enter_mpi() {
  std::filesystem::path folder = own_object().parent_path();
  // If this code is in a library for a level of x86-64, it is in a subfolder such as glibc-hwcaps/x86-64-v3.
  if (folder.parent_path().filename() == "glibc-hwcaps") folder = folder.parent_path().parent_path();
  std::filesystem::path module = folder / "libglossa_mpi.so";  // place of the plug-in in a build folder
  if (!std::filesystem::exists(module)) module = folder / GLOSSA_MODULES / "libglossa_mpi.so";
  if (!std::filesystem::exists(module)) return nullptr;
  // RTLD_GLOBAL, because MPI's plugins look up MPI's symbols in the program.
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  check(library != nullptr, module.string(), "cannot load the module: {}. Hint: check that MPI is installed",
        library ? "" : dlerror());
  const auto enter = reinterpret_cast<Transport* (*)()>(dlsym(library, "glossa_enter_mpi"));
  check(enter != nullptr, module.string(), "expected this program's module; got another file");
  return std::unique_ptr<Transport>(enter());
}

}  // namespace

std::string packed(const Error& error) {
  std::string bytes;
  append_number(bytes, error.kind() == Error::Kind::misuse);
  for (const auto text : texts_of_error) append_text(bytes, error.parts().*text);
  if (error.parts().got) append_text(bytes, *error.parts().got);
  return bytes;
}

Error unpacked_error(std::string_view bytes) {
  ByteReader rest(bytes);
  const bool is_misuse = rest.take<bool>();
  Error::Parts parts;
  for (const auto text : texts_of_error) parts.*text = text_from(rest);
  if (rest.remaining() > 0) parts.got = text_from(rest);
  return {is_misuse ? Error::Kind::misuse : Error::Kind::failure, std::move(parts)};
}

void Job::merge(std::span<double> numbers) const {
  if (is_several()) transport_->add(numbers);
}

void Job::broadcast(std::span<std::byte> bytes) const {
  if (is_several()) transport_->broadcast(bytes);
}

std::string Job::broadcast(std::string text) const {
  if (!is_several()) return text;
  std::uint64_t length = text.size();
  broadcast(std::as_writable_bytes(std::span(&length, 1)));
  text.resize(length);
  broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::string> Job::gather(std::string_view own) const {
  return is_several() ? transport_->gather(own) : std::vector{std::string(own)};
}

void Job::exchange(std::span<const float> numbers, std::span<const Index> bounds, Index from, Index to,
                   std::span<const int> senders, std::span<float> received) const {
  if (!is_several()) return;
  const auto piece = [&](Index begin, Index end) {
    return std::pair(std::min(begin + from, end), std::min(begin + to, end));
  };
  Transport::Parts sent = parts_of(bounds, piece, 0);
  sent.counts[rank()] = 0;
  if (numbers.empty()) std::ranges::fill(sent.counts, 0);
  const auto [begin, end] = piece(bounds[rank()], bounds[rank() + 1]);
  Transport::Parts got{std::vector<int>(count()), std::vector<int>(count())};
  Index place = 0;
  for (const int sender : senders) {
    got.counts[sender] = static_cast<int>(end - begin);
    got.places[sender] = static_cast<int>(place);
    place += end - begin;
  }
  meet();  // without this, numbers sent over TCP delay the messages that let slower processes start
  transport_->exchange(numbers.data(), sent, received.data(), got);
}

void Job::share_stretches(std::span<float> numbers, std::span<const Index> bounds) const {
  if (!is_several()) return;
  meet();  // needed for the same reason as in `exchange`
  const auto whole = [](Index begin, Index end) { return std::pair(begin, end); };
  transport_->share(numbers.data(), parts_of(bounds, whole, 0));
}

std::span<const float> Job::collect(std::span<const float> own, std::span<const Index> bounds, Index begin, Index end,
                                    std::vector<float>& collected) const {
  if (!is_several()) return own.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  const auto within = [&](Index first, Index last) { return std::pair(std::max(first, begin), std::min(last, end)); };
  collected.resize(static_cast<std::size_t>(end - begin));
  const auto [first, last] = within(bounds[rank()], bounds[rank() + 1]);
  const Index length = std::max<Index>(0, last - first);
  transport_->collect(length > 0 ? own.data() + (first - bounds[rank()]) : nullptr, static_cast<int>(length),
                      collected.data(), parts_of(bounds, within, begin));
  return collected;
}

void Job::meet() const {
  double nothing = 0;
  merge(std::span(&nothing, 1));
}

Job::Patience::Patience(const Job& job, double seconds, std::string what) : job_(job) {
  if (job.is_several()) job.transport_->limit(seconds, std::move(what));
}

Job::Patience::~Patience() {
  if (job_.is_several()) job_.transport_->limit(0, "");
}

void Job::together(const std::function<void()>& work) const {
  if (!is_several()) return work();
  std::string own;
  try {
    work();
  } catch (...) {
    own = packed(failure_of(std::current_exception()));
  }
  const std::vector<std::string> all = gather(own);
  const auto first = std::ranges::find_if(all, [](const std::string& bytes) { return !bytes.empty(); });
  if (first == all.end()) return;
  const auto rank = static_cast<int>(first - all.begin());
  const Error error = unpacked_error(*first);
  Error::Parts parts = error.parts();
  if (rank > 0) parts.where += ", " + place_.name(rank);
  throw CommonError(error.kind(), std::move(parts));
}

void Job::agree(std::string_view what, std::string_view text) const {
  if (!is_several()) return;
  const std::vector<std::string> all = gather(text);
  for (int rank = 1; rank < count(); ++rank) {
    const std::string &mine = all.front(), &other = all[static_cast<std::size_t>(rank)];
    if (other == mine) continue;
    throw CommonError(Error::Kind::failure, place_.name(rank), "expected the same {} as {}, {}; got {}", what,
                      place_.name(0), mine, other);
  }
}

void Job::join() {
  // These variables are set by Open MPI; by MPICH, Intel MPI and others that use PMI; and by a Slurm step.
  const int started = in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
  if (started <= 1) return;
  // If the processes do not find each other, the one with rank 0 reports the error.
  place_.rank = in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
  transport_ = enter_mpi();
  check(transport_ != nullptr, "mpi",
        "expected a glossa built with MPI, as one of {} processes; got one without. Hint: install libopenmpi-dev and "
        "openmpi-bin, and build again",
        started);
  check(transport_->place().count > 1, "mpi",
        "expected {} processes; got one from MPI. Hint: start with the mpirun of the MPI that glossa was built with, "
        "or srun --mpi=pmix",
        started);
  place_ = transport_->place();
}

void Job::end(int status, const std::function<void()>& print_note) const {
  if (!is_first()) std::this_thread::sleep_for(std::chrono::milliseconds(300 + std::min(20 * rank(), 3000)));
  print_note();
  transport_->abort(status);
  std::abort();
}

}  // namespace glossa
