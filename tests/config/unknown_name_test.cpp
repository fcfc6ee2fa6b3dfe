#include "config/unknown_name.h"

#include <doctest/doctest.h>

#include "tests/config/unknown_text.h"

using namespace glossa;
using glossa::testing::unknown_text;
using Strings = std::vector<std::string>;

namespace {

const CommandWords program{.command = "glossa", .commands = {"train", "translate", "inspect"}, .options = {"help"}};
const CommandWords train{
    .command = "glossa train", .commands = {}, .options = {"help", "run", "resume", "dump-config", "set"}};
const CommandWords inspect{.command = "glossa inspect", .commands = {}, .options = {"help", "json"}};

}  // namespace

TEST_CASE("a wrong key suggests the keys with its name, else the nearest") {
  CHECK_EQ(keys_meant("lr"), Strings{"optim.lr"});
  CHECK_EQ(keys_meant("optim.lr"), Strings{"optim.lr"});
  CHECK_EQ(keys_meant("train.lr"), Strings{"optim.lr"});
  CHECK_EQ(keys_meant("seed"), Strings{"train.seed", "decode.seed"});
  CHECK_EQ(keys_meant("seeed"), Strings{"train.seed", "decode.seed"});
  CHECK_EQ(keys_meant("model.hedas"), Strings{"model.heads"});
  CHECK_EQ(keys_meant("hedas"), Strings{"model.heads"});
  CHECK_EQ(keys_meant("modle"), Strings{"model"});
  CHECK_EQ(keys_meant("zzzzzzzz"), Strings{});
}

TEST_CASE("an unknown section suggests the nearest section before any key") {
  CHECK_EQ(keys_meant("trian", true), Strings{"train"});
  CHECK_EQ(keys_meant("trian"), Strings{"data.train"});
  CHECK_EQ(keys_meant("modle", true), Strings{"model"});
  CHECK_EQ(keys_meant("training", true), Strings{"train"});
  CHECK_EQ(keys_meant("optimizer", true), Strings{"optim"});
  CHECK_EQ(keys_meant("optimizer"), Strings{"optim.name"});
  CHECK_EQ(keys_meant("tokenizer", true), Strings{"data.tokenizer"});
}

TEST_CASE("an unknown command suggests the nearest one") {
  CHECK_EQ(unknown_text(program, "trian", ""), "unknown command 'trian'; did you mean 'train'?");
  CHECK_EQ(unknown_text(program, "zzzzzz", ""), "unknown command 'zzzzzz'. Hint: glossa --help lists them");
}

TEST_CASE("an unknown option suggests a configuration key, else the nearest option, else the nearest key") {
  CHECK_EQ(unknown_text(train, "--lr", "0.1"), "unknown option '--lr'; did you mean '--set optim.lr=0.1'?");
  CHECK_EQ(unknown_text(train, "--lr=0.2", "VALUE"), "unknown option '--lr'; did you mean '--set optim.lr=0.2'?");
  CHECK_EQ(unknown_text(train, "--seed", "3"),
           "unknown option '--seed'; did you mean '--set train.seed=3' or '--set decode.seed=3'?");
  CHECK_EQ(unknown_text(train, "--max-updates", "9"),
           "unknown option '--max-updates'; did you mean '--set train.max_updates=9'?");
  CHECK_EQ(unknown_text({.command = "x", .commands = {}, .options = {"max-update", "set"}}, "--max-updates", "9"),
           "unknown option '--max-updates'; did you mean '--set train.max_updates=9'?");
  CHECK_EQ(unknown_text(train, "--optim.lr", "0.1"), "unknown option '--optim.lr'; did you mean '--set optim.lr=0.1'?");
  CHECK_EQ(unknown_text(train, "--rnu", "b"), "unknown option '--rnu'; did you mean '--run'?");
  CHECK_EQ(unknown_text(train, "--widht", "64"), "unknown option '--widht'; did you mean '--set model.width=64'?");
  CHECK_EQ(unknown_text(train, "--modle", "x"), "unknown option '--modle'. Hint: glossa train --help lists them");
  CHECK_EQ(unknown_text(inspect, "--lr", "0.1"), "unknown option '--lr'. Hint: glossa inspect --help lists them");
  CHECK_EQ(unknown_text(inspect, "--jsn", ""), "unknown option '--jsn'; did you mean '--json'?");
  CHECK_EQ(unknown_text(train, "--", ""), "unknown option '--'. Hint: glossa train --help lists them");
}

TEST_CASE("a command is offered only keys that its --set takes") {
  CommandWords translate{.command = "glossa translate", .commands = {}, .options = {"set"}};
  translate.takes_key = [](std::string_view key) { return key.starts_with("decode."); };
  CHECK_EQ(unknown_text(translate, "--num-beams", "4"),
           "unknown option '--num-beams'; did you mean '--set decode.beam=4'?");
  CHECK_EQ(unknown_text(translate, "--seed", "4"), "unknown option '--seed'; did you mean '--set decode.seed=4'?");
  CHECK_EQ(unknown_text(translate, "--lr", "4"), "unknown option '--lr'. Hint: glossa translate --help lists them");
  CHECK_EQ(unknown_text(translate, "\u2014beam", "4"), "unknown argument '\u2014beam'; did you mean '--beam'?");
  CHECK_EQ(unknown_text(translate, "\u2013-beam", "4"), "unknown argument '\u2013-beam'; did you mean '--beam'?");
  CHECK_EQ(unknown_text(translate, "lr=4", ""),
           "unknown argument 'lr=4'. Hint: glossa translate --help shows what it takes");
}

TEST_CASE("another program's option leads to the command's own, where it has one") {
  CommandWords translate{.command = "glossa translate", .commands = {}, .options = {"beam", "set", "input"}};
  translate.takes_key = [](std::string_view key) { return key.starts_with("decode."); };
  CHECK_EQ(unknown_text(translate, "--beam-size", "5"), "unknown option '--beam-size'; did you mean '--beam'?");
  const CommandWords evaluate{.command = "glossa evaluate", .commands = {}, .options = {"source", "reference", "test"}};
  CHECK_EQ(unknown_text(evaluate, "--input", "a"), "unknown option '--input'; did you mean '--source' or '--test'?");
}

TEST_CASE("a --set in several words is recognized") {
  const auto found = [](const Strings& words, std::string_view unknown) {
    return set_in_several_words(words, unknown);
  };
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train", "=", "x"}, "="), "data.train=x");
  CHECK_EQ(found({"train", "--set", "data.train", "=", "x", "c.yaml"}, "x"), "data.train=x");
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train", "=x"}, "=x"), "data.train=x");
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train=", "x"}, "x"), "data.train=x");
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train", "x", "--resume"}, "x"), "data.train=x");
  CHECK_EQ(found({"train", "--set", "a.b=1", "--set", "data.train", "=", "x"}, "="), "data.train=x");
  CHECK_EQ(found({"train", "--set", "a.b=1", "c.yaml", "x"}, "x"), "");
  CHECK_EQ(found({"train", "--set", "a.b=", "c.yaml", "x"}, "x"), "");
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train", "--rnu", "x"}, "--rnu"), "");
  CHECK_EQ(found({"train", "c.yaml", "--set", "data.train", "="}, "="), "");
  CHECK_EQ(found({"train", "--set"}, ""), "");
}

TEST_CASE("an extra word suggests --set for a value, and is otherwise unknown") {
  CHECK_EQ(unknown_text(train, "lr=0.1", ""), "unknown argument 'lr=0.1'; did you mean '--set optim.lr=0.1'?");
  CHECK_EQ(unknown_text(train, "b=2", ""), "unknown argument 'b=2'; did you mean '--set b=2'?");
  CHECK_EQ(unknown_text(train, "optim.lr=0.1", ""),
           "unknown argument 'optim.lr=0.1'; did you mean '--set optim.lr=0.1'?");
  const CommandWords translate{.command = "x", .commands = {}, .options = {"input", "set"}};
  const CommandWords reader{
      .command = "glossa translate", .commands = {}, .options = {"input"}, .places = {"RUN"}, .reads_text = true};
  CHECK_EQ(unknown_text(reader, "How are you?", ""),
           "unknown argument 'How are you?'. Hint: the text comes from standard input: echo 'How are you?' | glossa "
           "translate RUN");
  CHECK_EQ(unknown_text(reader, "text.fr", ""), "unknown argument 'text.fr'; did you mean '--input text.fr'?");
  CHECK_EQ(unknown_text(translate, "text.fr", ""), "unknown argument 'text.fr'; did you mean '--input text.fr'?");
  CHECK_EQ(unknown_text(translate, "my text.fr", ""),
           "unknown argument 'my text.fr'; did you mean --input 'my text.fr'?");
  CHECK_EQ(unknown_text(translate, "a=b", ""), "unknown argument 'a=b'; did you mean '--set a=b'?");
  const CommandWords evaluate{.command = "x", .commands = {}, .options = {"source", "reference", "test"}};
  CHECK_EQ(unknown_text(evaluate, "text.fr", ""),
           "unknown argument 'text.fr'; did you mean '--source text.fr' or '--test text.fr'?");
  CHECK_EQ(unknown_text(inspect, "a=b", ""), "unknown argument 'a=b'. Hint: glossa inspect --help shows what it takes");
  CHECK_EQ(unknown_text(train, "b.yaml", ""),
           "unknown argument 'b.yaml'. Hint: glossa train --help shows what it takes");
}

TEST_CASE("an option that is a word of its own, or a text, suggests how to write it") {
  const CommandWords serve{.command = "glossa serve", .commands = {}, .options = {"set"}, .places = {"RUN"}};
  CHECK_EQ(unknown_text(serve, "--run", "runs/a"), "unknown option '--run'; did you mean 'glossa serve runs/a'?");
  CHECK_EQ(unknown_text(serve, "--run=runs/a", "x"), "unknown option '--run'; did you mean 'glossa serve runs/a'?");
  CHECK_EQ(unknown_text(serve, "--run", "Läufe kopie"),
           "unknown option '--run'; did you mean glossa serve 'Läufe kopie'?");
  CHECK_EQ(unknown_text(serve, "--run", "-a"), "unknown option '--run'; did you mean 'glossa serve ./-a'?");
  CHECK_EQ(unknown_text(serve, "\u2014set=a b", ""), "unknown argument '\u2014set=a b'; did you mean '--set=a b'?");
  CommandWords attention{.command = "glossa attention", .commands = {}, .options = {"input", "set"}, .places = {"RUN"}};
  CHECK_EQ(unknown_text(attention, "--text", "it's"), "unknown option '--text'; did you mean '--set'?");
  attention.reads_text = true;
  CHECK_EQ(unknown_text(attention, "--text", "a b"),
           "unknown option '--text'. Hint: the text comes from standard input: echo 'a b' | glossa attention RUN");
}
