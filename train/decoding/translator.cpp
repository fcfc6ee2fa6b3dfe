#include "train/decoding/translator.h"

#include <algorithm>

#include "data/text/line_pieces.h"
#include "train/processes/job.h"
#include "train/processes/packed.h"

namespace glossa {

DecodeOptions decode_options(const DecodeConfig& decode) {
  return {.beam = decode.beam,
          .length_penalty = static_cast<LengthPenalty>(decode.length_penalty),
          .alpha = decode.alpha,
          .max_length_factor = decode.max_length_factor,
          .max_length_extra = decode.max_length_extra,
          .max_tokens = decode.max_tokens,
          .sample = decode.sample,
          .temperature = decode.temperature,
          .seed = static_cast<std::uint64_t>(decode.seed)};
}

Translator::Translator(const Transformer<float>& model, const Tokenizers& tokenizers, const DataConfig& data,
                       const DecodeConfig& decode)
    : model_(model), tokenizers_(tokenizers), data_(data), options_(decode_options(decode)) {}

std::vector<int> Translator::source_ids(std::string_view line, std::string_view name, std::int64_t number) const {
  const SpecialIds& specials = tokenizers_.source->specials();
  const std::vector<int> ids = tokenizers_.source->encode_line(normalise(data_, line), name, number);
  std::vector<int> source;
  if (ids.empty()) return source;
  if (data_.source_bos) source.push_back(specials.bos);
  source.insert(source.end(), ids.begin(), ids.end());
  if (data_.source_eos) source.push_back(specials.eos);
  return source;
}

void Translator::add(Sources& sources, std::string_view line, std::string_view name, std::int64_t number) const {
  const std::size_t index = sources.count++;
  std::vector<std::vector<int>> pieces{source_ids(line, name, number)};
  if (std::ssize(pieces.front()) > model_.options().max_positions) {
    const Index most = std::min<Index>(model_.options().max_positions, data_.max_length);
    pieces.clear();
    const auto fits = [&](std::string_view piece) { return std::ssize(source_ids(piece, name, number)) <= most; };
    for (const std::string_view piece : cut_line(line, fits)) {
      pieces.push_back(source_ids(piece, name, number));
      if (std::ssize(pieces.back()) > most)
        throw LineError(fmt::format("{}:{}", name, number),
                        fmt::format("expected at most {} tokens (model.max_positions, data.max_length); got {} for "
                                    "`{}` alone. Hint: train with a larger limit",
                                    most, pieces.back().size(), piece));
    }
    ++sources.in_pieces;
  }
  for (std::int64_t k = 0; k < std::ssize(pieces); ++k) {
    if (pieces[k].empty()) continue;
    sources.ids.push_back(std::move(pieces[k]));
    sources.numbers.push_back(number + (k << 40));
    sources.lines.push_back(index);
  }
}

auto Translator::Sources::of_first(const Sources* own) -> std::optional<Sources> {
  Packed packed;
  if (own) {
    packed.put(own->count).put(own->in_pieces).put(own->numbers).put(own->lines);
    for (const std::vector<int>& piece : own->ids) packed.put(piece);
  }
  const std::string bytes = job().broadcast(packed.bytes());
  if (bytes.empty()) return std::nullopt;
  Sources sources;
  Unpacked from(bytes);
  from.take(sources.count).take(sources.in_pieces).take(sources.numbers).take(sources.lines);
  sources.ids.resize(sources.numbers.size());
  for (std::vector<int>& piece : sources.ids) from.take(piece);
  return sources;
}

auto Translator::encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line) const
    -> Sources {
  Sources sources;
  for (const std::string& line : lines) add(sources, line, name, first_line + static_cast<std::int64_t>(sources.count));
  return sources;
}

std::vector<Hypothesis> Translator::search(const Sources& sources) {
  return searcher_.decode(model_, sources.ids, tokenizers_.source->specials(), options_, sources.numbers);
}

std::vector<std::vector<Translation>> Translator::n_best(const Sources& sources, Index n) {
  const std::vector<std::vector<Hypothesis>> found =
      searcher_.n_best(model_, sources.ids, tokenizers_.source->specials(), options_, n, sources.numbers);
  std::vector<std::vector<Translation>> results(sources.count);
  for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    while (end < found.size() && sources.lines[end] == sources.lines[begin]) ++end;
    std::vector<Translation>& line = results[sources.lines[begin]];
    if (end - begin > 1)
      line.push_back(joined(std::span(found).subspan(begin, end - begin)));
    else
      for (const Hypothesis& h : found[begin])
        line.push_back({tokenizers_.target->decode(h.tokens), h.score, h.log_probability, h.finished});
  }
  return results;
}

/// The best of each piece, as one translation of the whole line.
Translation Translator::joined(std::span<const std::vector<Hypothesis>> pieces) const {
  Translation whole{.text = {}, .finished = true};
  std::vector<std::string> texts;
  Index length = 0;
  for (const std::vector<Hypothesis>& piece : pieces) {
    const Hypothesis& best = piece.front();
    texts.push_back(tokenizers_.target->decode(best.tokens));
    length += std::ssize(best.tokens) + (best.finished ? 1 : 0);
    whole.log_probability += best.log_probability;
    whole.finished = whole.finished && best.finished;
  }
  whole.text = join_pieces(texts);
  whole.score = penalised(whole.log_probability, length, options_);
  return whole;
}

std::vector<std::string> Translator::translate(const Sources& sources) {
  std::vector<std::string> results;
  for (std::vector<Translation>& line : n_best(sources, 1))
    results.push_back(line.empty() ? "" : std::move(line.front().text));
  return results;
}

}  // namespace glossa
