#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/measure/benchmark.h"

namespace glossa {

/// A product computed in a training step, and how often.
struct StepProduct {
  kernels::Product product;
  Index calls = 0;
};

/// All products of one training step, most work first.
std::vector<StepProduct> products_of(StepBenchmark& benchmark);

/// Minimum milliseconds of one product for each method: "onednn" and "eigen" in tiles, as in training, and
/// "onednn_whole" as one call with its own threads.
std::map<std::string, double> time_product(const kernels::Product& product);

/// Bytes per second of all threads reading two arrays and writing one of them, as an optimizer does.
double memory_bandwidth();

}  // namespace glossa
