"""Transformers that translate, trained on a plain CPU: the engine, its layers and the trainer of glossa."""

import sys as _sys
from typing import TYPE_CHECKING

from glossa import _glossa
from glossa import messages as messages
from glossa._glossa import (
    abs as abs,
    add as add,
    add_dropout as add_dropout,
    add_layer_norm as add_layer_norm,
    add_rms_norm as add_rms_norm,
    additive_attention as additive_attention,
    argmax as argmax,
    Attention as Attention,
    attention as attention,
    bleu as bleu,
    Checkpoint as Checkpoint,
    chrf as chrf,
    clamp as clamp,
    clip_factor as clip_factor,
    concat as concat,
    constant as constant,
    cross_attention as cross_attention,
    cross_entropy as cross_entropy,
    CrossEntropy as CrossEntropy,
    describe_runtime as describe_runtime,
    div as div,
    dropout as dropout,
    embed_tokens as embed_tokens,
    embedding as embedding,
    exp as exp,
    first_pool as first_pool,
    full as full,
    gather as gather,
    geglu as geglu,
    gelu as gelu,
    gelu_tanh as gelu_tanh,
    GradCheck as GradCheck,
    Hypothesis as Hypothesis,
    index_select as index_select,
    last_pool as last_pool,
    layer_norm as layer_norm,
    linear as linear,
    linear_cross_entropy as linear_cross_entropy,
    linear_relu as linear_relu,
    log as log,
    log_softmax as log_softmax,
    masked_fill as masked_fill,
    matmul as matmul,
    max as max,
    maximum as maximum,
    mean as mean,
    mean_pool as mean_pool,
    minimum as minimum,
    mul as mul,
    neg as neg,
    norm as norm,
    paired_bootstrap as paired_bootstrap,
    PairedBootstrap as PairedBootstrap,
    PairedScore as PairedScore,
    Parameter as Parameter,
    permute as permute,
    pow as pow,
    r_drop as r_drop,
    relu as relu,
    ResampledScore as ResampledScore,
    reshape as reshape,
    rms_norm as rms_norm,
    rotary as rotary,
    Rows as Rows,
    scale as scale,
    Schedule as Schedule,
    Score as Score,
    select as select,
    self_attention as self_attention,
    set_threads as set_threads,
    sigmoid as sigmoid,
    silu as silu,
    slice as slice,
    softmax as softmax,
    softplus as softplus,
    split as split,
    sqrt as sqrt,
    square as square,
    stack as stack,
    stddev as stddev,
    step as step,
    stop_gradient as stop_gradient,
    sub as sub,
    sum as sum,
    swiglu as swiglu,
    tanh as tanh,
    ter as ter,
    threads as threads,
    topk as topk,
    Translation as Translation,
    Translator as Translator,
    transpose as transpose,
    Update as Update,
    Validation as Validation,
    var as var,
    Variable as Variable,
    variable as variable,
    where as where,
)
from glossa.errors import (
    Error as Error,
    Misuse as Misuse,
)
from glossa.gradients import (
    grad as grad,
    grad_check as grad_check,
    value_and_grad as value_and_grad,
)
from glossa.layers import (
    causal_mask as causal_mask,
    CrossAttention as CrossAttention,
    Embedding as Embedding,
    FeedForward as FeedForward,
    LayerNorm as LayerNorm,
    Linear as Linear,
    PositionalEncoding as PositionalEncoding,
    Residual as Residual,
    RMSNorm as RMSNorm,
    SelfAttention as SelfAttention,
)
from glossa.module import (
    Module as Module,
    parameter as parameter,
)
from glossa.optimizers import (
    Adam as Adam,
    AdamW as AdamW,
    load_training as load_training,
    MovingAverage as MovingAverage,
    save_training as save_training,
    SGD as SGD,
)
from glossa.pack import (
    pack as pack,
    Pack as Pack,
)
from glossa.pytorch import no_attribute as _no_attribute
from glossa.runs import (
    average as average,
    import_model as import_model,
    load as load,
    Metrics as Metrics,
    Run as Run,
)
from glossa.training import (
    recipe as recipe,
    recipes as recipes,
    STOP as STOP,
    Stop as Stop,
    train as train,
)
from glossa.transformer import (
    Decoder as Decoder,
    DecoderLayer as DecoderLayer,
    Encoder as Encoder,
    EncoderLayer as EncoderLayer,
    Transformer as Transformer,
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Raises the error for an unknown name, with a hint if it is a name of PyTorch."""
        raise _no_attribute("module 'glossa'", name, _sys.modules[__name__])


__version__: str = _glossa.version
