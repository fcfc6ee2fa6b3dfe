#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "autograd/grad_check.h"
#include "autograd/taylor_test.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/console/progress_bar.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "base/nearest_name.h"
#include "config/auto_options.h"
#include "config/config.h"
#include "data/corpora/datasets.h"
#include "layers/cases/layer_case.h"
#include "train/model/criterion.h"
#include "train/model/model_factory.h"
#include "train/prepared/prepared_corpus.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct GradcheckArguments {
  std::string config;  // configuration whose model is checked; empty: check the whole table
  std::string only;    // substring of the names of the rows to check
  bool full = false, json = false;
  std::vector<std::string> sets;
};

constexpr Index elements_a_tensor = 32;

/// Prints each row as soon as it is ready and, on a terminal, the current check.
class Table {
 public:
  Table(bool json, const std::string& only) : json_(json), only_(only) {}

  /// True if --only selects the row with this name.
  bool chooses(const std::string& name) {
    names_.push_back(name);
    return name.find(only_) != name.npos;
  }

  template <class Check>
  void row(const char* kind, const std::string& name, const Check& check) {
    if (!json_ && rows_ == 0)
      fmt::print("{:<6} {:<42} {:>6} {:>9} {:>12} {:>12} {:>9} {:>8}\n", "kind", "name", "cases", "elements",
                 "worst error", "unexplained", "bf16", "seconds");
    if (!json_) bar_.draw(std::nullopt, fmt::format("checking {} ...", name));
    const CaseReport report = check();
    bar_.clear();
    if (json_)
      print_json(kind, report);
    else
      print_line(kind, report);
    std::fflush(stdout);
    for (const std::string& failure : report.failures) print_message(stderr, "  ", failure);
    passed_ = passed_ && report.failures.empty();
    ++rows_;
    total_.add(report);
    total_.failures.clear();
  }

  /// Throws if the substring given by --only did not match any row.
  void check_chosen() const {
    if (rows_ > 0) return;
    const std::string nearest = nearest_name(only_, names_);
    misuse("gradcheck --only",
           "expected part of the name of an op, layer, model or tensor; got '{}', which matches none. Hint: {}", only_,
           nearest.empty() ? "glossa gradcheck --json lists all" : fmt::format("did you mean {}?", nearest));
  }

  /// Returns the exit status.
  int finish() const {
    if (!json_)
      fmt::print("{}, {} against differences{}, worst error {:.1e}, in {:.1f} s: {}\n", counted(rows_, "row"),
                 counted(total_.elements, "element"), and_skipped(total_), total_.worst_error, total_.seconds,
                 passed_ ? "all passed" : "FAILED");
    return passed_ ? 0 : 1;
  }

 private:
  static std::string and_skipped(const CaseReport& report) {
    return report.skipped > 0 ? fmt::format(", {} skipped on a kink", report.skipped) : "";
  }

  void print_json(const char* kind, const CaseReport& report) {
    JsonLine line;
    line.add("name", report.name).add("kind", kind).add("cases", report.cases).add("elements", report.elements);
    line.add("worst_error", report.worst_error).add("excess", report.excess);
    line.add("loose_error", report.loose_error);
    if (report.bf16_error) line.add("bf16_error", *report.bf16_error);
    if (report.taylor_slope) line.add("taylor_slope", *report.taylor_slope);
    line.add("kinks", report.kinks)
        .add("skipped", report.skipped)
        .add("undecided", report.undecided)
        .add("seconds", report.seconds);
    line.add("passed", report.failures.empty());
    std::puts(line.text().c_str());
  }

  void print_line(const char* kind, const CaseReport& report) {
    const std::string second =
        report.taylor_slope ? fmt::format("slope {:.3f}", *report.taylor_slope) : fmt::format("{:.2e}", report.excess);
    const std::string bf16 = report.bf16_error ? fmt::format("{:.2e}", *report.bf16_error) : "-";
    fmt::print("{:<6} {:<42} {:>6} {:>9} {:>12.2e} {:>12} {:>9} {:>8.2f}  {}{}\n", kind, report.name, report.cases,
               report.elements, report.worst_error, second, bf16, report.seconds,
               report.failures.empty() ? "ok" : "FAILED", and_skipped(report));
  }

  bool json_, passed_ = true;
  const std::string& only_;
  std::vector<std::string> names_;
  ProgressBar bar_;
  Index rows_ = 0;
  CaseReport total_;
};

/// A configuration's model in double, with slightly randomized initial weights. `loss`, a function of the parameters,
/// is the training loss per token over the first 3 training sentences. Smoothing, dropout and padding are as
/// configured.
struct CheckedModel {
  /// Reads the training data and learns the tokenizers as in training. Looks up corpora in `places`. Throws an Error if
  /// any of this fails.
  CheckedModel(Config config, const CorpusPlaces& places) {
    constexpr int sentences = 3;
    const auto seed = static_cast<std::uint64_t>(config.train.seed);
    const Corpora corpora = read_corpora(config.data, seed, places);
    decide_auto_options(config, size_of(corpora.training), corpora.split);
    validate(config);
    const Tokenizers tokenizers = learn_tokenizers(config.data, corpora.training);
    const EncodedCorpus encoded = encode_training(config.data, corpora.training, tokenizers);
    std::vector<int> first(static_cast<std::size_t>(std::min(sentences, encoded.size())));
    std::iota(first.begin(), first.end(), 0);
    batch = make_batch(encoded, first, Layout::packed, config.train.passes());

    model = std::make_unique<Transformer<double>>(
        parameters,
        transformer_options(config.model, tokenizers.source->vocabulary_size(), tokenizers.target->vocabulary_size()));
    parameters.allocate(seed);
    // Biases of 0 and gains of 1 hide some errors, and tiny weights keep all inputs of ReLU near its kink.
    RandomStream random(seed, "recipe_check");
    for (const Parameter<double>* parameter : parameters.parameters())
      for (double& x : parameter->value.span()) x += random.uniform() / 5 - 0.1;
    loss = [this, pad = encoded.specials.pad, train = config.train](Context<double>& context,
                                                                    std::span<const Variable<double>>) {
      const CrossEntropy<double> loss = training_loss(context, *model, batch, pad, train);
      return scale(loss.sum, 1 / static_cast<double>(loss.count));
    };
  }
  CheckedModel(const CheckedModel&) = delete;

  ParameterStore<double> parameters;
  std::unique_ptr<Transformer<double>> model;
  Batch batch;
  GradCheckFunction loss;
};

void check_everything(Table& table) {
  for (const std::string& op : subjects(op_cases()))
    if (table.chooses(op)) table.row("op", op, [&] { return check_subject(op_cases(), op, check_case); });
  for (const std::string& layer : subjects(layer_cases()))
    if (table.chooses(layer))
      table.row("layer", layer, [&] { return check_subject(layer_cases(), layer, check_layer); });
  for (const LayerCase& model : model_cases())
    if (table.chooses(model.name)) table.row("model", model.name, [&] { return check_layer(model); });
  table.check_chosen();
}

void check_recipe(Table& table, const GradcheckArguments& arguments) {
  const Config config = load_config(arguments.config, arguments.sets);
  validate(config);
  apply_runtime(config.runtime);
  const std::filesystem::path file = arguments.config;
  const bool is_of_run = file.filename() == "config.yaml";
  CheckedModel checked(config, is_of_run ? CorpusPlaces(file.parent_path()) : CorpusPlaces());
  const GradCheckOptions options{.limit = 1e-6, .floor = 0.01, .max_elements = arguments.full ? 0 : elements_a_tensor};
  const std::vector<Parameter<double>*>& parameters = checked.parameters.parameters();
  for (const Parameter<double>* tensor : parameters)
    if (table.chooses(tensor->name))
      table.row("tensor", tensor->name, [&] {
        return timed({.name = tensor->name}, [&](CaseReport& report) {
          for (Parameter<double>* parameter : parameters) parameter->trainable = parameter == tensor;
          const GradCheckResult result = grad_check(checked.loss, {}, checked.parameters, options);
          report.add(result);
          if (!result.passes()) report.failures.push_back(result.describe());
        });
      });
  for (Parameter<double>* parameter : parameters) parameter->trainable = true;
  table.check_chosen();
  table.row("model", arguments.config, [&] {
    return timed({.name = arguments.config}, [&](CaseReport& report) {
      const TaylorResult taylor = taylor_test(checked.loss, checked.parameters);
      report.cases = 1;
      report.taylor_slope = taylor.slope;
      if (!taylor.passes()) report.failures.push_back(taylor.describe());
    });
  });
}

int run(const GradcheckArguments& arguments) {
  if (arguments.config.empty() && (arguments.full || !arguments.sets.empty()))
    misuse(arguments.full ? "gradcheck --full" : "gradcheck --set",
           "expected a CONFIG, whose model is checked; got none. Hint: without one, every op and layer is checked");
  Table table(arguments.json, arguments.only);
  if (arguments.config.empty())
    check_everything(table);
  else
    check_recipe(table, arguments);
  return table.finish();
}

}  // namespace

void add_gradcheck(CommandTable& table) {
  const auto [command, arguments] = table.add<GradcheckArguments>(
      {.name = "gradcheck", .help = "Check every derivative against differences", .group = "Check"}, run);
  command.add_option("CONFIG", arguments.config, "YAML file whose model to check (default: every op and layer)");
  command.add_option("--only", arguments.only, "check only names that contain this");
  command.add_flag("--full", arguments.full, "check every element of CONFIG's model (default: 32 of each tensor)");
  command.add_flag("--json", arguments.json, "one JSON object per line");
  add_force(command);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
