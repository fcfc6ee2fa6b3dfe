#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

/// A folder with handwritten files of a run: 40 updates, logged every 10 and validated every 20. The run is stopped at
/// update 25 and resumed there, then killed after 30 and resumed at 25 again; update 28 is refused.
class SyntheticRun {
 public:
  explicit SyntheticRun(const std::string& name = "run") : path_(folder_ / name) {
    std::filesystem::create_directories(path_ / "samples");
    write("config.yaml", dump(config));
    write("metrics.jsonl", metrics);
    write("train.log", log);
    write("samples/update-00000020.txt",
          "source     a b\nreference  x y\noutput     \n\nsource     c\nreference  z\noutput     w w\n\n");
    write("samples/update-00000040.txt",
          "source     a b\nreference  x y\noutput     x y\n\nsource     c\nreference  z\noutput     w\n\n");
    write("samples/update-00000060.txt", "source     of a run that was cut off\nreference  x\noutput     y\n\n");
  }

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& bytes) const { write_bytes(path_ / name, bytes); }

  Config config;
  std::string metrics =
      R"({"update":10,"epoch":1,"loss":4.0,"perplexity":54.6,"tokens_per_s":900.0,"lr":0.001,"grad_norm":2.0,"seconds":1.5}
{"update":20,"epoch":1,"loss":3.0,"perplexity":20.1,"tokens_per_s":1000.0,"lr":0.002,"grad_norm":1.0,"seconds":3.0}
{"update":20,"epoch":1,"valid_loss":3.5,"valid_perplexity":33.1,"valid_bleu":4.5,"valid_chrf":20.5,"valid_exact_match":0.0,"seconds":3.0}
{"update":30,"epoch":2,"loss":null,"perplexity":null,"tokens_per_s":800.0,"lr":0.002,"grad_norm":null,"seconds":5.0}
{"update":40,"epoch":2,"loss":2.0,"perplexity":7.4,"tokens_per_s":1100.0,"lr":0.001,"grad_norm":0.5,"seconds":7.0}
{"update":40,"epoch":2,"valid_loss":2.5,"valid_perplexity":12.2,"valid_bleu":9.5,"valid_chrf":30.5,"valid_exact_match":0.25,"seconds":7.0,"at_end":true}
)";
  std::string log = R"([2026-01-31 23:59:50] configuration
# Every option with its value.

data:  # corpus
  train: nowhere
[2026-01-31 23:59:50] 2 threads of 2 available, avx512, float products by onednn
[2026-01-31 23:59:50] training data nowhere: 100 pairs from 100 lines;
    100 pairs, 400 source tokens
[2026-01-31 23:59:50] model: 12345 parameters; 10 source and 10 target tokens, shared
[2026-01-31 23:59:50] trains until 40 updates
[2026-02-01 00:00:00] Ep. 1 : Up. 10 : loss 4.0000 : ppl 54.60 : 900 tokens/s : lr 1.000e-03 : gnorm 2.000
[2026-02-01 00:00:10] Ep. 1 : Up. 20 : loss 3.0000 : ppl 20.10 : 1000 tokens/s : lr 2.000e-03 : gnorm 1.000
[2026-02-01 00:00:12] Ep. 1 : Up. 20 : valid loss 3.5000 : ppl 33.10 : BLEU 4.50 : new best
source     [2026-01-01 00:00:00 is no time
reference  x y
output     
[2026-02-01 00:00:15] finished: stopped by a signal; go on with --resume; 25 updates, 1.25 epochs, 3.8 s of training, peak memory 10 MiB
[2026-02-02 10:00:00] 2 processes: 1 on first, 1 on second
[2026-02-02 10:00:00] 1 thread of 2 available, avx512, float products by onednn
[2026-02-02 10:00:00] model: 12345 parameters; 10 source and 10 target tokens, shared
[2026-02-02 10:00:00] note: resumed at update 25 (epoch 2, batch 5)
[2026-02-02 10:00:03] update 28 skipped: loss nan and gradient norm nan are not finite; first seen in relu of layer 0
[2026-02-02 10:00:05] Ep. 2 : Up. 30 : loss nan : ppl nan : 800 tokens/s : lr 2.000e-03 : gnorm nan
[2026-02-03 10:00:00] 2 threads of 2 available, avx512, float products by onednn
[2026-02-03 10:00:00] model: 12345 parameters; 10 source and 10 target tokens, shared
[2026-02-03 10:00:00] note: resumed at update 25 (epoch 2, batch 5)
[2026-02-03 10:00:03] update 28 skipped: loss nan and gradient norm nan are not finite; first seen in relu of layer 0
[2026-02-03 10:00:05] Ep. 2 : Up. 30 : loss nan : ppl nan : 800 tokens/s : lr 2.000e-03 : gnorm nan
[2026-02-03 10:00:15] Ep. 2 : Up. 40 : loss 2.0000 : ppl 7.40 : 1100 tokens/s : lr 1.000e-03 : gnorm 0.500
[2026-02-03 10:00:18] Ep. 2 : Up. 40 : valid loss 2.5000 : ppl 12.20 : BLEU 9.50 : at the end : new best
[2026-02-03 10:00:18] finished: train.max_updates 40u reached; 40 updates (1 of them skipped: not finite), 2.00 epochs, 7.0 s of training, peak memory 10 MiB
)";

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace glossa::testing
