#include "data/tokenizers/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace glossa {
namespace {

constexpr std::string_view magic = "glossa-vocabulary ";

std::string_view next_word(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return word;
}

int special_id(std::string_view& header, std::string_view key, std::string_view where) {
  std::string_view word = next_word(header, ' ');
  int id = 0;
  const bool named = word.starts_with(key) && word.substr(key.size()).starts_with('=');
  if (named) word.remove_prefix(key.size() + 1);
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), id);
  check(named && code == std::errc{} && end == word.data() + word.size(), fmt::format("{}:1", where),
        "expected `{}=NUMBER` in the header of a vocabulary; got `{}`", key, word);
  return id;
}

}  // namespace

std::string_view SpecialIds::name(int id) const {
  if (id < 0) return {};
  return id == unk ? "<unk>" : id == pad ? "<pad>" : id == bos ? "<s>" : id == eos ? "</s>" : "";
}

void check_specials(const SpecialIds& specials, int vocabulary_size, std::string_view where) {
  const int ids[] = {specials.pad, specials.bos, specials.eos, specials.unk};
  for (const int& id : ids) {
    const bool optional = &id == &ids[3];
    check((id >= 0 || (optional && id == -1)) && id < vocabulary_size, where,
          "expected special ids from 0 to {} (unk: or -1); got pad {}, bos {}, eos {}, unk {}", vocabulary_size - 1,
          specials.pad, specials.bos, specials.eos, specials.unk);
    const bool twice = id == specials.pad && specials.starts_with_padding();
    check(std::count(std::begin(ids), std::end(ids), id) == (twice ? 2 : 1), where,
          "expected distinct special ids (bos may equal pad); got pad {}, bos {}, eos {}, unk {}", specials.pad,
          specials.bos, specials.eos, specials.unk);
  }
}

Vocabulary::Vocabulary(std::vector<std::string> tokens, const SpecialIds& specials, std::string_view where)
    : tokens_(std::move(tokens)), specials_(specials) {
  check(size() > specials.count(), where, "expected at least one token besides the special ones; got none");
  check_specials(specials, size(), where);
  ids_.reserve(tokens_.size());
  // In a file, token 0 is on line 2, after the header.
  for (int id = 0; id < size(); ++id) {
    const std::string& token = tokens_[static_cast<std::size_t>(id)];
    if (specials.contains(id))
      check(token == specials.name(id), fmt::format("{}:{}", where, id + 2),
            "expected the special token {} with id {}; got `{}`", specials.name(id), id, token);
    else
      check(!token.empty(), fmt::format("{}:{}", where, id + 2), "expected a token; got an empty line");
    const auto [first, added] = ids_.emplace(token, id);
    check(added, fmt::format("{}:{}", where, id + 2), "expected every token once; got `{}` also as id {}", token,
          first->second);
  }
  for (const int id : {specials.pad, specials.bos, specials.eos, specials.unk})
    ids_.erase(std::string(specials.name(id)));
}

Vocabulary Vocabulary::build(const TokenCounts& counts, const VocabularyOptions& options) {
  const SpecialIds& specials = options.specials;
  const int ids[] = {specials.unk, specials.pad, specials.bos, specials.eos};
  std::vector<std::pair<std::string_view, std::int64_t>> ranked;
  for (const auto& [token, count] : counts) {
    const bool special = std::ranges::find(ids, token, [&](int id) { return specials.name(id); }) != std::end(ids);
    if (count >= options.min_frequency && !special) ranked.emplace_back(token, count);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  check(!ranked.empty(), "vocabulary", "expected a token with frequency {} or more; got none among {} different tokens",
        options.min_frequency, counts.size());
  std::size_t size = ranked.size() + static_cast<std::size_t>(specials.count());
  if (options.max_size > 0) size = std::min(size, static_cast<std::size_t>(options.max_size));
  std::vector<std::string> tokens(size);
  auto next = ranked.begin();
  for (std::size_t id = 0; id < size; ++id) {
    const std::string_view name = specials.name(static_cast<int>(id));
    if (!name.empty()) {
      tokens[id] = name;
    } else if (next != ranked.end()) {  // otherwise a special id is invalid, which the constructor reports
      tokens[id] = next++->first;
    }
  }
  return Vocabulary(std::move(tokens), specials, "vocabulary");
}

std::string_view Vocabulary::kind(std::string_view text) {
  if (!text.starts_with(magic)) return {};
  text.remove_prefix(magic.size());
  return text.substr(0, text.find_first_of(" \n"));
}

Vocabulary Vocabulary::parse(std::string_view text, std::string_view where) {
  check(!kind(text).empty(), fmt::format("{}:1", where), "expected a header that begins with `{}`; not found", magic);
  check(text.ends_with('\n'), where, "expected a complete vocabulary; got a truncated last line");
  std::string_view header = next_word(text, '\n');
  header.remove_prefix(magic.size());
  next_word(header, ' ');
  const SpecialIds specials{special_id(header, "unk", where), special_id(header, "pad", where),
                            special_id(header, "bos", where), special_id(header, "eos", where)};
  std::vector<std::string> tokens;
  while (!text.empty()) tokens.emplace_back(next_word(text, '\n'));
  return Vocabulary(std::move(tokens), specials, where);
}

Vocabulary Vocabulary::of(std::vector<std::string> tokens, const SpecialIds& specials, std::string_view where) {
  for (std::size_t id = 0; id < tokens.size(); ++id)
    check(tokens[id].find('\n') == std::string::npos, where, "expected tokens without line breaks; got one in token {}",
          id);
  return Vocabulary(std::move(tokens), specials, where);
}

std::string Vocabulary::serialize(std::string_view kind) const {
  std::string text = fmt::format("{}{} unk={} pad={} bos={} eos={}\n", magic, kind, specials_.unk, specials_.pad,
                                 specials_.bos, specials_.eos);
  for (const std::string& token : tokens_) text.append(token).push_back('\n');
  return text;
}

int Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? specials_.unk : found->second;
}

const std::string& Vocabulary::token(int id) const {
  check(id >= 0 && id < size(), "vocabulary", "expected an id from 0 to {}; got {}", size() - 1, id);
  return tokens_[static_cast<std::size_t>(id)];
}

}  // namespace glossa
