"""Reads a table of a million rows and 30 columns, ready for training, with arks and with pandas, in turns.

    /usr/bin/python3 bench/table.py READ_TABLE_ONCE [--rows N] [--rounds N] [--json FILE]

Both sides do the same: read the file, encode text columns as zeros and ones, split off a fifth of the rows for testing,
and scale the inputs by mean and deviation of the training rows, as float32. Each round starts one process of either
side; a ratio is taken within a round. The time of pandas leaves out the import, that of arks the start of the program.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

TARGET = "class"


def write_table(path, rows):
    """25 numbers, a category, a flag, two whole numbers and a class; about 220 bytes a row."""
    import numpy as np

    random = np.random.default_rng(0)
    regions = np.array(["north", "south", "east", "west", "central"])
    header = [f"x{i}" for i in range(25)] + ["region", "on", "n0", "n1", TARGET]
    with open(path, "w") as file:
        file.write(",".join(header) + "\n")
        for begin in range(0, rows, 10000):
            n = min(10000, rows - begin)
            x = 10 * random.standard_normal((n, 25))
            label = x[:, :5].sum(1) + 5 * random.standard_normal(n) > 0
            region, on = regions[random.integers(0, 5, n)], random.integers(0, 2, n)
            whole = random.integers(0, 1000, (n, 2))
            for i in range(n):
                cells = ["%.4f" % v for v in x[i]]
                cells += [region[i], "True" if on[i] else "False", str(whole[i, 0]), str(whole[i, 1])]
                file.write(",".join(cells) + (",yes\n" if label[i] else ",no\n"))


def read_with_pandas(path):
    import numpy as np
    import pandas as pd

    start = time.perf_counter()
    table = pd.read_csv(path)
    target = table.pop(TARGET)
    labels = pd.Categorical(target).codes.astype(np.int64)
    inputs = pd.get_dummies(table).to_numpy(dtype=np.float32)
    order = np.random.default_rng(0).permutation(len(inputs))
    test, train = order[: len(order) // 5], order[len(order) // 5 :]
    parts = [inputs[train], inputs[test]]
    mean, deviation = parts[0].mean(0), parts[0].std(0)
    parts = [(part - mean) / deviation for part in parts]
    answers = [labels[train], labels[test]]
    seconds = time.perf_counter() - start
    assert len(answers[0]) == len(parts[0])
    print(json.dumps({"seconds": seconds, "train": len(train), "test": len(test), "inputs": inputs.shape[1]}))


def measured(command):
    """What the program printed, and its largest memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return dict(json.loads(out), memory=usage.ru_maxrss * 1024)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--pandas":
        return read_with_pandas(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="read_table_once, built by script/bench")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        write_table(path, options.rows)
        size = os.path.getsize(path)
        print(f"{options.rows} rows, 30 columns, {size / 1e6:.0f} MB")
        ours, theirs = [], []
        for round_number in range(options.rounds):
            ours.append(measured([options.program, path, TARGET]))
            theirs.append(measured([sys.executable, os.path.abspath(__file__), "--pandas", path]))
            print(f"round {round_number + 1}: arks {ours[-1]['seconds']:.2f} s, pandas {theirs[-1]['seconds']:.2f} s")
    for name in ("train", "test"):
        assert abs(ours[0][name] - theirs[0][name]) <= 1, "the two sides do not do the same work"
    ratio = statistics.median(b["seconds"] / a["seconds"] for a, b in zip(ours, theirs))
    result = {
        "rows": options.rows,
        "file_bytes": size,
        "arks": {key: statistics.median(r[key] for r in ours) for key in ("seconds", "memory")},
        "pandas": {key: statistics.median(r[key] for r in theirs) for key in ("seconds", "memory")},
        "pandas_over_arks": ratio,
    }
    for name in ("arks", "pandas"):
        print(f"{name}: {result[name]['seconds']:.2f} s, {result[name]['memory'] / 1e9:.2f} GB at most")
    print(f"arks is {ratio:.1f} times as fast as pandas")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=2)


if __name__ == "__main__":
    main()
