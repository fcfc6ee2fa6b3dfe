#include "tests/train/config_fixture.h"

#include <fmt/core.h>

#include <sstream>

#include "tests/support/metrics_text.h"
#include "tests/support/quiet.h"

namespace glossa::testing {

namespace fs = std::filesystem;

void write_corpora(const TemporaryFolder& folder) {
  std::string english, hindi, german, table;
  const char* subjects[][3] = {{"The man", "aadmi", "der Mann"},    {"a woman", "aurat", "die Frau"},
                               {"my brother", "bhai", "Bruder"},    {"the boy", "ladka", "der Junge"},
                               {"ＡＢＣ friend", "dost", "Freund"}, {"one child", "bachcha", "das Kind"}};
  const char* verbs[][3] = {
      {"sees", "dekhta hai", "sieht"}, {"eats", "khaata hai", "isst"}, {"buys", "leta hai", "kauft"}};
  const char* objects[][3] = {{"the red house", "laal ghar ko", "das rote Haus"},
                              {"an apple", "seb", "einen Apfel"},
                              {"two ½ green trees in the garden", "bagiche mein do hare ped", "zwei Bäume"}};
  int n = 0;
  for (const auto& fixture : subjects)
    for (const auto& verb : verbs)
      for (const auto& object : objects) {
        const std::string rare = ++n % 7 == 0 ? fmt::format(" once{}", n) : "";
        english += fmt::format("{} {} {}{}\n", fixture[0], verb[0], object[0], rare);
        hindi += fmt::format("{} {} {}{}\n", fixture[1], object[1], verb[1], rare);
        german += fmt::format("{} {} {}{}\n", fixture[2], verb[2], object[2], rare);
        table += fmt::format("{}\t{} {}\t{} {}\n", n, fixture[0], verb[0], fixture[1], verb[1]);
      }
  folder.write("corpus.en", english);
  folder.write("corpus.hi", hindi);
  folder.write("corpus.de", german);
  folder.write("pairs.tsv", table);
  folder.write("other.en", english + "a word more\n");
  folder.write("other.hi", hindi + "ek shabd aur\n");
  const std::string valid[] = {"The boy sees the red house\nmy brother buys an apple\na woman eats an apple\n",
                               "ladka laal ghar ko dekhta hai\nbhai seb leta hai\naurat seb khaata hai\n",
                               "der Junge sieht das rote Haus\nBruder kauft einen Apfel\ndie Frau isst einen Apfel\n"};
  const char* languages[] = {"en", "hi", "de"};
  for (int i = 0; i < 3; ++i) {
    folder.write(fmt::format("valid.{}", languages[i]), valid[i]);
    folder.write(fmt::format("lower.{}", languages[i]), "small words\nthe boy\nthe apple and the house\n");
    folder.write(fmt::format("damaged.{}", languages[i]), valid[i] + "good \xff bad\n");
    folder.write(fmt::format("long.{}", languages[i]), valid[i] + std::string(300, 'x') + " y\n");
  }
}

const Strings lines_to_translate{
    "the boy eats an apple", "The MAN sees ＡＢＣ", "my brother buys two green trees",
    "the red house in the garden the red house in the garden the red house in the garden a woman"};

const Strings base_sets{"data.train=FOLDER/corpus",
                        "data.valid=FOLDER/valid",
                        "data.target=hi",
                        "data.tokenizer=words",
                        "train.bleu_tokenize=13a",
                        "train.samples=0",
                        "data.max_tokens=64",
                        "data.max_length=20",
                        "model.width=8",
                        "model.heads=2",
                        "model.feed_forward=12",
                        "model.encoder_layers=1",
                        "model.decoder_layers=1",
                        "model.dropout=0.2",
                        "model.max_positions=24",
                        "model.tied=output",
                        "optim.lr=0.02",
                        "optim.warmup=3",
                        "train.max_updates=6",
                        "train.validate_every=3u",
                        "train.save_every=4u",
                        "train.log_every=1u",
                        "train.keep_checkpoints=2",
                        "decode.beam=2",
                        "runtime.threads=1"};

FinishedRun::FinishedRun(const Config& config, const fs::path& run) : folder(run) {
  fs::remove_all(folder);
  {
    const Quiet quiet;
    set_threads(3);  // a number that no run has, to see whether this one sets its own
    try {
      Trainer trainer(prepare({.config = config, .run = folder}));
      end = trainer.train();
    } catch (const Error& thrown) {
      error = thrown.what();
    }
  }
  threads = glossa::threads();
  product_library = kernels::name(kernels::gemm_backend());
  if (fs::exists(folder / "checkpoints/last"))
    state = read_training_state(CheckpointReader(folder / "checkpoints/last"));
  std::istringstream metrics(figures_in(read_bytes(folder / "metrics.jsonl")));
  for (std::string line; std::getline(metrics, line);)
    (line.find("valid_loss") == line.npos ? training : validation).push_back(line);
}

std::string FinishedRun::files(const fs::path& part, const std::string& ending) const {
  std::string text;
  if (!fs::exists(folder / part)) return text;
  for (const std::string& name : names_in(folder / part))
    if (name.ends_with(ending)) text += name + "\n" + read_bytes(folder / part / name);
  return text;
}

const Corpora& ConfigFixture::corpora() {
  if (!corpora_) corpora_ = read_corpora(config.data, seed());
  return *corpora_;
}

const Tokenizers& ConfigFixture::tokenizers() {
  const Quiet quiet;
  if (!tokenizers_) tokenizers_ = train_tokenizers(config.data, corpora().training);
  return *tokenizers_;
}

const EncodedCorpus& ConfigFixture::pairs() {
  if (!pairs_) pairs_ = encode_training(config.data, corpora().training, tokenizers());
  return *pairs_;
}

std::vector<std::vector<int>> ConfigFixture::batches(int epoch) {
  std::vector<std::vector<int>> all;
  const Batches batches = Sampler(pairs(), training_sampler_options(config.data, seed())).epoch(epoch, true);
  for (const std::span<const int> batch : batches) all.emplace_back(batch.begin(), batch.end());
  return all;
}

std::unique_ptr<Model> ConfigFixture::fresh_model() {
  return make_model(config.model, tokenizers().source->vocabulary_size(), tokenizers().target->vocabulary_size(),
                    seed(), tokenizers().target->specials());
}

Model& ConfigFixture::model() {
  if (!model_) model_ = fresh_model();
  return *model_;
}

const ConfigFixture::Stepped& ConfigFixture::stepped() {
  if (stepped_) return *stepped_;
  Stepped result;
  result.model = fresh_model();
  ParameterStore<float>& store = result.model->parameters;
  result.optimizer = make_optimizer(config.optim, store);
  for (std::uint64_t step = 1; step <= 3; ++step) {
    store.clear_grads();
    store.fill_unset_grads();
    for (const Parameter<float>* parameter : store.parameters()) {
      RandomStream random(step, parameter->name);
      for (float& g : parameter->grad_tensor().span()) g = static_cast<float>(random.normal());
    }
    result.optimizer->step(0.01, 1);
  }
  return stepped_.emplace(std::move(result));
}

}  // namespace glossa::testing
