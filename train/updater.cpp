#include "train/updater.h"

#include <algorithm>
#include <cmath>

#include "optim/clip.h"
#include "train/model/model_factory.h"
#include "train/processes/job.h"
#include "train/runtime.h"

namespace glossa {

namespace {

/// What a micro-batch adds to the numbers of an update; counts are whole, and exact as such.
constexpr std::size_t nll = 0, target_tokens = 1, source_tokens = 2, rows = 3, per_batch = 4;

double sum_in_tree(std::span<double> numbers, std::size_t stride) {
  std::vector<PartialSum<double>> tree;
  const auto count = static_cast<std::int64_t>(numbers.size() / stride);
  for (std::int64_t i = 0; i < count; ++i)
    push_partial_sum(tree, {i, i + 1, numbers.subspan(static_cast<std::size_t>(i) * stride, 1)}, count);
  return tree.front().sum[0];
}

}  // namespace

bool Update::is_finite() const { return std::isfinite(nll_sum) && std::isfinite(grad_norm); }

Updater::Updater(const Config& config, Task& task)
    : config_(config),
      task_(task),
      parameters_(task.parameters()),
      optimizer_(make_optimizer(config.optim, parameters_, {job().rank(), job().count()})),
      average_(make_average(config.train, parameters_)),
      sum_(std::ssize(parameters_.grads())) {}

/// The position in training from which all random numbers of an update follow.
StepOptions Updater::step_options(std::int64_t update) const {
  return {.training = true,
          .recording = true,
          .seed = static_cast<std::uint64_t>(config_.train.seed),
          .update = static_cast<std::uint64_t>(update)};
}

Update Updater::gradients(std::int64_t number, std::int64_t first, std::int64_t batches) {
  Update update{.number = number, .first = first, .batches = batches};
  const auto [begin, end] = job().part_of(batches);
  std::vector<double> tallies(static_cast<std::size_t>(batches) * per_batch);
  std::span<const PartialSum<float>> sums;
  parameters_.clear_grads();
  if (begin < end) sum_.begin(batches, begin);
  // Sums over tokens, divided once, so that any cut into micro-batches gives the mean over the same tokens.
  for (std::int64_t i = begin; i < end; ++i) {
    parameters_.clear_grads();
    const Task::Loss loss = task_.loss(context_, first + i, step_options(number));
    context_.backward(loss.sum);
    parameters_.fill_unset_grads();
    i + 1 < end ? sum_.add(parameters_.grads()) : void(sums = sum_.finish(parameters_.grads()));
    const std::span<double> tally = std::span(tallies).subspan(static_cast<std::size_t>(i) * per_batch, per_batch);
    tally[nll] = loss.nll_sum;
    tally[target_tokens] = static_cast<double>(loss.target_tokens);
    tally[source_tokens] = static_cast<double>(loss.source_tokens);
    tally[rows] = static_cast<double>(loss.rows);
  }
  if (begin == end) parameters_.fill_unset_grads();
  exchange_.add(sums, batches, optimizer_->bounds(), parameters_.grads());

  const std::size_t of_batches = tallies.size();
  std::ranges::copy(optimizer_->squares(), std::back_inserter(tallies));
  job().merge(tallies);
  const std::span<double> all = tallies, each = all.first(of_batches);
  const auto total = [&](std::size_t what) {
    double sum = 0;
    for (std::size_t i = what; i < of_batches; i += per_batch) sum += each[i];
    return static_cast<std::int64_t>(sum);
  };
  update.target_tokens = total(target_tokens);
  update.source_tokens = total(source_tokens);
  update.rows = total(rows);
  update.nll_sum = sum_in_tree(each, per_batch);
  update.grad_norm = optimizer_->norm_of(all.subspan(of_batches)) / static_cast<double>(update.target_tokens);
  return update;
}

void Updater::step(const Update& update, double lr) {
  const double tokens = static_cast<double>(update.target_tokens);
  optimizer_->step(lr, clip_factor(update.grad_norm, config_.optim.clip_norm) / tokens);
  job().share_stretches(parameters_.values(), optimizer_->bounds());
  if (average_) average_->update(optimizer_->steps());
}

std::string Updater::first_nonfinite(const Update& update, std::int64_t epoch) {
  context_.trace_finite(true);
  const auto [begin, end] = job().part_of(update.batches);
  std::string found;
  for (std::int64_t i = begin; i < end && found.empty(); ++i) {
    found = first_nonfinite(update.number, update.first + i);
    if (!found.empty()) found += fmt::format(", batch {} of epoch {}", update.first + i + 1, epoch + 1);
  }
  context_.trace_finite(false);
  for (const std::string& text : job().gather(found))
    if (!text.empty()) return text;
  return "the sum over micro-batches";
}

std::string Updater::first_nonfinite(std::int64_t update, std::int64_t batch) {
  parameters_.clear_grads();
  const Task::Loss loss = task_.loss(context_, batch, step_options(update));
  const std::string found = context_.first_nonfinite();
  if (!found.empty()) return found;
  context_.backward(loss.sum);
  parameters_.fill_unset_grads();
  return std::isfinite(global_norm<float>(parameters_.grads())) ? "" : "the backward pass";
}

std::string Updater::rehearse() {
  const Task::Loss loss = task_.largest_loss(context_, {.training = true});
  context_.backward(loss.sum);
  parameters_.clear_grads();
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double parameters = mib(parameters_.values().size_bytes());
  return fmt::format(
      "memory: parameters {0:.1f} MiB, gradients {0:.1f}, optimizer {1:.1f}{2};\n"
      "    a step of {3} rows {4:.1f}; {5:.0f} in all with program and data, validation apart",
      parameters, mib(moments), average_ ? fmt::format(", average {:.1f}", parameters) : "", loss.rows,
      mib(context_.arena().peak_bytes()), peak_rss_mb());
}

bool Updater::state_is_finite() const {
  bool finite = std::isfinite(global_norm<float>(parameters_.values()));
  for (const StateBuffer<float>& buffer : optimizer_->state())
    finite = finite && std::isfinite(global_norm<float>(buffer.values));
  std::vector<double> bad(static_cast<std::size_t>(job().count()));
  bad[static_cast<std::size_t>(job().rank())] = finite ? 0 : 1;
  job().merge(bad);
  return std::ranges::count(bad, 0.0) == job().count();
}

}  // namespace glossa
