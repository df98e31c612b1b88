#!/usr/bin/env python3
"""Where the time of an inner step of ARKS goes in plain libtorch: the Fashion-MNIST network of the paper, weights
frozen, one thread, shares by operator from torch's own profiler (Debian's python3-torch).

    /usr/bin/python3 bench/plain_profile.py
"""
import torch
import torch.nn.functional as F
from torch import nn

BATCH, SIGMA, RATE, STEPS = 256, 0.5, 0.01, 5

torch.set_num_threads(1)
net = nn.Sequential(
    nn.Conv2d(1, 32, 3, padding=1), nn.ELU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ELU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(2304, 128), nn.ELU(), nn.Linear(128, 10))
for parameter in net.parameters():
    parameter.requires_grad_(False)
x, y = torch.rand(BATCH, 1, 28, 28), torch.randint(0, 10, (BATCH,))
u = x.clone().requires_grad_(True)
ascent = torch.optim.Adam([u], RATE, amsgrad=True)


def step():
    ascent.zero_grad()
    loss = F.cross_entropy(net(u), y, reduction="none")
    kernel = (((u - x) ** 2).flatten(1).sum(1) / (-2 * SIGMA**2)).exp()
    (-(loss * kernel).sum()).backward()
    ascent.step()


for _ in range(3):
    step()
with torch.autograd.profiler.profile() as profile:
    for _ in range(STEPS):
        step()
print(profile.key_averages().table(sort_by="self_cpu_time_total", row_limit=12))
