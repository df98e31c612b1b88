#!/usr/bin/env python3
"""What a batch of ARKS costs in Python, written the way the paper's code does it.

For each of the paper's three networks with its published settings: 15 AMSGrad steps on a copy of the batch, for each
the whole n x n kernel matrix of which the diagonal is used and a backward pass that computes the gradients of all
weights too; then the step on the weights, and a second pass over the clean batch for its loss and error. The pictures
are random, on which the work does not depend. Prints seconds per batch; published_baseline.cpp is the same in C++.
"""

import argparse
import json
import statistics
import time
from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn
from torch.nn import functional as F

INNER_STEPS = 15


class FashionCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dense1 = nn.Linear(2304, 128)
        self.dense2 = nn.Linear(128, 10)
        initialise_normal(self)

    def forward(self, x):
        h = F.max_pool2d(F.elu(self.conv1(x)), 2)
        h = F.max_pool2d(F.elu(self.conv2(h)), 2)
        return self.dense2(F.elu(self.dense1(h.flatten(1))))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.shortcut_norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        h = self.norm2(self.conv2(h))
        return F.relu(h + self.shortcut_norm(self.shortcut(x)))


class ResNet20(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        shapes = [(16, 16, 1)] * 3 + [(16, 32, 2)] + [(32, 32, 1)] * 2 + [(32, 64, 2)] + [(64, 64, 1)] * 2
        self.blocks = nn.Sequential(*(ResidualBlock(*shape) for shape in shapes))
        self.dense = nn.Linear(1024, 10)
        for module in self.modules():
            if isinstance(module, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_normal_(module.weight)

    def forward(self, x):
        h = self.blocks(F.relu(self.norm(self.conv(x))))
        return self.dense(F.avg_pool2d(h, 2).flatten(1))


class CelebaCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 5, 2, 1)
        self.conv2 = nn.Conv2d(16, 32, 5, 2, 1)
        self.conv3 = nn.Conv2d(32, 64, 5, 2, 1)
        self.conv4 = nn.Conv2d(64, 128, 5, 2)
        self.dense = nn.Linear(256, 2)
        initialise_normal(self)

    def forward(self, x):
        h = F.leaky_relu(self.conv1(x), 0.01)
        h = F.leaky_relu(self.conv2(h), 0.01)
        h = F.leaky_relu(self.conv3(h), 0.01)
        return self.dense(self.conv4(h).flatten(1))


def initialise_normal(net):
    for module in net.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.normal_(module.weight, 0, 0.02)
        elif isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)


def amsgrad(parameters, rate=1e-3):
    return torch.optim.Adam(parameters, lr=rate, amsgrad=True)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=1e-4)


@dataclass
class Setting:
    """The published settings; `name` is that of the benchmark in C++."""

    name: str
    net: Callable[[], nn.Module]
    image_shape: tuple
    classes: int
    batch_size: int
    sigma: float
    inner_rate: float
    optimizer: Callable
    inner_training_mode: bool = True


SETTINGS = [
    Setting("fashion-mnist", FashionCnn, (1, 28, 28), 10, 256, 0.5, 0.01, amsgrad),
    Setting("cifar10-eval", ResNet20, (3, 32, 32), 10, 128, 0.1, 0.001, sgd, inner_training_mode=False),
    Setting("cifar10-train", ResNet20, (3, 32, 32), 10, 128, 0.1, 0.001, sgd),
    Setting("celeba", CelebaCnn, (3, 64, 48), 2, 128, 0.2, 0.002, amsgrad),
]


def surrogate(net, u, x, y, sigma):
    """mean_i l(u_i) k(u_i, x_i)"""
    losses = F.cross_entropy(net(u), y, reduction="none")
    kernel = torch.exp(-torch.cdist(u.flatten(1), x.flatten(1)) ** 2 / (2 * sigma**2))
    return torch.dot(losses, torch.diag(kernel)) / len(x)


def train_batch(net, optimizer, setting, x, y):
    """One batch; returns the loss and the error on the clean samples."""
    net.train(setting.inner_training_mode)
    u = x.clone().requires_grad_(True)
    inner = amsgrad([u], setting.inner_rate)
    for _ in range(INNER_STEPS):
        inner.zero_grad()
        (-surrogate(net, u, x, y, setting.sigma)).backward()
        inner.step()
    net.train()
    optimizer.zero_grad()
    surrogate(net, u.detach(), x, y, setting.sigma).backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        logits = net(x)
        return F.cross_entropy(logits, y).item(), (logits.argmax(1) != y).float().mean().item()


def seconds_per_batch(setting, rounds):
    """Of each round, after one batch that is not counted."""
    torch.manual_seed(0)
    net = setting.net()
    optimizer = setting.optimizer(net.parameters())
    x = torch.rand(setting.batch_size, *setting.image_shape)
    y = torch.randint(setting.classes, (setting.batch_size,))
    seconds = []
    for _ in range(rounds + 1):
        begin = time.perf_counter()
        train_batch(net, optimizer, setting, x, y)
        seconds.append(time.perf_counter() - begin)
    return seconds[1:]


def main():
    parser = argparse.ArgumentParser(description="Seconds per batch of ARKS as published, in Python.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.threads < 1:
        parser.error("--rounds and --threads must be positive")
    torch.set_num_threads(arguments.threads)
    found = {}
    for setting in SETTINGS:
        found[setting.name] = seconds_per_batch(setting, arguments.rounds)
        print(f"python  {setting.name:<16}{statistics.median(found[setting.name]):7.2f} s a batch", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "threads": arguments.threads, "batch_seconds": found}, file)


if __name__ == "__main__":
    main()
