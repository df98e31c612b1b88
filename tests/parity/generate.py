"""Reference numbers for parity_test.cpp: python3 generate.py FOLDER writes FOLDER/reference.pt.

Everything is float64 and written with PyTorch's own layers, autograd and torch.optim, as a reader of the paper would
write it; nothing of arks is used. Weights and inputs come from seeds and travel in the file, so that both sides see
the same bits. Ends with code 77 (skipped) where PyTorch is not installed.
"""
import decimal
import os
import sys

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no PyTorch ({error}); on Debian: apt install python3-torch")
    sys.exit(77)

import torch.nn.functional as F

import tensors

SAMPLES = 6
INNER_STEPS = 5
OUTER_STEPS = 5
SIGMA, INNER_RATE = 0.5, 0.01
GAMMA, GAMMA_RATE = 1.0, 0.05
OUTER_RATE = 1e-3

out = {}


def normal(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def uniform(*shape, seed):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# --- models -----------------------------------------------------------------------------------------------------------
def cnn_weights():
    """Larger than the published initial weights, so that gradients are far from AMSGrad's 1e-8 and the numbers well
    conditioned: a rounding error of 1e-16 must not grow into something visible."""
    return {
        "conv1.weight": 0.3 * normal(32, 1, 3, 3, seed=1),
        "conv1.bias": 0.1 * normal(32, seed=2),
        "conv2.weight": 0.1 * normal(64, 32, 3, 3, seed=3),
        "conv2.bias": 0.1 * normal(64, seed=4),
        "dense1.weight": 0.02 * normal(128, 2304, seed=5),
        "dense1.bias": 0.1 * normal(128, seed=6),
        "dense2.weight": 0.1 * normal(10, 128, seed=7),
        "dense2.bias": 0.1 * normal(10, seed=8),
    }


def cnn(w, x):
    """In the paper's order: activation, then pooling."""
    h = F.max_pool2d(F.elu(F.conv2d(x, w["conv1.weight"], w["conv1.bias"], padding=1)), 2)
    h = F.max_pool2d(F.elu(F.conv2d(h, w["conv2.weight"], w["conv2.bias"])), 2)
    h = F.elu(F.linear(torch.flatten(h, 1), w["dense1.weight"], w["dense1.bias"]))
    return F.linear(h, w["dense2.weight"], w["dense2.bias"])


def linear(w, x):
    return F.linear(torch.flatten(x, 1), w["dense.weight"], w["dense.bias"])


def trainable(weights):
    return {name: w.clone().requires_grad_() for name, w in weights.items()}


def record_gradients(prefix, model, weights, x, y):
    w, u = trainable(weights), x.clone().requires_grad_()
    logits = model(w, u)
    F.cross_entropy(logits, y).backward()
    out[f"{prefix}_logits"] = logits
    out[f"{prefix}_input_gradient"] = u.grad
    for name in w:
        out[f"{prefix}_{name}"] = weights[name]
        out[f"{prefix}_{name}_gradient"] = w[name].grad


# --- the inner problem ------------------------------------------------------------------------------------------------
def gaussian(u, x):
    return torch.exp(-((u - x) ** 2).flatten(1).sum(1) / (2 * SIGMA**2))


def arks_value(w, u, x, y):
    return F.cross_entropy(cnn(w, u), y, reduction="none") * gaussian(u, x)


def wrm_value(w, u, x, y):
    return F.cross_entropy(cnn(w, u), y, reduction="none") - GAMMA * ((u - x) ** 2).flatten(1).sum(1)


def ascend(value, w, x, y, rate, steps):
    """u after 0, 1, …, steps of AMSGrad; the gradient is that of the sum, so every sample has its own."""
    w = {name: tensor.detach() for name, tensor in w.items()}
    u = x.clone().requires_grad_()
    optimizer = torch.optim.Adam([u], lr=rate, amsgrad=True)
    iterates = [u.detach().clone()]
    for _ in range(steps):
        optimizer.zero_grad()
        (-value(w, u, x, y).sum()).backward()
        optimizer.step()
        iterates.append(u.detach().clone())
    return iterates


def best(value, w, x, y, iterates):
    """The iterate with the largest value, for each sample on its own; the first of equals."""
    with torch.no_grad():
        values = torch.stack([value(w, u, x, y) for u in iterates])
    chosen = values.argmax(0)
    return torch.stack([iterates[int(chosen[i])][i] for i in range(len(x))])


def train_arks(weights, x, y, take_best):
    w = trainable(weights)
    optimizer = torch.optim.Adam(list(w.values()), lr=OUTER_RATE, amsgrad=True)
    surrogates = []
    for _ in range(OUTER_STEPS):
        iterates = ascend(arks_value, w, x, y, INNER_RATE, INNER_STEPS)
        u = best(arks_value, w, x, y, iterates) if take_best else iterates[-1]
        optimizer.zero_grad()
        surrogate = arks_value(w, u, x, y).mean()
        surrogate.backward()
        optimizer.step()
        surrogates.append(surrogate.detach())
    return w, torch.stack(surrogates)


# --- attacks ----------------------------------------------------------------------------------------------------------
def loss_gradient(w, u, y):
    u = u.clone().requires_grad_()
    F.cross_entropy(cnn(w, u), y, reduction="sum").backward()
    return u.grad


def pgd_linf(w, x, y, eps, alpha, steps):
    """As published: δ from 0, the ball in every step, the bounds once at the end."""
    delta = torch.zeros_like(x)
    for _ in range(steps):
        delta = (delta + alpha * loss_gradient(w, x + delta, y).sign()).clamp(-eps, eps)
    return (x + delta).clamp(0, 1)


def pgd_l2(w, x, y, eps, alpha, steps):
    delta = torch.zeros_like(x)
    for _ in range(steps):
        gradient = loss_gradient(w, x + delta, y)
        delta = delta + alpha * gradient / gradient.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
        norm = delta.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
        delta = torch.where(norm > eps, delta * eps / norm, delta)
    return (x + delta).clamp(0, 1)


# --- cross entropy with as many digits as it takes ----------------------------------------------------------------
def exact_cross_entropy(logits, labels):
    """CE and ln CE in decimal arithmetic of 1,000 digits, rounded to float64 at the end."""
    decimal.getcontext().prec = 1000
    losses, logs = [], []
    for row, label in zip(logits.tolist(), labels.tolist()):
        z = [decimal.Decimal(value) for value in row]
        others = sum((value - z[label]).exp() for j, value in enumerate(z) if j != label)
        loss = (1 + others).ln()
        losses.append(float(loss))
        logs.append(float(loss.ln()))
    return torch.tensor(losses, dtype=torch.float64), torch.tensor(logs, dtype=torch.float64)


def main(folder):
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    x, y = uniform(SAMPLES, 1, 28, 28, seed=10), torch.arange(SAMPLES) % 10
    weights = cnn_weights()
    out["x"], out["y"] = x, y
    record_gradients("cnn", cnn, weights, x, y)
    line = {"dense.weight": normal(4, 12, seed=11), "dense.bias": normal(4, seed=12)}
    out["linear_x"], out["linear_y"] = uniform(7, 3, 2, 2, seed=13), torch.arange(7) % 4
    record_gradients("linear", linear, line, out["linear_x"], out["linear_y"])

    out["arks_iterates"] = torch.stack(ascend(arks_value, weights, x, y, INNER_RATE, INNER_STEPS))
    out["wrm_iterates"] = torch.stack(ascend(wrm_value, weights, x, y, GAMMA_RATE, INNER_STEPS))
    with torch.no_grad():
        out["arks_values"] = torch.stack([arks_value(weights, u, x, y) for u in out["arks_iterates"]])
        out["wrm_values"] = torch.stack([wrm_value(weights, u, x, y) for u in out["wrm_iterates"]])
    for name, take_best in (("best", True), ("last", False)):
        trained, surrogates = train_arks(weights, x, y, take_best)
        out[f"trained_{name}_surrogates"] = surrogates
        for weight in trained:
            out[f"trained_{name}_{weight}"] = trained[weight]

    out["fgsm"] = pgd_linf(weights, x, y, eps=0.1, alpha=0.1, steps=1)
    out["pgd_linf"] = pgd_linf(weights, x, y, eps=0.1, alpha=0.03, steps=15)
    out["pgd_l2"] = pgd_l2(weights, x, y, eps=1.5, alpha=0.3, steps=15)

    scales = torch.tensor([1e-8, 1e-3, 1.0, 10.0, 30.0, 100.0, 300.0], dtype=torch.float64)
    logits = (scales.view(-1, 1, 1) * normal(7, 8, 5, seed=14)).reshape(-1, 5)
    # margins around −15, where the logarithm changes its formula, and where float64 runs out
    margins = torch.tensor([-740.0, -700, -37, -15.001, -15, -14.999, -1, 0, 1, 19.9, 20.1, 700], dtype=torch.float64)
    logits = torch.cat([logits, torch.stack([margins] + [torch.full_like(margins, -2000.0)] * 3
                                            + [torch.zeros_like(margins)], 1)])
    out["extreme_logits"] = logits
    out["extreme_labels"] = torch.cat([torch.arange(56) % 5, torch.full((12,), 4)])
    out["extreme_ce"], out["extreme_log_ce"] = exact_cross_entropy(logits, out["extreme_labels"])

    a, b = normal(9, 2, 3, seed=15), normal(9, 2, 3, seed=16)
    out["kernel_u"], out["kernel_x"] = a, b
    out["gaussian"] = torch.exp(-((a - b) ** 2).flatten(1).sum(1) / (2 * 0.7**2))
    out["laplacian_l1"] = torch.exp(-(a - b).abs().flatten(1).sum(1) / 0.7)
    out["laplacian_l2"] = torch.exp(-(a - b).flatten(1).norm(dim=1) / 0.7)

    # bytes, down as CelebA is, up, and by thirds; unrounded
    image = torch.randint(256, (3, 218, 178), generator=torch.Generator().manual_seed(17), dtype=torch.uint8)
    out["resize_image"] = image
    for name, part, size in (("faces", image, (64, 48)), ("up", image[:, :31, :17], (50, 64)),
                             ("thirds", image[:, :40, :4], (30, 3))):
        out[f"resize_{name}"] = F.interpolate(part[None].double(), size, mode="bilinear", align_corners=False)[0]
    tensors.save(os.path.join(folder, "reference.pt"), out)
    print(f"{len(out)} tensors from PyTorch {torch.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
