#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/binding/bindings.h"
#include "train/training_observer.h"

namespace glossa::python {

namespace {

/// Returns a member of the TrainingReport in an UpdateReport.
template <class Member>
auto in_training(Member TrainingReport::*member) {
  return [member](const UpdateReport& report) { return report.training.*member; };
}

void add_updates(nb::module_& m) {
  nb::class_<UpdateReport>(m, "Update", "State after an update")
      .def_prop_ro("update", in_training(&TrainingReport::update), "The update's number, from 1")
      .def_prop_ro("epoch", in_training(&TrainingReport::epoch), "The epoch's number, from 1")
      .def_ro("loss", &UpdateReport::loss,
              "Natural-log cross-entropy per target token of this update, unsmoothed; not finite if it was refused")
      .def_prop_ro("lr", in_training(&TrainingReport::lr), "The learning rate")
      .def_prop_ro("grad_norm", in_training(&TrainingReport::grad_norm), "The gradient's norm before clipping")
      .def_prop_ro("tokens_per_s", in_training(&TrainingReport::tokens_per_s),
                   "Source and target tokens per second since the last line of the log")
      .def_prop_ro("seconds", in_training(&TrainingReport::seconds), "Seconds of training, without validation")
      .def_prop_ro("waited", in_training(&TrainingReport::waited),
                   "Part of the time since the last line of the log that steps waited for their text")
      .def_ro("epochs", &UpdateReport::epochs, "Epochs done, with the part of the current one")
      .def_ro("part", &UpdateReport::part, "The completed part of training until its first limit, from 0 to 1")
      .def_ro("seconds_left", &UpdateReport::seconds_left, "An estimate; None if unknown")
      .def("__repr__", [](const UpdateReport& report) {
        return fmt::format("<glossa.Update {}: epoch {}, loss {:.4f}>", report.training.update, report.training.epoch,
                           report.loss);
      });
}

void add_validations(nb::module_& m) {
  nb::class_<WatchedReport>(m, "WatchedCorpus", "Figures of a further corpus of data.valid")
      .def_ro("name", &WatchedReport::name)
      .def_ro("loss", &WatchedReport::loss)
      .def_ro("bleu", &WatchedReport::bleu)
      .def_ro("chrf", &WatchedReport::chrf)
      .def_ro("exact_match", &WatchedReport::exact_match);
  nb::class_<ValidationReport>(m, "Validation", "Result of a validation")
      .def_ro("update", &ValidationReport::update)
      .def_ro("epoch", &ValidationReport::epoch)
      .def_ro("loss", &ValidationReport::loss, "Natural-log cross-entropy per target token")
      .def_ro("bleu", &ValidationReport::bleu, "BLEU from 0 to 100; None if the corpus was not translated")
      .def_ro("chrf", &ValidationReport::chrf, "chrF2 from 0 to 100, or None")
      .def_ro("exact_match", &ValidationReport::exact_match, "The part of exact translations, from 0 to 1, or None")
      .def_ro("stalled", &ValidationReport::stalled, "Validations since the best one; 0: this is the best")
      .def_ro("metric", &ValidationReport::metric, "The metric that selects the best: train.metric")
      .def_ro("samples", &ValidationReport::samples, "Some translations")
      .def_ro("seconds", &ValidationReport::seconds, "Seconds of training, without validation")
      .def_ro("watched", &ValidationReport::watched, "Figures of further corpora of data.valid")
      .def("__repr__", [](const ValidationReport& report) {
        const std::string bleu = report.bleu ? fmt::format(", BLEU {:.2f}", *report.bleu) : "";
        return fmt::format("<glossa.Validation after update {}: loss {:.4f}{}>", report.update, report.loss, bleu);
      });
}

}  // namespace

void add_records(nb::module_& m) {
  add_updates(m);
  add_validations(m);
  nb::class_<CheckpointReport>(m, "Checkpoint", "A checkpoint that was saved")
      .def_ro("update", &CheckpointReport::update)
      .def_ro("file", &CheckpointReport::file)
      .def_ro("is_best", &CheckpointReport::is_best)
      .def("__repr__",
           [](const CheckpointReport& report) { return fmt::format("<glossa.Checkpoint {}>", report.file.string()); });
}

}  // namespace glossa::python
