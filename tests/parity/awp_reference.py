"""Reference numbers for awp_parity_test.cpp: python3 awp_reference.py FOLDER writes FOLDER/awp_reference.pt."""
import copy
import os
import sys

import training  # ends the script where there is no PyTorch

import torch
import torch.nn.functional as F

EPS, ALPHA, STEPS = 0.1, 0.03, 5
GAMMA = 0.01


def offsets(net, u, y):
    """From a copy of the network, so that nothing of the extra pass is left in it."""
    proxy = copy.deepcopy(net)
    proxy.zero_grad()
    F.cross_entropy(proxy(u), y).backward()
    return {name: GAMMA * w.detach().norm() * w.grad / (w.grad.norm() + 1e-20)
            for name, w in proxy.named_parameters() if w.dim() > 1}


def pgd_with_awp(net, optimizer, x, y, generator):
    u = training.ascend(net, lambda logits: F.cross_entropy(logits, y, reduction="none"), x, x, EPS, ALPHA, STEPS)
    weights, moves = dict(net.named_parameters()), offsets(net, u, y)
    with torch.no_grad():
        for name, move in moves.items():
            weights[name].add_(move)
    value = F.cross_entropy(net(u), y)
    training.step(optimizer, value)
    with torch.no_grad():
        for name, move in moves.items():
            weights[name].sub_(move)
    return value


if __name__ == "__main__":
    training.record(os.path.join(sys.argv[1], "awp_reference.pt"), {"awp": pgd_with_awp})
