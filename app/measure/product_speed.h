#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/measure/benchmark.h"

namespace glossa {

/// A product that a training step does, and how often.
struct StepProduct {
  kernels::Product product;
  Index calls = 0;
};

/// All products of one training step, most work first.
std::vector<StepProduct> products_of(StepBenchmark& benchmark);

/// Least milliseconds of one product, by each way to compute it: "onednn" and "eigen" in tiles, as training does, and
/// "onednn_whole" by one call with threads of its own.
std::map<std::string, double> time_product(const kernels::Product& product);

/// Bytes a second of all threads reading two arrays and writing one of them, as an optimizer does.
double memory_bandwidth();

}  // namespace glossa
