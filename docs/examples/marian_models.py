"""Imports a MarianMTModel of transformers into glossa, fine-tunes and exports it, and compares what both compute.

Usage: python marian_models.py path/to/glossa    (a few minutes, no network)
Needs: pip install torch==2.13.0 transformers==5.23.0 sentencepiece==0.2.3 ctranslate2==4.8.5 safetensors==0.8.0
"""

import functools
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"

import ctranslate2
import sentencepiece
import torch
import transformers
from ctranslate2.converters import MarianConverter, TransformersConverter
from safetensors.torch import load_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

# Twenty updates with the same 32 sentences: no dropout, nothing beyond a plain loop in PyTorch.
FINE_TUNING = """
data: {train: FOLDER/few, max_tokens: 32, batch_rule: sentences}
model: {dropout: 0, attention_dropout: 0, activation_dropout: 0, embedding_dropout: 0}
optim:
  schedule: constant
  warmup: 0
  momentum: 0
  clip_norm: 0
  freeze: [generator.bias]   # final_logits_bias is not trained in PyTorch
train: {max_updates: 20, log_every: 1u, validate_every: 0, label_smoothing: 0, warm_start: FOLDER/safetensors-run}
"""

# A native glossa model that Marian's architecture can express.
OWN_TRAINING = """
data:
  train: FOLDER/toy/train
  source: en
  target: hi
  vocab_size: 400
  bos_id: 1                  # padding starts the decoder
  pad_id: 1
model:
  width: 64
  feed_forward: 128
  norm: post
  final_norm: false
  activation: silu
  sinusoid: sorted           # as in transformers
  tied: all
  output_bias: true
optim: {lr: 4e-3, warmup: 60}
train: {max_updates: 300, validate_every: 0}
decode: {search: huggingface, max_length_factor: 0, max_length_extra: 63}
"""

MAX_LENGTH = 64  # of a translation, with the token that starts the decoder
wrong = 0


def report(ok, text):
    global wrong
    wrong += not ok
    print("ok:" if ok else "WRONG:", text, flush=True)


# A small model of OPUS-MT's kind


def make_tokenizer(folder, corpus):
    """Two sentencepiece models, one vocabulary: </s> and <unk> first, <pad> last, all pieces of both between."""
    tokens = ["</s>", "<unk>"]
    for side, language in [("source", "en"), ("target", "hi")]:
        path = folder / f"{side}.spm"
        with open(path, "wb") as file:
            sentencepiece.SentencePieceTrainer.train(
                input=f"{corpus}.{language}", model_writer=file, vocab_size=300, hard_vocab_limit=False, minloglevel=2
            )
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
        tokens += [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]
    tokens = list(dict.fromkeys([*tokens, "<pad>"]))  # each once
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "en", "target_lang": "hi"}))
    return MarianTokenizer.from_pretrained(folder)


def make_model(pad):
    common = dict(pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=0)
    config = MarianConfig(
        vocab_size=pad + 1, d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, activation_function="swish",
        scale_embedding=True, max_position_embeddings=128, dropout=0.1, init_std=0.1, **common)  # fmt: skip
    model = MarianMTModel(config)
    model.final_logits_bias[0, :pad].normal_(std=0.1)  # a buffer: unchanged
    searches = dict(num_beams=4, max_length=MAX_LENGTH, bad_words_ids=[[pad]], renormalize_logits=True)
    model.generation_config = GenerationConfig(**searches, **common)
    return model


def encode(tokenizer, source, target):
    batch = tokenizer(source, text_target=target, padding=True, return_tensors="pt")
    batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
    return batch


def update(model, optimizer, batch):
    loss = model(**batch).loss
    optimizer.zero_grad()
    loss.backward()
    model.model.shared.weight.grad[-1] = 0  # the row of <pad> stays zero
    optimizer.step()
    return loss.item()


def train(model, tokenizer, source, target, updates):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.05, updates)
    model.train()
    for _ in range(updates):
        chosen = torch.randint(len(source), (64,)).tolist()
        loss = update(model, optimizer, encode(tokenizer, [source[i] for i in chosen], [target[i] for i in chosen]))
        schedule.step()
    model.eval()
    return loss


def save_formats(model, folder):
    """The weights in all formats, each in a folder of its own."""
    model.save_pretrained(folder / "safetensors")
    for name, is_zip in [("zip", True), ("stream", False)]:
        shutil.copytree(folder / "safetensors", folder / name)
        (folder / name / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / name / "pytorch_model.bin", _use_new_zipfile_serialization=is_zip)
    return ["safetensors", "zip", "stream"]


# Their results


@torch.no_grad()
def token_scores(model, tokenizer, source, target):
    """Log-probabilities of the tokens of given translations, one list a sentence."""
    batch = encode(tokenizer, source, target)
    labels = batch["labels"]
    scores = model(**batch).logits.double().log_softmax(-1).gather(2, labels.clamp(min=0)[:, :, None])[:, :, 0]
    return [row[row_labels >= 0].tolist() for row, row_labels in zip(scores, labels)]


@torch.no_grad()
def by_transformers(model, tokenizer, lines, beam):
    translations = []
    for begin in range(0, len(lines), 50):
        batch = tokenizer(lines[begin : begin + 50], padding=True, return_tensors="pt")
        translations += tokenizer.batch_decode(model.generate(**batch, num_beams=beam), skip_special_tokens=True)
    return translations


def by_ctranslate2(folder, tokenizer, lines, beam):
    """Of a converted model; that of a Marian folder appends </s> to the source itself."""
    translator = ctranslate2.Translator(folder, intra_threads=1)
    end = [] if json.loads(pathlib.Path(folder, "config.json").read_text())["add_source_eos"] else ["</s>"]
    tokens = [tokenizer.tokenize(line) + end for line in lines]
    # generate also counts start and end. With less patience a beam ends before that of generate.
    options = dict(length_penalty=1, patience=2, max_decoding_length=MAX_LENGTH - 2)
    results = translator.translate_batch(tokens, beam_size=beam, **options)
    return [tokenizer.spm_target.decode(result.hypotheses[0]) for result in results]


def compare_translations(what, judge, ours, theirs):
    """Compares translations. Two that are equally likely within float noise count as a tie: either may be found."""
    different = [i for i, (x, y) in enumerate(zip(ours, theirs, strict=True)) if x != y]
    likelihoods = {i: judge(i, [ours[i], theirs[i]]) for i in different}
    ties = sum(math.isclose(x, y, rel_tol=1e-5) for x, y in likelihoods.values())
    equal = len(ours) - len(different)
    report(equal + ties == len(ours), f"{what}: {equal} of {len(ours)} translations equal, {ties} ties")
    for i in different[:2]:
        print(f"    line {i + 1}: {ours[i]!r}, {theirs[i]!r}: {likelihoods[i]}")


def main(glossa, folder):
    def run(*arguments):
        print("glossa", *arguments, flush=True)
        done = subprocess.run([glossa, *map(str, arguments), "--quiet"], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else sys.exit(done.stderr)

    def by_glossa(name, beam):
        return run("translate", folder / name, "--input", folder / "test.en", "--beam", beam).splitlines()

    def write(name, lines):
        (folder / name).write_text("".join(line.replace("FOLDER", str(folder)) + "\n" for line in lines))
        return folder / name

    run("generate", "toy", "--out", folder / "toy", "--pairs", 10000)
    source, target = [(folder / f"toy/train.{side}").read_text().splitlines() for side in ["en", "hi"]]
    test, references = [(folder / f"toy/test.{side}").read_text().splitlines()[:200] for side in ["en", "hi"]]
    write("test.en", test)
    write("few.en", source[:32])
    write("few.hi", target[:32])

    # A transformers model
    torch.manual_seed(1)
    (folder / "safetensors").mkdir()
    tokenizer = make_tokenizer(folder / "safetensors", folder / "toy/train")
    model = make_model(tokenizer.pad_token_id)
    loss = train(model, tokenizer, source, target, updates=700)
    print(f"a model of {len(tokenizer)} tokens, trained by PyTorch to a loss of {loss:.3f}")
    formats = save_formats(model, folder)

    # Import
    checkpoints = set()
    for name in formats:
        run("import", folder / name, "--run", folder / f"{name}-run")
        checkpoints.add(json.loads(run("inspect", folder / f"{name}-run/checkpoints/last", "--json"))["sha256"])
    report(len(checkpoints) == 1, f"{', '.join(formats)}: the same checkpoint, {' '.join(s[:12] for s in checkpoints)}")

    fifty = ["--source", write("fifty.en", test[:50]), "--target", write("fifty.hi", references[:50])]
    scored = run("score", folder / "zip-run", *fifty, "--per-token", "--json")
    ours = [t["log_probability"] for line in scored.splitlines() for t in json.loads(line)["per_token"]]
    theirs = sum(token_scores(model, tokenizer, test[:50], references[:50]), [])
    difference = max(abs(x - y) for x, y in zip(ours, theirs, strict=True)) / max(map(abs, theirs))
    report(difference <= 1e-5, f"log-probabilities of {len(theirs)} tokens of 50 sentences: {difference:.1e}")

    def likelihoods(model, tokenizer, i, translations):
        """The log-probability per token that a model gives each translation of line i."""
        return [sum(s) / len(s) for s in token_scores(model, tokenizer, 2 * [test[i]], translations)]

    judge = functools.partial(likelihoods, model, tokenizer)
    found = {}
    for beam in [1, 4]:
        found[beam] = by_transformers(model, tokenizer, test, beam)
        compare_translations(f"imported, beam {beam}", judge, by_glossa("zip-run", beam), found[beam])
    right = sum(x == y for x, y in zip(found[4], references))
    print(f"{right} of {len(test)} equal the reference; {len(set(found[4]))} are distinct")

    # Fine-tuning
    batch = encode(tokenizer, source[:32], target[:32])
    config = write("fine-tuning.yaml", FINE_TUNING.splitlines())
    for name, lr, limit, optimizer in [
        ("sgd", 0.1, 1e-5, torch.optim.SGD),
        ("adam", 1e-3, 1e-4, functools.partial(torch.optim.Adam, betas=(0.9, 0.98), eps=1e-9)),
    ]:
        run("train", config, "--set", f"optim.name={name}", "--set", f"optim.lr={lr}", "--run", folder / name)
        metrics = map(json.loads, (folder / name / "metrics.jsonl").read_text().splitlines())
        ours = [line["loss"] for line in metrics if "loss" in line]
        tuned = MarianMTModel.from_pretrained(folder / "safetensors").eval()  # without dropout
        steps = optimizer(tuned.parameters(), lr=lr)
        theirs = [update(tuned, steps, batch) for _ in range(20)]
        difference = max(abs(x / y - 1) for x, y in zip(ours, theirs, strict=True))
        losses = f"from {theirs[0]:.4f} to {theirs[-1]:.4f}"
        report(difference <= limit, f"losses of 20 updates with {name}, {losses}: {difference:.1e}")

    # Export
    def export(name):
        """How likely transformers finds translations, and who translates: functions from a beam to all lines."""
        huggingface, marian = folder / f"{name}-huggingface", folder / f"{name}-marian"
        run("export", folder / name, "--huggingface", huggingface, "--marian", marian)
        model, info = MarianMTModel.from_pretrained(huggingface, output_loading_info=True)
        faults = {what: keys for what, keys in info.items() if keys}
        report(not faults, f"transformers loads {huggingface.name}; keys at fault: {faults or 'none'}")
        tokenizer = MarianTokenizer.from_pretrained(huggingface)
        TransformersConverter(str(huggingface)).convert(f"{huggingface}-ct2")
        MarianConverter(str(marian / "model.npz"), 2 * [str(marian / "vocab.yml")]).convert(f"{marian}-ct2")
        return functools.partial(likelihoods, model, tokenizer), {
            "transformers": functools.partial(by_transformers, model, tokenizer, test),
            "ct2-transformers-converter": functools.partial(by_ctranslate2, f"{huggingface}-ct2", tokenizer, test),
            "ct2-marian-converter": functools.partial(by_ctranslate2, f"{marian}-ct2", tokenizer, test),
        }

    _, translators = export("zip-run")
    there, back = (load_file(folder / name / "model.safetensors") for name in ["safetensors", "zip-run-huggingface"])
    same = there.keys() == back.keys() and all(torch.equal(there[name], back[name]) for name in there)
    report(same, f"{len(back)} tensors came back unchanged")
    for who, translate in translators.items():
        for beam in [1, 4]:
            compare_translations(f"exported, {who}, beam {beam}", judge, translate(beam), found[beam])

    # A model trained by glossa
    run("train", write("own.yaml", OWN_TRAINING.splitlines()), "--run", folder / "own")
    ours = by_glossa("own", beam=1)
    print(f"a run trained by glossa, {len(set(ours))} distinct translations")
    judge, translators = export("own")
    for who, translate in translators.items():
        compare_translations(f"glossa's own, {who}, beam 1", judge, translate(1), ours)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)  # enough for so small a model
    with tempfile.TemporaryDirectory() as temporary:
        main(sys.argv[1], pathlib.Path(temporary))
    sys.exit(wrong > 0)
