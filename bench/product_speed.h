#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/benchmark.h"

namespace glossa::bench {

/// A matrix product of a training step, and the number of times the step computes it.
struct StepProduct {
  kernels::Product product;
  Index calls = 0;
};

/// Returns all matrix products of one training step, those with the most work first.
std::vector<StepProduct> products_of(StepBenchmark& benchmark);

/// Times a matrix product by several methods, and returns each method's minimum in milliseconds. "onednn" and "eigen"
/// compute the product in tiles, as in training; "onednn_whole" is a single call that uses oneDNN's own threads.
/// In bf16, both factors are rounded beforehand; "packed" has the right one packed as well, "in_tiles" packs it.
std::map<std::string, double> time_product(const kernels::Product& product, Precision precision);

/// Measures the memory's speed in bytes per second. All threads read two arrays and write one of them, as an optimizer
/// does.
double memory_bandwidth();

}  // namespace glossa::bench
