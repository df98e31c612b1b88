"""Reference numbers for column_tests_parity_test.cpp: python3 column_tests_reference.py FOLDER writes
FOLDER/column_tests_reference.pt. Kolmogorov-Smirnov by going through all orders of the pooled values, of more values by
counting them, both in whole numbers; chi-squared by numerical integration of its density: nothing in common
with what is tested."""
import bisect
import fractions
import itertools
import math
import os
import sys

import training  # ends the script where there is no PyTorch
import tensors

import torch


def gap(x, z):  # times len(x)·len(z), a whole number
    x, z = sorted(x), sorted(z)
    return max(abs(bisect.bisect_right(x, p) * len(z) - bisect.bisect_right(z, p) * len(x)) for p in x + z)


def ks_p_value(x, z):  # over all orders, as if there were no ties
    m, n, found = len(x), len(z), gap(x, z)
    as_large = 0
    for chosen in itertools.combinations(range(m + n), m):
        mine, i, largest = set(chosen), 0, 0
        for position in range(m + n):
            i += position in mine
            largest = max(largest, abs(i * n - (position + 1 - i) * m))
        as_large += largest >= found
    return as_large / math.comb(m + n, m)


def ks_p_value_counted(x, z):  # the same by the number of orders that stay closer, of whatever size
    m, n, found = len(x), len(z), gap(x, z)
    ways = {0: 1}  # of the orders of the first i and j values: j → number
    for i in range(m + 1):
        first, last = max(0, (i * n - found) // m + 1), min(n, -((-i * n - found) // m) - 1)
        row = {}
        for j in range(first, last + 1):
            row[j] = (ways.get(j, 0) + row.get(j - 1, 0)) if i + j > 0 else 1
        ways = row
    return float(1 - fractions.Fraction(ways.get(n, 0), math.comb(m + n, m)))


def chi_squared_tail(statistic, degrees, steps=200000):  # Simpson's rule after x = t², which takes the pole away
    c = 2 / (2**(degrees / 2) * math.gamma(degrees / 2))
    h = math.sqrt(statistic) / steps
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (i * h)**(degrees - 1) * math.exp(-(i * h)**2 / 2)
                for i in range(steps + 1))
    return 1 - c * total * h / 3


def chi_squared(x, z):
    m, n, total = sum(x), sum(z), 0.0
    for a, b in zip(x, z):
        for observed, side in ((a, m), (b, n)):
            expected = (a + b) * side / (m + n)
            total += (observed - expected)**2 / expected
    return total


def main(folder):
    generator = torch.Generator().manual_seed(11)
    values = {}
    for number, (m, n, shift, ties) in enumerate([(5, 7, 0, False), (8, 8, 1, False), (6, 9, 2, False),
                                                  (9, 7, 1, True)]):
        x = torch.randn(m, generator=generator, dtype=torch.float64)
        z = torch.randn(n, generator=generator, dtype=torch.float64) + shift
        if ties:
            x, z = x.mul(2).round(), z.mul(2).round()
        values[f"x{number}"], values[f"z{number}"] = x, z
        values[f"gap{number}"] = torch.tensor(gap(x.tolist(), z.tolist()) / (m * n), dtype=torch.float64)
        values[f"p{number}"] = torch.tensor(ks_p_value(x.tolist(), z.tolist()), dtype=torch.float64)
    larger = [(30, 13, 0.5), (25, 60, 0.3), (700, 40, 0.2), (3000, 1333, 0.08), (3750, 800, 0.05), (800, 3750, 0.1),
              (4000, 1000, 0.1), (2750, 1400, 0.15)]
    for number, (m, n, shift) in enumerate(larger):
        x = torch.randn(m, generator=generator, dtype=torch.float64)
        z = torch.randn(n, generator=generator, dtype=torch.float64) + shift
        values[f"large_x{number}"], values[f"large_z{number}"] = x, z
        values[f"large_p{number}"] = torch.tensor(ks_p_value_counted(x.tolist(), z.tolist()), dtype=torch.float64)
    tables = [([12, 30, 8, 5], [20, 22, 9, 14]), ([40, 60], [55, 45]), ([9, 1, 7, 3, 10, 5], [2, 8, 6, 4, 12, 9])]
    for number, (x, z) in enumerate(tables):
        values[f"counts{number}"] = torch.tensor([x, z])
        statistic = chi_squared(x, z)
        values[f"chi{number}"] = torch.tensor([statistic, chi_squared_tail(statistic, len(x) - 1)], dtype=torch.float64)
    tensors.save(os.path.join(folder, "column_tests_reference.pt"), values)


if __name__ == "__main__":
    main(sys.argv[1])
