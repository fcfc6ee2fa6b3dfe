// Randomly damaged files, in all formats that training and import read.
#include "tests/support/damaged_files.h"

#include <doctest/doctest.h>

#include "base/formats/open_tensors.h"
#include "data/tmx_corpus.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "exchange/pretrained.h"
#include "tests/data/data_test.h"
#include "tests/support/changed_checkpoint.h"
#include "train/checkpoint/checkpoint.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const fs::path golden_files = GLOSSA_SOURCE_DIR "/tests/golden";

const std::vector<std::string> sentences{"the dog sleeps", "the cat sleeps too", "a dog and a cat"};

void read_all(const TensorFile& file) {
  for (const auto& [name, entry] : file.entries()) file.read<float>(name);
}

/// As `glossa import`.
void import_model(const fs::path& folder) {
  const Pretrained model = read_pretrained(folder);
  for (const Pretrained::Side* side : {&model.source, &model.target})
    PieceTokenizer(side->pieces, side->tokens, side->specials, side->pieces_file.string()).encode(sentences[0]);
  read_all(*model.tensors);
}

std::unique_ptr<Model> small_model(std::uint64_t seed) {
  ModelConfig config;
  config.transformer.stack.width = 4;
  config.transformer.stack.heads = 2;
  config.transformer.stack.feed_forward = 6;
  config.transformer.encoder_layers = config.transformer.decoder_layers = 1;
  return make_model(config, 5, 5, seed);
}

/// As a resume.
void read_checkpoint(const fs::path& path) {
  const std::unique_ptr<Model> model = small_model(2);
  const auto optimizer = make_optimizer(OptimConfig{}, model->parameters);
  const CheckpointReader reader(path);
  const TrainingState state = read_training_state(reader);
  read_parameters(reader, model->parameters);
  read_moments(&reader, model->parameters, *optimizer, state);
}

}  // namespace

TEST_CASE("damaged files of tensors are read or refused by name") {
  const TemporaryFolder folder;
  for (const char* name : {"marian/types_zip.bin", "marian/types_stream.bin", "marian/transposed.bin",
                           "marian/types.npz", "marian/zip.bin", "marian/stream.bin", "pytorch/schedules.safetensors"})
    CHECK_GT(refused_mutations(folder.write(fs::path(name).filename().string(), read_bytes(golden_files / name)),
                               [](const fs::path& path) { read_all(*open_tensors(path)); }),
             0.3);
}

TEST_CASE("a pretrained model with a damaged file is imported or refused by name") {
  for (const auto& [kind, names] :
       {std::pair{"huggingface", std::vector{"config.json", "generation_config.json", "tokenizer_config.json",
                                             "vocab.json", "source.spm", "model.safetensors"}},
        {"marian", {"decoder.yml", "vocab.yml", "target.spm", "model.npz"}}}) {
    const TemporaryFolder folder;
    for (const std::string from : {"huggingface", kind})
      for (const auto& entry : fs::directory_iterator(golden_files / "marian" / from))
        if (from == kind || entry.path().extension() == ".spm")
          fs::copy(entry.path(), folder.path(), fs::copy_options::overwrite_existing);
    import_model(folder.path());
    for (const char* name : names)
      CHECK_GT(refused_mutations(folder / name, [&](const fs::path&) { import_model(folder.path()); }), 0.1);
  }
}

TEST_CASE("damaged tokenizers are read or refused by name") {
  const TemporaryFolder folder;
  const auto read = [](const fs::path& path) {
    const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(path);
    tokenizer->decode(tokenizer->encode(sentences[0]));
  };
  const std::string model = train_sentencepiece(sentences, {.vocabulary_size = 40})->serialize();
  const PieceTokenizer pieces(model, {"</s>", "<unk>", "\u2581the", "s", "<pad>"}, {1, 4, 4, 0}, "pieces.model");
  CHECK_GT(refused_mutations(folder.write("sentencepiece.model", model), read), 0.1);
  CHECK_GT(refused_mutations(folder.write("pieces.model", pieces.serialize()), read), 0.1);
  CHECK_GT(refused_mutations(folder.write("vocabulary.txt", train_word_tokenizer(sentences)->serialize()), read), 0.1);
}

TEST_CASE("damaged corpora are read or refused by name") {
  const TemporaryFolder folder;
  std::string english, table = "en\tde\n", memory = "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><header/><body>\n";
  for (const std::string& sentence : sentences) {
    english += sentence + " \u00FC\n";
    table += sentence + "\t" + sentence + "\n";
    memory += "<tu><tuv xml:lang='en'><seg>" + sentence + "</seg></tuv><tuv xml:lang='de'><seg>a &amp; <ph/>b" +
              "</seg></tuv></tu>\n";
  }
  memory += "</body></tmx>\n";
  folder.write("corpus.de", english);
  const auto text = [&](const fs::path&) { read_parallel(folder / "corpus", "en", "de"); };
  CHECK_GT(refused_mutations(folder.write("corpus.en", english), text), 0.1);
  fs::remove(folder / "corpus.en");
  write_gzip(folder / "corpus.en.gz", english);
  CHECK_GT(refused_mutations(folder / "corpus.en.gz", text), 0.9);
  const auto tsv = [](const fs::path& path) { read_tsv(path, "en", "de"); };
  CHECK_GT(refused_mutations(folder.write("table.tsv", table), tsv), 0.1);
  const auto tmx = [](const fs::path& path) { read_tmx(path, "en", "de"); };
  CHECK_GT(refused_mutations(folder.write("memory.tmx", memory), tmx), 0.3);
  write_gzip(folder / "memory.tmx.gz", memory);
  CHECK_GT(refused_mutations(folder / "memory.tmx.gz", tmx), 0.9);
}

TEST_CASE("damaged checkpoints are refused by name, also with checksums that fit") {
  const TemporaryFolder folder;
  const fs::path path = folder / "last";
  const std::unique_ptr<Model> model = small_model(1);
  const auto optimizer = make_optimizer(OptimConfig{}, model->parameters);
  CheckpointWriter writer;
  add_to_checkpoint(writer, model->parameters, *optimizer, nullptr, {}, "here");
  writer.write(path);
  CHECK_EQ(refused_mutations(path, read_checkpoint), 1);

  const std::string whole = read_bytes(path);
  unsigned refused = 0;
  for (unsigned number = 0; number < mutations(100); ++number) {
    CAPTURE(number);
    write_bytes(path, whole);
    change_checkpoint(path, [&](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
      if (entry.kind != EntryKind::state) return;
      const std::string changed = mutated({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, number);
      bytes.assign(reinterpret_cast<const std::byte*>(changed.data()),
                   reinterpret_cast<const std::byte*>(changed.data() + changed.size()));
    });
    const std::string error = error_of<Error>([&] { read_checkpoint(path); });
    if (error.empty()) continue;
    CHECK_MESSAGE(error.starts_with("[" + path.string()), error);
    ++refused;
  }
  CHECK_GT(refused, mutations(100) / 4);
}
