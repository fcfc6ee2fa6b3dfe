"""Moves models between glossa and PyTorch, both ways, and compares what they compute.

Usage: python exchange_with_pytorch.py path/to/glossa    (needs torch, safetensors)
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from safetensors.torch import load_file, load_model, save_model
from torch import nn
from torch.nn.utils.rnn import pad_sequence

UNK, PAD, BOS, EOS = range(4)  # glossa's defaults


class Embedding(nn.Module):
    """Token embeddings times sqrt(D), plus sinusoids of the positions."""

    def __init__(self, tokens, width, positions=1024):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
        angles = torch.arange(positions)[:, None] * 10000.0**-exponents
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(positions, width)
        self.register_buffer("positions", table.to(self.embedding.weight.dtype), persistent=False)

    def forward(self, ids):
        return math.sqrt(self.embedding.embedding_dim) * self.embedding(ids) + self.positions[: ids.shape[1]]


class Translator(nn.Transformer):
    """nn.Transformer with embeddings and output projection: its parameters have glossa's names."""

    def __init__(self, source_tokens, target_tokens, tied=False, **options):
        super().__init__(batch_first=True, **options)
        self.src_tok_emb = Embedding(source_tokens, self.d_model)
        self.tgt_tok_emb = Embedding(target_tokens, self.d_model)
        self.generator = nn.Linear(self.d_model, target_tokens)
        if tied:
            self.generator.weight = self.tgt_tok_emb.embedding.weight

    def forward(self, source, target):
        length = target.shape[1]
        states = super().forward(
            self.src_tok_emb(source),
            self.tgt_tok_emb(target),
            tgt_mask=torch.ones(length, length, dtype=torch.bool).triu(1),
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return self.generator(states)


def read_vocabulary(path):
    return {token: i for i, token in enumerate(path.read_text().split("\n")[1:-1])}


def encode(path, vocabulary):
    lines = path.read_text().splitlines()
    ids = [torch.tensor([vocabulary.get(word, UNK) for word in line.split()] + [EOS]) for line in lines]
    return pad_sequence(ids, batch_first=True, padding_value=PAD)


def loss_of(model, source, target):
    """Natural-log cross-entropy per target token, the number that `glossa evaluate` prints."""
    before = torch.cat([torch.full((len(target), 1), BOS), target[:, :-1]], dim=1)
    with torch.no_grad():
        logits = model.eval()(source, before)
    return nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD).item()


def main(glossa, folder):
    def run(*arguments):
        print("glossa", *arguments, flush=True)
        command = [glossa, *map(str, arguments)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def compare(name, model):
        text = ["--source", folder / "toy/test.en", "--reference", folder / "toy/test.hi"]
        by_glossa = json.loads(run("evaluate", folder / name, *text, "--json"))["loss"]
        by_pytorch = loss_of(model, source, target)
        print(f"loss by glossa {by_glossa:.7f}, by PyTorch {by_pytorch:.7f}")
        assert math.isclose(by_glossa, by_pytorch, rel_tol=1e-5)

    config = pathlib.Path(__file__).parents[2] / "recipes/toy.yaml"
    data = ["--set", f"data.train={folder}/toy/train", "--set", f"data.valid={folder}/toy/valid"]
    run("generate", "toy", "--out", folder / "toy", "--pairs", 4000)
    run("train", config, *data, "--set", "train.max_updates=30", "--run", folder / "run")
    source_vocabulary = read_vocabulary(folder / "run/source.vocabulary.txt")
    target_vocabulary = read_vocabulary(folder / "run/target.vocabulary.txt")
    source = encode(folder / "toy/test.en", source_vocabulary)
    target = encode(folder / "toy/test.hi", target_vocabulary)
    options = dict(d_model=128, nhead=4, num_encoder_layers=2, num_decoder_layers=2, dim_feedforward=256)

    def translator():
        return Translator(len(source_vocabulary), len(target_vocabulary), tied=True, **options)

    # glossa -> PyTorch
    run("export", folder / "run", "--safetensors", folder / "glossa.safetensors")
    model = translator()
    load_model(model, folder / "glossa.safetensors")  # strict
    compare("run", model)

    # ... the encoder and decoder alone, into a plain nn.Transformer
    plain = nn.Transformer(**options, batch_first=True)
    weights = load_file(folder / "glossa.safetensors")
    plain.load_state_dict({name: weights[name] for name in plain.state_dict()})

    # PyTorch -> glossa
    torch.manual_seed(1)
    model = translator()
    save_model(model, folder / "pytorch.safetensors")
    run("import", folder / "pytorch.safetensors", config, *data, "--run", folder / "imported")
    compare("imported", model)

    # ... and back: bit for bit equal
    run("export", folder / "imported", "--safetensors", folder / "back.safetensors")
    there, back = load_file(folder / "pytorch.safetensors"), load_file(folder / "back.safetensors")
    assert there.keys() == back.keys() and all(torch.equal(there[name], back[name]) for name in there)
    print(f"{len(back)} tensors came back unchanged")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="The PyTorch API of nested tensors")
    with tempfile.TemporaryDirectory() as temporary:
        main(sys.argv[1], pathlib.Path(temporary))
