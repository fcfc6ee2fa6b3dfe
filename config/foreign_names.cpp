#include "config/foreign_names.h"

#include <algorithm>
#include <string>

namespace glossa {
namespace {

// A name maps to a key if its values have the same meaning in glossa, otherwise to a sentence that explains it.
constexpr ForeignNames table[] = {
    // Sections
    {"training trainer", "train"},
    {"testing decoding inference generation generate", "decode"},
    {"network transformer architecture", "model"},

    // Corpus and vocabulary
    {"trainpref train_file train_data train_path train_corpus training_data corpus dataset", "data.train"},
    {"upsample_primary upsample sampling_probabilities data_weights train_weights", "data.weights"},
    {"validpref validation_file valid_data valid_path dev validation_data", "data.valid"},
    {"train_sets valid_sets src tgt trg",
     "data.train and data.valid name two files by their common path, without the endings data.source and data.target"},
    {"data.type", "a corpus is read by its name: PREFIX, FILE.tsv or FILE.tmx; see also data.tokenizer"},
    {"data.normalize", "data.normalization"},
    {"testpref test_file test_data test_path", "data.test"},
    {"source_lang src_lang source_language", "data.source"},
    {"target_lang tgt_lang trg_lang target_language", "data.target"},
    {"lang language langs languages", "data.source and data.target are the languages"},
    {"vocabs vocab vocab_file src_vocab tgt_vocab srcdict tgtdict tokenizer_file tokenizer_name",
     "a run learns its vocabulary, of data.vocab_size tokens, or takes that of train.warm_start"},
    {"dim_vocabs vocabulary_size voc_limit nwordssrc nwordstgt src_vocab_size tgt_vocab_size num_merges bpe_operations",
     "data.vocab_size"},
    {"voc_min_freq thresholdsrc thresholdtgt min_freq", "data.min_frequency"},
    {"joined_dictionary share_vocab joint_vocab", "data.shared_vocabulary"},
    {"do_lower_case", "data.lowercase"},
    {"max_source_length max_target_length max_sent_length max_seq_length src_seq_length max_source_positions "
     "max_target_positions",
     "data.max_length"},
    {"pad_token_id", "data.pad_id"},
    {"eos_token_id", "data.eos_id"},
    {"bos_token_id decoder_start_token_id", "data.bos_id"},
    {"unk_token_id", "data.unk_id"},
    {"num_epoch_checkpoints num_update_checkpoints", "decode.average"},
    {"bpe_drop bpe_dropout_prob", "data.bpe_dropout"},
    {"sentencepiece_alphas src_subword_alpha tgt_subword_alpha subword_alpha",
     "data.bpe_dropout, or data.unigram_sampling with data.sentencepiece_model: unigram"},
    {"batch_size mini_batch mini_batch_words mini_batch_fit train_batch_size per_device_train_batch_size",
     "data.max_tokens is the batch size in tokens, or in sentences with data.batch_rule: sentences; decode.max_tokens "
     "is that of translating"},
    {"per_device_eval_batch_size eval_batch_size valid_batch_size valid_mini_batch max_tokens_valid",
     "decode.max_tokens is the batch size of translating, in tokens"},
    {"batch_type", "data.batch_rule"},

    // Model
    {"arch model_type type",
     "glossa trains encoder-decoder Transformers only; model.width, model.encoder_layers and others set their size"},
    {"d_model hidden_size hidden_dim dim_emb dim_model model_dim embed_dim embedding_dim embedding_size emb_size "
     "encoder_embed_dim decoder_embed_dim word_vec_size n_embd",
     "model.width"},
    {"num_heads nhead nheads n_head n_heads attention_heads num_attention_heads encoder_attention_heads "
     "decoder_attention_heads transformer_heads",
     "model.heads"},
    {"num_key_value_heads num_kv_heads n_kv_heads num_heads_kv n_head_kv num_query_groups", "model.key_heads"},
    {"head_dim d_kv d_head", "model.head_width"},
    {"dim_feedforward feedforward_dim ffn_dim encoder_ffn_dim decoder_ffn_dim encoder_ffn_embed_dim "
     "decoder_ffn_embed_dim transformer_dim_ffn transformer_ff ff_size d_ff d_inner intermediate_size",
     "model.feed_forward"},
    {"enc_depth enc_layers num_encoder_layers", "model.encoder_layers"},
    {"dec_depth dec_layers num_decoder_layers", "model.decoder_layers"},
    {"num_layers layers n_layer n_layers num_hidden_layers depth",
     "model.encoder_layers and model.decoder_layers are the numbers of layers"},
    {"dropout_rate hidden_dropout residual_dropout transformer_dropout", "model.dropout"},
    {"attn_dropout transformer_dropout_attention", "model.attention_dropout"},
    {"relu_dropout transformer_dropout_ffn", "model.activation_dropout"},
    {"norm_first normalize_before encoder_normalize_before decoder_normalize_before transformer_preprocess "
     "transformer_postprocess",
     "model.norm is pre or post"},
    {"add_final_layer_norm", "model.final_norm"},
    {"norm_type normalization_type use_rms_norm", "model.norm_kind is layer or rms"},
    {"layer_norm_eps layer_norm_epsilon rms_norm_eps", "model.norm_epsilon"},
    {"activation_function activation_fn hidden_act transformer_ffn_activation", "model.activation"},
    {"learned_pos encoder_learned_pos decoder_learned_pos static_position_embeddings transformer_train_positions",
     "model.positions is sinusoidal, learned, rotary or alibi"},
    {"rope_theta rotary_emb_base", "model.rotary_base"},
    {"max_position_embeddings n_positions", "model.max_positions"},
    {"share_all_embeddings share_embeddings share_decoder_embeddings share_decoder_input_output_embed "
     "share_encoder_decoder_embeddings tied_embeddings tied_embeddings_all tied_embeddings_src tied_softmax "
     "tie_word_embeddings",
     "model.tied is none, output, all or embeddings"},
    {"initializer", "model.init"},

    // Optimizer
    {"optimizer optim.type", "optim.name"},
    {"learning_rate learn_rate", "optim.lr"},
    {"adam_beta1", "optim.beta1"},
    {"adam_beta2", "optim.beta2"},
    {"betas adam_betas optimizer_params", "optim.beta1, optim.beta2 and optim.epsilon are Adam's"},
    {"adam_epsilon adam_eps", "optim.epsilon"},
    {"wd", "optim.weight_decay"},
    {"max_grad_norm clip_grad_norm grad_clip gradient_clip_val", "optim.clip_norm"},
    {"lr_scheduler lr_scheduler_type scheduler scheduling decay_method", "optim.schedule"},
    {"lr_decay_inv_sqrt", "optim.schedule: inverse_sqrt begins to lower the learning rate after optim.warmup"},
    {"warmup_steps warmup_updates num_warmup_steps lr_warmup", "optim.warmup"},
    {"warmup_ratio", "optim.warmup counts updates, or epochs such as 2e"},
    {"learning_rate_min stop_min_lr", "optim.min_lr"},
    {"total_num_update num_training_steps", "optim.total_updates"},
    {"decrease_factor lr_shrink", "optim.plateau_factor"},

    // Training
    {"epochs epoch max_epoch num_epochs n_epochs num_train_epochs after_epochs", "train.max_epochs"},
    {"max_update max_steps num_steps train_steps after_batches iterations max_iters", "train.max_updates"},
    {"after", "train.max_updates, train.max_epochs and train.max_minutes end training"},
    {"max_time max_hours stop_time_hours", "train.max_minutes limits the time, in minutes"},
    {"valid_freq validation_freq eval_steps eval_interval eval_every valid_steps validate_interval_updates",
     "train.validate_every"},
    {"validate_interval evaluation_strategy eval_strategy check_val_every_n_epoch",
     "train.validate_every is a period such as 500u (updates) or 2e (epochs)"},
    {"save_freq save_steps save_interval_updates save_checkpoint_steps", "train.save_every"},
    {"save_interval save_strategy", "train.save_every is a period such as 500u (updates) or 2e (epochs)"},
    {"disp_freq log_interval log_steps logging_steps logging_freq report_every", "train.log_every"},
    {"save_total_limit keep_checkpoint keep_last_epochs keep_last_ckpts keep_interval_updates",
     "train.keep_checkpoints"},
    {"random_seed manual_seed", "train.seed"},
    {"criterion loss", "glossa minimizes the cross-entropy, with train.label_smoothing"},
    {"label_smoothing_factor", "train.label_smoothing"},
    {"reg_alpha rdrop r_drop_alpha", "train.r_drop"},
    {"dropout_src dropout_trg src_word_dropout word_dropout_prob", "train.word_dropout"},
    {"gradient_accumulation_steps accumulate_grad_batches update_freq optimizer_delay accum_count batch_multiplier",
     "train.accumulate"},
    {"ema_decay", "train.ema"},
    {"exponential_smoothing", "train.ema is the decay of the average: 0.9999 for Marian's 1e-4"},
    {"metric_for_best_model best_checkpoint_metric early_stopping_metric eval_metric valid_metrics", "train.metric"},
    {"early_stopping_patience", "train.patience"},
    {"early_stopping", "train.patience is the number of validations without improvement that end training"},
    {"predict_with_generate", "train.decode_validation"},
    {"tensorboard_logdir report_to", "train.tensorboard: true writes events to the run's folder"},
    {"pretrained_model model_name_or_path finetune_from_model load_model", "train.warm_start"},
    {"resume_from_checkpoint restore_file train_from load_checkpoint",
     "--resume resumes a run; train.warm_start begins a new one with the weights of another"},
    {"output_dir save_dir model_dir save_model", "--run is the folder of a run"},

    // Translation
    {"beam_size num_beams beam_width", "decode.beam"},
    {"lenpen normalize beam_alpha", "decode.alpha"},
    {"max_len_a", "decode.max_length_factor"},
    {"max_len_b", "decode.max_length_extra"},
    {"decode.length_penalty", "decode.alpha"},
    {"decode.max_length max_new_tokens max_output_length generation_max_length val_max_target_length",
     "decode.max_length_factor and decode.max_length_extra limit the length of a translation"},
    {"min_len min_new_tokens", "decode.min_length"},
    {"hyp hyps hypothesis hypotheses",
     "evaluate translates the source itself; the program sacrebleu scores existing translations"},
    {"do_sample sampling output_sampling", "decode.sample"},
    {"sampling_topk topk", "decode.top_k"},
    {"sampling_topp topp nucleus", "decode.top_p"},
    {"bad_words_ids", "decode.forbidden"},
    {"renormalize_logits", "decode.renormalize"},

    // Machine
    {"device devices device_map gpu gpus gpu_id n_gpu num_gpus gpu_ranks cuda use_cuda no_cuda use_gpu use_cpu "
     "accelerator",
     "glossa runs on the CPU; runtime.threads is the number of threads"},
    {"fp16 bf16 bfloat16 int8 amp autocast mixed_precision half dtype torch_dtype compute_type quantize quantization "
     "load_in_8bit",
     "train.precision may be bf16; decode.precision and --precision of commands that translate may be bf16 or int8"},
    {"cpu_threads num_threads num_workers dataloader_num_workers workers", "runtime.threads"},
    {"world_size local_rank nproc_per_node distributed_world_size",
     "mpirun -n N glossa train ... trains in N processes; see docs/scaling.md"},
    {"workspace", "glossa takes the memory that it needs; a lower data.max_tokens needs less"},
};

// Names of other programs' command-line options, and glossa's options. If a row lists several glossa options, the first
// one that the command accepts applies.
constexpr ForeignNames command_options[] = {
    {"output_dir save_dir model_dir save_model out_dir", "run"},
    {"src src_file source_file", "source input"},
    {"input", "source test"},
    {"beam_size num_beams beam_width", "beam"},
    {"fp16 bf16 bfloat16 int8 amp autocast half dtype compute_type quantize quantise quantization load_in_8bit",
     "precision"},
    {"tgt trg tgt_file target_file ref refs", "target reference"},
    {"num_workers num_threads cpu_threads workers", "threads"},
};

std::string with_underscores(std::string_view name) {
  std::string plain(name);
  std::ranges::replace(plain, '-', '_');
  return plain;
}

const ForeignNames* find_in(std::span<const ForeignNames> rows, std::string_view name) {
  const auto row = std::ranges::find_if(rows, [&](const ForeignNames& each) { return has_name(each.names, name); });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

bool has_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

std::span<const ForeignNames> foreign_names() { return table; }

const ForeignNames* find_foreign(std::string_view name) {
  const ForeignNames* const exact = find_in(table, with_underscores(name));
  return exact != nullptr ? exact : find_in(table, with_underscores(name.substr(name.rfind('.') + 1)));
}

std::string_view foreign_options(std::string_view name) {
  const ForeignNames* const row = find_in(command_options, with_underscores(name));
  return row == nullptr ? "" : row->meaning;
}

}  // namespace glossa
