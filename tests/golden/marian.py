"""Writes tests/golden/marian/: a tiny MarianMTModel in all formats, with its logits and losses.

    pip install torch==2.13.0 transformers==5.23.0 sentencepiece==0.2.3 numpy==2.4.6
    python tests/golden/marian.py
"""

import collections
import json
import pathlib
import shutil

import numpy as np
import sentencepiece
import torch
import transformers

here = pathlib.Path(__file__).parent / "marian"
torch.manual_seed(16)

TEXT = {
    "source": ["the dog sees the cat", "a cat sees the dog", "the dogs run", "cats run to the dog", "a dog has a cat"],
    "target": ["le chien voit le chat", "un chat voit le chien", "les chiens courent", "les chats courent", "un chien"],
}


def train_pieces(folder: pathlib.Path, side: str, size: int) -> list[str]:
    model = folder / f"{side}.spm"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT[side] * 20), model_prefix=str(folder / side), vocab_size=size, model_type="bpe",
        hard_vocab_limit=False, pad_id=-1, bos_id=-1, eos_id=1, unk_id=0, minloglevel=2, num_threads=1,
        normalization_rule_name="identity")
    (folder / f"{side}.model").rename(model)
    (folder / f"{side}.vocab").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(model))
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def write_vocabularies(folder: pathlib.Path) -> dict[str, int]:
    pieces = train_pieces(folder, "source", 40) + train_pieces(folder, "target", 40)
    tokens = list(dict.fromkeys(["</s>", "<unk>", *pieces, ">>fra<<", "<pad>"]))
    vocabulary = {token: i for i, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    config = {"source_lang": "en", "target_lang": "fr", "separate_vocabs": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return vocabulary


def marian_names(state: dict[str, torch.Tensor], layers: dict[str, int]) -> dict[str, np.ndarray]:
    """The tensors as Marian names and stores them: matrices [in, out], vectors [1, n], no row for <pad>."""
    tensors = {"Wemb": state["model.shared.weight"][:-1], "decoder_ff_logit_out_b": state["final_logits_bias"][:, :-1]}
    parts = {"self": "self_attn", "context": "encoder_attn"}
    for side, depth in layers.items():
        for i in range(depth):
            theirs, ours = f"model.{side}.layers.{i}.", f"{side}_l{i + 1}_"
            for part, module in list(parts.items())[: 1 if side == "encoder" else 2]:
                for letter in "qkvo":
                    name = theirs + module + (".out_proj." if letter == "o" else f".{letter}_proj.")
                    tensors[f"{ours}{part}_W{letter}"] = state[name + "weight"].T
                    tensors[f"{ours}{part}_b{letter}"] = state[name + "bias"][None]
                tensors[f"{ours}{part}_Wo_ln_scale"] = state[theirs + module + "_layer_norm.weight"][None]
                tensors[f"{ours}{part}_Wo_ln_bias"] = state[theirs + module + "_layer_norm.bias"][None]
            for n in "12":
                tensors[f"{ours}ffn_W{n}"] = state[f"{theirs}fc{n}.weight"].T
                tensors[f"{ours}ffn_b{n}"] = state[f"{theirs}fc{n}.bias"][None]
            tensors[ours + "ffn_ffn_ln_scale"] = state[theirs + "final_layer_norm.weight"][None]
            tensors[ours + "ffn_ffn_ln_bias"] = state[theirs + "final_layer_norm.bias"][None]
    return {name: np.ascontiguousarray(tensor.numpy()) for name, tensor in tensors.items()}


def write_marian(model, vocabulary: dict[str, int]) -> None:
    """Writes model.npz and vocab.yml, to which the .spm files of huggingface/ belong."""
    folder = here / "marian"
    folder.mkdir()
    config = model.config
    options = f"""\
dec-depth: {config.decoder_layers}
dim-emb: {config.d_model}
dim-vocabs: [{config.vocab_size - 1}, {config.vocab_size - 1}]
enc-depth: {config.encoder_layers}
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-decoder-autoreg: self-attention
transformer-dim-ffn: {config.encoder_ffn_dim}
transformer-ffn-activation: swish
transformer-ffn-depth: 2
transformer-heads: {config.encoder_attention_heads}
transformer-no-projection: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-preprocess: ""
transformer-tied-layers: []
transformer-train-position-embeddings: false
type: transformer
version: v1.7.6
"""
    text = np.frombuffer(options.encode() + b"\0", dtype=np.int8)
    layers = {"encoder": config.encoder_layers, "decoder": config.decoder_layers}
    np.savez(folder / "model.npz", **marian_names(model.state_dict(), layers), **{"special:model.yml": text})
    lines = [f"{json.dumps(token, ensure_ascii=False)}: {i}\n" for token, i in vocabulary.items() if token != "<pad>"]
    (folder / "vocab.yml").write_text("".join(lines), encoding="utf-8")
    (folder / "decoder.yml").write_text(
        "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - vocab.yml\n  - vocab.yml\n"
        "beam-size: 6\nnormalize: 1\nword-penalty: 0\nmini-batch: 1\n")


def write_types() -> None:
    """Writes every type of number, a parameter, a piece of a storage, and tensors that share one."""
    shared = torch.arange(12, dtype=torch.float32) / 8
    tensors = collections.OrderedDict(
        F32=shared[:3], F64=torch.tensor([0.1, -1e300], dtype=torch.float64), F16=torch.tensor([1.5, -65504.0]).half(),
        BF16=torch.tensor([3.140625, -0.0]).bfloat16(), I64=torch.tensor([[1, -2], [1 << 40, 4]]),
        parameter=torch.nn.Parameter(shared[8:].view(2, 2)), piece=shared.view(4, 3)[1:3], scalar=torch.tensor(2.5),
        empty=torch.zeros(0, 3))
    torch.save(tensors, here / "types_zip.bin")
    torch.save(tensors, here / "types_stream.bin", _use_new_zipfile_serialization=False)
    np.savez_compressed(here / "types.npz", F32=np.arange(6, dtype=np.float32).reshape(2, 3), F64=np.array([0.1, -1e300]),
                        F16=np.array([1.5, -65504], dtype=np.float16), I64=np.array(1 << 40), U8=np.zeros(1000, np.uint8),
                        empty=np.zeros((0, 3), np.float32))
    torch.save({"t": torch.zeros(2, 3).t()}, here / "transposed.bin")


def main() -> None:
    assert transformers.__version__ == "5.23.0", transformers.__version__
    shutil.rmtree(here, ignore_errors=True)
    folder = here / "huggingface"
    folder.mkdir(parents=True)
    vocabulary = write_vocabularies(folder)
    pad = vocabulary["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary), d_model=8, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=12, decoder_ffn_dim=12, max_position_embeddings=40,
        activation_function="swish", pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0,
        forced_eos_token_id=0, scale_embedding=True, dropout=0.1)
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():  # values that identify their places
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.copy_(torch.randn_like(parameter) * 0.2 + (parameter == 1))
        model.model.shared.weight[pad] = 0
        model.final_logits_bias.copy_(torch.randn_like(model.final_logits_bias))
        model.final_logits_bias[0, pad] = 0
    model.generation_config = transformers.GenerationConfig(
        max_length=40, num_beams=4, bad_words_ids=[[pad]], decoder_start_token_id=pad, eos_token_id=0,
        forced_eos_token_id=0, pad_token_id=pad, renormalize_logits=True)
    model.save_pretrained(folder)

    # The torch.save format; older versions of transformers kept tables of positions and every tied name.
    state = model.state_dict()
    torch.save(state, here / "zip.bin")
    torch.save(state, here / "stream.bin", _use_new_zipfile_serialization=False)
    write_types()
    write_marian(model, vocabulary)

    torch.manual_seed(1)
    cases = []
    for length in [3, 7, 12]:
        source = torch.randint(2, pad - 1, (1, length))
        target = torch.randint(2, pad - 1, (1, length + 2))
        source[0, -1] = target[0, -1] = 0
        with torch.no_grad():
            out = model(input_ids=source, labels=target)
        cases.append({"source": source[0].tolist(), "target": target[0].tolist(), "loss": out.loss.item(),
                      "logits": [round(x, 7) for x in out.logits[0].flatten().tolist()]})
    (here / "logits.json").write_text(json.dumps(cases))


if __name__ == "__main__":
    main()
