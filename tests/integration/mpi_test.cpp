// Several processes train, validate and translate like one, to the bit.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <thread>

#include "tests/integration/tiny_run.h"
#include "tests/support/small_disk.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A program, by default glossa, in several processes, which may outnumber the cores.
Launch launch(int processes, Strings arguments, const Strings& options = {},
              const std::string& program = tested_program()) {
  // Debian's Open MPI needs root's consent twice, and copies between processes in a way that containers forbid.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
  Strings all{"/usr/bin/mpirun", "--oversubscribe", "--bind-to", "none", "-n", std::to_string(processes)};
  all.insert(all.end(), options.begin(), options.end());
  all.push_back(program);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return {.arguments = std::move(all), .input = {}, .folder = {}};
}

Outcome in_processes(int count, Strings arguments) { return run_program(launch(count, std::move(arguments))); }

Outcome bench_in_processes(int count, Strings arguments) {
  return run_program(launch(count, std::move(arguments), {}, benchmarks()));
}

/// Pids of the processes of a job, the children of mpirun.
std::vector<pid_t> processes_of(pid_t mpirun) {
  std::vector<pid_t> found;
  std::ifstream file("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
  for (pid_t pid = 0; file >> pid;) found.push_back(pid);
  return found;
}

/// True if all of them end within `seconds`.
bool all_end(const std::vector<pid_t>& pids, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  for (const pid_t pid : pids)
    while (kill(pid, 0) == 0) {
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  return true;
}

const Strings six{"train.accumulate=6", "data.max_tokens=160", "optim.clip_norm=0.5"};

Strings operator+(Strings a, const Strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("any number of processes and threads trains to the hashes of one, even with tied and frozen parameters") {
  const TinyRun tiny;
  for (const Strings& kind : {six + Strings{"model.tied=output", "optim.freeze=[encoder.layers.0.norm1.*]"},
                              six + Strings{"optim.name=sgd", "optim.lr=0.05", "model.tied=none", "train.ema=0.9"}}) {
    const Strings sets = kind + Strings{"train.validate_every=10u"};
    succeeded(tiny.train("one", sets));
    const Strings metrics = tiny.metrics("one");
    for (const int processes : {2, 3, 4, 6}) {
      CAPTURE(processes);
      const std::string run = "run-" + std::to_string(processes);
      const std::string threads = "runtime.threads=" + std::to_string(1 + processes % 2);
      const Outcome trained = succeeded(in_processes(processes, tiny.train_arguments(run, sets + Strings{threads})));
      CHECK_EQ(tiny.hashes(run), tiny.hashes("one"));
      CHECK_EQ(tiny.metrics(run), metrics);
      CHECK_EQ(std::ranges::count_if(lines_of(trained.err),
                                     [](const std::string& line) { return line.find("finished: ") != line.npos; }),
               1);
      fs::remove_all(tiny / run);
    }
    fs::remove_all(tiny / "one");
  }
}

TEST_CASE("processes that train on a prepared corpus share it, and have the hashes of one") {
  const TinyRun tiny;
  succeeded(tiny.train("one", six));
  const Strings prepared = six + Strings{"data.prepare_above=0", "data.cache=" + (tiny / "cache").string()};
  succeeded(in_processes(3, tiny.train_arguments("several", prepared)));
  CHECK_EQ(tiny.hashes("several"), tiny.hashes("one"));
  const Outcome listed = succeeded(glossa_program({"prepare", "--list", "--set", prepared.back()}));
  CHECK_EQ(lines_of(listed.out).size(), 1);
}

TEST_CASE("gradients that are exchanged piece by piece equal those of one process") {
  const TinyRun tiny;
  const Strings sets{"train.accumulate=5",     "train.max_updates=3",   "data.max_tokens=64",
                     "model.width=128",        "model.heads=4",         "model.feed_forward=512",
                     "model.encoder_layers=2", "model.decoder_layers=2"};
  succeeded(tiny.train("one", sets));
  for (const int processes : {2, 3}) {
    const std::string run = "run-" + std::to_string(processes);
    succeeded(in_processes(processes, tiny.train_arguments(run, sets)));
    CHECK_EQ(tiny.hashes(run), tiny.hashes("one"));
  }
}

TEST_CASE("validation, translate and evaluate give the same results in several processes as in one") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=60", "optim.lr=1e-2", "decode.max_tokens=64"};
  succeeded(tiny.train("run", sets));
  succeeded(tiny.train("other", sets + Strings{"train.seed=2"}));
  const std::string run = tiny / "run", other = tiny / "other";
  const std::string source = read_bytes(tiny / "toy/test.en") + "\xff bad\n\nlast of all\n";
  for (const Strings& options :
       {Strings{}, Strings{"--beam", "3", "--nbest", "3", "--scores"},
        Strings{"--beam", "2", "--nbest", "3", "--set", "decode.mbr=9"}, Strings{other, "--beam", "2", "--scores"}}) {
    const Strings arguments = Strings{"translate", run} + options;
    const Outcome one = glossa_program(arguments, source);
    CHECK_EQ(one.status, 1);  // because of the bad line
    for (const int processes : {2, 3}) {
      Launch several = launch(processes, arguments);
      several.input = source;
      const Outcome all = run_program(several);
      CHECK_EQ(all.out, one.out);
      CHECK_EQ(all.status, 1);
    }
  }
  for (const Strings& runs : {Strings{run}, Strings{run, other}}) {
    const std::string before = tiny / "run/checkpoints/update-00000055.ckpt";
    const Strings options{"--test", tiny / "toy/test", "--beam", "2", "--compare", before, "--json"};
    const Strings arguments = Strings{"evaluate"} + runs + options;
    auto one = json_object(succeeded(glossa_program(arguments)).out);
    auto all = json_object(succeeded(in_processes(3, arguments)).out);
    one.erase("seconds");
    all.erase("seconds");
    CHECK(all == one);
  }
}

TEST_CASE("several processes start from the weights of another run like one") {
  const TinyRun tiny;
  succeeded(tiny.train("base", {"train.max_updates=5"}));
  const Strings sets{"train.warm_start=" + (tiny / "base").string(), "train.accumulate=2", "train.max_updates=5"};
  succeeded(tiny.train("one", sets));
  succeeded(in_processes(2, tiny.train_arguments("two", sets)));
  CHECK_EQ(tiny.hashes("two"), tiny.hashes("one"));
}

TEST_CASE("bench in several processes reports their joint work once") {
  auto exchange =
      json_object(succeeded(bench_in_processes(3, {"exchange", "--mebibytes", "2", "--steps", "2", "--json"})).out);
  CHECK_EQ(exchange.at("processes"), "3");
  CHECK_EQ(exchange.at("bytes"), std::to_string((2 << 20) * 2 * 2 / 3));
  for (const char* key : {"ms_median", "gb_per_s", "latency_us"}) CHECK_GT(std::stod(exchange.at(key)), 0);
  auto step = json_object(succeeded(bench_in_processes(2, {"step", "--config", "seed", "--accumulate", "3", "--steps",
                                                           "1", "--threads", "1", "--json"}))
                              .out);
  CHECK_EQ(step.at("processes"), "2");
  CHECK_EQ(step.at("accumulate"), "3");
  check_refused(bench_program({"exchange"}), 2, {"[exchange] expected several processes; got one"});
  const TinyRun tiny;
  Strings train = tiny.train_arguments("run", six);
  std::erase_if(train, [](const std::string& argument) { return argument == "--run" || argument.ends_with("/run"); });
  const std::string epoch = succeeded(bench_in_processes(2, train + Strings{"--json"})).out;
  CHECK_EQ(json_object(epoch).at("tokens"),
           json_object(succeeded(bench_program(train + Strings{"--json"})).out).at("tokens"));
  const Outcome alone = bench_in_processes(2, {"gemm", "--config", "seed"});
  CHECK_EQ(alone.status, 2);
  CHECK_NE(alone.err.find("[gemm] expected one process; got 2. Hint: only step, exchange, train run in several"),
           std::string::npos);
}

TEST_CASE("a job with an error in a process reports it once and ends with its status") {
  const TinyRun tiny;
  const auto check_reported_once = [](const Outcome& outcome, int status, const std::string& message) {
    CAPTURE(outcome.err);
    CHECK_EQ(outcome.status, status);
    const Strings lines = lines_of(outcome.err);
    // mpirun ends the other processes, each of which may say so.
    CHECK_EQ(std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("glossa: ["); }), 1);
    CHECK_NE(outcome.err.find("glossa: " + message), std::string::npos);
  };
  check_reported_once(in_processes(3, tiny.train_arguments("run", {"train.accumulate=2"})), 2,
                      "[train.accumulate] expected at least 3, one micro-batch per process and update; got 2");
  check_reported_once(in_processes(2, tiny.train_arguments("run", six + Strings{"model.width=15"})), 2, "[model.");
  check_reported_once(in_processes(2, tiny.train_arguments("run", six + Strings{"data.train=nowhere"})), 1, "[nowhere");
  check_reported_once(in_processes(2, {"trian"}), 2, "[command line] unknown command 'trian'");
  check_reported_once(in_processes(2, {"inspect", "x"}), 2,
                      "[inspect] expected one process; got 2. Hint: only train, translate, evaluate run in several");
  CHECK_FALSE(fs::exists(tiny / "run"));
}

TEST_CASE("a full disk ends a job with one error, and the run resumes once there is space") {
  const TinyRun tiny;
  const SmallDisk disk(tiny / "disk", "600k");  // room for two checkpoints
  if (!disk.mounted()) {
    MESSAGE("SKIPPED: the test of a full disk needs root and the right to mount a tmpfs");
    return;
  }
  const Outcome full = in_processes(3, tiny.train_arguments("disk/run", six));
  CAPTURE(full.err);
  CHECK_EQ(full.status, 1);
  CHECK_NE(full.err.find("update-00000015.ckpt]"), std::string::npos);
  CHECK_EQ(full.err.find("glossa: ["), full.err.rfind("glossa: ["));
  CHECK_EQ(tiny.last_update("disk/run"), 10);
  REQUIRE(disk.resize("4m"));
  succeeded(in_processes(2, tiny.train_arguments("disk/run", six, {"--resume"})));
  succeeded(tiny.train("one", six));
  CHECK_EQ(tiny.hashes("disk/run"), tiny.hashes("one"));
  CHECK_EQ(tiny.metrics("disk/run"), tiny.metrics("one"));
}

TEST_CASE("one of several processes without the MPI module says so") {
  const TemporaryFolder folder;
  fs::copy_file(tested_program(), folder / "glossa");
  const Outcome lonely =
      run_program({.arguments = {"/usr/bin/env", "OMPI_COMM_WORLD_SIZE=2", folder / "glossa", "options"},
                   .input = {},
                   .folder = {}});
  check_refused(lonely, 1, {"[mpi] expected a glossa built with MPI, as one of 2 processes; got one without"});
}

TEST_CASE("processes that MPI does not connect report it once") {
  for (const char* rank : {"0", "1"}) {
    const Outcome lonely = run_program(
        {.arguments = {"/usr/bin/env", "PMI_SIZE=2", fmt::format("PMI_RANK={}", rank), tested_program(), "options"},
         .input = {},
         .folder = {}});
    CAPTURE(lonely.err);
    CHECK_EQ(lonely.status, 1);
    CHECK_EQ(lonely.err.find("glossa: [mpi] expected 2 processes; got one from MPI") != std::string::npos,
             std::string(rank) == "0");
  }
}

TEST_CASE("processes with different options or different text are named") {
  const TinyRun tiny;
  const auto differing = [&](const std::string& second) {
    // mpirun's second program, after a colon: process 1.
    Launch job = launch(1, tiny.train_arguments("run", six));
    job.arguments.insert(job.arguments.end(), {":", "-n", "1", tested_program()});
    const Strings more = tiny.train_arguments("run", six + Strings{second});
    job.arguments.insert(job.arguments.end(), more.begin(), more.end());
    return run_program(job);
  };
  const Outcome configuration = differing("optim.lr=0.5");
  CAPTURE(configuration.err);
  CHECK_EQ(configuration.status, 2);
  CHECK_NE(configuration.err.find("glossa: [optim.lr, process 1 on "), std::string::npos);
  CHECK_NE(configuration.err.find("expected 0.002, as in process 0 on "), std::string::npos);

  // The same configuration, but process 1 runs in a folder with another corpus of the same name.
  for (const char* folder : {"first", "second"}) {
    fs::create_directory(tiny / folder);
    fs::copy(tiny / "toy", tiny / folder / "toy", fs::copy_options::recursive);
  }
  write_bytes(tiny / "second/toy/train.hi", "x" + read_bytes(tiny / "toy/train.hi"));
  Launch job = launch(1, tiny.train_arguments("run", six + Strings{"data.train=toy/train"}), {"-wdir", tiny / "first"});
  const Strings same(std::find(job.arguments.begin(), job.arguments.end(), tested_program()), job.arguments.end());
  job.arguments.insert(job.arguments.end(), {":", "-n", "1", "-wdir", tiny / "second"});
  job.arguments.insert(job.arguments.end(), same.begin(), same.end());
  const Outcome text = run_program(job);
  CAPTURE(text.err);
  CHECK_EQ(text.status, 1);
  CHECK_NE(text.err.find("glossa: [process 1 on "), std::string::npos);
  CHECK_NE(text.err.find("expected the same text in data.train and data.valid as process 0 on "), std::string::npos);
  CHECK_FALSE(fs::exists(tiny / "run"));

  write_bytes(tiny / "second/toy/train.hi", read_bytes(tiny / "toy/train.hi") + "\xff\n");
  const Outcome line = run_program(job);
  CAPTURE(line.err);
  CHECK_EQ(line.status, 1);
  CHECK_NE(line.err.find("glossa: [toy/train.hi:"), std::string::npos);
  CHECK_NE(line.err.find(", process 1 on "), std::string::npos);
  CHECK_FALSE(fs::exists(tiny / "run"));
}

TEST_CASE("several processes train and translate in bf16 like one, and must have the same kind of products") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.precision=bf16"};
  succeeded(tiny.train("one", sets));
  succeeded(in_processes(2, tiny.train_arguments("two", sets)));
  CHECK_EQ(tiny.hashes("two"), tiny.hashes("one"));
  const Strings evaluate{"evaluate", tiny / "one", "--test", tiny / "toy/test", "--precision", "bf16", "--json"};
  auto one = json_object(succeeded(glossa_program(evaluate)).out);
  auto two = json_object(succeeded(in_processes(2, evaluate)).out);
  one.erase("seconds");
  two.erase("seconds");
  CHECK(two == one);

  const Outcome other = run_program(
      {.arguments = {"/usr/bin/env", "GLOSSA_ISA=avx512bf16", benchmarks(), "step", "--config", "seed", "--steps", "1"},
       .input = {},
       .folder = {}});
  if (other.status != 0) {
    MESSAGE("SKIPPED: two kinds in one job need a processor with AVX512-BF16");
    return;
  }
  const auto differing = [&](const Strings& arguments) {
    Launch job = launch(1, arguments, {"-x", "GLOSSA_ISA=plain"});
    job.arguments.insert(job.arguments.end(), {":", "-n", "1", "-x", "GLOSSA_ISA=avx512bf16", tested_program()});
    job.arguments.insert(job.arguments.end(), arguments.begin(), arguments.end());
    return run_program(job);
  };
  const Outcome training = differing(tiny.train_arguments("new", sets));
  CAPTURE(training.err);
  CHECK_EQ(training.status, 1);
  CHECK_NE(training.err.find("expected the same program and instruction set as process 0 on "), std::string::npos);
  CHECK_NE(training.err.find(", bf16 by plain; got "), std::string::npos);
  const Outcome evaluation = differing(evaluate);
  CAPTURE(evaluation.err);
  CHECK_EQ(evaluation.status, 1);
  CHECK_NE(evaluation.err.find("expected the same kind of bf16 products as process 0 on "), std::string::npos);
  succeeded(differing(tiny.train_arguments("float", six)));
}

TEST_CASE("a process with a bad command, another text or another search ends the job") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=5"}));
  write_bytes(tiny / "other.hi", "x" + read_bytes(tiny / "toy/test.hi"));
  const auto second = [&](const Strings& first, const Strings& other) {
    Launch job = launch(1, first);
    job.arguments.insert(job.arguments.end(), {":", "-n", "1", tested_program()});
    job.arguments.insert(job.arguments.end(), other.begin(), other.end());
    return run_program(job);
  };
  const Outcome command = second(tiny.train_arguments("new", six), {"trian"});
  CAPTURE(command.err);
  CHECK_EQ(command.status, 2);
  CHECK_NE(command.err.find("unknown command 'trian'; did you mean 'train'? (process 1 on "), std::string::npos);
  const Strings evaluate{"evaluate", tiny / "run", "--source", tiny / "toy/test.en", "--reference"};
  const Outcome text = second(evaluate + Strings{tiny / "toy/test.hi"}, evaluate + Strings{tiny / "other.hi"});
  CAPTURE(text.err);
  CHECK_EQ(text.status, 1);
  CHECK_NE(text.err.find("glossa: [process 1 on "), std::string::npos);
  const Strings test{"evaluate", tiny / "run", "--test", tiny / "toy/test"};
  const Outcome search = second(test, test + Strings{"--beam", "3"});
  CAPTURE(search.err);
  CHECK_EQ(search.status, 2);
  CHECK_NE(search.err.find("glossa: [decode.beam, process 1 on "), std::string::npos);
  const Outcome split = second(test, test + Strings{"--split-sentences", "on"});
  CAPTURE(split.err);
  CHECK_EQ(split.status, 1);
  CHECK_NE(split.err.find("expected the same --split-sentences as process 0 on "), std::string::npos);
  CHECK_FALSE(fs::exists(tiny / "new"));
}

TEST_CASE("processes share the cores of their host, and a signal to one of them stops all cleanly") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.max_updates=100000", "train.log_every=1u", "runtime.threads=0"};
  Program job(launch(2, tiny.train_arguments("run", sets)));
  REQUIRE(wait_for_metrics(job, tiny / "run", 5));
  const std::vector<pid_t> processes = processes_of(job.pid());
  REQUIRE_EQ(processes.size(), 2);
  kill(processes[1], SIGTERM);
  const Outcome ended = job.wait();
  CHECK_EQ(ended.status, 0);
  CHECK_NE(ended.err.find("finished: stopped by a signal; continue with --resume"), std::string::npos);
  CHECK_GE(tiny.last_update("run"), 5);
  const std::string log = read_bytes(tiny / "run/train.log");
  std::smatch found;
  REQUIRE(std::regex_search(log, found, std::regex("([0-9]+) threads? of ([0-9]+) available")));
  CHECK_EQ(std::stoi(found[1]), (std::stoi(found[2]) + 1) / 2);
}

TEST_CASE("a run resumes with any number of processes and threads, stop after stop") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.ema=0.9", "train.validate_every=7u", "train.max_updates=24"};
  succeeded(tiny.train("one", sets));
  const int processes[] = {3, 1, 2, 6, 1, 4};
  for (std::size_t part = 0; part < std::size(processes); ++part) {
    // A limit stops a run as a kill at that update would; the last one is that of the uninterrupted run.
    const Strings until = sets + Strings{fmt::format("train.max_updates={}", 4 * (part + 1)),
                                         fmt::format("runtime.threads={}", 1 + part % 2)};
    succeeded(
        in_processes(processes[part], tiny.train_arguments("run", until, part == 0 ? Strings{} : Strings{"--resume"})));
  }
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("one"));
}

TEST_CASE("a run starts from weights and resumes while only the host of process 0 has the folders of runs") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.max_updates=8"};
  succeeded(tiny.train("base", sets + Strings{"train.seed=2"}));
  const std::string base = "train.warm_start=" + (tiny / "base").string();
  succeeded(tiny.train("one", sets + Strings{base}));

  // Two hosts: folders in which the same relative names are a run and nothing. The corpus is below process 0's.
  for (const char* host : {"first", "second"}) fs::create_directory(tiny / host);
  fs::rename(tiny / "base", tiny / "first/base");
  const auto on_two_hosts = [&](const Strings& train) {
    const Strings second = Strings{":", "-n", "1", "-wdir", tiny / "second", tested_program()} + train;
    return run_program(launch(1, train + second, {"-wdir", tiny / "first"}));
  };
  const auto begin = [&](int updates) {
    Strings arguments{"train", tiny / "tiny.yaml", "--run", "run"};
    for (const std::string& set : sets + Strings{"train.warm_start=base", fmt::format("train.max_updates={}", updates)})
      arguments = arguments + Strings{"--set", set};
    return arguments;
  };
  succeeded(on_two_hosts(begin(3)));
  CHECK_FALSE(fs::exists(tiny / "second/run"));
  succeeded(on_two_hosts({"train", "--resume", "run", "--set", "train.max_updates=5"}));
  succeeded(on_two_hosts(begin(8) + Strings{"--resume"}));
  fs::rename(tiny / "first/run", tiny / "run");
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("one"));

  const Outcome missing = on_two_hosts({"train", "--resume", "no-run"});
  CHECK_EQ(missing.status, 2);
  CHECK(missing.err.starts_with("glossa: [no-run] expected a run to resume; not found"));
}

TEST_CASE("a process that dies ends the job within seconds, and the run resumes from its newest checkpoint") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.max_updates=2000", "train.save_every=1u", "train.log_every=1u"};
  std::size_t killed = 0;
  long last = 0;
  for (int round = 0; round < 3; ++round) {
    Program job(launch(3, tiny.train_arguments("run", sets, round == 0 ? Strings{} : Strings{"--resume"})));
    REQUIRE(wait_for_metrics(job, tiny / "run", static_cast<std::size_t>(last) + 4));
    const std::vector<pid_t> processes = processes_of(job.pid());
    REQUIRE_EQ(processes.size(), 3);
    kill(processes[static_cast<std::size_t>(round)], SIGKILL);
    CHECK(all_end(processes, 10));
    CHECK_NE(job.wait().status, 0);
    ++killed;
    last = tiny.last_update("run");
    CHECK_GE(last, 3);
  }
  CHECK_EQ(killed, 3);
  const Strings to_the_end = sets + Strings{fmt::format("train.max_updates={}", last + 3)};
  succeeded(in_processes(2, tiny.train_arguments("run", to_the_end, {"--resume"})));
  succeeded(tiny.train("one", to_the_end));
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("one"));
}

// Shown to act: runtime.timeout.
TEST_CASE("a process that hangs is named after runtime.timeout, and SIGTERM to mpirun saves") {
  const TinyRun tiny;
  const Strings sets = six + Strings{"train.max_updates=100000", "train.log_every=1u"};
  for (const std::size_t hanging : {std::size_t{1}, std::size_t{0}}) {
    const std::string run = fmt::format("run-{}", hanging);
    Program job(launch(3, tiny.train_arguments(run, sets + Strings{"runtime.timeout=1"})));
    REQUIRE(wait_for_metrics(job, tiny / run, 7));
    const std::vector<pid_t> processes = processes_of(job.pid());
    REQUIRE_EQ(processes.size(), 3);
    kill(processes[hanging], SIGSTOP);
    CHECK(all_end(processes, 15));
    const Outcome ended = job.wait();
    CAPTURE(ended.err);
    CHECK_EQ(ended.status, 1);
    const std::string blame = "glossa: [process ", named = fmt::format("{}{} on ", blame, hanging);
    CHECK_NE(ended.err.find("] cannot continue without it: update "), std::string::npos);
    CHECK_NE(ended.err.find(named), std::string::npos);
    for (std::size_t at = 0; (at = ended.err.find(blame, at)) != std::string::npos; ++at)  // one or both print it
      CHECK_EQ(ended.err.substr(at, named.size()), named);
  }
  // mpirun waits equally long before passing the signal on and before killing, and reads no output meanwhile.
  const Strings quiet = six + Strings{"train.max_updates=100000", "train.log_every=100u"};
  Program job(launch(2, tiny.train_arguments("run", quiet), {"--mca", "odls_base_sigkill_timeout", "3"}));
  REQUIRE(wait_for_metrics(job, tiny / "run", 2));
  job.signal(SIGTERM);
  const Outcome ended = job.wait();
  CAPTURE(ended.err);
  const std::string log = read_bytes(tiny / "run/train.log");  // mpirun no longer forwards output
  CHECK_NE(log.find("finished: stopped by a signal; continue with --resume"), std::string::npos);
  const long last = tiny.last_update("run");
  CHECK_GE(last, 7);
  const Strings to_the_end = quiet + Strings{fmt::format("train.max_updates={}", last + 2)};
  succeeded(in_processes(3, tiny.train_arguments("run", to_the_end, {"--resume"})));
  succeeded(tiny.train("one", to_the_end));
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("one"));
}
