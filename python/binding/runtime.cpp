#include "train/runtime.h"

#include <nanobind/stl/string.h>
#include <pthread.h>

#include "base/console/print.h"
#include "base/parallel.h"
#include "base/version.h"
#include "python/binding/bindings.h"
#include "python/binding/computing.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Passes the library's messages to `log(level, text)`, where `level` is a level name of Python's logging.
void send_messages_to(const nb::typed<nb::callable, void(nb::str, nb::str)>& log) {
  static const auto kept = new nb::callable(log);  // never destroyed: messages may come until the interpreter ends
  *kept = log;
  set_message_sink([](Message kind, std::string_view text) {
    Released::with_interpreter([&] {
      const char* const level = kind == Message::warning ? "warning" : kind == Message::note ? "info" : "debug";
      try {
        (*kept)(level, nb::str(text.data(), text.size()));
      } catch (const nb::python_error& error) {
        // Often a signal handler raised the error. Some callers of the sink do not let exceptions pass. Therefore, the
        // error is raised again when this thread returns to Python.
        PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), error.type().ptr());
      }
    });
  });
  set_verbosity(Verbosity::verbose);  // Python's logging chooses the messages to show
}

}  // namespace

void add_runtime(nb::module_& m) {
  m.attr("version") = nb::str(program_version.data(), program_version.size());
  m.def("threads", threads, "The number of threads that compute");
  m.def(
      "set_threads",
      [](int count) {
        Released::check_none("threads");
        const Computing computing;  // new threads start with signals blocked
        set_threads(count);
      },
      "count"_a, "Sets the number of threads that compute. Results do not depend on it.");
  m.def(
      "describe_runtime", [] { return describe_runtime(); },
      "The computing setup: threads, instruction set, library of products");
  pthread_atfork(nullptr, nullptr, Released::after_fork);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(Released::begin_exit));
  m.def("_send_messages_to", send_messages_to, "log"_a);
}

}  // namespace glossa::python
