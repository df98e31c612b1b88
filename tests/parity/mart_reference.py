"""Reference numbers for mart_parity_test.cpp: python3 mart_reference.py FOLDER writes FOLDER/mart_reference.pt."""
import os
import sys

import training  # ends the script where there is no PyTorch

import torch
import torch.nn.functional as F

EPS, ALPHA, STEPS = 0.1, 0.03, 5


def mart(beta):
    def train(net, optimizer, x, y, generator):
        noise = torch.empty_like(x).normal_(0, 1, generator=generator)
        u = training.ascend(net, lambda logits: F.cross_entropy(logits, y, reduction="none"), x, x + 0.001 * noise, EPS,
                            ALPHA, STEPS)
        clean, moved = F.softmax(net(x), dim=1), F.softmax(net(u), dim=1)
        right = F.one_hot(y, training.CLASSES).bool()
        rival = moved.masked_fill(right, 0).max(1).values
        boosted = -moved[right].log() - (1.0001 - rival + 1e-12).log()  # as in the authors' code
        divergence = F.kl_div(moved.log(), clean, reduction="none").sum(1)
        value = (boosted + beta * divergence * (1 - clean[right])).mean()
        training.step(optimizer, value)
        return value
    return train


if __name__ == "__main__":
    training.record(os.path.join(sys.argv[1], "mart_reference.pt"), {"mart5": mart(5.0), "mart0": mart(0.0)})
