"""Reference numbers for statistics_parity_test.cpp: python3 statistics_reference.py FOLDER writes
FOLDER/statistics_reference.pt. Everything from its definition: sums over binomial probabilities and over pairs, and
Student's t by numerical integration, with nothing in common with what is tested."""
import math
import os
import sys

import training  # ends the script where there is no PyTorch
import tensors

import torch


def binomial_tail(n, k, p):  # P(X >= k)
    return sum(math.comb(n, i) * p**i * (1 - p)**(n - i) for i in range(k, n + 1))


def bisect(rises, target):
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if rises(middle) < target else (low, middle)
    return low


def clopper_pearson(k, n):
    low = bisect(lambda p: binomial_tail(n, k, p), 0.025) if k > 0 else 0.0
    high = bisect(lambda p: binomial_tail(n, k + 1, p), 0.975) if k < n else 1.0
    return [low, high]


def t_two_sided(t, df, steps=200000):  # by Simpson's rule over the density
    c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    h = t / steps
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * h)**2 / df)**(-(df + 1) / 2)
                for i in range(steps + 1))
    return 1 - 2 * c * total * h / 3


def t_quantile(p, df):
    low, high = 0.0, 1e3
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - t_two_sided(middle, df, 20000) / 2 < p else (low, middle)
    return low


def beta_quantile(a, b, p, steps=20000):  # of whole and other numbers a, b > 1, by Simpson's rule
    def area(x):
        h = x / steps
        return h / 3 * sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (i * h)**(a - 1) * (1 - i * h)**(b - 1)
                           for i in range(steps + 1))
    whole = math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
    return bisect(lambda x: area(x) / whole, p)


def group_variance(values, groups):  # by pairs: values of one group go together, all others do not
    n, mean = len(values), sum(values) / len(values)
    count = len(set(groups))
    pairs = sum((v - mean) * (w - mean) for v, g in zip(values, groups) for w, h in zip(values, groups) if g == h)
    return count / (count - 1) * pairs / n**2


def group_interval(values, groups):
    n, count, p = len(values), len(set(groups)), sum(values) / len(values)
    less_sure = t_quantile(0.975, n - 1) / t_quantile(0.975, count - 1)
    n_eff = min(n, max(1, p * (1 - p) / group_variance(values, groups) * less_sure**2))
    k = p * n_eff
    return [beta_quantile(k, n_eff - k + 1, 0.025), beta_quantile(k + 1, n_eff - k, 0.975)]


def auc(scores, positive):  # over all pairs
    wins = [1.0 if a > b else 0.5 if a == b else 0.0
            for a, p in zip(scores, positive) if p for b, q in zip(scores, positive) if not q]
    return sum(wins) / len(wins)


def main(folder):
    generator = torch.Generator().manual_seed(3)
    n, classes = 40, 3
    logits = torch.randn(n, classes, generator=generator, dtype=torch.float64).mul(2).round() / 2  # with ties
    labels = torch.randint(classes, (n,), generator=generator)
    odds = [[-math.fsum(math.exp(z - row[c]) for i, z in enumerate(row) if i != c) for row in logits.tolist()]
            for c in range(classes)]  # fsum: equal ones tie, in whatever order
    areas = [auc(odds[c], (labels == c).tolist()) for c in range(classes)]
    two = logits[:, :2]
    binary = auc((two[:, 1] - two[:, 0]).tolist(), (labels.clamp_max(1) == 1).tolist())
    recall = [((logits.argmax(1) == c) & (labels == c)).sum().item() / (labels == c).sum().item()
              for c in range(classes)]
    first = torch.rand(n, generator=generator, dtype=torch.float64)
    second = first + 0.2 * torch.randn(n, generator=generator, dtype=torch.float64) + 0.05
    d = second - first
    t = d.mean().item() / (d.std().item() / math.sqrt(n))
    target = torch.randn(n, 2, generator=generator, dtype=torch.float64)
    guess = target + 0.3 * torch.randn(n, 2, generator=generator, dtype=torch.float64)
    r2 = [1 - ((guess - target)[:, i]**2).sum().item() / ((target[:, i] - target[:, i].mean())**2).sum().item()
          for i in range(2)]
    b, c = 3, 12  # discordant rows
    mcnemar = 2 * sum(math.comb(b + c, i) for i in range(b + 1)) / 2**(b + c)
    part, differ = clopper_pearson(c, b + c), clopper_pearson(b + c, 50)  # 2*part[0] > 1: 0 is left out
    mcnemar_interval = [(2 * part[0] - 1) * differ[0], (2 * part[1] - 1) * differ[1]]
    groups = [i // 5 for i in range(n)]  # eight groups, whose rows are alike
    wrong = [1.0 if (i // 5) % 3 == 0 or i % 11 == 0 else 0.0 for i in range(n)]
    group_t = d.mean().item() / math.sqrt(group_variance(d.tolist(), groups))
    double = lambda values: torch.tensor(values, dtype=torch.float64)
    tensors.save(os.path.join(folder, "statistics_reference.pt"), {
        "logits": logits, "labels": labels, "auc": double([sum(areas) / classes]), "binary_auc": double([binary]),
        "balanced_accuracy": double([sum(recall) / classes]), "first": first, "second": second,
        "t_p_value": double([t_two_sided(abs(t), n - 1)]), "target": target, "guess": guess, "r2": double(r2),
        "mae": (guess - target).abs().mean(0), "mcnemar": double([mcnemar]),
        "mcnemar_interval": double(mcnemar_interval), "groups": torch.tensor(groups), "wrong": double(wrong),
        "group_variance": double([group_variance(wrong, groups)]), 
        "group_interval": double(group_interval(wrong, groups)),
        "group_p_value": double([t_two_sided(abs(group_t), 7)]),
        "intervals": double([clopper_pearson(k, m) for k, m in ((0, 20), (3, 50), (25, 50), (17, 17), (1, 300))])})


if __name__ == "__main__":
    main(sys.argv[1])
