#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/measure/benchmark.h"

namespace glossa {

/// A matrix product of a training step, and the number of times the step computes it.
struct StepProduct {
  kernels::Product product;
  Index calls = 0;
};

/// All matrix products of one training step, most work first.
std::vector<StepProduct> products_of(StepBenchmark& benchmark);

/// Measures the minimum milliseconds of a matrix product, by method. "onednn" and "eigen" compute the product in tiles,
/// as in training; "onednn_whole" is a single call that uses oneDNN's own threads.
std::map<std::string, double> time_product(const kernels::Product& product);

/// Measures bytes per second when all threads read two arrays and write one of them, as an optimizer does.
double memory_bandwidth();

}  // namespace glossa
