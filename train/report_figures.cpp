#include "train/report_figures.h"

#include <fmt/core.h>

#include <cmath>

#include "base/counted.h"

namespace glossa {

namespace {

/// Adds the figures of a validation corpus; `of` is appended to each key.
void add(const auto& scores, const std::string& of, Figures& figures) {
  figures.emplace_back("valid_loss" + of, scores.loss);
  figures.emplace_back("valid_perplexity" + of, std::exp(scores.loss));
  if (scores.bleu) figures.emplace_back("valid_bleu" + of, *scores.bleu);
  if (scores.chrf) figures.emplace_back("valid_chrf" + of, *scores.chrf);
  if (scores.exact_match) figures.emplace_back("valid_exact_match" + of, *scores.exact_match);
}

/// Formats the figures of a validation corpus for people.
std::string text_of(const auto& scores) {
  std::string text = fmt::format("valid loss {:.4f} : ppl {:.2f}", scores.loss, std::exp(scores.loss));
  if (scores.bleu) text += fmt::format(" : BLEU {:.2f}", *scores.bleu);
  if (scores.chrf) text += fmt::format(" : chrF {:.2f}", *scores.chrf);
  if (scores.exact_match) text += fmt::format(" : exact match {:.4f}", *scores.exact_match);
  return text;
}

}  // namespace

Figures figures_of(const TrainingReport& report) {
  return {{"loss", report.loss},    {"perplexity", std::exp(report.loss)}, {"tokens_per_s", report.tokens_per_s},
          {"lr", report.lr},        {"grad_norm", report.grad_norm},       {"seconds", report.seconds},
          {"waited", report.waited}};
}

Figures figures_of(const ValidationReport& report) {
  Figures figures;
  add(report, "", figures);
  for (const WatchedReport& watched : report.watched) add(watched, ":" + watched.name, figures);
  figures.emplace_back("seconds", report.seconds);
  return figures;
}

std::string scores_of(const ValidationReport& report) { return text_of(report); }

LogLine line_of(const TrainingReport& report) {
  const std::string loss = std::isnan(report.loss)
                               ? "no loss, as all updates were skipped"
                               : fmt::format("loss {:.4f} : ppl {:.2f}", report.loss, std::exp(report.loss));
  const std::string waited =
      report.waited < 0.01 ? "" : fmt::format(" : {:.0f} % waited for text", 100 * report.waited);
  return {.kind = LogLine::Kind::figures,
          .text = fmt::format("Ep. {} : Up. {} : {} : {:.0f} tokens/s : lr {:.3e} : gnorm {:.3f}{}", report.epoch,
                              report.update, loss, report.tokens_per_s, report.lr, std::abs(report.grad_norm), waited)};
}

LogLine line_of(const ValidationReport& report) {
  LogLine line{.kind = LogLine::Kind::figures,
               .text = fmt::format("Ep. {} : Up. {} : {}", report.epoch, report.update, text_of(report))};
  if (report.update == 0) line.text += " : before training";
  if (report.at_end) line.text += " : at the end";
  if (report.stalled == 0) line.highlight = "new best";
  line.text += report.stalled == 0 ? fmt::format(" : {} {}", line.highlight, report.metric)
                                   : fmt::format(" : {} stalled {}", report.metric, counted(report.stalled, "time"));
  for (const WatchedReport& watched : report.watched)
    line.text += fmt::format("\n    {} : {}", watched.name, text_of(watched));
  if (!report.samples.empty()) line.text += "\n" + report.samples.front();
  return line;
}

}  // namespace glossa
