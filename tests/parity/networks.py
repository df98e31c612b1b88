"""Reference numbers for networks_parity_test.cpp: python3 networks.py FOLDER writes FOLDER/networks.pt.

The paper's networks for CIFAR-10 and CelebA, written with torch.nn as a reader of the paper would write them; nothing
of arks is used. Weights and inputs come from seeds and travel in the file, so that both sides see the same bits.
Everything is float64, but for logits and gradients once more in float32. Ends with code 77 (skipped) where PyTorch is
not installed.
"""
import os
import sys

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no PyTorch ({error}); on Debian: apt install python3-torch")
    sys.exit(77)

import torch.nn.functional as F
from torch import nn

import tensors

SAMPLES = 6
OUTER_STEPS = 5
INNER_STEPS = 3
SIGMA, INNER_RATE = 0.1, 0.001

out = {}


# --- models -----------------------------------------------------------------------------------------------------------
class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, activation):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
        self.shortcut_norm = nn.BatchNorm2d(outputs)
        self.activation = activation

    def forward(self, x):
        h = self.activation(self.norm1(self.conv1(x)))
        return self.activation(self.norm2(self.conv2(h)) + self.shortcut_norm(self.shortcut(x)))


class ResNet20(nn.Module):
    def __init__(self, activation=F.relu):
        super().__init__()
        self.activation = activation
        self.conv = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        shapes = [(16, 16, 1), (16, 16, 1), (16, 16, 1), (16, 32, 2), (32, 32, 1), (32, 32, 1), (32, 64, 2),
                  (64, 64, 1), (64, 64, 1)]
        for i, shape in enumerate(shapes):
            setattr(self, f"block{i + 1}", Block(*shape, activation))
        self.blocks = len(shapes)
        self.pool = nn.AvgPool2d(2)
        self.dense = nn.Linear(1024, 10)

    def forward(self, x):
        h = self.activation(self.norm(self.conv(x)))
        for i in range(self.blocks):
            h = getattr(self, f"block{i + 1}")(h)
        return self.dense(self.pool(h).flatten(1))


class CelebaNet(nn.Module):
    def __init__(self, activation=F.leaky_relu):
        super().__init__()
        self.activation = activation
        self.conv1 = nn.Conv2d(3, 16, 5, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 5, stride=2, padding=1)
        self.conv3 = nn.Conv2d(32, 64, 5, stride=2, padding=1)
        self.conv4 = nn.Conv2d(64, 128, 5, stride=2, padding=0)
        self.dense = nn.Linear(256, 2)

    def forward(self, x):
        h = self.activation(self.conv1(x))
        h = self.activation(self.conv2(h))
        h = self.activation(self.conv3(h))
        return self.dense(self.conv4(h).flatten(1))


def fill(model, seed):
    """Every parameter and statistic away from its neutral value, so that none can be forgotten; sizes as Kaiming has
    them, so that gradients of all layers are of order 1."""
    generator = torch.Generator().manual_seed(seed)

    def normal(tensor):
        return torch.randn(tensor.shape, generator=generator, dtype=torch.float64)

    model.double()
    for name, tensor in model.state_dict().items():
        if name.endswith("num_batches_tracked"):
            continue
        if name.endswith("running_var"):
            tensor.copy_(0.5 + normal(tensor) ** 2)
        elif tensor.dim() == 1:
            centre = 1 if "norm" in name and name.endswith("weight") else 0
            tensor.copy_(centre + 0.1 * normal(tensor))
        else:
            tensor.copy_(normal(tensor) * (2 / tensor[0].numel()) ** 0.5)
    return model


def record_state(prefix, model):
    for name, tensor in model.state_dict().items():
        out[f"{prefix}_{name}"] = tensor.clone()  # training goes on to change it in place


def record_gradients(prefix, model, x, y):
    """Logits and gradients; in training mode this moves the statistics."""
    u = x.clone().requires_grad_()
    model.zero_grad()
    logits = model(u)
    F.cross_entropy(logits, y).backward()
    out[f"{prefix}_logits"] = logits
    out[f"{prefix}_input_gradient"] = u.grad
    for name, parameter in model.named_parameters():
        out[f"{prefix}_{name}_gradient"] = parameter.grad.clone()


def record_network(prefix, make, seed, x, y):
    model = fill(make(), seed)
    record_state(prefix, model)
    out[f"{prefix}_x"], out[f"{prefix}_y"] = x, y
    model.eval()
    record_gradients(f"{prefix}_eval", model, x, y)
    record_gradients(f"{prefix}_eval_float", fill(make(), seed).float().eval(), x.float(), y)
    model.train()
    record_gradients(f"{prefix}_train", model, x, y)
    record_state(f"{prefix}_moved", model)


# --- training ---------------------------------------------------------------------------------------------------------
def sgd(model):
    """As published for CIFAR-10, but for the epochs of the schedule: here a step is an epoch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    return optimizer, torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.1)


def train_erm(model, x, y, steps):
    optimizer, schedule = sgd(model)
    losses = []
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def train_arks(model, x, y, steps):
    """The published loop: the network stays in training mode, so every inner pass moves the statistics, and the last
    iterate is taken."""
    optimizer, schedule = sgd(model)
    surrogates = []

    def value(u):
        kernel = torch.exp(-((u - x) ** 2).flatten(1).sum(1) / (2 * SIGMA**2))
        return F.cross_entropy(model(u), y, reduction="none") * kernel

    model.train()
    for _ in range(steps):
        u = x.clone().requires_grad_()
        inner = torch.optim.Adam([u], lr=INNER_RATE, amsgrad=True)
        for _ in range(INNER_STEPS):
            inner.zero_grad()
            (-value(u).sum()).backward()
            inner.step()
        optimizer.zero_grad()
        surrogate = value(u.detach()).mean()
        surrogate.backward()
        optimizer.step()
        schedule.step()
        surrogates.append(surrogate.detach())
    return torch.stack(surrogates)


def main(folder):
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    generator = torch.Generator().manual_seed(1)
    images = torch.rand(SAMPLES, 3, 32, 32, generator=generator, dtype=torch.float64)
    faces = torch.rand(SAMPLES, 3, 64, 48, generator=generator, dtype=torch.float64)
    labels = torch.arange(SAMPLES) % 10
    record_network("resnet20", ResNet20, 2, images, labels)
    record_network("celeba", CelebaNet, 3, faces, torch.arange(SAMPLES) % 2)
    for name, activation in (("elu", F.elu), ("leaky_relu", F.leaky_relu)):
        record_gradients(f"resnet20_{name}", fill(ResNet20(activation), 2).eval(), images, labels)
    for name, activation in (("elu", F.elu), ("relu", F.relu)):
        record_gradients(f"celeba_{name}", fill(CelebaNet(activation), 3), faces, torch.arange(SAMPLES) % 2)

    for name, train, steps in (("erm", train_erm, OUTER_STEPS), ("arks", train_arks, 2)):
        model = fill(ResNet20(), 2)
        out[f"{name}_surrogates"] = train(model, images, labels, steps)
        record_state(name, model)
    tensors.save(os.path.join(folder, "networks.pt"), out)
    print(f"{len(out)} tensors from PyTorch {torch.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
