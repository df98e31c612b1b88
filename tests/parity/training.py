"""A few steps of a training method in plain PyTorch, float64, for X_reference.py and X_parity_test.cpp.

The network has batch norm, so that modes and running statistics count; the last batch is smaller than the others.
Weights, batches and the seed of the method's random numbers travel in the file. Ends with code 77 (skipped) where
PyTorch is not installed.
"""
import os
import sys

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no PyTorch ({error}); on Debian: apt install python3-torch")
    sys.exit(77)

import tensors

FEATURES, CLASSES = 12, 4
SIZES = (8, 8, 8, 8, 5)
SEED = 4711


def normal(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def network():
    net = torch.nn.Sequential(torch.nn.Linear(FEATURES, 10), torch.nn.BatchNorm1d(10), torch.nn.Tanh(),
                              torch.nn.Linear(10, CLASSES)).double()
    with torch.no_grad():
        for seed, parameter in enumerate(net.parameters()):
            parameter.copy_(0.7 * normal(*parameter.shape, seed=seed))
        net[1].running_mean.copy_(0.1 * normal(10, seed=20))
        net[1].running_var.copy_(1 + 0.5 * normal(10, seed=21).abs())
    return net


def batches():
    """Inputs in 0…1, some of them on the edge."""
    for i, n in enumerate(SIZES):
        yield normal(n, FEATURES, seed=30 + i).mul(0.4).add(0.5).clamp(0, 1), torch.arange(n).add(i) % CLASSES


def predict(net, x, training):
    """In that mode, and then in the mode from before."""
    before = net.training
    net.train(training)
    logits = net(x)
    net.train(before)
    return logits


def input_gradient(net, value, u):
    """∇_u of the sum of value(logits) with the network in evaluation mode; nothing of it is left in the network."""
    u = u.detach().clone().requires_grad_()
    return torch.autograd.grad(value(predict(net, u, training=False)).sum(), u)[0]


def ascend(net, value, x, start, eps, alpha, steps):
    """Sign steps in the L∞ ball and 0…1; the best iterate of every sample, the start included."""
    def project(u):
        return u.clamp(x - eps, x + eps).clamp(0, 1)

    iterates = [project(start)]
    for _ in range(steps):
        iterates.append(project(iterates[-1] + alpha * input_gradient(net, value, iterates[-1]).sign()))
    with torch.no_grad():
        values = torch.stack([value(predict(net, u, training=False)) for u in iterates])
    chosen = values.argmax(0)
    return torch.stack([iterates[int(chosen[i])][i] for i in range(len(x))])


def step(optimizer, value):
    optimizer.zero_grad()
    value.backward()
    optimizer.step()


def record(path, cases):
    """cases: name → train(net, optimizer, x, y, generator), which trains on one batch and returns what was
    minimised."""
    torch.set_num_threads(1)
    out = {"seed": torch.tensor(SEED)}
    for i, (x, y) in enumerate(batches()):
        out[f"x{i}"], out[f"y{i}"] = x, y
    for name, tensor in network().state_dict().items():
        out[f"before_{name}"] = tensor
    for case, train in cases.items():
        net, generator = network().train(), torch.Generator().manual_seed(SEED)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
        out[f"{case}_values"] = torch.stack([train(net, optimizer, x, y, generator).detach() for x, y in batches()])
        for name, tensor in net.state_dict().items():
            out[f"{case}_{name}"] = tensor
    os.makedirs(os.path.dirname(path), exist_ok=True)
    tensors.save(path, out)
    print(f"{len(out)} tensors from PyTorch {torch.__version__}")
