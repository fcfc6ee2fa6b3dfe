#include "data/toy/corpus.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "base/atomic_file.h"
#include "base/check.h"
#include "base/random.h"
#include "data/text/text_file.h"
#include "data/toy/topics.h"

namespace glossa {
namespace {

/// Pairs in every corpus's training set.
const ToyPair always[] = {{"hello world", "namaste vishva"}, {"how are you", "aap kaise ho"}};

bool is_always(const ToyPair& pair) { return std::ranges::find(always, pair) != std::end(always); }

/// Chooses a pair's split: of every 50 Hindi sentences, one is for validation and one for testing.
std::vector<ToyPair>& split_of(ToySplits& splits, const ToyPair& pair) {
  const bool fixed = std::ranges::count(always, pair.hindi, &ToyPair::hindi) > 0;
  const std::uint64_t share = hash_name(pair.hindi) % 50;
  return fixed || share > 1 ? splits.train : share == 0 ? splits.valid : splits.test;
}

/// Moves `count` random elements to the front, in random order (Fisher-Yates).
void draw(std::vector<ToyPair>& pairs, std::size_t count, RandomStream& random) {
  for (std::size_t i = 0; i < count; ++i) std::swap(pairs[i], pairs[i + random.below(pairs.size() - i)]);
}

/// Splits `total` equally between topics or groups. If one is smaller than its share, all of it is used, and larger
/// ones make up the difference.
template <class Part>
std::vector<std::size_t> shares(const std::vector<Part>& parts, std::size_t total) {
  std::vector<std::size_t> order(parts.size()), share(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return parts[i].size(); });
  std::size_t left = parts.size();
  for (const std::size_t i : order) {
    share[i] = std::min(parts[i].size(), total / left--);
    total -= share[i];
  }
  return share;
}

std::string text_of(const std::vector<ToyPair>& pairs, std::string ToyPair::*side) {
  std::string text;
  for (const ToyPair& pair : pairs) text += pair.*side + '\n';
  return text;
}

}  // namespace

ToySplits toy_corpus(std::int64_t pairs, std::uint64_t seed, std::string_view where) {
  std::vector<toy::Topic> topics = toy::toy_language();
  const std::int64_t min_pairs = std::size(always);
  std::int64_t max_pairs = min_pairs;
  for (toy::Topic& topic : topics) {
    for (toy::Group& group : topic.groups) std::erase_if(group.pairs, is_always);
    max_pairs += static_cast<std::int64_t>(topic.size());
  }
  if (pairs < min_pairs || pairs > max_pairs)
    misuse(where, "expected {} to {} pairs of the toy language; got {}. Hint: 50000 is a good number", min_pairs,
           max_pairs, pairs);

  RandomStream random(seed, "toy corpus");
  std::vector<ToyPair> drawn(std::begin(always), std::end(always));
  const std::vector<std::size_t> topic_shares = shares(topics, static_cast<std::size_t>(pairs - min_pairs));
  for (std::size_t t = 0; t < topics.size(); ++t) {
    const std::vector<std::size_t> group_shares = shares(topics[t].groups, topic_shares[t]);
    for (std::size_t g = 0; g < group_shares.size(); ++g) {
      std::vector<ToyPair>& group = topics[t].groups[g].pairs;
      draw(group, group_shares[g], random);
      std::move(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(group_shares[g]), std::back_inserter(drawn));
    }
  }
  draw(drawn, drawn.size(), random);

  ToySplits splits;
  for (ToyPair& pair : drawn) {
    std::vector<ToyPair>& split = split_of(splits, pair);
    split.push_back(std::move(pair));
  }
  return splits;
}

void write_toy(const std::string& folder, const ToySplits& splits) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  check(!error, folder, "cannot create the folder: {}. Hint: check the path and its permissions", error.message());
  const std::pair<const char*, const std::vector<ToyPair>*> files[] = {
      {"train", &splits.train}, {"valid", &splits.valid}, {"test", &splits.test}};
  std::map<std::string, std::string> texts;
  for (const auto& [name, pairs] : files) {
    texts[fmt::format("{}/{}.en", folder, name)] = text_of(*pairs, &ToyPair::english);
    texts[fmt::format("{}/{}.hi", folder, name)] = text_of(*pairs, &ToyPair::hindi);
  }
  for (const auto& [file, text] : texts)
    check(!std::filesystem::exists(file) || read_file(file) == text, file,
          "expected no file or an identical one; got a different one. Hint: choose another folder, or remove the file");
  for (const auto& [file, text] : texts) write_file_atomically(file, text);
}

}  // namespace glossa
