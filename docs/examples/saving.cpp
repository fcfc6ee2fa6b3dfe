#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "autograd/operators.h"
#include "autograd/parameter_file.h"
#include "layers/linear.h"
#include "optim/adam.h"
#include "optim/training_file.h"

using namespace glossa;

/// A hidden layer of 32 units, for a function of one number.
struct Network {
  Linear<float> hidden, output;

  explicit Network(ParameterStore<float>& parameters)
      : hidden(parameters, "hidden", 1, 32), output(parameters, "output", 32, 1) {}

  Variable<float> operator()(const Variable<float>& x) const { return output(tanh(hidden(x))); }
};

/// Trains the network for 500 updates to compute x^2. If the file exists, it continues the training saved there.
void train(const std::string& file) {
  ParameterStore<float> parameters;
  const Network network(parameters);
  parameters.allocate(/*seed=*/1);
  Adam<float> adam(parameters, trainable_segments(parameters));
  if (std::filesystem::exists(file)) load_training(file, parameters, adam);
  Context<float> context;
  float last = 0;
  for (int i = 0; i < 500; ++i) {
    const auto update = static_cast<std::uint64_t>(adam.steps());
    RandomStream random(update, "numbers");  // the numbers depend only on the update, also after loading
    std::vector<float> numbers(64);
    for (float& number : numbers) number = static_cast<float>(2 * random.uniform() - 1);
    context.begin({.training = true, .update = update});
    parameters.clear_grads();
    const Variable<float> x = context.constant({numbers.data(), {64, 1}});
    const Variable<float> loss = mean(square(network(x) - square(x)));
    last = loss.value()[0];
    context.backward(loss);
    adam.step(/*lr=*/3e-3, /*gradient_scale=*/1);
  }
  save_training(file, parameters, adam);
  std::printf("update %d  loss %.5f\n", static_cast<int>(adam.steps()), last);
}

/// Loads the network without the optimizer, and prints its value at `x`.
void apply(const std::string& file, float x) {
  ParameterStore<float> parameters;
  const Network network(parameters);
  parameters.allocate(/*seed=*/1);
  load_parameters(file, parameters);
  Context<float> context;
  context.begin({.training = false, .recording = false});
  std::printf("%.2f\n", network(context.constant({&x, {1, 1}})).value()[0]);
}

int main(int count, char** arguments) try {
  const std::string file = count > 1 ? arguments[1] : "network.safetensors";
  if (count > 2)
    apply(file, std::stof(arguments[2]));
  else
    train(file);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
