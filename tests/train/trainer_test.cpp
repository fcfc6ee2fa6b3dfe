// Parts of a trainer: its log, counts and state.
#include "train/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <regex>

#include "base/check.h"
#include "tests/support/changed_checkpoint.h"
#include "tests/train/trainer_fixture.h"
#include "train/validation_history.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

TrainingState state_at(const TrainerFixture& fixture, const std::string& run, std::size_t update) {
  return read_training_state(CheckpointReader(checkpoint(fixture, run, update)));
}

}  // namespace

TEST_CASE("a trainer counts the work of all updates: packed batches compute a row per token") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(4);
  const Quiet quiet;
  Trainer trainer(fixture.prepared(fixture.config, "run"));
  trainer.train();
  CHECK_EQ(trainer.work().updates, 4);
  CHECK_GT(trainer.work().tokens, 0);
  CHECK_EQ(trainer.work().rows, trainer.work().tokens);
}

TEST_CASE("a log line has the mean loss of all target tokens since the previous one, and its update's rate") {
  TrainerFixture fixture;
  fixture.config.optim.warmup = updates(9);
  fixture.config.train.max_updates = updates(11);
  fixture.config.train.accumulate = 2;
  fixture.config.train.keep_checkpoints = 100;
  fixture.config.train.save_every = updates(1);
  fixture.config.train.log_every = updates(1);
  fixture.train(fixture.config, "each");
  fixture.config.train.log_every = updates(4);
  fixture.train(fixture.config, "seldom");
  const auto each = metrics(fixture / "each"), seldom = metrics(fixture / "seldom");
  REQUIRE_EQ(each.size(), 11);
  REQUIRE_EQ(seldom.size(), 2);
  const Schedule schedule = make_schedule(fixture.config.optim, fixture.config.model.transformer.stack.width);
  for (int update = 1; update <= 11; ++update) CHECK_EQ(each[update - 1]["lr"].get<double>(), schedule.lr(update));
  // At the start all tokens are about equally likely.
  CHECK_EQ(each[0]["loss"].get<double>(), doctest::Approx(std::log(31)).epsilon(0.2));
  double sum = 0;
  std::int64_t tokens = 0, before = 0;
  for (int update = 1; update <= 8; ++update) {
    const TrainingState state = state_at(fixture, "seldom", update);
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
  TrainerFixture fixture;
  fixture.config.train.max_epochs = {1, Period::Unit::epochs};
  fixture.config.train.accumulate = 2;
  fixture.train(fixture.config, "run");
  const TrainingState state = read_training_state(CheckpointReader(fixture.last("run")));
  std::int64_t tokens = 0;
  for (int i = 0; i < 60; ++i) tokens += i % 4 + 1 + 2 + 1;  // words of TrainerFixture's targets, "ende", ".", </s>
  CHECK_EQ(state.target_tokens, tokens);
  CHECK_EQ(state.epoch, 1);
  CHECK_EQ(state.batch, 0);
  CHECK_EQ(state.update, state.optimizer_steps);
  CHECK_GT(state.seconds, 0);
}

TEST_CASE("each epoch has its own batches") {
  TrainerFixture fixture;
  fixture.config.train.max_epochs = {2, Period::Unit::epochs};
  fixture.config.train.keep_checkpoints = 100;
  fixture.config.train.save_every = updates(1);
  fixture.train(fixture.config, "run");
  std::vector<std::int64_t> tokens[2];  // for each epoch's batches
  std::int64_t before = 0;
  for (std::size_t update = 1; fs::exists(checkpoint(fixture, "run", update)); ++update) {
    const TrainingState state = state_at(fixture, "run", update);
    tokens[state.epoch - (state.batch == 0 ? 1 : 0)].push_back(state.target_tokens - before);
    before = state.target_tokens;
  }
  CHECK_GE(tokens[0].size(), 8);
  CHECK_GE(tokens[1].size(), 8);
  CHECK_NE(tokens[0], tokens[1]);
}

TEST_CASE("a warm start requires the vocabulary that the run was trained with") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(1);
  fixture.train(fixture.config, "base");
  fixture.config.train.warm_start = fixture / "base";
  CHECK_EQ(fixture.train(fixture.config, "warm"), TrainingEnd::max_updates);
  const std::string vocabulary = read_bytes(fixture / "base/vocabulary.txt");
  write_bytes(fixture / "base/vocabulary.txt", std::regex_replace(vocabulary, std::regex("\nonce\n"), "\ntwice\n"));
  const std::string error = error_of<Error>([&] { fixture.train(fixture.config, "other"); });
  CHECK(error.starts_with("[train.warm_start] expected a run with the vocabulary that it was trained with; "));
  CHECK_FALSE(fs::exists(fixture / "other"));
}

TEST_CASE("padding that starts the decoder keeps its row and its bias, whatever the optimizer, resumed or not") {
  TrainerFixture fixture;
  fixture.config.data.specials.unk = 1;
  fixture.config.data.specials.eos = 0;
  fixture.config.data.specials.pad = fixture.config.data.specials.bos = 7;
  fixture.config.model.transformer.output_bias = true;
  fixture.config.optim.schedule.lr = 0.05;
  fixture.config.train.accumulate = 3;
  fixture.config.train.ema = 0.5;
  for (const OptimConfig::Name optimizer :
       {OptimConfig::Name::adam, OptimConfig::Name::adamw, OptimConfig::Name::sgd}) {
    Config config = fixture.config;
    config.optim.name = optimizer;
    config.optim.weight_decay = 0.1;
    config.optim.decay_norm_and_bias = true;
    const std::string run = fmt::format("run-{}", static_cast<int>(optimizer));
    config.train.max_updates = updates(20);
    fixture.train(config, run + "-whole");
    config.train.max_updates = updates(9);
    fixture.train(config, run);
    config.train.max_updates = updates(20);
    fixture.train(config, run, true);
    for (const std::string& name : {run, run + "-whole"}) {
      const CheckpointReader reader(fixture.last(name));
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
    CHECK_EQ(state_sha256(CheckpointReader(fixture.last(run))),
             state_sha256(CheckpointReader(fixture.last(run + "-whole"))));
  }
}

TEST_CASE("samples are spread over the validation pairs in use, each with its own reference") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = fixture.config.train.validate_every = updates(1);
  fixture.config.train.samples = 3;
  fixture.config.data.valid = fixture / "valid";
  fixture.config.data.encoding.max_length = 8;
  std::string source, target;
  for (int i = 0; i < 9; ++i) {
    source += fmt::format("w{} end{}\n", i, i == 1 ? " and too long to be used at all" : "");
    target += fmt::format("v{} .\n", i);
  }
  write_bytes(fixture / "valid.en", source);
  write_bytes(fixture / "valid.de", target);
  fixture.train(fixture.config, "run");
  static const std::regex pair("source     w(\\d) end\nreference  v(\\d) \\.\noutput     ");
  const std::string text = read_bytes(fixture / "run/samples/update-00000001.txt");
  std::string found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pair); at != std::sregex_iterator(); ++at)
    found += (*at)[1].str() + (*at)[2].str() + " ";
  CHECK_EQ(found, "00 33 66 ");
}

TEST_CASE("refused updates are limited in a row, not in total") {
  TrainerFixture fixture;
  fixture.config.data.shared_vocabulary = false;
  fixture.config.model.transformer.tied = Tied::none;
  fixture.config.train.max_bad_updates = 2;
  fixture.config.optim.warmup = updates(1000);
  fixture.config.train.max_updates = updates(1);
  fixture.train(fixture.config, "run");
  change_checkpoint(fixture.last("run"), [](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
    if (entry.name != "src_tok_emb.embedding.weight") return;
    const float huge = 2e38F;                         // finite, but not after scaling
    for (std::size_t i = 1; i <= entry.dims[1]; ++i)  // the last word: it occurs in a single batch
      std::memcpy(bytes.data() + bytes.size() - i * sizeof huge, &huge, sizeof huge);
  });
  fixture.config.train.max_updates = {};
  fixture.config.train.log_every = updates(1);
  fixture.config.train.max_epochs = {3, Period::Unit::epochs};
  CHECK_EQ(fixture.train(fixture.config, "run", true), TrainingEnd::max_epochs);
  const TrainingState state = read_training_state(CheckpointReader(fixture.last("run")));
  CHECK_GE(state.bad_updates, 2);
  CHECK_LE(state.bad_updates, 3);
  CHECK_EQ(state.optimizer_steps + state.bad_updates, state.update);
  // The schedule counts completed updates.
  CHECK_EQ(metrics(fixture / "run").back()["lr"].get<double>(),
           make_schedule(fixture.config.optim, fixture.config.model.transformer.stack.width).lr(state.optimizer_steps));
}

TEST_CASE("the loss of an update is that of all its micro-batches") {
  TrainerFixture fixture;
  fixture.config.model.transformer.stack.residual_dropout = 0;
  fixture.config.optim.schedule.lr = 1e-30;  // so that all batches see the same weights
  fixture.config.train.validate_every = fixture.config.train.save_every = {};
  const auto loss = [&](const std::string& run, std::int64_t accumulate, double every) {
    fixture.config.train.accumulate = accumulate;
    fixture.config.train.max_updates = fixture.config.train.log_every = updates(every);
    fixture.train(fixture.config, run);
    return metrics(fixture / run).front()["loss"].get<double>();
  };
  CHECK(loss("together", 3, 1) == doctest::Approx(loss("one by one", 1, 3)).epsilon(1e-6));
}

TEST_CASE("a run that hits a limit while improving says how to continue, and no other does") {
  TrainerFixture fixture;
  fixture.config.train.metric = TrainConfig::Metric::loss;
  fixture.config.train.decode_validation = false;
  fixture.config.train.validate_every = updates(4);
  fixture.config.train.max_updates = updates(7);
  const auto says = [&](const std::string& run) {
    fixture.train(fixture.config, run);
    return read_bytes(fixture / run / "train.log")
               .find("note: the last validation was the best so far; continue with glossa train ") != std::string::npos;
  };
  CHECK(says("between"));
  CHECK_NE(read_bytes(fixture / "between/train.log").find("--set train.max_updates=11u\n"), std::string::npos);
  fixture.config.train.max_updates = updates(8);
  CHECK(says("at"));
  const OptimConfig steady = fixture.config.optim;
  fixture.config.optim.schedule.kind = ScheduleOptions::Kind::linear;
  fixture.config.optim.warmup = updates(1);
  fixture.config.optim.total_updates = updates(8);
  CHECK_FALSE(says("at a rate of 0"));
  fixture.config.optim.schedule.min_lr = 1e-9;
  CHECK(says("at the least rate"));
  fixture.config.optim = steady;
  fixture.config.optim.schedule.lr = 1e-30;  // no improvement
  CHECK_FALSE(says("no better"));
  fixture.config.train.patience = 1;
  fixture.config.train.max_updates = updates(100);
  CHECK_FALSE(says("out of patience"));
}

TEST_CASE("a run that ends between two validations validates its end, without effect on a resumed run") {
  TrainerFixture fixture;
  fixture.config.train.metric = TrainConfig::Metric::loss;
  fixture.config.train.decode_validation = false;
  fixture.config.train.validate_every = updates(4);
  fixture.config.train.max_updates = updates(7);
  const auto validations = [&](const std::string& run) {
    std::string text;
    for (const nlohmann::json& line : metrics(fixture / run))
      if (line.contains("valid_loss"))
        text += fmt::format("{}{} ", line["update"].get<int>(), line.contains("at_end") ? " at the end" : "");
    return text;
  };
  const auto best = [&](const std::string& run) { return *linked_update(fixture / run, "best"); };
  fixture.train(fixture.config, "run");
  CHECK_EQ(validations("run"), "4 7 at the end ");
  CHECK_EQ(best("run"), 7);
  CHECK_EQ(state_at(fixture, "run", 7).best_update, 4);
  CHECK_EQ(last_validation(fixture / "run"), 7);

  SUBCASE("resumed with nothing to do, it stays so") {
    fixture.train(fixture.config, "run", true);
    CHECK_EQ(validations("run"), "4 7 at the end ");
    CHECK_EQ(best("run"), 7);
    const std::string log = read_bytes(fixture / "run/train.log");
    CHECK_EQ(log.find(" : at the end"), log.rfind(" : at the end"));  // and is not validated again
  }
  SUBCASE("killed before it was reported, it is reported on --resume") {
    const std::string text = read_bytes(fixture / "run/metrics.jsonl");
    write_bytes(fixture / "run/metrics.jsonl", text.substr(0, text.find("{\"update\":7,")));
    fs::remove(fixture / "run/checkpoints/best");
    fs::create_symlink("update-00000004.ckpt", fixture / "run/checkpoints/best");
    CHECK_EQ(validations("run"), "4 ");
    fixture.train(fixture.config, "run", true);
    CHECK_EQ(validations("run"), "4 7 at the end ");
    CHECK_EQ(best("run"), 7);
  }
  SUBCASE("resumed, it is the run that never stopped") {
    fixture.config.train.max_updates = updates(9);
    {
      const Quiet quiet;
      const PreparedRun stopped_at_once = fixture.prepared(fixture.config, "run", true);
    }
    CHECK_EQ(validations("run"), "4 ");
    CHECK_EQ(best("run"), 4);
    fixture.train(fixture.config, "run", true);
    fixture.train(fixture.config, "whole");
    CHECK_EQ(validations("run"), "4 8 9 at the end ");
    CHECK_EQ(validations("whole"), validations("run"));
    CHECK_EQ(best("run"), best("whole"));
    CHECK_EQ(state_sha256(CheckpointReader(fixture.last("run"))),
             state_sha256(CheckpointReader(fixture.last("whole"))));
  }
  SUBCASE("resumed, its best is again that of its validations") {
    fixture.config.optim.schedule.lr = 1;
    fixture.config.train.max_updates = updates(1);
    fixture.train(fixture.config, "worse");  // before the first validation, so the end is the best
    CHECK_EQ(best("worse"), 1);
    CHECK_EQ(validations("worse"), "1 at the end ");
    fixture.config.train.max_updates = updates(4);
    {
      const Quiet quiet;
      const PreparedRun stopped_at_once = fixture.prepared(fixture.config, "worse", true);
    }
    CHECK_EQ(validations("worse"), "");
    CHECK_FALSE(linked_update(fixture / "worse", "best").has_value());
    fixture.train(fixture.config, "worse", true);
    CHECK_EQ(best("worse"), 4);
    CHECK_EQ(validations("worse"), "4 ");
  }
  SUBCASE("if validation is off or has no pairs, the end is not validated either") {
    Config off = fixture.config, without = fixture.config;
    off.train.validate_every = {};
    fixture.train(off, "off");
    CHECK_EQ(validations("off"), "");
    without.data.valid.clear();
    fixture.train(without, "without");
    CHECK_EQ(validations("without"), "");
  }
}

TEST_CASE("the tokens of BLEU are decided by the target, reported, recorded and kept on resume") {
  TrainerFixture fixture;
  fixture.config.train.validate_every = fixture.config.train.max_updates = updates(1);
  fixture.train(fixture.config, "spaced");
  CHECK(load_config(fixture / "spaced/config.yaml").train.bleu_tokenize == BleuTokenizer::mteval_13a);
  const std::string spaced = read_bytes(fixture / "spaced/train.log");
  CHECK(spaced.find("BLEU counts characters") == spaced.npos);
  CHECK(spaced.find("BLEU: nrefs:1|case:mixed|eff:no|tok:13a|") != spaced.npos);

  fs::copy(fixture / "corpus.de", fixture / "corpus.ja");
  fixture.config.data.target = "ja";
  fixture.train(fixture.config, "run");
  CHECK(load_config(fixture / "run/config.yaml").train.bleu_tokenize == BleuTokenizer::characters);
  CHECK(
      read_bytes(fixture / "run/train.log").find("BLEU counts characters (tok:char): no spaces separate words in ja") !=
      std::string::npos);

  fixture.config.train.max_updates = updates(2);
  fixture.train(fixture.config, "run", true);
  CHECK_EQ(read_training_state(CheckpointReader(fixture.last("run"))).update, 2);
  CHECK(load_config(fixture / "run/config.yaml").train.bleu_tokenize == BleuTokenizer::characters);
  fixture.config.train.bleu_tokenize = BleuTokenizer::intl;
  CHECK_THROWS_AS(fixture.train(fixture.config, "run", true), Error);
}

TEST_CASE("auto options are decided by the corpus, reported, recorded and kept on resume") {
  TrainerFixture fixture;
  fixture.config.undecided = {"data.vocab_size", "model.dropout", "optim.warmup", "train.max_epochs"};
  fixture.config.data.valid.clear();
  fixture.config.data.split.reset();
  fixture.config.train.max_updates = updates(3);
  fixture.train(fixture.config, "run");
  const Config decided = load_config(fixture / "run/config.yaml");
  CHECK(decided.undecided.empty());
  CHECK(decided.data.split == HeldOut{3, 3});
  CHECK(decided.train.max_epochs == Period{200, Period::Unit::epochs});
  CHECK(decided.optim.warmup == Period{20, Period::Unit::epochs});
  const std::string log = read_bytes(fixture / "run/train.log");
  for (const char* part :
       {"data.split 3/3: pairs held out", "auto data: split 3/3, vocab_size 20", "auto model: dropout 0.3",
        "auto optim: warmup 20e", "auto train: max_epochs 200e", "; warm-up of 20 epochs, 160 updates"})
    CHECK_MESSAGE(log.find(part) != log.npos, std::string(part), log);
  CHECK(metrics(fixture / "run").empty());

  fixture.config.train.max_updates = updates(5);
  fixture.train(fixture.config, "run", true);
  CHECK_EQ(read_training_state(CheckpointReader(fixture.last("run"))).update, 5);
  fixture.train(fixture.config, "whole");
  CHECK_EQ(state_sha256(CheckpointReader(fixture.last("run"))), state_sha256(CheckpointReader(fixture.last("whole"))));
  CHECK(read_bytes(fixture / "run/config.yaml") == read_bytes(fixture / "whole/config.yaml"));

  Config other = fixture.config;
  other.undecided.erase("model.dropout");
  other.model.transformer.stack.residual_dropout = 0.1;
  CHECK(error_of<Error>([&] { fixture.train(other, "run", true); }).starts_with("[model.dropout] expected 0.3, as"));
}

TEST_CASE("a warm start takes open options of the model from its weights") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(1);
  fixture.train(fixture.config, "base");
  fixture.config.train.warm_start = fixture / "base";
  fixture.config.undecided = {"model.width", "model.heads", "model.feed_forward", "model.encoder_layers", "optim.lr"};
  fixture.train(fixture.config, "warm");
  const Config warm = load_config(fixture / "warm/config.yaml");
  CHECK_EQ(warm.model.transformer.stack.width, 8);
  CHECK_EQ(warm.model.transformer.encoder_layers, 1);
  CHECK_EQ(warm.optim.schedule.lr, 2e-3);
}

TEST_CASE("vocabularies whose sizes an exportable model cannot have end a run before its folder exists") {
  TrainerFixture fixture;
  fixture.config.data.tokenizer = DataConfig::Tokenizer::sentencepiece;
  fixture.config.data.vocab_size = 60;
  fixture.config.data.shared_vocabulary = false;
  fixture.config.data.specials.bos = fixture.config.data.specials.pad;
  fixture.config.model.transformer.stack.norm = NormPlace::post;
  fixture.config.model.transformer.stack.final_norm = false;
  fixture.config.model.transformer.tied = Tied::none;
  fixture.config.model.transformer.sinusoid = Sinusoid::halves;
  fixture.config.train.max_updates = updates(1);
  fixture.config.train.exportable = TrainConfig::Exportable::huggingface;
  const std::string error = error_of<Error>([&] { fixture.train(fixture.config, "run"); });
  CHECK(
      error.starts_with("[train.exportable] expected options that Hugging Face's MarianMTModel can express; got "
                        "data.shared_vocabulary: false (needs true)"));
  CHECK_FALSE(fs::exists(fixture / "run"));
  fixture.config.train.exportable = TrainConfig::Exportable::marian;
  CHECK_EQ(fixture.train(fixture.config, "run"), TrainingEnd::max_updates);
}

TEST_CASE("a warm-up in epochs lasts those epochs' updates") {
  TrainerFixture fixture;
  fixture.config.train.accumulate = 2;
  fixture.config.train.log_every = updates(1);
  fixture.config.train.max_epochs = {4, Period::Unit::epochs};
  fixture.config.optim.warmup = {3, Period::Unit::epochs};
  fixture.train(fixture.config, "run");
  const auto lines = metrics(fixture / "run");
  const auto per_epoch = std::ssize(lines) / 4;
  CHECK_GE(per_epoch, 5);
  for (std::ptrdiff_t update = 1; update <= std::ssize(lines); ++update)
    CHECK_EQ(lines[static_cast<std::size_t>(update - 1)]["lr"].get<double>(),
             doctest::Approx(fixture.config.optim.schedule.lr * std::min(1.0, double(update) / double(3 * per_epoch))));
}

TEST_CASE("a watched corpus does not change a run, and a resumed run reports the same about it") {
  TrainerFixture fixture;
  write_bytes(fixture / "old.en", "w1 w2 end\nw3 end\n");
  write_bytes(fixture / "old.de", "v1 v2 ende .\nv3 ende .\n");
  fixture.config.train.metric = TrainConfig::Metric::loss;
  fixture.config.train.validate_every = fixture.config.train.save_every = updates(3);
  fixture.config.train.max_updates = updates(9);
  fixture.train(fixture.config, "alone");
  const std::string corpus = fixture.config.data.valid.front(), old = fixture / "old";
  fixture.config.data.valid = std::vector<std::string>{corpus, old};
  fixture.train(fixture.config, "whole");
  Config first = fixture.config;
  first.train.max_updates = updates(4);
  fixture.train(first, "resumed");
  fixture.train(fixture.config, "resumed", true);

  const auto validations = [&](const std::string& run) {
    std::vector<nlohmann::json> kept;
    for (nlohmann::json line : metrics(fixture / run))
      if (line.contains("valid_loss")) {
        line.erase("seconds");
        kept.push_back(line);
      }
    return kept;
  };
  const auto whole = validations("whole");
  REQUIRE_EQ(whole.size(), 3);
  CHECK(validations("resumed") == whole);
  CHECK_EQ(fixture.weights("whole"), fixture.weights("alone"));
  CHECK_EQ(fixture.weights("whole"), fixture.weights("resumed"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK_EQ(whole[i]["valid_loss"], validations("alone")[i]["valid_loss"]);
    CHECK_NE(whole[i]["valid_loss:" + old], whole[i]["valid_loss"]);
    for (const char* key : {"valid_perplexity:", "valid_bleu:", "valid_chrf:", "valid_exact_match:"})
      CHECK(whole[i].contains(key + old));
  }
  CHECK_NE(read_bytes(fixture / "whole/train.log").find("watched data " + old + ": 2 pairs from 2 lines"),
           std::string::npos);
}
