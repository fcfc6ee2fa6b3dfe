#!/usr/bin/env python3
"""Writes pytorch/*.safetensors: PyTorch's results in double, with which tests/golden/*.cpp compare.

Needs torch 2.13, safetensors and numpy. Every run writes the same bytes.
Usage: python3 tests/golden/pytorch.py [FOLDER]

Sentences are rows one below the other, [N, D], with their lengths, as everywhere in glossa. PyTorch gets them as a
padded box with a key padding mask, and only rows that are not padding are kept. PyTorch's results for padding have no
counterpart, nor has a query whose keys are all masked (NaN in PyTorch, zeros in glossa).

Names are CASE/in/X (inputs), CASE/param/X, CASE/out/X (values), CASE/cotangent, and CASE/grad/X: the gradient with
respect to the input or parameter X of the sum of cotangent times CASE/out/y, or of CASE/out/loss.
"""

import math
import os
import pathlib
import sys
import warnings

# One code path of the libraries on every machine; to be set before torch is loaded.
os.environ.update(ATEN_CPU_CAPABILITY="default", MKL_CBWR="COMPATIBLE", ONEDNN_MAX_CPU_ISA="SSE41")

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pad_sequence
from torch.optim import lr_scheduler

HERE = pathlib.Path(__file__).parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "docs/examples"))
from exchange_with_pytorch import BOS, PAD, Translator

WIDTH, HEADS, HIDDEN, TOKENS = 12, 4, 20, 11
MAX_NORM = 4.0  # of training: some steps are clipped, some are not


class Golden:
    """The tensors of one file."""

    def __init__(self, name):
        torch.manual_seed(sum(name.encode()))  # a file does not depend on the others
        self.name, self.tensors = name, {}

    def __setitem__(self, name, value):
        assert name not in self.tensors
        self.tensors[name] = torch.as_tensor(value).detach().clone().contiguous()

    def gradients(self, case, inputs, parameters):
        for name, tensor in inputs.items():
            self[f"{case}/in/{name}"] = tensor
            if tensor.requires_grad:
                self[f"{case}/grad/{name}"] = tensor.grad
        for name, parameter in parameters:
            self[f"{case}/param/{name}"] = parameter
            self[f"{case}/grad/{name}"] = parameter.grad

    def values(self, case, y, inputs, parameters=()):
        """Records a case whose value is y, with a random cotangent."""
        self[f"{case}/out/y"] = y
        self[f"{case}/cotangent"] = cotangent = torch.randn_like(y)
        y.backward(cotangent)
        self.gradients(case, inputs, parameters)

    def loss(self, case, loss, inputs, parameters=()):
        """Records a case that ends in a scalar."""
        self[f"{case}/out/loss"] = loss
        loss.backward()
        self.gradients(case, inputs, parameters)

    def save(self, folder):
        save_file(self.tensors, folder / f"{self.name}.safetensors")


def leaf(*shape):
    return torch.randn(*shape).requires_grad_()


def randomized(module):
    """Draws parameters. PyTorch starts many biases at 0 and gains at 1, which would hide errors."""
    for name, parameter in module.named_parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=1.0 if name.endswith("weight") else 0.0, std=0.4)
        if name.endswith("embedding.weight"):
            nn.init.normal_(parameter)
    return module


def boxed(rows, lengths):
    return pad_sequence(rows.split(lengths), batch_first=True)


def unboxed(box, lengths):
    return torch.cat([sentence[:length] for sentence, length in zip(box, lengths)])


def blocked(lengths):
    """True where a padded box has no token."""
    return torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def attention():
    golden = Golden("attention")
    for case, queries, keys in [
        ("self", [4, 4], None),
        ("key_padding", [5, 1, 3], None),
        ("causal", [3, 5], None),
        ("cross", [2, 4, 1], [5, 3, 4]),
    ]:
        layer = randomized(nn.MultiheadAttention(WIDTH, HEADS, batch_first=True))
        inputs = {"x": leaf(sum(queries), WIDTH)}
        if keys:
            inputs["memory"] = leaf(sum(keys), WIDTH)
        query = boxed(inputs["x"], queries)
        key = boxed(inputs["memory"], keys) if keys else query
        y, weights = layer(
            query,
            key,
            key,
            key_padding_mask=blocked(keys or queries),
            attn_mask=causal(max(queries)) if case == "causal" else None,
            average_attn_weights=False,
        )
        each = [w[:, :q, :k].flatten() for w, q, k in zip(weights, queries, keys or queries)]
        golden[f"{case}/out/weights"] = torch.cat(each)
        golden[f"{case}/in/lengths"] = queries
        if keys:
            golden[f"{case}/in/memory_lengths"] = keys
        golden.values(case, unboxed(y, queries), inputs, layer.named_parameters("layer"))
    for case, queries, keys, groups in ("grouped", [3, 5], None, 2), ("one_key_head", [2, 4, 1], [5, 3, 4], 1):
        grouped_attention(golden, case, queries, keys, groups)
    return golden


def grouped_attention(golden, case, queries, keys, groups):
    """Records attention in which HEADS / groups heads of queries share a head of keys and values. It is causal without
    `keys`. PyTorch has a function for it, but no layer."""
    head = WIDTH // HEADS
    parameters = {
        "in_proj_weight": leaf((HEADS + 2 * groups) * head, WIDTH),
        "in_proj_bias": leaf((HEADS + 2 * groups) * head),
        "out_proj.weight": leaf(WIDTH, WIDTH),
        "out_proj.bias": leaf(WIDTH),
    }
    inputs = {"x": leaf(sum(queries), WIDTH)}
    if keys:
        inputs["memory"] = leaf(sum(keys), WIDTH)
    weight, bias = parameters["in_proj_weight"], parameters["in_proj_bias"]

    def heads(x, first, count):
        rows = slice(first * head, (first + count) * head)
        return nn.functional.linear(x, weight[rows], bias[rows]).unflatten(1, (count, head)).transpose(0, 1)

    joined, weights = [], []
    for x, memory in zip(inputs["x"].split(queries), inputs.get("memory", inputs["x"]).split(keys or queries)):
        q, k, v = heads(x, 0, HEADS), heads(memory, HEADS, groups), heads(memory, HEADS + groups, groups)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=not keys, enable_gqa=True)
        joined.append(y.transpose(0, 1).flatten(1))
        scores = q @ k.repeat_interleave(HEADS // groups, 0).mT / head**0.5
        weights.append((scores if keys else scores.masked_fill(causal(len(x)), -torch.inf)).softmax(-1).flatten())
    golden[f"{case}/out/weights"] = torch.cat(weights)
    golden[f"{case}/in/lengths"] = queries
    if keys:
        golden[f"{case}/in/memory_lengths"] = keys
    y = nn.functional.linear(torch.cat(joined), parameters["out_proj.weight"], parameters["out_proj.bias"])
    golden.values(case, y, inputs, [(f"layer.{name}", parameter) for name, parameter in parameters.items()])


def layers():
    golden = Golden("layers")
    source, target = [3, 5, 1], [4, 2, 3]
    for place in "pre", "post":
        for activation in "relu", "gelu":
            options = dict(dropout=0.0, activation=activation, norm_first=place == "pre", batch_first=True)
            case = f"encoder_{place}_{activation}"
            layer = randomized(nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, **options))
            inputs = {"x": leaf(sum(source), WIDTH)}
            y = layer(boxed(inputs["x"], source), src_key_padding_mask=blocked(source))
            golden[f"{case}/in/lengths"] = source
            golden.values(case, unboxed(y, source), inputs, layer.named_parameters("layer"))

            case = f"decoder_{place}_{activation}"
            layer = randomized(nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, **options))
            inputs = {"x": leaf(sum(target), WIDTH), "memory": leaf(sum(source), WIDTH)}
            y = layer(
                boxed(inputs["x"], target),
                boxed(inputs["memory"], source),
                tgt_mask=causal(max(target)),
                tgt_key_padding_mask=blocked(target),
                memory_key_padding_mask=blocked(source),
            )
            golden[f"{case}/in/lengths"] = target
            golden[f"{case}/in/memory_lengths"] = source
            golden.values(case, unboxed(y, target), inputs, layer.named_parameters("layer"))
    return golden


def operations():
    golden = Golden("operations")
    x = leaf(6, WIDTH)
    golden.values("layer_norm", nn.functional.layer_norm(x, [WIDTH]), {"x": x})
    x, layer = leaf(6, WIDTH), randomized(nn.LayerNorm(WIDTH))
    golden.values("layer_norm_affine", layer(x), {"x": x}, layer.named_parameters())
    ids, layer = torch.tensor([3, 0, 3, 10, 3, 0]), nn.Embedding(TOKENS, WIDTH)
    golden.values("embedding", layer(ids), {"ids": ids}, layer.named_parameters())
    # Means are sums divided by the number of counted rows. With no counted row PyTorch's mean is NaN, its sum 0.
    for case, smoothing, targets in [
        ("plain", 0.0, [4, 0, 10, 4, 2]),
        ("ignoring", 0.0, [4, PAD, 10, PAD, 2]),
        ("smoothed", 0.1, [4, PAD, 10, PAD, 2]),
        ("nothing_counted", 0.1, [PAD] * 5),
    ]:
        x = (3 * torch.randn(5, TOKENS)).requires_grad_()
        options = dict(ignore_index=PAD, label_smoothing=smoothing)
        targets = torch.tensor(targets)
        loss = nn.CrossEntropyLoss(reduction="sum", **options)(x, targets)
        golden[f"cross_entropy_{case}/in/smoothing"] = smoothing
        golden.loss(f"cross_entropy_{case}", loss, {"x": x, "targets": targets})
        if (targets != PAD).any():
            golden[f"cross_entropy_{case}/out/mean"] = nn.CrossEntropyLoss(**options)(x, targets)
    x = leaf(6, WIDTH)
    golden.values("rms_norm", nn.functional.rms_norm(x, [WIDTH], eps=1e-5), {"x": x})
    x, layer = leaf(6, WIDTH), randomized(nn.RMSNorm(WIDTH, eps=1e-5))
    golden.values("rms_norm_affine", layer(x), {"x": x}, layer.named_parameters())
    for case, gate in ("swiglu", nn.functional.silu), ("geglu", nn.functional.gelu):
        x = leaf(6, 2 * WIDTH)
        a, b = x.chunk(2, dim=1)
        golden.values(case, gate(a) * b, {"x": x})
    return golden


OPTIMIZERS = {
    "adam": lambda p, decay: torch.optim.Adam(p, lr=3e-3, betas=(0.9, 0.98), eps=1e-8, weight_decay=decay),
    "adamw": lambda p, decay: torch.optim.AdamW(p, lr=3e-3, betas=(0.9, 0.98), eps=1e-8, weight_decay=decay),
    "sgd": lambda p, decay: torch.optim.SGD(p, lr=3e-2, momentum=0.9, weight_decay=decay),
}


def optimizers():
    """Ten steps with given gradients, with and without weight decay."""
    golden = Golden("optimizers")
    start = {"a": torch.randn(7, 5), "b": torch.randn(3)}
    grads = {name: torch.randn(10, *p.shape) * 10 ** torch.randn(10, *p.shape) for name, p in start.items()}
    for name in start:
        golden[f"start/{name}"], golden[f"grads/{name}"] = start[name], grads[name]
    for kind, make in OPTIMIZERS.items():
        for decay in 0.0, 0.1:
            parameters = {name: p.clone().requires_grad_() for name, p in start.items()}
            optimizer = make(parameters.values(), decay)
            for step in range(10):
                for name, p in parameters.items():
                    p.grad = grads[name][step].clone()
                optimizer.step()
            for name, p in parameters.items():
                golden[f"{kind}/{'decay' if decay else 'plain'}/{name}"] = p
    for case, max_norm in ("active", 0.5), ("inactive", 1e4):
        for name, p in parameters.items():
            p.grad = grads[name][0].clone()
        golden[f"clip_{case}/max_norm"] = max_norm
        golden[f"clip_{case}/norm"] = clip_grad_norm_(parameters.values(), max_norm)
        for name, p in parameters.items():
            golden[f"clip_{case}/{name}"] = p.grad
    return golden


def schedules():
    """Learning rates of updates 1, 2, ...; the peak 0.1 is at update 5 with a warm-up, else at 1."""
    golden = Golden("schedules")
    updates, warmup, peak = 20, 5, 0.1

    def rise(o):
        return lr_scheduler.LinearLR(o, start_factor=1 / warmup, total_iters=warmup - 1)

    def cosine(o, updates):
        return lr_scheduler.CosineAnnealingLR(o, T_max=updates, eta_min=0.02)

    def linear(o, updates):
        return lr_scheduler.LinearLR(o, start_factor=1.0, end_factor=0.2, total_iters=updates)

    def after_rise(then):
        return lambda o: lr_scheduler.SequentialLR(o, [rise(o), then(o, updates - warmup)], milestones=[warmup - 1])

    for case, make in {
        "constant": lambda o: lr_scheduler.ConstantLR(o, factor=1.0),
        "constant_warmup": rise,
        "cosine": lambda o: cosine(o, updates - 1),
        "cosine_warmup": after_rise(cosine),
        "linear": lambda o: linear(o, updates - 1),
        "linear_warmup": after_rise(linear),
    }.items():
        optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=peak)
        schedule, rates = make(optimizer), []
        for _ in range(updates):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        golden[case] = rates
    for mode in "min", "max":
        optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=peak)
        schedule = lr_scheduler.ReduceLROnPlateau(optimizer, mode, factor=0.5, patience=2, threshold=0, min_lr=0.02)
        metrics, rates = torch.rand(30), []
        for metric in metrics.tolist():
            rates.append(optimizer.param_groups[0]["lr"])
            schedule.step(metric)
        golden[f"plateau_{mode}"], golden[f"plateau_{mode}/metrics"] = rates, metrics
    return golden


def sentences(lengths):
    """Random ids, without special ones."""
    return [torch.randint(4, TOKENS, (length,)) for length in lengths]


def batch(golden, case, source_lengths, target_lengths):
    source = sentences(source_lengths)
    target = sentences(target_lengths)
    before = [torch.cat([torch.tensor([BOS]), y[:-1]]) for y in target]
    for name, side in ("source", source), ("target_in", before), ("target_out", target):
        golden[f"{case}/in/{name}"] = torch.cat(side)
    golden[f"{case}/in/source_lengths"], golden[f"{case}/in/target_lengths"] = source_lengths, target_lengths
    return [pad_sequence(side, batch_first=True, padding_value=PAD) for side in (source, before, target)]


def translator(**options):
    sizes = dict(d_model=WIDTH, nhead=HEADS, num_encoder_layers=2, num_decoder_layers=2, dim_feedforward=HIDDEN)
    return Translator(TOKENS, TOKENS, dropout=0.0, **sizes, **options)


def loss_of(model, source, before, target):
    logits = model(source, before)
    return logits, nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.1)(logits.flatten(0, 1), target.flatten())


def transformer():
    golden = Golden("transformer")
    for case, options in {
        "post_relu": dict(activation="relu"),
        "pre_gelu": dict(activation="gelu", norm_first=True),
        "pre_relu_tied": dict(activation="relu", norm_first=True, tied=True),
    }.items():
        model = randomized(translator(**options))
        boxes = batch(golden, case, [3, 6, 1], [4, 2, 5])
        logits, loss = loss_of(model, *boxes)
        golden[f"{case}/out/y"] = unboxed(logits, [4, 2, 5])
        golden.loss(case, loss, {}, model.named_parameters())
    return golden


def training():
    """Ten clipped steps of a whole model, each with another batch."""
    golden = Golden("training")
    first = translator(tied=True)
    for name, parameter in first.named_parameters():
        golden[f"start/{name}"] = parameter
    boxes = [batch(golden, f"step{i}", [2 + i % 3, 4], [3, 1 + i % 4]) for i in range(10)]
    for kind, make in OPTIMIZERS.items():
        model = translator(tied=True)
        model.load_state_dict(first.state_dict())
        optimizer, norms = make(model.parameters(), 0.01 if kind == "adamw" else 0.0), []
        for each in boxes:
            optimizer.zero_grad()
            loss_of(model, *each)[1].backward()
            norms.append(clip_grad_norm_(model.parameters(), MAX_NORM))
            optimizer.step()
        golden[f"{kind}/norms"] = torch.stack(norms)
        for name, parameter in model.named_parameters():
            golden[f"{kind}/end/{name}"] = parameter
    return golden


def turned(x, places, base):
    """RoPE (Su et al. 2021) of x [T, H, K]: pairs of columns as complex numbers."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    angles = places[:, None] * base ** (-torch.arange(pairs.shape[-1]) / pairs.shape[-1])
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)[:, None]).flatten(-2)


def slopes(heads):
    """ALiBi's, as in the code of Press et al. 2022."""
    closest = 2 ** math.floor(math.log2(heads))
    start = 2 ** (-(2 ** -(math.log2(closest) - 3)))
    own = [start * start**i for i in range(closest)]
    return own if closest == heads else own + slopes(2 * closest)[0::2][: heads - closest]


def distances(places, heads):
    """ALiBi's biases [H, T, T]."""
    at = torch.arange(places, dtype=torch.float64)
    return -torch.tensor(slopes(heads))[:, None, None] * (at[:, None] - at).abs()


def relative_attention(layer, x, lengths, turn, bias, is_causal):
    """nn.MultiheadAttention of each sentence, with turn(q or k [T, H, K]) and bias(T) [H, T, T] added to the scores."""
    results = []
    for sentence in x.split(lengths):
        places = len(sentence)
        projected = nn.functional.linear(sentence, layer.in_proj_weight, layer.in_proj_bias)
        q, k, v = (part.unflatten(-1, (layer.num_heads, -1)) for part in projected.chunk(3, -1))
        scores = torch.einsum("qhc,khc->hqk", turn(q), turn(k)) / q.shape[-1] ** 0.5 + bias(places)
        if is_causal:
            scores = scores.masked_fill(causal(places), -torch.inf)
        results.append(layer.out_proj(torch.einsum("hqk,khc->qhc", scores.softmax(-1), v).flatten(-2)))
    return torch.cat(results)


def positions():
    golden = Golden("positions")
    lengths = [5, 1, 9]
    for case, is_causal, base in ("rotary", False, 10000.0), ("rotary_causal", True, 50.0):
        layer = randomized(nn.MultiheadAttention(2 * WIDTH, HEADS))
        inputs = {"x": leaf(sum(lengths), 2 * WIDTH)}
        golden[f"{case}/in/lengths"] = lengths
        golden[f"{case}/in/base"] = base
        turn = lambda x: turned(x, torch.arange(len(x)), base)
        y = relative_attention(layer, inputs["x"], lengths, turn, lambda places: 0.0, is_causal)
        golden.values(case, y, inputs, layer.named_parameters("layer"))
    for case, is_causal, heads in ("alibi", False, 4), ("alibi_causal", True, 6):
        layer = randomized(nn.MultiheadAttention(2 * WIDTH, heads))
        inputs = {"x": leaf(sum(lengths), 2 * WIDTH)}
        golden[f"{case}/in/lengths"] = lengths
        golden[f"{case}/in/heads"] = heads
        bias = lambda places: distances(places, heads)
        y = relative_attention(layer, inputs["x"], lengths, lambda x: x, bias, is_causal)
        golden.values(case, y, inputs, layer.named_parameters("layer"))
    return golden


def main(folder):
    warnings.filterwarnings("ignore", message="enable_nested_tensor")
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    folder.mkdir(parents=True, exist_ok=True)
    for make in attention, layers, operations, optimizers, schedules, transformer, training, positions:
        make().save(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "pytorch")
