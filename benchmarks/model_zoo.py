"""Transformer and vision models, built from configurations at full size without memory, as torch.fx graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

import torch
import transformers
from torch import nn

TOKENS: Final = 128
PIXELS: Final = 224

Made = tuple[nn.Module, tuple[torch.Tensor, ...]]


def _text(name: str, model: str = "Model") -> Callable[[], Made]:
    """A text model of `transformers` in its default configuration."""
    return lambda: (_of_config(name, model), (torch.zeros((1, TOKENS), dtype=torch.long),))


def _image(name: str, model: str = "Model") -> Callable[[], Made]:
    """A vision model of `transformers` in its default configuration."""
    return lambda: (_of_config(name, model), (torch.zeros(1, 3, PIXELS, PIXELS),))


def _of_config(name: str, model: str) -> nn.Module:
    configuration = getattr(transformers, f"{name}Config")()
    configuration._attn_implementation = "eager"
    configuration.use_cache = False
    return getattr(transformers, name + model)(configuration)


def _encoder() -> Made:
    layer = nn.TransformerEncoderLayer(512, 8, batch_first=True)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), (torch.zeros(1, TOKENS, 512),)


def _vgg() -> Made:
    """VGG-16."""
    layers: list[nn.Module] = []
    channels = 3
    for width, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
            channels = width
        layers.append(nn.MaxPool2d(2))
    layers += [nn.Flatten(), nn.Linear(512 * 49, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(4096, 1000)), (torch.zeros(1, 3, PIXELS, PIXELS),)


class _Mixer(nn.Module):
    """One layer of MLP-Mixer."""

    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.first = nn.LayerNorm(width)
        self.tokens = nn.Sequential(nn.Linear(tokens, 256), nn.GELU(), nn.Linear(256, tokens))
        self.second = nn.LayerNorm(width)
        self.channels = nn.Sequential(nn.Linear(width, 2048), nn.GELU(), nn.Linear(2048, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.tokens(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.second(x))


def _mixer() -> Made:
    return nn.Sequential(*(_Mixer(196, 512) for _ in range(8))), (torch.zeros(1, 196, 512),)


MODELS: Final[dict[str, Callable[[], Made]]] = {
    "bert": _text("Bert"),
    "distilbert": _text("DistilBert"),
    "roberta": _text("Roberta"),
    "albert": _text("Albert"),
    "electra": _text("Electra"),
    "gpt2": _text("GPT2"),
    "opt": _text("OPT"),
    "t5-encoder": _text("T5", "EncoderModel"),
    "llama": _text("Llama"),
    "qwen2": _text("Qwen2"),
    "mistral": _text("Mistral"),
    "phi": _text("Phi"),
    "gpt-neox": _text("GPTNeoX"),
    "vit": _image("ViT"),
    "deit": _image("DeiT"),
    "swin": _image("Swin"),
    "beit": _image("Beit"),
    "clip-vision": _image("CLIPVision"),
    "convnext": _image("ConvNext"),
    "resnet": _image("ResNet"),
    "mobilenet-v2": _image("MobileNetV2"),
    "torch-encoder": _encoder,
    "torch-vgg16": _vgg,
    "torch-mixer": _mixer,
}


def capture(name: str) -> Any:
    """The graph of a model, as `torch.export` gives it (ATen operators); no weights are made."""
    with warnings.catch_warnings(), torch.device("meta"):
        warnings.simplefilter("ignore")
        module, inputs = MODELS[name]()
        return torch.export.export(module.eval(), inputs, strict=False).graph_module
