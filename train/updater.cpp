#include "train/updater.h"

#include <algorithm>
#include <cmath>

#include "autograd/kernels/zero_products.h"
#include "optim/clip.h"
#include "train/model/model_factory.h"
#include "train/runtime.h"

namespace glossa {

namespace {

/// Indices of a micro-batch's figures. Counts are stored as doubles, whose sums are exact.
constexpr std::size_t nll = 0, target_tokens = 1, source_tokens = 2, rows = 3, per_batch = 4;

}  // namespace

bool Update::is_finite() const { return std::isfinite(nll_sum) && std::isfinite(grad_norm); }

Updater::Updater(const Config& config, TranslationTask& task, const Job& job)
    : config_(config),
      task_(task),
      job_(job),
      parameters_(task.parameters()),
      optimizer_(make_optimizer(config.optim, parameters_, {job.rank(), job.count()})),
      average_(make_average(config.train, parameters_)),
      gradient_sum_(parameters_, job) {}

/// Returns the options of an update, with the key of all its random numbers.
StepOptions Updater::step_options(std::int64_t update) const {
  return {.training = true,
          .recording = true,
          .seed = static_cast<std::uint64_t>(config_.train.seed),
          .update = static_cast<std::uint64_t>(update),
          .precision = config_.train.precision};
}

Update Updater::gradients(std::int64_t number, std::int64_t first, std::int64_t batches) {
  Update update{.number = number, .first = first, .batches = batches};
  tallies_.assign(static_cast<std::size_t>(batches) * per_batch, 0);
  // Gradients are summed over tokens, and only `step` divides the sum, once. The mean therefore does not depend on the
  // division into micro-batches.
  const auto [begin, end] = job_.part_of(batches);
  gradient_sum_.add_up(batches, optimizer_->bounds(), [&, begin = begin, end = end](std::int64_t i) {
    const std::int64_t next = i + 1 < end ? i + 1 : batches + begin;  // a guess: the next update may be smaller
    const TranslationTask::Loss loss = task_.loss(context_, first + i, step_options(number), first + next);
    context_.backward(loss.sum);
    double* const tally = &tallies_[static_cast<std::size_t>(i) * per_batch];
    tally[nll] = loss.nll_sum;
    tally[target_tokens] = static_cast<double>(loss.target_tokens);
    tally[source_tokens] = static_cast<double>(loss.source_tokens);
    tally[rows] = static_cast<double>(loss.rows);
  });
  job_.merge(tallies_);
  nll_sum_.begin(batches);
  for (std::size_t i = 0; i < tallies_.size(); i += per_batch) {
    const std::span<double> nll_of_batch(&tallies_[i + nll], 1);
    nll_sum_.add(nll_of_batch);  // replaces the term by the sum of the subtree that it completes
    update.nll_sum = nll_of_batch[0];
    update.target_tokens += static_cast<std::int64_t>(tallies_[i + target_tokens]);
    update.source_tokens += static_cast<std::int64_t>(tallies_[i + source_tokens]);
    update.rows += static_cast<std::int64_t>(tallies_[i + rows]);
  }
  const std::span<double> squares = optimizer_->squares();
  job_.merge(squares);
  update.grad_norm = optimizer_->norm_of(squares) / static_cast<double>(update.target_tokens);
  return update;
}

void Updater::step(const Update& update, double lr) {
  const double tokens = static_cast<double>(update.target_tokens);
  optimizer_->step(lr, clip_factor(update.grad_norm, config_.optim.clip_norm) / tokens);
  job_.share_stretches(parameters_.values(), optimizer_->bounds());
  if (average_) average_->update(optimizer_->steps());
}

std::string Updater::first_nonfinite(const Update& update, std::int64_t epoch) {
  context_.trace_finite(true);
  const auto [begin, end] = job_.part_of(update.batches);
  std::string found;
  for (std::int64_t i = begin; i < end && found.empty(); ++i) {
    found = first_nonfinite(update.number, update.first + i);
    if (!found.empty()) found += fmt::format(", batch {} of epoch {}", update.first + i + 1, epoch + 1);
  }
  context_.trace_finite(false);
  for (const std::string& text : job_.gather(found))
    if (!text.empty()) return text;
  return "the sum over micro-batches";
}

std::string Updater::first_nonfinite(std::int64_t update, std::int64_t batch) {
  parameters_.clear_grads();
  const TranslationTask::Loss loss = task_.loss(context_, batch, step_options(update));
  const std::string found = context_.first_nonfinite();
  if (!found.empty()) return found;
  context_.backward(loss.sum);
  parameters_.fill_unset_grads();
  return std::isfinite(global_norm<float>(parameters_.grads())) ? "" : "the backward pass";
}

std::string Updater::rehearse() {
  const kernels::ZeroProducts zeros;
  const TranslationTask::Loss loss = task_.largest_loss(context_, step_options(0));
  context_.backward(loss.sum);
  parameters_.clear_grads();
  task_.take_waited();  // discards the time waited before training
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double parameters = mib(parameters_.values().size_bytes());
  return fmt::format(
      "memory in MiB: parameters {0:.1f}, gradients {0:.1f}, optimizer {1:.1f}{2},\n"
      "    largest batch ({3} tokens) {4:.1f}; the whole process, before any validation, {5:.0f}",
      parameters, mib(moments), average_ ? fmt::format(", average {:.1f}", parameters) : "", loss.rows,
      mib(context_.arena().peak_bytes()), peak_rss_mb());
}

bool Updater::state_is_finite() const {
  bool finite = std::isfinite(global_norm<float>(parameters_.values()));
  for (const StateBuffer<float>& buffer : optimizer_->state())
    finite = finite && std::isfinite(global_norm<float>(buffer.values));
  std::vector<double> bad(static_cast<std::size_t>(job_.count()));
  bad[static_cast<std::size_t>(job_.rank())] = finite ? 0 : 1;
  job_.merge(bad);
  return std::ranges::count(bad, 0.0) == job_.count();
}

}  // namespace glossa
