"""Hints for users of PyTorch: glossa's counterparts of its names and options."""

from __future__ import annotations

from typing import Any

_CPU = "glossa computes on the CPU; glossa.set_threads sets the number of threads"
_DTYPE = "the type of a model is chosen by init(dtype=numpy.float64); the default is float32"
_TRAINING = "dropout is active in a step with training: with glossa.step(training=True)"
_BF16 = 'with glossa.step(precision="bf16") computes products in bfloat16; parameters stay float32'
_RECORDING = "with glossa.step(recording=False) computes without gradients"
_ARRAY = "arguments may be arrays of NumPy; glossa.constant and glossa.variable make Variables of them"
_FILES = "model.save(path) and model.load(path) use safetensors files; glossa.save_training keeps the optimizer as well"
_LIST = "keep the modules in a list: self.layers = [...]"
_SEED = "seeds are arguments: model.init(seed=1) and glossa.step(seed=1)"
_HERE = "layers, ops and optimizers are in glossa itself, as glossa.Linear, glossa.relu and glossa.Adam"
_SOFTMAX_LOSS = "glossa.cross_entropy(logits, targets) includes the softmax"
_SCHEDULE = "glossa.Schedule(...), with optimizer.step(lr=schedule(update))"
_RESHAPE = "reshape(...)"

HINTS = {
    # names of modules
    "train": _TRAINING,
    "eval": "dropout is active only in a step with training, and not in glossa.step()",
    "to": f"{_DTYPE}; {_CPU}",
    "cpu": _CPU,
    "cuda": _CPU,
    "float": _DTYPE,
    "double": _DTYPE,
    "half": _DTYPE,
    "bfloat16": _BF16,
    "forward": "call the module itself: module(x)",
    "named_parameters": "parameters().items() has names and Parameters",
    "named_modules": "modules() lists them; parameters() has the names of the parameters",
    "children": "modules() lists the module and all modules within it",
    "named_children": "modules() lists the module and all modules within it",
    "requires_grad_": "module.freeze(pattern), or parameter.trainable = False",
    "register_parameter": "self.name = glossa.parameter(shape)",
    "register_buffer": "an attribute may be an array; a parameter may be frozen: module.freeze('name')",
    "add_module": "assign the module to an attribute",
    "apply": "initial values are options: weight_init of layers, init of glossa.parameter",
    # names in torch
    "nn": _HERE,
    "optim": _HERE,
    "functional": _HERE,
    "Tensor": "glossa.Variable",
    "tensor": _ARRAY,
    "as_tensor": _ARRAY,
    "from_numpy": _ARRAY,
    "zeros": f"numpy.zeros; {_ARRAY}",
    "ones": f"numpy.ones; {_ARRAY}",
    "zeros_like": f"numpy.zeros; {_ARRAY}",
    "ones_like": f"numpy.ones; {_ARRAY}",
    "arange": f"numpy.arange; {_ARRAY}",
    "rand": f"numpy.random.default_rng(seed).random; {_ARRAY}",
    "randn": f"numpy.random.default_rng(seed).normal; {_ARRAY}",
    "randint": f"numpy.random.default_rng(seed).integers; {_ARRAY}",
    "float32": "numpy.float32",
    "float64": "numpy.float64",
    "no_grad": _RECORDING,
    "inference_mode": _RECORDING,
    "autocast": _BF16,
    "enable_grad": "steps record gradients: with glossa.step()",
    "autograd": "glossa.grad, glossa.value_and_grad and glossa.grad_check",
    "gradcheck": "glossa.grad_check",
    "manual_seed": _SEED,
    "save": _FILES,
    "set_num_threads": "glossa.set_threads",
    "get_num_threads": "glossa.threads",
    "cat": "glossa.concat(parts, axis)",
    "chunk": "glossa.split(x, lengths, axis)",
    "bmm": "glossa.matmul, or a @ b",
    "mm": "glossa.matmul, or a @ b",
    "einsum": "glossa.matmul, with glossa.permute and glossa.reshape",
    "tril": "numpy.tril; glossa.causal_mask for attention",
    "triu": "numpy.triu; glossa.causal_mask for attention",
    "std": "glossa.stddev",
    "amax": "glossa.max(x, axis)",
    "scaled_dot_product_attention": "glossa.attention, or the layers glossa.SelfAttention and glossa.CrossAttention",
    # names in torch.nn, torch.nn.functional and torch.optim
    "Dropout": "glossa.dropout(x, p), in __call__ of a module",
    "Sequential": f"{_LIST}, and call one after the other",
    "ModuleList": _LIST,
    "ModuleDict": "keep the modules in a dict",
    "ParameterList": "keep the parameters in a list",
    "ReLU": "glossa.relu(x)",
    "GELU": "glossa.gelu(x)",
    "SiLU": "glossa.silu(x)",
    "Tanh": "glossa.tanh(x)",
    "Sigmoid": "glossa.sigmoid(x)",
    "Softmax": "glossa.softmax(x, axis)",
    "LogSoftmax": "glossa.log_softmax(x, axis)",
    "MultiheadAttention": "glossa.SelfAttention or glossa.CrossAttention",
    "TransformerEncoder": "glossa.Encoder",
    "TransformerDecoder": "glossa.Decoder",
    "TransformerEncoderLayer": "glossa.EncoderLayer",
    "TransformerDecoderLayer": "glossa.DecoderLayer",
    "CrossEntropyLoss": "glossa.cross_entropy(logits, targets)",
    "NLLLoss": _SOFTMAX_LOSS,
    "nll_loss": _SOFTMAX_LOSS,
    "MSELoss": "((x - y) ** 2).mean()",
    "mse_loss": "((x - y) ** 2).mean()",
    "L1Loss": "glossa.abs(x - y).mean()",
    "l1_loss": "glossa.abs(x - y).mean()",
    "clip_grad_norm_": "optimizer.step(gradient_scale=optimizer.clip(max_norm))",
    "lr_scheduler": _SCHEDULE,
    # names of tensors
    "view": _RESHAPE,
    "flatten": "reshape(-1)",
    "unsqueeze": _RESHAPE,
    "squeeze": _RESHAPE,
    "contiguous": "Variables always are",
    "dim": "ndim",
    "numel": "size",
    "t": "T, or transpose()",
    "tolist": "numpy().tolist()",
    "data": "numpy(); the value of a Parameter is parameter.value",
    "zero_": "module.zero_grad(), or parameter.value = array",
    "copy_": "parameter.value = array",
}
"""Counterparts in glossa, by PyTorch's name."""

OPTIONS = {
    "d_model": "width",
    "embed_dim": "width",
    "nhead": "heads",
    "num_heads": "heads",
    "dim_feedforward": "feed_forward",
    "d_ff": "feed_forward",
    "num_layers": "layers",
    "num_encoder_layers": "encoder_layers",
    "num_decoder_layers": "decoder_layers",
    "dropout": "embedding_dropout, residual_dropout, attention_dropout and activation_dropout",
    "norm_first": 'norm="pre" or "post"',
    "layer_norm_eps": "norm_epsilon",
    "eps": "epsilon",
    "batch_first": "none: rows are tokens, and glossa.Rows(lengths) says which belong together",
}
"""Names of options in glossa, by PyTorch's name."""


def option_hint(name: str) -> str:
    """Returns a hint with glossa's name for a PyTorch option, or ""."""
    return f"here it is {OPTIONS[name]}" if name in OPTIONS else ""



def hint(name: str) -> str:
    """The counterpart of a PyTorch name, or "" if the name is not known."""
    return HINTS.get(name, "")


def no_attribute(owner: str, name: str, obj: Any, when: str = "") -> AttributeError:
    """The error for a missing attribute of `obj`, which `owner` describes. `when` is appended if there is no hint."""
    known = hint(name)
    text = f". Hint: {known}" if known else when if not name.startswith("_") else ""
    return AttributeError(f"{owner} has no attribute '{name}'{text}", name=name, obj=obj)
