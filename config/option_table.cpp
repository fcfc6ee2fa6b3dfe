#include "config/config.h"

namespace glossa {
namespace {

std::vector<Option<DataConfig>> data_options() {
  using C = DataConfig;
  return {
      option("train", &C::train,
             corpus_names("PREFIX, FILE.tsv, FILE.tmx, FILE.zip, a folder, a pattern, toy:PAIRS or a list of these"),
             "training corpus. PREFIX: the files PREFIX.en and PREFIX.de; FILE.tsv: a table of pairs; FILE.tmx: a "
             "translation memory; FILE.zip or a folder: all corpora in it; a pattern such as part-*: all corpora with "
             "matching names; toy:PAIRS: the built-in generator. Each text, table or memory may be .gz or .zst; a "
             "list is concatenated"),
      option("weights", &C::batches, &SamplerOptions::weights, whole_list("[1, 1000]"),
             "repetitions of each corpus of data.train per epoch: with [1, 4], an epoch has the first corpus once and "
             "the second corpus four times; empty: each corpus once"),
      option("valid", &C::valid, corpus_names("PREFIX, FILE.tsv, FILE.tmx, toy:PAIRS or a list of these"),
             "validation corpus, named like train; if empty, a toy corpus uses its own validation split; in a list, "
             "the first selects the best checkpoint, and the others are only evaluated"),
      option("test", &C::test, text("PREFIX, FILE.tsv, FILE.tmx or toy:PAIRS"),
             "test corpus for `glossa evaluate`, named like train; if empty, a toy corpus uses its own test split"),
      option("split", &C::split, or_word("auto", held_out()),
             "pairs of train to hold out for validation and testing, chosen by a hash of the source; auto: 5 % of the "
             "distinct sources each, at most 1000, if valid is empty"),
      option("source", &C::source, text("a file suffix", false),
             "source language: suffix of its files, name in tables and translation memories"),
      option("target", &C::target, text("a file suffix", false), "target language, as for source"),
      option("source_column", &C::reading, &CorpusOptions::source_column, whole<int>("[0, 65535]"),
             "column of the source, from 0, in a FILE.tsv whose first row does not name the languages"),
      option("target_column", &C::reading, &CorpusOptions::target_column, whole<int>("[0, 65535]"),
             "column of the target, as for source_column"),
      option("tokenizer", &C::tokenizer, choice<C::Tokenizer>({"words", "characters", "sentencepiece", "pieces"}),
             "kind of token; sentencepiece subwords are learned from the training corpus, pieces come with an imported "
             "model"),
      option("vocab_size", &C::vocab_size, whole("[5, 1000000]"), "maximum number of tokens, including special ones")
          .or_auto(),
      option("vocab_sentences", &C::vocab_sentences, whole("[1, 1000000000]"),
             "maximum number of training pairs from which the vocabulary is learned, chosen by a hash of their text"),
      option("min_frequency", &C::min_frequency, whole("[1, 1000000000]"),
             "rarer words and characters become <unk>; ignored by sentencepiece"),
      option("shared_vocabulary", &C::shared_vocabulary, true_or_false(), "one vocabulary for both languages"),
      option("sentencepiece_model", &C::sentencepiece_model, choice<SubwordModel>({"bpe", "unigram"}),
             "subword algorithm of sentencepiece"),
      option("normalization", &C::normalization,
             text_choice({"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}),
             "Unicode normalization by sentencepiece; cf folds case, identity leaves text as it is"),
      option("character_coverage", &C::character_coverage, number("[0.98, 1]"),
             "share of the corpus's characters that sentencepiece keeps; the rest become <unk>"),
      option("bpe_dropout", &C::bpe_dropout, number("[0, 1]"),
             "probability to leave out a merge of BPE, drawn anew in each epoch, so that training sees words in "
             "different pieces (Provilkov et al. 2020), such as 0.1; 0: off"),
      option("unigram_sampling", &C::unigram_sampling, number("[0, 100]"),
             "alpha of sampling from a unigram model in each epoch (Kudo 2018), such as 0.2; the smaller, the more "
             "random; 0: off"),
      option("lowercase", &C::reading, &CorpusOptions::lowercase, true_or_false(),
             "lowercase all text, also when translating"),
      option("invalid_utf8", &C::reading, &CorpusOptions::text, &TextOptions::invalid_utf8,
             choice<InvalidUtf8>({"refuse", "replace"}),
             "invalid UTF-8 is an error that names file, line and byte, or becomes U+FFFD"),
      option("max_line_bytes", &C::reading, &CorpusOptions::text, &TextOptions::max_line_bytes,
             whole<std::size_t>("[1, 1073741824]"), "longer lines are an error"),
      option("max_length", &C::encoding, &EncodeOptions::max_length, whole<int>("[1, 65536]"),
             "training skips pairs with more tokens on a side, including special ones"),
      option("max_ratio", &C::encoding, &EncodeOptions::max_ratio, or_never(number("[0, 1000000]")),
             "training skips pairs with more than N times as many tokens on one side as on the other; 0: no limit"),
      option("duplicates", &C::duplicates, choice<C::Duplicates>({"keep", "drop"}),
             "keep or drop training pairs that repeat an earlier one on both sides"),
      option("source_prefix", &C::encoding, &EncodeOptions::source_prefix, text("text"),
             "text put before every source line, with a space, in training and translation, such as >>fra<< for a "
             "model with several target languages"),
      option("source_bos", &C::encoding, &EncodeOptions::source_bos, true_or_false(), "begin the source with <s>"),
      option("source_eos", &C::encoding, &EncodeOptions::source_eos, true_or_false(), "end the source with </s>"),
      option("unk_id", &C::specials, &SpecialIds::unk, whole<int>("[-1, 999999]"),
             "id of <unk>; -1 for a vocabulary without it"),
      option("pad_id", &C::specials, &SpecialIds::pad, whole<int>("[0, 999999]"), "id of <pad>"),
      option("bos_id", &C::specials, &SpecialIds::bos, whole<int>("[0, 999999]"),
             "id of <s>, the first input of the decoder; if it equals pad_id, <pad> is this input, with embedding 0"),
      option("eos_id", &C::specials, &SpecialIds::eos, whole<int>("[0, 999999]"), "id of </s>, which ends a sentence"),
      option("max_tokens", &C::batches, &SamplerOptions::max_tokens, whole("[1, 16777216]"),
             "batch size, counted by batch_rule")
          .or_auto(),
      option("batch_rule", &C::batches, &SamplerOptions::rule,
             choice<BatchRule>({"longest_side", "tokens", "sentences"}),
             "max_tokens counts sentences x longest side, source + target tokens, or sentences"),
      option("prepare_above", &C::prepare_above, whole("[0, 1000000000]"),
             "size limit in MiB: larger training text is converted to token ids once, kept in data.cache for all runs "
             "with the same text, tokenizers and filters, and mapped into memory"),
      option("cache", &C::cache, text("a folder"),
             "folder of prepared corpora; empty: glossa in $XDG_CACHE_HOME or, if that is not set, in ~/.cache"),
  };
}

std::vector<Option<ModelConfig>> model_options() {
  using C = ModelConfig;
  const auto of_model = [](const char* name, auto TransformerOptions::*member, const auto& rule, const char* help) {
    return option(name, &C::transformer, member, rule, help);
  };
  const auto of_stack = [](const char* name, auto StackOptions::*member, const auto& rule, const char* help) {
    return option(name, &C::transformer, &TransformerOptions::stack, member, rule, help);
  };
  return {
      of_stack("width", &StackOptions::width, whole("[1, 65536]"), "width D of the model").or_auto(),
      of_stack("heads", &StackOptions::heads, whole("[1, 4096]"),
               "attention heads H; must divide width unless head_width is set")
          .or_auto(),
      of_stack("key_heads", &StackOptions::key_heads, whole("[0, 4096]"),
               "heads G of keys and values, each shared by heads / G heads of queries; 0: as many as heads; fewer make "
               "decoding's cache smaller"),
      of_stack("head_width", &StackOptions::head_width, whole("[0, 65536]"), "width K of one head; 0: width / heads"),
      of_stack(
          "similarity", &StackOptions::similarity, choice<Similarity>({"scaled_dot", "dot", "general", "additive"}),
          "similarity of query and key: q.k / sqrt(K), q.k, q.W k with a trained W, or v.tanh(q + k) with a trained "
          "v, which takes much memory"),
      of_stack("feed_forward", &StackOptions::feed_forward, whole("[0, 1048576]"),
               "inner width F of the feed-forward layers; 0: one width x width matrix without bias or activation")
          .or_auto(),
      of_model("encoder_layers", &TransformerOptions::encoder_layers, whole("[1, 256]"), "encoder layers").or_auto(),
      of_model("decoder_layers", &TransformerOptions::decoder_layers, whole("[1, 256]"), "decoder layers").or_auto(),
      of_stack("dropout", &StackOptions::residual_dropout, number("[0, 1)"), "dropout before each residual sum")
          .or_auto(),
      option("attention_dropout", &C::attention_dropout, or_null(number("[0, 1)")),
             "dropout on attention weights; null: same as dropout"),
      option("activation_dropout", &C::activation_dropout, or_null(number("[0, 1)")),
             "dropout after the activation; null: same as dropout"),
      option("embedding_dropout", &C::embedding_dropout, or_null(number("[0, 1)")),
             "dropout on embeddings plus positions; null: same as dropout"),
      of_stack("norm", &StackOptions::norm, choice<NormPlace>({"pre", "post"}),
               "norm before each sublayer, or after each residual sum as in the paper"),
      of_stack("final_norm", &StackOptions::final_norm, true_or_false(),
               "extra norm after the encoder and the decoder"),
      of_stack("norm_kind", &StackOptions::norm_kind, choice<NormKind>({"layer", "rms"}),
               "layer norm, or RMS norm (Zhang and Sennrich 2019), which subtracts no mean and has no biases"),
      of_stack("norm_epsilon", &StackOptions::norm_epsilon, number("(0, 1)"), "keeps the norm from dividing by zero"),
      of_stack("epsilon_place", &StackOptions::epsilon_place, choice<EpsilonPlace>({"inside", "outside"}),
               "place of norm_epsilon. inside: added to the variance, under the square root; outside: added to the "
               "square root"),
      of_stack(
          "norm_affine", &StackOptions::norm_affine, choice<NormAffine>({"vector", "scalar", "gain", "none"}),
          "trained parameters of a norm: vector has a gain and a bias per feature, scalar one gain and one bias, gain "
          "one gain; rms has no biases, so scalar equals gain"),
      of_stack("activation", &StackOptions::activation, choice<Activation>(activation_names),
               "activation of the feed-forward layers. swiglu and geglu (Shazeer 2020) have a gate, silu or gelu: the "
               "first matrix then has 2 F rows, those of the gate first"),
      option("positions", &C::positions, choice<C::Positions>({"sinusoidal", "learned", "rotary", "alibi"}),
             "positions: sinusoids or learned numbers, added to the embeddings; rotary (RoPE): self-attention turns "
             "queries and keys; alibi: its scores fall with the distance"),
      of_model(
          "sinusoid", &TransformerOptions::sinusoid, choice<Sinusoid>({"interleaved", "halves", "raw_index", "sorted"}),
          "order and frequencies of the sinusoids. interleaved: sines and cosines alternate, as in the paper; sorted: "
          "the paper's sines, then its cosines, as in transformers; halves: sines, then cosines, with Marian's "
          "frequencies; raw_index: sines and cosines alternate, and column i has frequency 10000^(-2i/width)"),
      of_stack("rotary_base", &StackOptions::rotary_base, number("[1, 1e12]"),
               "rotary: position p turns columns 2i and 2i + 1 of a head by p / rotary_base^(2i/K)"),
      of_model("max_positions", &TransformerOptions::max_positions, whole("[1, 1048576]"),
               "maximum number of positions, which limits sentences with any kind of positions"),
      of_model(
          "tied", &TransformerOptions::tied, choice<Tied>({"none", "output", "all", "embeddings"}),
          "matrices that share weights. output: target embedding and output projection; all: source embedding, target "
          "embedding and output projection; embeddings: source and target embedding"),
      of_stack("bias", &StackOptions::bias, true_or_false(), "biases in attention and feed-forward layers"),
      of_stack("attention_bias", &StackOptions::attention_bias,
               or_null(choice<AttentionBias>({"all", "output", "none"})),
               "biases in attention: all, only the output projection's, or none; null: same as bias"),
      of_model("output_bias", &TransformerOptions::output_bias, true_or_false(), "bias of the output projection"),
      of_model("scale_embeddings", &TransformerOptions::scale_embeddings, true_or_false(),
               "multiply embeddings by the square root of width"),
      option("init", &C::init, choice<C::Init>({"xavier", "normal"}),
             "initial weights: those of nn.Transformer, or normal with init_std and zero biases"),
      option("init_std", &C::init_std, number("(0, 1]"), "standard deviation for init: normal"),
  };
}

std::vector<Option<OptimConfig>> optim_options() {
  using C = OptimConfig;
  return {
      option("name", &C::name, choice<C::Name>({"sgd", "adam", "adamw"}), "optimizer"),
      option("lr", &C::schedule, &ScheduleOptions::lr, number("(0, 1000]"),
             "peak learning rate; noam uses factor instead")
          .or_auto(),
      option("beta1", &C::adam, &AdamOptions::beta1, number("[0, 1)"), "Adam: decay of the mean of gradients"),
      option("beta2", &C::adam, &AdamOptions::beta2, number("[0, 1)"), "Adam: decay of the mean of squared gradients"),
      option("epsilon", &C::adam, &AdamOptions::epsilon, number("(0, 1]"),
             "Adam: added to the root in the denominator"),
      option("momentum", &C::sgd, &SgdOptions::momentum, number("[0, 1)"), "SGD: momentum"),
      option("weight_decay", &C::weight_decay, number("[0, 100]"),
             "weight decay: decoupled in adamw, L2 in the others"),
      option("decay_norm_and_bias", &C::decay_norm_and_bias, true_or_false(), "also decay norms and biases"),
      option("freeze", &C::freeze, text_list("a list of parameter names with *"),
             "names of parameters not to train; * matches anything"),
      option("clip_norm", &C::clip_norm, or_never(number("[0, 1000000]")),
             "maximum norm of the whole gradient; 0: no clipping"),
      option("schedule", &C::schedule, &ScheduleOptions::kind,
             choice<ScheduleOptions::Kind>({"constant", "noam", "inverse_sqrt", "cosine", "linear", "plateau"}),
             "learning rate schedule"),
      option("warmup", &C::warmup, updates_or_epochs("[0, 1000000000]"),
             "updates over which the learning rate rises to its peak, in every schedule; 0: none")
          .or_auto(),
      option("warmup_init_lr", &C::schedule, &ScheduleOptions::warmup_init_lr, number("[0, 1000]"),
             "learning rate at the start of warm-up"),
      option("total_updates", &C::total_updates, updates_or_epochs("[0, 1000000000]"),
             "cosine and linear: update at which min_lr is reached")
          .or_auto(),
      option("min_lr", &C::schedule, &ScheduleOptions::min_lr, number("[0, 1000]"),
             "minimum learning rate after warm-up"),
      option("factor", &C::schedule, &ScheduleOptions::factor, number("(0, 1000]"),
             "noam: factor x width^-0.5 x min(step^-0.5, step x warmup^-1.5)"),
      option("plateau_factor", &C::schedule, &ScheduleOptions::plateau_factor, number("(0, 1)"),
             "plateau: the learning rate is multiplied by this"),
      option("plateau_patience", &C::schedule, &ScheduleOptions::plateau_patience, whole("[0, 1000000]"),
             "plateau: validations without improvement before the learning rate is lowered"),
  };
}

std::vector<Option<TrainConfig>> train_options() {
  using C = TrainConfig;
  return {
      option("max_updates", &C::max_updates, limit(Period::Unit::updates), "stop after N updates"),
      option("max_epochs", &C::max_epochs, limit(Period::Unit::epochs), "stop after N passes over the corpus")
          .or_auto(),
      option("max_minutes", &C::max_minutes, or_never(number("[0, 10000000]")),
             "stop after N minutes of training, including those before --resume, excluding validation and saving"),
      option("validate_every", &C::validate_every, period(),
             "period of validation; a run that stops in between is validated once more, and a warm start before its "
             "first update")
          .or_auto(),
      option("save_every", &C::save_every, period(), "period of checkpoints").or_auto(),
      option("log_every", &C::log_every, period(), "period of training log lines"),
      option("keep_checkpoints", &C::keep_checkpoints, whole("[2, 1000000]"),
             "newest checkpoints kept, besides the best"),
      option("seed", &C::seed, whole("[0, 9007199254740991]"), "seed of all random numbers"),
      option("label_smoothing", &C::label_smoothing, number("[0, 1)"),
             "share of the target probability spread over the vocabulary"),
      option(
          "r_drop", &C::r_drop, number("[0, 1000]"),
          "weight alpha of R-Drop (Wu et al. 2021): each batch is computed twice, with different dropout, and the two "
          "predictions are pulled together; 0: off"),
      option("word_dropout", &C::word_dropout, number("[0, 1)"),
             "probability that a token is <unk> to the encoder or to the decoder's input, drawn anew in each update "
             "(Bowman et al. 2016)"),
      option("accumulate", &C::accumulate, whole("[1, 65536]"),
             "batches per update; their gradients are summed in a tree whose order depends only on their number"),
      option("precision", &C::precision, converted<Precision>(choice_index(training_precision_names)),
             "factors of matrix products, in training and its validation: float, or rounded to bfloat16; sums, weights "
             "and checkpoints stay float"),
      option("ema", &C::ema, number("[0, 0.9999]"),
             "decay of a moving average of the weights, such as 0.999, which validation, translation and export use; "
             "0: no average"),
      option("metric", &C::metric, choice<C::Metric>(C::metric_names),
             "validation metric that decides the best checkpoint, patience and plateau"),
      option("patience", &C::patience, or_never(whole("[0, 1000000]")), "stop after N validations without improvement"),
      option("decode_validation", &C::decode_validation, true_or_false(),
             "translate the validation corpus at each validation, for BLEU, chrF and exact match"),
      option("bleu_tokenize", &C::bleu_tokenize, or_word("auto", choice<BleuTokenizer>(bleu_tokenizer_names)),
             "tokenization for BLEU, as sacreBLEU's --tokenize; auto: zh for Chinese, char for other unspaced targets, "
             "else 13a"),
      option("samples", &C::samples, whole("[0, 1000]"),
             "translations written to samples/ at each validation; the log shows the first"),
      option("tensorboard", &C::tensorboard, true_or_false(),
             "write event files for TensorBoard to tensorboard/: figures, samples, configuration"),
      option("warm_start", &C::warm_start, text("a run directory or a checkpoint"),
             "start from the weights and vocabulary of another run, with its options for model, vocabulary and "
             "decoding unless given; empty: random weights"),
      option("exportable", &C::exportable, choice<C::Exportable>({"none", "marian", "huggingface"}),
             "refuse, before training, options that this format of `glossa export` cannot express"),
      option(
          "allow", &C::allow, choices<C::Mistake>(mistake_names),
          "start a new run although it seems to have these mistakes, which are errors otherwise; see docs/training.md"),
      option("max_bad_updates", &C::max_bad_updates, whole("[1, 1000000]"),
             "updates whose loss or gradient is not finite are skipped; N in a row end the run with an error"),
  };
}

std::vector<Option<DecodeOptions>> decode_options() {
  using C = DecodeOptions;
  return {
      option("beam", &C::beam, whole("[1, 1024]"), "hypotheses kept per sentence; 1: greedy"),
      option("search", &C::search, choice<Search>({"glossa", "huggingface"}),
             "rule that ends the search for a sentence. glossa: no better translation can follow; huggingface: the "
             "rule of generate in transformers, which forces a translation to end at the maximum length"),
      option("length_penalty", &C::length_penalty, choice<LengthPenalty>({"none", "power", "gnmt"}),
             "the log-probability is divided by 1, length^alpha or ((5 + length) / 6)^alpha; length counts </s>"),
      option("alpha", &C::alpha, number("[0, 10]"),
             "exponent of the length penalty; a larger one favors longer translations"),
      option("max_length_factor", &C::max_length_factor, number("[0, 100]"),
             "a translation has at most max_length_factor x source tokens + max_length_extra tokens, counting </s>"),
      option("max_length_extra", &C::max_length_extra, whole("[0, 65536]"), "see max_length_factor"),
      option("min_length", &C::min_length, whole("[0, 65536]"),
             "a translation has at least N tokens, not counting </s>"),
      option("forbidden", &C::forbidden, whole_list("[0, 999999]"),
             "ids of tokens never to output, besides <pad> and <s>"),
      option("renormalize", &C::renormalize, true_or_false(),
             "exclude forbidden tokens from the softmax, as renormalize_logits of transformers"),
      option("max_tokens", &C::max_tokens, whole("[1, 16777216]"), "batch size: hypotheses x longest source"),
      option("sample", &C::sample, true_or_false(),
             "draw each token from the softmax instead of searching for the most probable translation"),
      option("temperature", &C::temperature, number("(0, 100]"),
             "sample, mbr: logits are divided by this; below 1, likely tokens become likelier"),
      option("top_k", &C::top_k, whole("[0, 999999]"),
             "sample, mbr: draw from the k most probable tokens only; 0: from all"),
      option(
          "top_p", &C::top_p, number("(0, 1]"),
          "sample, mbr: draw from the nucleus only, the fewest most probable tokens with this total probability; after "
          "temperature and top_k"),
      option("seed", &C::seed, whole("[0, 9007199254740991]"), "sample, mbr: random seed"),
      option("mbr", &C::mbr, whole("[0, 1024]"),
             "minimum Bayes risk decoding: draw N samples, and return the one most similar to all; 0: off"),
      option("mbr_utility", &C::mbr_utility, choice<MbrUtility>({"chrf", "bleu"}),
             "mbr: sentence score that measures similarity, as sacreBLEU defines it"),
      option("average", &C::average, whole("[0, 1000]"),
             "translate with the mean of the newest N checkpoints, or of as many as there are, unless --checkpoint "
             "chooses others; 0: with the best checkpoint"),
      option("precision", &C::precision, choice<Precision>(precision_names),
             "factors of matrix products: float, rounded to bfloat16, or integers of 8 bits with a scale per row; "
             "validation in "
             "training uses train.precision"),
  };
}

std::vector<Option<RuntimeConfig>> runtime_options() {
  using C = RuntimeConfig;
  return {
      option("threads", &C::threads, whole("[0, 4096]"),
             "threads per process; 0: the cores allowed, shared by the host's processes, or OMP_NUM_THREADS if fewer; "
             "does not change results"),
      option("gemm", &C::gemm, choice<C::Gemm>({"auto", "eigen", "onednn"}), "library for matrix products"),
      option("timeout", &C::timeout, or_never(number("[0, 1000000]")),
             "with several processes: maximum seconds that the others wait in an update for a slow process before all "
             "stop with an error; 0: no limit"),
  };
}

/// Makes a section. Options that allow `auto` store it by key in Config::undecided, not in their members.
template <class S>
OptionSection section(const char* name, const char* help, S Config::*part, const std::vector<Option<S>>& options) {
  OptionSection section{name, help, {}};
  for (const Option<S>& option : options) {
    Option<Config>& row = section.options.emplace_back(lift(part, option));
    row.key = name + ("." + row.name);
    if (!row.may_be_auto) continue;
    row.set = [key = row.key, set = row.set](Config& config, const GivenValue& given) {
      const bool is_auto = given.kind == GivenValue::Kind::scalar && given.scalar == "auto";
      if (!is_auto && !set(config, given)) return false;
      config.undecided.erase(key);
      if (is_auto) config.undecided.insert(key);
      return true;
    };
    row.text = [key = row.key, text = row.text](const Config& config) {
      return config.undecided.contains(key) ? "auto" : text(config);
    };
  }
  return section;
}

}  // namespace

const std::vector<OptionSection>& option_sections() {
  static const std::vector<OptionSection> sections{
      section("data", "corpus, vocabulary and batches", &Config::data, data_options()),
      section("model", "the Transformer", &Config::model, model_options()),
      section("optim", "optimizer and learning rate", &Config::optim, optim_options()),
      section("train", "length, validation and checkpoints", &Config::train, train_options()),
      section("decode", "translation", &Config::decode, decode_options()),
      section("runtime", "execution", &Config::runtime, runtime_options()),
  };
  return sections;
}

const Option<Config>* find_option(std::string_view key) {
  for (const Option<Config>& option : all_options())
    if (option.key == key) return &option;
  return nullptr;
}

}  // namespace glossa
