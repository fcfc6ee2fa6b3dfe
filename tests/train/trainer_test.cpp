// Parts of a trainer: its log, counts and state.
#include "train/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <regex>

#include "autograd/check.h"
#include "tests/support/changed_checkpoint.h"
#include "tests/train/small_run.h"
#include "train/run_log.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// The objects of a run's metrics.jsonl.
std::vector<nlohmann::json> metrics(const fs::path& run) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_bytes(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

fs::path checkpoint(const SmallRun& small, const std::string& run, std::size_t update) {
  return small / fmt::format("{}/checkpoints/update-{:08}.ckpt", run, update);
}

TrainingState state_at(const SmallRun& small, const std::string& run, std::size_t update) {
  return read_training_state(CheckpointReader(checkpoint(small, run, update)));
}

}  // namespace

TEST_CASE("a log line has the mean loss of all target tokens since the previous one, and its update's rate") {
  SmallRun small;
  small.config.optim.warmup = updates(9);
  small.config.train.max_updates = updates(11);
  small.config.train.accumulate = 2;
  small.config.train.keep_checkpoints = 100;
  small.config.train.save_every = updates(1);
  small.config.train.log_every = updates(1);
  small.train(small.config, "each");
  small.config.train.log_every = updates(4);
  small.train(small.config, "seldom");
  const auto each = metrics(small / "each"), seldom = metrics(small / "seldom");
  REQUIRE_EQ(each.size(), 11);
  REQUIRE_EQ(seldom.size(), 2);
  const Schedule schedule = make_schedule(small.config.optim, small.config.model.width);
  for (int update = 1; update <= 11; ++update) CHECK_EQ(each[update - 1]["lr"].get<double>(), schedule.lr(update));
  // At the start all tokens are about equally likely.
  CHECK_EQ(each[0]["loss"].get<double>(), doctest::Approx(std::log(31)).epsilon(0.2));
  double sum = 0;
  std::int64_t tokens = 0, before = 0;
  for (int update = 1; update <= 8; ++update) {
    const TrainingState state = state_at(small, "seldom", update);
    const std::int64_t own = state.target_tokens - before;  // of this update
    before = state.target_tokens;
    sum += each[update - 1]["loss"].get<double>() * static_cast<double>(own);
    tokens += own;
    if (update % 4 == 0) {
      CHECK_EQ(seldom[update / 4 - 1]["loss"].get<double>(),
               doctest::Approx(sum / static_cast<double>(tokens)).epsilon(1e-12));
      sum = 0;
      tokens = 0;
    }
    CHECK_EQ(state.log_loss, doctest::Approx(sum).epsilon(1e-12));
    CHECK_EQ(state.log_tokens, tokens);
  }
}

TEST_CASE("an epoch's target tokens are those of the corpus, </s> included") {
  SmallRun small;
  small.config.train.max_epochs = {1, Period::Unit::epochs};
  small.config.train.accumulate = 2;
  small.train(small.config, "run");
  const TrainingState state = read_training_state(CheckpointReader(small.last("run")));
  std::int64_t tokens = 0;
  for (int i = 0; i < 60; ++i) tokens += i % 4 + 1 + 2 + 1;  // words of SmallRun's targets, "ende", ".", </s>
  CHECK_EQ(state.target_tokens, tokens);
  CHECK_EQ(state.epoch, 1);
  CHECK_EQ(state.batch, 0);
  CHECK_EQ(state.update, state.optimizer_steps);
  CHECK_GT(state.seconds, 0);
}

TEST_CASE("each epoch has its own batches") {
  SmallRun small;
  small.config.train.max_epochs = {2, Period::Unit::epochs};
  small.config.train.keep_checkpoints = 100;
  small.config.train.save_every = updates(1);
  small.train(small.config, "run");
  std::vector<std::int64_t> tokens[2];  // for each epoch's batches
  std::int64_t before = 0;
  for (std::size_t update = 1; fs::exists(checkpoint(small, "run", update)); ++update) {
    const TrainingState state = state_at(small, "run", update);
    tokens[state.epoch - (state.batch == 0 ? 1 : 0)].push_back(state.target_tokens - before);
    before = state.target_tokens;
  }
  CHECK_GE(tokens[0].size(), 8);
  CHECK_GE(tokens[1].size(), 8);
  CHECK_NE(tokens[0], tokens[1]);
}

TEST_CASE("a warm start requires the vocabulary that the run was trained with") {
  SmallRun small;
  small.config.train.max_updates = updates(1);
  small.train(small.config, "base");
  small.config.train.warm_start = small / "base";
  CHECK_EQ(small.train(small.config, "warm"), TrainingEnd::max_updates);
  const std::string vocabulary = read_bytes(small / "base/vocabulary.txt");
  write_bytes(small / "base/vocabulary.txt", std::regex_replace(vocabulary, std::regex("\nonce\n"), "\ntwice\n"));
  const std::string error = error_of<Error>([&] { small.train(small.config, "other"); });
  CHECK(error.starts_with("[train.warm_start] expected a run with the vocabulary that it was trained with; "));
  CHECK_FALSE(fs::exists(small / "other"));
}

TEST_CASE("padding that starts the decoder keeps its row and its bias, whatever the optimizer, resumed or not") {
  SmallRun small;
  small.config.data.unk_id = 1;
  small.config.data.eos_id = 0;
  small.config.data.pad_id = small.config.data.bos_id = 7;
  small.config.model.output_bias = true;
  small.config.optim.lr = 0.05;
  small.config.train.accumulate = 3;
  small.config.train.ema = 0.5;
  for (const OptimConfig::Name optimizer :
       {OptimConfig::Name::adam, OptimConfig::Name::adamw, OptimConfig::Name::sgd}) {
    Config config = small.config;
    config.optim.name = optimizer;
    config.optim.weight_decay = 0.1;
    config.optim.decay_norm_and_bias = true;
    const std::string run = fmt::format("run-{}", static_cast<int>(optimizer));
    config.train.max_updates = updates(20);
    small.train(config, run + "-whole");
    config.train.max_updates = updates(9);
    small.train(config, run);
    config.train.max_updates = updates(20);
    small.train(config, run, true);
    for (const std::string& name : {run, run + "-whole"}) {
      const CheckpointReader reader(small.last(name));
      int rows = 0, moved = 0;
      for (const CheckpointEntry& entry : reader.entries()) {
        const bool is_table = entry.name.ends_with("tok_emb.embedding.weight");
        if (!is_table && !entry.name.ends_with("generator.bias")) continue;
        const std::vector<std::byte> bytes = reader.read(entry.name);
        const std::size_t width = sizeof(float) * (is_table ? entry.dims[1] : 1);
        const auto is_zero = [&](std::size_t row) {
          const auto zero = [](std::byte byte) { return byte == std::byte{0}; };
          return std::ranges::all_of(std::span(bytes).subspan(row * width, width), zero);
        };
        CHECK(is_zero(7));
        rows += is_zero(7);
        moved += !is_zero(6) && !is_zero(8);
      }
      CHECK(rows >= 4);  // values, average and moments of two parameters
      CHECK(moved == rows);
    }
    CHECK_EQ(state_sha256(CheckpointReader(small.last(run))),
             state_sha256(CheckpointReader(small.last(run + "-whole"))));
  }
}

TEST_CASE("samples are spread over the validation pairs in use, each with its own reference") {
  SmallRun small;
  small.config.train.max_updates = small.config.train.validate_every = updates(1);
  small.config.train.samples = 3;
  small.config.data.valid = small / "valid";
  small.config.data.max_length = 8;
  std::string source, target;
  for (int i = 0; i < 9; ++i) {
    source += fmt::format("w{} end{}\n", i, i == 1 ? " and too long to be used at all" : "");
    target += fmt::format("v{} .\n", i);
  }
  write_bytes(small / "valid.en", source);
  write_bytes(small / "valid.de", target);
  small.train(small.config, "run");
  static const std::regex pair("source     w(\\d) end\nreference  v(\\d) \\.\noutput     ");
  const std::string text = read_bytes(small / "run/samples/update-00000001.txt");
  std::string found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pair); at != std::sregex_iterator(); ++at)
    found += (*at)[1].str() + (*at)[2].str() + " ";
  CHECK_EQ(found, "00 33 66 ");
}

TEST_CASE("refused updates are limited in a row, not in total") {
  SmallRun small;
  small.config.data.shared_vocabulary = false;
  small.config.model.tied = ModelConfig::Tied::none;
  small.config.train.max_bad_updates = 2;
  small.config.optim.warmup = updates(1000);
  small.config.train.max_updates = updates(1);
  small.train(small.config, "run");
  change_checkpoint(small.last("run"), [](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
    if (entry.name != "src_tok_emb.embedding.weight") return;
    const float huge = 2e38F;                         // finite, but not after scaling
    for (std::size_t i = 1; i <= entry.dims[1]; ++i)  // the last word: it occurs in a single batch
      std::memcpy(bytes.data() + bytes.size() - i * sizeof huge, &huge, sizeof huge);
  });
  small.config.train.max_updates = {};
  small.config.train.log_every = updates(1);
  small.config.train.max_epochs = {3, Period::Unit::epochs};
  CHECK_EQ(small.train(small.config, "run", true), TrainingEnd::max_epochs);
  const TrainingState state = read_training_state(CheckpointReader(small.last("run")));
  CHECK_GE(state.bad_updates, 2);
  CHECK_LE(state.bad_updates, 3);
  CHECK_EQ(state.optimizer_steps + state.bad_updates, state.update);
  // The schedule counts completed updates.
  CHECK_EQ(metrics(small / "run").back()["lr"].get<double>(),
           make_schedule(small.config.optim, small.config.model.width).lr(state.optimizer_steps));
}

TEST_CASE("the loss of an update is that of all its micro-batches") {
  SmallRun small;
  small.config.model.dropout = 0;
  small.config.optim.lr = 1e-30;  // so that all batches see the same weights
  small.config.train.validate_every = small.config.train.save_every = {};
  const auto loss = [&](const std::string& run, std::int64_t accumulate, double every) {
    small.config.train.accumulate = accumulate;
    small.config.train.max_updates = small.config.train.log_every = updates(every);
    small.train(small.config, run);
    return metrics(small / run).front()["loss"].get<double>();
  };
  CHECK(loss("together", 3, 1) == doctest::Approx(loss("one by one", 1, 3)).epsilon(1e-6));
}

TEST_CASE("a run that hits a limit while improving says how to continue, and no other does") {
  SmallRun small;
  small.config.train.metric = TrainConfig::Metric::loss;
  small.config.train.decode_validation = false;
  small.config.train.validate_every = updates(4);
  small.config.train.max_updates = updates(7);
  const auto says = [&](const std::string& run) {
    small.train(small.config, run);
    return read_bytes(small / run / "train.log")
               .find("note: the last validation was the best so far; continue with glossa train ") != std::string::npos;
  };
  CHECK(says("between"));
  CHECK_NE(read_bytes(small / "between/train.log").find("--set train.max_updates=11u\n"), std::string::npos);
  small.config.train.max_updates = updates(8);
  CHECK(says("at"));
  const OptimConfig steady = small.config.optim;
  small.config.optim.schedule = OptimConfig::Schedule::linear;
  small.config.optim.warmup = updates(1);
  small.config.optim.total_updates = updates(8);
  CHECK_FALSE(says("at a rate of 0"));
  small.config.optim.min_lr = 1e-9;
  CHECK(says("at the least rate"));
  small.config.optim = steady;
  small.config.optim.lr = 1e-30;  // no improvement
  CHECK_FALSE(says("no better"));
  small.config.train.patience = 1;
  small.config.train.max_updates = updates(100);
  CHECK_FALSE(says("out of patience"));
}

TEST_CASE("a run that ends between two validations validates its end, without effect on a resumed run") {
  SmallRun small;
  small.config.train.metric = TrainConfig::Metric::loss;
  small.config.train.decode_validation = false;
  small.config.train.validate_every = updates(4);
  small.config.train.max_updates = updates(7);
  const auto validations = [&](const std::string& run) {
    std::string text;
    for (const nlohmann::json& line : metrics(small / run))
      if (line.contains("valid_loss"))
        text += fmt::format("{}{} ", line["update"].get<int>(), line.contains("at_end") ? " at the end" : "");
    return text;
  };
  const auto best = [&](const std::string& run) { return *linked_update(small / run, "best"); };
  small.train(small.config, "run");
  CHECK_EQ(validations("run"), "4 7 at the end ");
  CHECK_EQ(best("run"), 7);
  CHECK_EQ(state_at(small, "run", 7).best_update, 4);
  CHECK_EQ(last_validation(small / "run"), 7);

  SUBCASE("resumed with nothing to do, it stays so") {
    small.train(small.config, "run", true);
    CHECK_EQ(validations("run"), "4 7 at the end ");
    CHECK_EQ(best("run"), 7);
    const std::string log = read_bytes(small / "run/train.log");
    CHECK_EQ(log.find(" : at the end"), log.rfind(" : at the end"));  // and is not validated again
  }
  SUBCASE("killed before it was reported, it is reported on --resume") {
    const std::string text = read_bytes(small / "run/metrics.jsonl");
    write_bytes(small / "run/metrics.jsonl", text.substr(0, text.rfind('\n', text.size() - 2) + 1));
    fs::remove(small / "run/checkpoints/best");
    fs::create_symlink("update-00000004.ckpt", small / "run/checkpoints/best");
    CHECK_EQ(validations("run"), "4 ");
    small.train(small.config, "run", true);
    CHECK_EQ(validations("run"), "4 7 at the end ");
    CHECK_EQ(best("run"), 7);
  }
  SUBCASE("resumed, it is the run that never stopped") {
    small.config.train.max_updates = updates(9);
    {
      const Quiet quiet;
      const Trainer stopped_at_once(small.config, "", small / "run", true);
    }
    CHECK_EQ(validations("run"), "4 ");
    CHECK_EQ(best("run"), 4);
    small.train(small.config, "run", true);
    small.train(small.config, "whole");
    CHECK_EQ(validations("run"), "4 8 9 at the end ");
    CHECK_EQ(validations("whole"), validations("run"));
    CHECK_EQ(best("run"), best("whole"));
    CHECK_EQ(state_sha256(CheckpointReader(small.last("run"))), state_sha256(CheckpointReader(small.last("whole"))));
  }
  SUBCASE("resumed, its best is again that of its validations") {
    small.config.optim.lr = 1;
    small.config.train.max_updates = updates(1);
    small.train(small.config, "worse");  // before the first validation, so the end is the best
    CHECK_EQ(best("worse"), 1);
    CHECK_EQ(validations("worse"), "1 at the end ");
    small.config.train.max_updates = updates(4);
    {
      const Quiet quiet;
      const Trainer stopped_at_once(small.config, "", small / "worse", true);
    }
    CHECK_EQ(validations("worse"), "");
    CHECK_FALSE(linked_update(small / "worse", "best").has_value());
    small.train(small.config, "worse", true);
    CHECK_EQ(best("worse"), 4);
    CHECK_EQ(validations("worse"), "4 ");
  }
  SUBCASE("if validation is off or has no pairs, the end is not validated either") {
    Config off = small.config, without = small.config;
    off.train.validate_every = {};
    small.train(off, "off");
    CHECK_EQ(validations("off"), "");
    without.data.valid.clear();
    small.train(without, "without");
    CHECK_EQ(validations("without"), "");
  }
}

TEST_CASE("the tokens of BLEU are decided by the target, reported, recorded and kept on resume") {
  SmallRun small;
  small.config.train.validate_every = small.config.train.max_updates = updates(1);
  small.train(small.config, "spaced");
  CHECK(load_config(small / "spaced/config.yaml").train.bleu_tokenize == BleuTokenizer::mteval_13a);
  const std::string spaced = read_bytes(small / "spaced/train.log");
  CHECK(spaced.find("BLEU counts characters") == spaced.npos);
  CHECK(spaced.find("BLEU: nrefs:1|case:mixed|eff:no|tok:13a|") != spaced.npos);

  fs::copy(small / "corpus.de", small / "corpus.ja");
  small.config.data.target = "ja";
  small.train(small.config, "run");
  CHECK(load_config(small / "run/config.yaml").train.bleu_tokenize == BleuTokenizer::characters);
  CHECK(read_bytes(small / "run/train.log").find("BLEU counts characters (tok:char): no spaces separate words in ja") !=
        std::string::npos);

  small.config.train.max_updates = updates(2);
  small.train(small.config, "run", true);
  CHECK_EQ(read_training_state(CheckpointReader(small.last("run"))).update, 2);
  CHECK(load_config(small / "run/config.yaml").train.bleu_tokenize == BleuTokenizer::characters);
  small.config.train.bleu_tokenize = BleuTokenizer::intl;
  CHECK_THROWS_AS(small.train(small.config, "run", true), Error);
}

TEST_CASE("auto options are decided by the corpus, reported, recorded and kept on resume") {
  SmallRun small;
  small.config.undecided = {"data.vocab_size", "model.dropout", "optim.warmup", "train.max_epochs"};
  small.config.data.valid.clear();
  small.config.data.split.reset();
  small.config.train.max_updates = updates(3);
  small.train(small.config, "run");
  const Config decided = load_config(small / "run/config.yaml");
  CHECK(decided.undecided.empty());
  CHECK(decided.data.split == HeldOut{3, 3});
  CHECK(decided.train.max_epochs == Period{200, Period::Unit::epochs});
  CHECK(decided.optim.warmup == Period{20, Period::Unit::epochs});
  const std::string log = read_bytes(small / "run/train.log");
  for (const char* part :
       {"data.split 3/3: pairs held out", "auto data: split 3/3, vocab_size 20", "auto model: dropout 0.3",
        "auto optim: warmup 20e", "auto train: max_epochs 200e", "; warm-up of 20 epochs, 160 updates"})
    CHECK_MESSAGE(log.find(part) != log.npos, std::string(part), log);
  CHECK(metrics(small / "run").empty());

  small.config.train.max_updates = updates(5);
  small.train(small.config, "run", true);
  CHECK_EQ(read_training_state(CheckpointReader(small.last("run"))).update, 5);
  small.train(small.config, "whole");
  CHECK_EQ(state_sha256(CheckpointReader(small.last("run"))), state_sha256(CheckpointReader(small.last("whole"))));
  CHECK(read_bytes(small / "run/config.yaml") == read_bytes(small / "whole/config.yaml"));

  Config other = small.config;
  other.undecided.erase("model.dropout");
  other.model.dropout = 0.1;
  CHECK(error_of<Error>([&] { small.train(other, "run", true); }).starts_with("[model.dropout] expected 0.3, as"));
}

TEST_CASE("a warm start takes open options of the model from its weights") {
  SmallRun small;
  small.config.train.max_updates = updates(1);
  small.train(small.config, "base");
  small.config.train.warm_start = small / "base";
  small.config.undecided = {"model.width", "model.heads", "model.feed_forward", "model.encoder_layers", "optim.lr"};
  small.train(small.config, "warm");
  const Config warm = load_config(small / "warm/config.yaml");
  CHECK_EQ(warm.model.width, 8);
  CHECK_EQ(warm.model.encoder_layers, 1);
  CHECK_EQ(warm.optim.lr, 2e-3);
}

TEST_CASE("a warm-up in epochs lasts those epochs' updates") {
  SmallRun small;
  small.config.train.accumulate = 2;
  small.config.train.log_every = updates(1);
  small.config.train.max_epochs = {4, Period::Unit::epochs};
  small.config.optim.warmup = {3, Period::Unit::epochs};
  small.train(small.config, "run");
  const auto lines = metrics(small / "run");
  const auto per_epoch = std::ssize(lines) / 4;
  CHECK_GE(per_epoch, 5);
  for (std::ptrdiff_t update = 1; update <= std::ssize(lines); ++update)
    CHECK_EQ(lines[static_cast<std::size_t>(update - 1)]["lr"].get<double>(),
             doctest::Approx(small.config.optim.lr * std::min(1.0, double(update) / double(3 * per_epoch))));
}

TEST_CASE("an end inside the warm-up and a source in one letter case are reported, with the first pair") {
  SmallRun small;
  small.config.train.max_epochs = {1, Period::Unit::epochs};
  small.config.optim.warmup = updates(1000);
  small.train(small.config, "run");
  const std::string log = read_bytes(small / "run/train.log");
  CHECK(log.find("first pair: 'w0 end'\n    translated: 'v0 ende .'") != log.npos);
  CHECK(log.find("note: train.max_epochs ends training after ") != log.npos);
  CHECK(log.find("-case source letters:") != log.npos);
}

TEST_CASE("a watched corpus does not change a run, and a resumed run reports the same about it") {
  SmallRun small;
  write_bytes(small / "old.en", "w1 w2 end\nw3 end\n");
  write_bytes(small / "old.de", "v1 v2 ende .\nv3 ende .\n");
  small.config.train.metric = TrainConfig::Metric::loss;
  small.config.train.validate_every = small.config.train.save_every = updates(3);
  small.config.train.max_updates = updates(9);
  small.train(small.config, "alone");
  const std::string corpus = small.config.data.valid.front(), old = small / "old";
  small.config.data.valid = std::vector<std::string>{corpus, old};
  small.train(small.config, "whole");
  Config first = small.config;
  first.train.max_updates = updates(4);
  small.train(first, "resumed");
  small.train(small.config, "resumed", true);

  const auto validations = [&](const std::string& run) {
    std::vector<nlohmann::json> kept;
    for (nlohmann::json line : metrics(small / run))
      if (line.contains("valid_loss")) {
        line.erase("seconds");
        kept.push_back(line);
      }
    return kept;
  };
  const auto whole = validations("whole");
  REQUIRE_EQ(whole.size(), 3);
  CHECK(validations("resumed") == whole);
  CHECK_EQ(parameters_sha256(CheckpointReader(small.last("whole"))),
           parameters_sha256(CheckpointReader(small.last("alone"))));
  CHECK_EQ(parameters_sha256(CheckpointReader(small.last("whole"))),
           parameters_sha256(CheckpointReader(small.last("resumed"))));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK_EQ(whole[i]["valid_loss"], validations("alone")[i]["valid_loss"]);
    CHECK_NE(whole[i]["valid_loss:" + old], whole[i]["valid_loss"]);
    for (const char* key : {"valid_perplexity:", "valid_bleu:", "valid_chrf:", "valid_exact_match:"})
      CHECK(whole[i].contains(key + old));
  }
  CHECK_NE(read_bytes(small / "whole/train.log").find("watched data " + old + ": 2 pairs from 2 lines"),
           std::string::npos);
}
