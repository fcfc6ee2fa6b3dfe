#!/usr/bin/env python3
"""Writes articles/article-N.safetensors: the results of the five articles of docs/articles.md, by NumPy in double.
tests/golden/articles_test.cpp compares with them.

Needs numpy. Every run writes the same bytes, since sums run in a fixed order, without a matrix library, and functions
are the C library's. Usage: python3 tests/golden/articles.py [FOLDER]

Names are CASE/in/X (inputs), CASE/param/X (weights, named and shaped as in glossa and PyTorch), CASE/out/X (values).
CASE `system` is a whole model: the article's if that can learn, else completed or mended as in its recipe. Embeddings
and output, which articles 1 and 3 lack, are plain, neither scaled nor tied. The other cases are parts, computed as the
article prints them, except for the additive similarity, which is mended. Sentences are computed in a padded box with
masks, as in the articles, and kept as rows one below the other with their lengths.
"""

import json
import math
import pathlib
import struct
import sys

import numpy as np

WIDTH, HEADS, HIDDEN, TOKENS, LAYERS = 8, 2, 12, 9, 2
SOURCE, TARGET = [4, 2, 5], [3, 5, 1]  # lengths of sentences


class Golden:
    """The tensors of one file."""

    def __init__(self, article):
        self.article, self.tensors = article, {}
        self.random = np.random.Generator(np.random.PCG64(article))

    def __setitem__(self, name, value):
        assert name not in self.tensors
        self.tensors[name] = np.array(value, dtype=np.float64, order="C")

    def draw(self, name, *shape, mean=0.0, deviation=1.0):
        """A random input, recorded."""
        self[name] = mean + deviation * self.random.standard_normal(shape)
        return self.tensors[name]

    def weights(self, case, shapes):
        """Random weights, recorded; gains about 1."""
        return {
            name: self.draw(f"{case}/param/{name}", *shape, mean="norm" in name and name.endswith("weight"), deviation=0.4)
            for name, shape in shapes.items()
        }

    def save(self, folder):
        """github.com/huggingface/safetensors: length of the header, header, tensors; by name."""
        header, end = {}, 0
        for name, tensor in sorted(self.tensors.items()):
            begin, end = end, end + tensor.nbytes
            header[name] = {"dtype": "F64", "shape": list(tensor.shape), "data_offsets": [begin, end]}
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        with open(folder / f"article-{self.article}.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for name in sorted(self.tensors):
                file.write(self.tensors[name].astype("<f8").tobytes())


# ---- common parts ----


def matmul(a, b):
    """a @ b, with the sum over the inner axis in its order."""
    y = a[..., :, 0, None] * b[..., None, 0, :]
    for k in range(1, a.shape[-1]):
        y = y + a[..., :, k, None] * b[..., None, k, :]
    return y


def total(x, axis):
    """The sum along an axis, in its order."""
    return sum(np.moveaxis(x, axis, 0)[1:], start=np.moveaxis(x, axis, 0)[0])


def elementwise(function):
    return np.vectorize(function, otypes=[np.float64])


exp, tanh, sin, cos = map(elementwise, (math.exp, math.tanh, math.sin, math.cos))
gelu = elementwise(lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))))


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    e = exp(x - x.max(axis=-1, keepdims=True))
    return e / total(e, -1)[..., None]


def moments(x):
    """Mean and variance over the last axis, kept as an axis."""
    mean = total(x, -1)[..., None] / x.shape[-1]
    return mean, total((x - mean) ** 2, -1)[..., None] / x.shape[-1]


def linear(p, scope, x):
    y = matmul(x, p[scope + ".weight"].T)
    return y + p[scope + ".bias"] if scope + ".bias" in p else y


def split_heads(x, heads):
    """[B, T, H K] -> [B, H, T, K]"""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def join_heads(x):
    x = x.swapaxes(1, 2)
    return x.reshape(*x.shape[:2], -1)


def scaled_dot(q, k):
    return matmul(q, k.swapaxes(-1, -2)) / math.sqrt(q.shape[-1])


def multi_head(p, scope, queries, memory, may_attend, similarity=scaled_dot):
    """Output [B, T, D] and weights [B, H, T, S]; may_attend [B, 1 or T, S]."""
    w = np.split(p[scope + ".in_proj_weight"], 3)
    b = np.split(p[scope + ".in_proj_bias"], 3) if scope + ".in_proj_bias" in p else [0, 0, 0]
    q, k, v = (
        split_heads(matmul(x, weight.T) + bias, HEADS) for x, weight, bias in zip((queries, memory, memory), w, b)
    )
    weights = softmax(np.where(may_attend[:, None], similarity(q, k), -1e9))
    return linear(p, scope + ".out_proj", join_heads(matmul(weights, v))), weights


def sinusoid(positions, width, frequency):
    """sin in even columns, cos in odd ones; frequency(i) of column i."""
    angle = np.arange(positions)[:, None] * elementwise(frequency)(np.arange(width))
    return np.where(np.arange(width) % 2 == 0, sin(angle), cos(angle))


def published_frequency(i):
    return 10000.0 ** (-(i - i % 2) / WIDTH)


def boxed(ids, lengths):
    box, at = np.zeros((len(lengths), max(lengths)), dtype=int), 0
    for row, length in zip(box, lengths):
        row[:length] = ids[at : at + length]
        at += length
    return box


def unboxed(box, lengths):
    return np.concatenate([sentence[:length] for sentence, length in zip(box, lengths)])


def known(lengths):
    """[B, 1, T]: true where a box has a token."""
    return np.arange(max(lengths)) < np.array(lengths)[:, None, None]


def not_later(length):
    return np.tril(np.ones((1, length, length), dtype=bool))


# ---- whole models ----


class System:
    """An encoder-decoder with an article's particulars."""

    activation = staticmethod(relu)
    frequency = staticmethod(published_frequency)
    factor = 1.0  # of embeddings
    hidden = HIDDEN
    inner = WIDTH  # of all heads together
    attention_bias = output_bias = feed_forward_bias = final_norm = one_table = False
    norm_shapes = {}

    def norm(self, p, scope, x):
        raise NotImplementedError

    def shapes(self):
        s = {}

        def attention(scope):
            s[scope + ".in_proj_weight"] = 3 * self.inner, WIDTH
            s[scope + ".out_proj.weight"] = WIDTH, self.inner
            if self.attention_bias:
                s[scope + ".out_proj.bias"] = (WIDTH,)

        def dense(scope, outputs, inputs, bias):
            s[scope + ".weight"] = outputs, inputs
            if bias:
                s[scope + ".bias"] = (outputs,)

        def norm(scope):
            s.update({f"{scope}.{name}": shape for name, shape in self.norm_shapes.items()})

        for side, norms in ("encoder", 2), ("decoder", 3):
            for i in range(LAYERS):
                layer = f"{side}.layers.{i}"
                attention(layer + ".self_attn")
                if side == "decoder":
                    attention(layer + ".multihead_attn")
                dense(layer + ".linear1", self.hidden or WIDTH, WIDTH, self.feed_forward_bias)
                if self.hidden:
                    dense(layer + ".linear2", WIDTH, self.hidden, self.feed_forward_bias)
                for n in range(norms):
                    norm(f"{layer}.norm{n + 1}")
            if self.final_norm:
                norm(side + ".norm")
        for table in ["tok_emb"] if self.one_table else ["src_tok_emb", "tgt_tok_emb"]:
            s[table + ".embedding.weight"] = TOKENS, WIDTH
        dense("generator", TOKENS, WIDTH, self.output_bias)
        return s

    def feed_forward(self, p, scope, x):
        if not self.hidden:
            return linear(p, scope + ".linear1", x)
        return linear(p, scope + ".linear2", self.activation(linear(p, scope + ".linear1", x)))

    def embed(self, p, side, ids):
        table = p["tok_emb.embedding.weight" if self.one_table else side + "_tok_emb.embedding.weight"]
        one_hot = np.eye(TOKENS)[ids]
        return matmul(one_hot, table[None]) * self.factor + sinusoid(ids.shape[1], WIDTH, self.frequency)

    def encode(self, p, ids, mask):
        x = self.embed(p, "src", ids)
        for i in range(LAYERS):
            layer = f"encoder.layers.{i}"
            x = self.norm(p, layer + ".norm1", x + multi_head(p, layer + ".self_attn", x, x, mask)[0])
            x = self.norm(p, layer + ".norm2", x + self.feed_forward(p, layer, x))
        return self.norm(p, "encoder.norm", x) if self.final_norm else x

    def decode(self, p, ids, memory, mask, memory_mask):
        x = self.embed(p, "tgt", ids)
        for i in range(LAYERS):
            layer = f"decoder.layers.{i}"
            x = self.norm(p, layer + ".norm1", x + multi_head(p, layer + ".self_attn", x, x, mask)[0])
            x = self.norm(p, layer + ".norm2", x + multi_head(p, layer + ".multihead_attn", x, memory, memory_mask)[0])
            x = self.norm(p, layer + ".norm3", x + self.feed_forward(p, layer, x))
        return self.norm(p, "decoder.norm", x) if self.final_norm else x

    def record(self, golden):
        """The case `system`."""
        p = golden.weights("system", self.shapes())
        boxes = []
        for side, lengths in ("source", SOURCE), ("target", TARGET):
            golden[f"system/in/{side}"] = ids = golden.random.integers(1, TOKENS, sum(lengths))
            golden[f"system/in/{side}_lengths"] = lengths
            boxes.append(boxed(ids, lengths))
        source, target = boxes
        memory = self.encode(p, source, known(SOURCE))
        states = self.decode(p, target, memory, known(TARGET) & not_later(max(TARGET)), known(SOURCE))
        logits = linear(p, "generator", states)
        golden["system/out/memory"] = unboxed(memory, SOURCE)
        golden["system/out/logits"] = unboxed(logits, TARGET)
        golden["system/out/probabilities"] = unboxed(softmax(logits), TARGET)


# ---- the articles ----


class Article0(System):
    feed_forward_bias = True
    norm_shapes = {"weight": (WIDTH,), "bias": (WIDTH,)}

    def norm(self, p, scope, x):
        mean, variance = moments(x)
        return p[scope + ".weight"] * (x - mean) / np.sqrt(variance + 1e-6) + p[scope + ".bias"]


class Article1(System):
    def norm(self, p, scope, x):
        mean, variance = moments(x)
        return (x - mean) / np.sqrt(variance + 1e-5)

    def parts(self, golden):
        """Attention with an additive mask and the block around it, with K in the query's role; batched products."""
        x = golden.draw("block/in/x", 3, 4, WIDTH)
        p = golden.weights(
            "block",
            {
                "layer.self_attn.in_proj_weight": (3 * WIDTH, WIDTH),
                "layer.self_attn.out_proj.weight": (WIDTH, WIDTH),
                "layer.linear1.weight": (HIDDEN, WIDTH),
                "layer.linear2.weight": (WIDTH, HIDDEN),
            },
        )
        golden["block/in/mask"] = mask = np.triu(np.full((4, 4), -np.inf), 1)
        packed = matmul(x, p["layer.self_attn.in_proj_weight"].T)
        k, q, v = (split_heads(part, HEADS) for part in np.split(packed, 3, axis=-1))
        weights = softmax(matmul(k, q.swapaxes(-1, -2)) / math.sqrt(WIDTH // HEADS) + mask)
        attended = linear(p, "layer.self_attn.out_proj", join_heads(matmul(weights, v)))
        golden["block/out/attended"], golden["block/out/weights"] = attended, weights
        golden["block/out/mean_weights"] = total(weights, 1) / HEADS
        z = self.norm(p, "", attended + x)
        golden["block/out/y"] = self.norm(p, "", z + linear(p, "layer.linear2", relu(linear(p, "layer.linear1", z))))
        for rank, batch in (3, (3,)), (4, (2, 3)):
            a, b = (golden.draw(f"matmul{rank}/in/{name}", *batch, *s) for name, s in (("a", (5, 4)), ("b", (4, 3))))
            golden[f"matmul{rank}/out/y"] = matmul(a, b)


class Article2(System):
    hidden = 0
    inner = HEADS * WIDTH
    one_table = True
    norm_shapes = {"weight": (1,)}

    @staticmethod
    def frequency(i):
        return 10000.0 ** (-2 * i / WIDTH)

    def norm(self, p, scope, x):  # of one token, with an epsilon
        mean, variance = moments(x)
        return p[scope + ".weight"] * (x - mean) / np.sqrt(variance + 1e-5)

    def parts(self, golden):
        self.similarities(golden)
        self.as_printed(golden)

    @staticmethod
    def similarities(golden):
        """Cross-attention with each of the four similarities."""
        x, memory = golden.draw("similarity/in/x", 1, 3, WIDTH), golden.draw("similarity/in/memory", 1, 5, WIDTH)
        for name in "dot", "scaled_dot", "general", "additive":
            case, head = f"similarity_{name}", WIDTH // HEADS
            shapes = {"layer.in_proj_weight": (3 * WIDTH, WIDTH), "layer.out_proj.weight": (WIDTH, WIDTH)}
            if name == "general":
                shapes["layer.similarity_weight"] = HEADS, head, head
            if name == "additive":
                shapes["layer.similarity_vector"] = HEADS, head
            p = golden.weights(case, shapes)
            function = {
                "dot": lambda q, k: matmul(q, k.swapaxes(-1, -2)),
                "scaled_dot": scaled_dot,
                "general": lambda q, k: matmul(matmul(q, p["layer.similarity_weight"]), k.swapaxes(-1, -2)),
                "additive": lambda q, k: total(
                    p["layer.similarity_vector"][:, None, None] * tanh(q[..., :, None, :] + k[..., None, :, :]), -1
                ),
            }[name]
            everything = np.ones((1, 1, 5), dtype=bool)
            y, weights = multi_head(p, "layer", x, memory, everything, function)
            golden[f"{case}/out/y"], golden[f"{case}/out/weights"] = y[0], weights[0]

    @staticmethod
    def as_printed(golden):
        """Encoder and decoder as the article has them, with minus signs where its copy lost them."""

        def layer_norm(x):  # over the whole input
            mean, variance = moments(x.reshape(-1))
            return (x - mean) / np.sqrt(variance)

        def attend(p, scope, queries, memory, blocked=None):
            wq, wk, wv = (w.reshape(HEADS, WIDTH, WIDTH) for w in np.split(p[scope + ".in_proj_weight"], 3))
            outputs = []
            for h in range(HEADS):
                q, k, v = matmul(queries, wq[h].T), matmul(memory, wk[h].T), matmul(memory, wv[h].T)
                similarity = exp(matmul(q, k.T) / WIDTH**0.5)
                if blocked is not None:
                    similarity = np.where(blocked, 0.0, similarity)
                whole = total(similarity, 1)[:, None]
                outputs.append(matmul(similarity, v) / (whole if blocked is None else whole + 0.0000001))
            return matmul(np.concatenate(outputs, axis=1), p[scope + ".out_proj.weight"].T)

        shapes = {
            f"{block}.{part}.{weight}": shape
            for block, parts in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "multihead_attn"]))
            for part in parts
            for weight, shape in (
                ("in_proj_weight", (3 * HEADS * WIDTH, WIDTH)),
                ("out_proj.weight", (WIDTH, HEADS * WIDTH)),
            )
        }
        shapes |= {"encoder.linear1.weight": (WIDTH, WIDTH), "decoder.linear1.weight": (WIDTH, WIDTH)}
        shapes |= {"generator.weight": (TOKENS, WIDTH)}
        p = golden.weights("printed", shapes)
        x, y = golden.draw("printed/in/source", 4, WIDTH), golden.draw("printed/in/target", 3, WIDTH)

        normed = layer_norm(attend(p, "encoder.self_attn", x, x) + x)
        block = layer_norm(matmul(normed, p["encoder.linear1.weight"].T) + normed)
        golden["printed/out/block"] = block  # the first of two: the article's encoder of two returns it
        later = np.tril(np.ones((3, 3), dtype=bool))  # key i is blocked for queries i, i + 1, ...
        first = layer_norm(attend(p, "decoder.self_attn", y, y, later) + y)
        second = layer_norm(attend(p, "decoder.multihead_attn", first, block) + first)
        last = layer_norm(matmul(second, p["decoder.linear1.weight"].T) + first)
        golden["printed/out/states"] = last
        golden["printed/out/probabilities"] = softmax(matmul(last[-1:], p["generator.weight"].T))


class Article3(System):
    activation = staticmethod(gelu)
    hidden = 4 * WIDTH
    feed_forward_bias = True

    def norm(self, p, scope, x):
        mean, variance = moments(x)
        return (x - mean) / (np.sqrt(variance) + 1e-12)

    def parts(self, golden):
        """Encoder and decoder as the article has them: scores key @ query^T, epsilon added to the norm's inputs and
        outputs, one set of weights per side. Slices of the encoder's output are spliced into the decoder's second
        attention."""
        epsilon = 1e-12

        def norm(x):
            mean, variance = moments(x + epsilon)
            return (x + epsilon - mean) / np.sqrt(variance) + epsilon

        def attend(p, x, mask=0.0):
            packed = matmul(x, p["layer.self_attn.in_proj_weight"].T)
            query, key, value = (split_heads(part, HEADS) for part in np.split(packed, 3, axis=-1))
            weights = softmax(matmul(key, query.swapaxes(-1, -2)) / math.sqrt(WIDTH // HEADS) + mask)
            return linear(p, "layer.self_attn.out_proj", join_heads(matmul(weights, value)))

        def feed_forward(p, x):
            return linear(p, "layer.linear2", relu(linear(p, "layer.linear1", x)))

        shapes = {
            "layer.self_attn.in_proj_weight": (3 * WIDTH, WIDTH),
            "layer.self_attn.out_proj.weight": (WIDTH, WIDTH),
            "layer.linear1.weight": (HIDDEN, WIDTH),
            "layer.linear2.weight": (WIDTH, HIDDEN),
        }
        encoder, decoder = golden.weights("encoder", shapes), golden.weights("decoder", shapes)
        source, target = golden.draw("encoder/in/x", 2, 4, WIDTH), golden.draw("decoder/in/x", 2, 4, WIDTH)
        golden["decoder/in/mask"] = mask = np.triu(np.full((4, 4), -np.inf), 1)

        residual = norm(source + attend(encoder, source))
        golden["encoder/out/y"] = memory = norm(residual + feed_forward(encoder, residual))

        residual = norm(target + attend(decoder, target))
        quarter, half = WIDTH // 4, WIDTH // 2
        one, other = np.split(memory, 2, axis=-1)
        spliced = np.concatenate((one[..., :quarter], other[..., :quarter], residual[..., :half]), axis=-1)
        golden["decoder/out/spliced"] = spliced
        residual = norm(memory + attend(decoder, spliced, mask))
        golden["decoder/out/y"] = norm(residual + feed_forward(decoder, residual))


class Article4(System):
    factor = math.sqrt(WIDTH)
    attention_bias = output_bias = feed_forward_bias = final_norm = True
    norm_shapes = {"weight": (1,), "bias": (1,)}

    @staticmethod
    def frequency(i):  # its form of the published one, with the minus sign
        return math.exp((i - i % 2) * -(math.log(10000.0) / WIDTH))

    def norm(self, p, scope, x):
        mean, variance = moments(x)
        return p[scope + ".weight"] * (x - mean) / np.sqrt(variance + 1e-6) + p[scope + ".bias"]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for number, article in enumerate([Article0(), Article1(), Article2(), Article3(), Article4()]):
        golden = Golden(number)
        article.record(golden)
        if hasattr(article, "parts"):
            article.parts(golden)
        golden.save(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "articles")
