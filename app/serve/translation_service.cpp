#include "app/serve/translation_service.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "app/serve/fair_queue.h"
#include "app/serve/http_error.h"
#include "app/serve/languages.h"
#include "base/console/failure.h"
#include "base/parallel.h"
#include "base/start_thread.h"
#include "data/tokenizers/token_words.h"
#include "evaluation/text_watch.h"

namespace glossa::serve {

namespace {

using Translations = std::vector<Translation>;

/// A line of a text, and its ending.
struct TextLine {
  std::string_view text;
  std::string_view end;  // "\n", "\r\n" or, for the last line, perhaps empty
};

/// Splits a text into lines, which end with LF or CR LF.
std::vector<TextLine> lines_of_text(std::string_view text) {
  std::vector<TextLine> lines;
  while (!text.empty()) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::size_t end = std::min(feed + 1, text.size());
    const std::size_t length = feed < text.size() && feed > 0 && text[feed - 1] == '\r' ? feed - 1 : feed;
    lines.push_back({text.substr(0, length), text.substr(length, end - length)});
    text.remove_prefix(end);
  }
  return lines;
}

/// A line being translated, with the future translations of its pieces.
struct Line {
  std::vector<Promise<Translations>::Future> pieces;
  std::vector<Gap> gaps;           // white space before each piece, as in Translator::Sources
  std::vector<std::string> texts;  // text of each piece
  std::string_view end;
};

/// Maximum number of attention weights sent, which is about 10 MB of text.
constexpr std::size_t max_weights = 1000000;

std::string pair_name(const DataConfig& data) { return data.source + "-" + data.target; }

/// Returns the number of tokens, including </s>.
std::size_t length(const Translation& translation) {
  return translation.tokens.size() + (translation.finished ? 1 : 0);
}

/// Returns the geometric mean of `tokens` probabilities.
double mean_probability(double log_probability, std::size_t tokens) {
  return std::exp(log_probability / static_cast<double>(std::max<std::size_t>(1, tokens)));
}

/// Joins the translations of a text's lines that have the given rank; 0 is the best. If a line has fewer translations,
/// uses its last.
TranslatedText put_together(const std::vector<Translations>& lines, const std::vector<std::string_view>& ends,
                            std::size_t rank) {
  TranslatedText whole;
  double log_probability = 0;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty()) {
      const Translation& chosen = lines[i][std::min(rank, lines[i].size() - 1)];
      whole.text += chosen.text;
      log_probability += chosen.log_probability;
      tokens += length(chosen);
    }
    whole.text += ends[i];
  }
  whole.probability = std::exp(log_probability);
  whole.token_probability = mean_probability(log_probability, tokens);
  return whole;
}

}  // namespace

/// A run with its queue and search threads.
class TranslationService::Lane {
 public:
  Lane(ServedRun run, const Limits& limits, std::shared_ptr<const std::atomic<bool>> ends, std::atomic<int>& at_work,
       ServerMetrics& metrics)
      : run_(std::move(run)),
        limits_(limits),
        ends_(std::move(ends)),
        at_work_(at_work),
        metrics_(metrics),
        queue_({.room = limits.queue, .batch = limits.batch, .gather = limits.gather}),
        reader_(*run_.model, run_.tokenizers, run_.data, run_.decode),
        lengths_(run_.usual_words, pair_name(run_.data)),
        looked_with_(*run_.model, run_.tokenizers, run_.data, run_.decode) {
    reader_.split_sentences(run_.splits_sentences);
    threads_.reserve(limits.searches);  // push_back must not throw: destroying a running std::thread ends the program
    try {
      for (std::size_t i = 0; i < limits.searches; ++i)  // all that can fail happens here, before the server is ready
        threads_.push_back(
            start_thread([this, turns = std::make_unique<SearchTurns>(run_, prepared_)] { work(*turns); }));
    } catch (...) {  // memory or threads ran out
      end();
      throw;
    }
  }

  ~Lane() { end(); }

  const ServedRun& run() const { return run_; }
  std::size_t waiting() const { return queue_.size(); }
  void clear() { queue_.clear(); }

  std::vector<TextTranslations> translate(const TranslationRequest& request, const Caller& caller);
  AttentionMaps attention(const std::string& text, const std::string& translation, const Caller& caller);

 private:
  TranslatedSentence sentence(const std::string& source, const std::vector<Translation>& found) const;
  Line cut(const TextLine& line, Index wanted, const std::string& name, std::int64_t number,
           const std::shared_ptr<const Pending>& request, std::vector<Piece>& pieces);
  [[noreturn]] static void late() {
    throw HttpError(503, "the translation was not ready in time. Hint: try again, or send less text at once");
  }
  [[noreturn]] void too_many() const {
    throw HttpError(413, "expected at most {} lines and sentences; got more", limits_.queue);
  }
  void work(SearchTurns& turns);
  void end() {
    queue_.close();
    for (std::thread& thread : threads_) thread.join();
  }

  const ServedRun run_;
  const Limits limits_;
  const std::shared_ptr<const std::atomic<bool>> ends_;
  std::atomic<int>& at_work_;
  ServerMetrics& metrics_;
  FairQueue<Piece> queue_;
  Translator reader_;  // encodes text and joins tokens; both are safe in many threads at once
  std::mutex measuring_;
  LengthWatch lengths_;  // examines all sentences; used by one thread at a time
  std::timed_mutex looking_;
  Translator looked_with_;           // computes attention; used by one thread at a time
  PreparedWeights<float> prepared_;  // shared by all searches, because the model does not change
  std::vector<std::thread> threads_;
};

/// Divides a line as Translator::add does, and appends its pieces to `pieces`. Returns their future translations.
Line TranslationService::Lane::cut(const TextLine& line, Index wanted, const std::string& name, std::int64_t number,
                                   const std::shared_ptr<const Pending>& request, std::vector<Piece>& pieces) {
  const auto interrupt = [&] {
    if (!request->waits()) late();
  };
  interrupt();
  Translator::Sources sources;
  try {
    const std::string text = clean_line(line.text, fmt::format("{}:{}", name, number), run_.data.reading.text);
    const std::vector<std::string_view> sentences = reader_.sentences(text);
    if (sentences.size() > limits_.queue) too_many();
    reader_.add(sources, text, name, number, interrupt);
    const std::scoped_lock lock(measuring_);
    for (const std::string_view sentence : sentences) lengths_.add(sentence);
  } catch (const LineError& error) {
    throw HttpError(400, "{}", error.what());
  }
  Line result{.pieces = {}, .gaps = std::move(sources.gaps), .texts = std::move(sources.texts), .end = line.end};
  for (std::size_t i = 0; i < sources.ids.size(); ++i) {
    if (pieces.size() == limits_.queue) too_many();
    Piece& piece = pieces.emplace_back(Piece{.ids = std::move(sources.ids[i]),
                                             .number = sources.numbers[i],
                                             .wanted = wanted,
                                             .request = request,
                                             .found = {}});
    result.pieces.push_back(piece.found.future());
  }
  return result;
}

/// Describes a piece and its translations.
TranslatedSentence TranslationService::Lane::sentence(const std::string& source,
                                                      const std::vector<Translation>& found) const {
  TranslatedSentence sentence{.source = source,
                              .unknown = unknown_words(*run_.tokenizers.source, normalize(run_.data, source)),
                              .translations = {}};
  const Tokenizer& target = *run_.tokenizers.target;
  for (const Translation& translation : found) {
    TranslatedSentence::Choice& choice = sentence.translations.emplace_back();
    choice.text = translation.text;
    choice.token_probability = mean_probability(translation.log_probability, length(translation));
    for (const int id : translation.tokens) choice.output.push_back(target.token(id));
    if (translation.finished) choice.output.push_back(target.token(target.specials().eos));
    for (const double each : translation.token_log_probabilities) choice.probabilities.push_back(std::exp(each));
  }
  return sentence;
}

std::vector<TextTranslations> TranslationService::Lane::translate(const TranslationRequest& request,
                                                                  const Caller& caller) {
  const Index wanted = run_.decode.sample ? 1 : 1 + request.alternatives;  // sampling finds only one translation
  std::size_t all_lines = request.texts.size();
  for (const std::string& text : request.texts) all_lines += std::ranges::count(text, '\n');
  if (all_lines > limits_.queue) too_many();
  const auto pending = std::make_shared<Pending>(caller, ends_);
  std::vector<std::vector<Line>> texts;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    std::vector<Line>& lines = texts.emplace_back();
    const std::string name = request.is_list ? fmt::format("q[{}]", i) : "q";
    for (const TextLine& line : lines_of_text(request.texts[i]))
      lines.push_back(cut(line, wanted, name, std::ssize(lines) + 1, pending, pieces));
  }
  const std::optional<std::uint64_t> number = queue_.add(std::move(pieces), caller.client);
  if (!number) throw HttpError(503, "the queue is full. Hint: try again in a moment");
  // Drops pieces that no caller waits for any more, after a timeout or because another sentence failed.
  const std::unique_ptr<Pending, std::function<void(Pending*)>> withdrawn(pending.get(), [&](Pending* request) {
    request->is_over = true;
    queue_.withdraw(*number);
  });

  std::vector<TextTranslations> results;
  for (std::vector<Line>& lines : texts) {
    TextTranslations& translations = results.emplace_back();
    std::vector<Translations> found;
    std::vector<std::string_view> ends;
    std::size_t ranks = 1;
    for (Line& line : lines) {
      std::vector<Translations> of_pieces;
      ends.push_back(line.end);
      for (std::size_t i = 0; i < line.pieces.size(); ++i) {
        Promise<Translations>::Future& piece = line.pieces[i];
        if (!piece.wait_until(caller.deadline)) late();
        try {
          of_pieces.push_back(piece.get());
        } catch (const BrokenPromise&) {  // the piece had to yield or was given up
          if (!pending->waits()) late();
          throw HttpError(503, "the queue is full. Hint: send less text at once, or try again later");
        }
        if (request.sentences) translations.sentences.push_back(sentence(line.texts[i], of_pieces.back()));
      }
      ranks = std::max(ranks, found.emplace_back(reader_.joined(of_pieces, line.gaps)).size());
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) translations.texts.push_back(put_together(found, ends, rank));
  }
  return results;
}

AttentionMaps TranslationService::Lane::attention(const std::string& text, const std::string& translation,
                                                  const Caller& caller) {
  const auto expect_wanted = [pending = Pending(caller, ends_)] {
    if (!pending.waits()) throw HttpError(503, "the attention was not ready in time. Hint: try again");
  };
  expect_wanted();
  const TextOptions options = run_.data.reading.text;
  std::vector<int> source, target;
  try {
    source = reader_.source_ids(clean_line(text, "q", options), "q", 1);
    target = run_.tokenizers.target->encode_line(normalize(run_.data, clean_line(translation, "translation", options)),
                                                 "translation", 1);
  } catch (const LineError& error) {
    throw HttpError(400, "{}", error.what());
  }
  if (source.empty() || target.empty()) throw HttpError(400, "expected a sentence and its translation; got no word");
  const auto& model = run_.model->options();
  const std::size_t read = source.size(), written = target.size() + 1;
  if (std::ssize(source) > model.max_positions || std::ssize(target) + 1 > model.max_positions ||
      static_cast<std::size_t>(model.stack.heads) *
              (static_cast<std::size_t>(model.encoder_layers) * read * read +
               static_cast<std::size_t>(model.decoder_layers) * written * (written + read)) >
          max_weights)
    throw HttpError(413, "expected a shorter sentence to show attention for");
  const std::unique_lock lock(looking_, caller.deadline);
  expect_wanted();
  const LoopsAlone alone;  // keeps to one core, and leaves the others to translations
  return looked_with_.attention(std::move(source), {.tokens = std::move(target), .finished = true});
}

void TranslationService::Lane::work(SearchTurns& turns) {
  const auto begins = [&](const Piece& piece) { return turns.may_begin(piece); };
  const auto joins = [&](const std::vector<Piece>& batch, const Piece& piece) { return turns.joins(batch, piece); };
  bool is_at_work = false;
  for (;;) {
    try {
      std::vector<Piece> batch = turns.empty() ? queue_.take(joins) : queue_.take_now(begins, joins);
      if (batch.empty() && turns.empty()) return;
      if (!std::exchange(is_at_work, true)) ++at_work_;
      const LoopsAlone alone(at_work_ > 1);  // the only search thread with work runs its loops on all cores
      if (!batch.empty()) {
        metrics_.add_batch(batch.size());
        turns.begin(std::move(batch));
      }
      turns.step();
    } catch (...) {  // memory ran out
      // Gives up the batch: its pieces' promises break, and their requests are refused.
    }
    if (turns.empty() && std::exchange(is_at_work, false)) --at_work_;
  }
}

TranslationService::TranslationService(std::vector<ServedRun> runs, const Limits& limits, ServerMetrics& metrics) {
  for (ServedRun& run : runs) {
    const std::string pair = pair_name(run.data);
    for (const std::unique_ptr<Lane>& lane : lanes_)
      if (pair_name(lane->run().data) == pair)
        misuse("RUN",
               "expected one run per language pair; got {} and {} for {}. Hint: name one of them, or serve the other "
               "with another --port",
               lane->run().name, run.name, pair);
    lanes_.push_back(std::make_unique<Lane>(std::move(run), limits, ends_, at_work_, metrics));
  }
}

TranslationService::~TranslationService() = default;

void TranslationService::cancel() {
  *ends_ = true;
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->clear();
}

TranslationService::Lane& TranslationService::lane(std::string_view source, std::string_view target) const {
  std::vector<Lane*> found;
  std::vector<std::string> pairs;
  std::size_t best = 0;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const DataConfig& data = lane->run().data;
    pairs.push_back(pair_name(data));
    const std::size_t of_source = source == "auto" ? exact_language : match(source, data.source),
                      of_target = match(target, data.target), both = of_source * of_target;
    if (both < best || both == 0) continue;
    if (both > best) found.clear();
    best = both;
    found.push_back(lane.get());
  }
  if (found.empty())
    throw HttpError(400, "expected a served language pair, {}; got {}-{}", fmt::join(pairs, ", "), source, target);
  if (found.size() > 1)
    throw HttpError(400, "expected one of the served language pairs, {}; got {}-{}, which matches several",
                    fmt::join(pairs, ", "), source, target);
  return *found.front();
}

std::vector<TextTranslations> TranslationService::translate(const TranslationRequest& request, const Caller& caller) {
  return lane(request.source, request.target).translate(request, caller);
}

AttentionMaps TranslationService::attention(std::string_view source, std::string_view target, const std::string& text,
                                            const std::string& translation, const Caller& caller) {
  return lane(source, target).attention(text, translation, caller);
}

std::vector<ServedLanguage> TranslationService::languages() const {
  std::vector<ServedLanguage> languages;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const DataConfig& data = lane->run().data;
    const auto known = std::find_if(languages.begin(), languages.end(),
                                    [&](const ServedLanguage& language) { return language.code == data.source; });
    if (known != languages.end())
      known->targets.push_back(data.target);
    else
      languages.push_back({data.source, language_name(data.source), {data.target}});
  }
  const std::vector<ServedLanguage> sources = languages;
  for (const ServedLanguage& source : sources)
    for (const std::string& target : source.targets)
      if (std::ranges::find(languages, target, &ServedLanguage::code) == languages.end())
        languages.push_back({target, language_name(target), {}});
  return languages;
}

std::size_t TranslationService::waiting() const {
  std::size_t waiting = 0;
  for (const std::unique_ptr<Lane>& lane : lanes_) waiting += lane->waiting();
  return waiting;
}

}  // namespace glossa::serve
