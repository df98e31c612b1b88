"""Reference numbers for trades_parity_test.cpp: python3 trades_reference.py FOLDER writes
FOLDER/trades_reference.pt."""
import os
import sys

import training  # ends the script where there is no PyTorch

import torch
import torch.nn.functional as F

EPS, ALPHA, STEPS = 0.1, 0.03, 5


def divergence(log_q, p):
    return F.kl_div(log_q, p, reduction="none").sum(1)


def trades(beta):
    def train(net, optimizer, x, y, generator):
        noise = torch.empty_like(x).normal_(0, 1, generator=generator)
        with torch.no_grad():
            p = F.softmax(training.predict(net, x, training=False), dim=1)
        u = training.ascend(net, lambda logits: divergence(F.log_softmax(logits, dim=1), p), x, x + 0.001 * noise, EPS,
                            ALPHA, STEPS)
        clean, moved = net(x), net(u)
        clean_shares = F.softmax(clean, dim=1)
        value = F.cross_entropy(clean, y) + beta * divergence(F.log_softmax(moved, dim=1), clean_shares).mean()
        training.step(optimizer, value)
        return value
    return train


if __name__ == "__main__":
    training.record(os.path.join(sys.argv[1], "trades_reference.pt"), {"trades6": trades(6.0), "trades1": trades(1.0)})
