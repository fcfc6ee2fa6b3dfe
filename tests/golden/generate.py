#!/usr/bin/env python3
"""Writes generate/search.safetensors, the translations that `generate` of transformers finds with a small
MarianMTModel. tests/golden/search_test.cpp compares with them.

Needs torch 2.13, transformers 5.23, safetensors and numpy. Every run writes the same bytes.
Usage: python3 tests/golden/generate.py [FOLDER [SENTENCES [WIDTH [SEED [UPDATES]]]]]

The model learns for some seconds to reverse sentences, so that its translations end while it is still uncertain. Names
are param/X (glossa's), in/source with in/source_lengths, and for each setting CASE/beam, CASE/alpha,
CASE/renormalize, CASE/max_length (of generate: with the start token), CASE/out with CASE/out_lengths (without start
token and </s>), and CASE/scores (beams only). A sentence is left out if its translation, in any setting, changes when
all weights change by a ten-thousandth: it has two that are equally good.
"""

import copy
import os
import pathlib
import sys

# One code path of the libraries on every machine; to be set before torch is loaded.
os.environ.update(ATEN_CPU_CAPABILITY="default", MKL_CBWR="COMPATIBLE", ONEDNN_MAX_CPU_ISA="SSE41")

import torch
from safetensors.torch import save_file
from transformers import MarianConfig, MarianMTModel

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "generate")
SENTENCES, WIDTH, SEED, UPDATES = [int(x) for x in sys.argv[2:]] + [60, 16, 1, 800][len(sys.argv[2:]) :]
EOS, UNK, PAD, TOKENS, LONGEST = 0, 1, 23, 24, 9

torch.set_num_threads(1)
torch.manual_seed(SEED)


def make_model():
    config = MarianConfig(
        vocab_size=TOKENS, d_model=WIDTH, encoder_layers=2, decoder_layers=1, encoder_ffn_dim=2 * WIDTH,
        decoder_ffn_dim=2 * WIDTH, encoder_attention_heads=2, decoder_attention_heads=2, max_position_embeddings=32,
        activation_function="swish", scale_embedding=True, dropout=0.0, init_std=0.3, pad_token_id=PAD,
        decoder_start_token_id=PAD, eos_token_id=EOS, forced_eos_token_id=EOS)
    model = MarianMTModel(config)
    with torch.no_grad():
        model.get_input_embeddings().weight[PAD] = 0
        model.final_logits_bias[0, :PAD].normal_(std=0.2)
    return model


def sentences(count):
    return [[int(x) for x in torch.randint(2, PAD, (int(torch.randint(1, LONGEST, ())),))] + [EOS] for _ in range(count)]


def padded(lists, first=None):
    lists = [([] if first is None else [first]) + x for x in lists]
    longest = max(map(len, lists))
    return torch.tensor([x + [PAD] * (longest - len(x)) for x in lists])


def train(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(UPDATES):
        source = sentences(32)
        target = [x[-2::-1] + [EOS] for x in source]
        x, y = padded(source), padded(target)
        logits = model(x, attention_mask=(x != PAD).long(), decoder_input_ids=padded([t[:-1] for t in target], PAD)).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        model.get_input_embeddings().weight.grad[PAD] = 0
        optimizer.step()
    return loss.item()


SETTINGS = {f"beam{beam}_alpha{alpha:g}{'_renormalized' * renormalize}_{most}": (beam, alpha, renormalize, most)
            for beam, alpha, renormalize, most in [
                (1, 1.0, False, 32), (1, 1.0, True, 6), (2, 1.0, True, 32), (4, 0.0, False, 32), (4, 0.6, True, 32),
                (4, 1.0, False, 32), (4, 1.0, True, 32), (4, 1.0, True, 7), (4, 1.5, False, 12), (6, 2.0, True, 32)]}


def generated(model, source, beam, alpha, renormalize, most):
    """Tokens without start and end, and scores."""
    x = padded(source)
    options = {"length_penalty": alpha, "early_stopping": False} if beam > 1 else {}
    out = model.generate(x, attention_mask=(x != PAD).long(), num_beams=beam, do_sample=False, max_length=most,
                         bad_words_ids=[[PAD]], renormalize_logits=renormalize, return_dict_in_generate=True,
                         output_scores=True, **options)
    tokens = []
    for row in out.sequences[:, 1:].tolist():
        tokens.append(row[: row.index(EOS)] if EOS in row else row)
    return tokens, out.sequences_scores.tolist() if beam > 1 else [0.0] * len(source)


def glossa_names(model):
    """Weights under the names of torch.nn.Transformer."""
    state = model.state_dict()
    parameters = {"tok_emb.embedding.weight": state["model.shared.weight"],
                  "generator.bias": state["final_logits_bias"][0]}
    for side in "encoder", "decoder":
        for i in range(getattr(model.config, f"{side}_layers")):
            old, new = f"model.{side}.layers.{i}.", f"{side}.layers.{i}."
            norms = ["self_attn_layer_norm"] + ["encoder_attn_layer_norm"] * (side == "decoder") + ["final_layer_norm"]
            for kind in "weight", "bias":
                for there, here in {"fc1": "linear1", "fc2": "linear2"}.items():
                    parameters[f"{new}{here}.{kind}"] = state[f"{old}{there}.{kind}"]
                for k, norm in enumerate(norms, 1):
                    parameters[f"{new}norm{k}.{kind}"] = state[f"{old}{norm}.{kind}"]
                for there, here in {"self_attn": "self_attn", "encoder_attn": "multihead_attn"}.items():
                    if side == "encoder" and there == "encoder_attn":
                        continue
                    parts = [state[f"{old}{there}.{x}_proj.{kind}"] for x in "qkv"]
                    parameters[f"{new}{here}.in_proj_{kind}"] = torch.cat(parts)
                    parameters[f"{new}{here}.out_proj.{kind}"] = state[f"{old}{there}.out_proj.{kind}"]
    return parameters


def flat(golden, name, lists):
    golden[name] = torch.tensor([x for one in lists for x in one])
    golden[name + "_lengths"] = torch.tensor([len(one) for one in lists])


model = make_model()
loss = train(model)
model.eval()
source = sentences(SENTENCES)
found = {case: generated(model, source, *setting) for case, setting in SETTINGS.items()}
stable = set(range(len(source)))
for _ in range(3):
    other = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter *= 1 + 1e-4 * torch.randn_like(parameter)
    for case, setting in SETTINGS.items():
        tokens, _ = generated(other, source, *setting)
        stable -= {i for i in stable if tokens[i] != found[case][0][i]}
kept = sorted(stable)

golden = {"param/" + name: tensor.detach().clone().contiguous() for name, tensor in glossa_names(model).items()}
flat(golden, "in/source", [source[i] for i in kept])
for case, (beam, alpha, renormalize, most) in SETTINGS.items():
    tokens, scores = found[case]
    flat(golden, case + "/out", [tokens[i] for i in kept])
    golden[case + "/scores"] = torch.tensor([scores[i] for i in kept], dtype=torch.float64)
    for name, value in {"beam": beam, "alpha": alpha, "renormalize": renormalize, "max_length": most}.items():
        golden[f"{case}/{name}"] = torch.tensor([float(value)], dtype=torch.float64)
FOLDER.mkdir(parents=True, exist_ok=True)
save_file(golden, FOLDER / "search.safetensors")
right = sum(found["beam4_alpha1_32"][0][i] == source[i][-2::-1] for i in range(len(source)))
print(f"loss {loss:.3f}, {right} of {len(source)} reversed, {len(kept)} kept")
