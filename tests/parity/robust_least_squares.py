"""Reference values for tests/sdp/parity_test.cpp: python3 robust_least_squares.py DATA_FOLDER FOLDER writes
FOLDER/robust_least_squares.json.

min over theta of max over |xi| <= 1 of |(A0 + sum xi_k A_k) theta - b|^2, as a semidefinite program solved by CVXOPT;
nothing of arks is used but its CSV files. Ends with code 77 (skipped) where CVXOPT is not installed.
"""
import json
import os
import sys

try:
    import cvxopt
    from cvxopt import matrix, solvers
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no CVXOPT ({error}); on Debian: apt install python3-cvxopt")
    sys.exit(77)


def read_matrices(path, rows):
    """{"A0": rows of numbers, …, "b": …}, the first rows of each."""
    found = {}
    with open(path) as file:
        for line in file:
            if not line.startswith("#"):
                name, _, *entries = line.strip().split(",")
                found.setdefault(name, []).append([float(entry) for entry in entries])
    return {name: content[:rows] for name, content in found.items()}


def worst_case(data):
    """CVXOPT wants G x + S = h with S positive semidefinite, every symmetric matrix as a column: S is
    [[s I, 0, P'], [0, t, q'], [P, q, I]] with P = (A_k theta), q = A0 theta - b, in the variables theta, s, t."""
    nominal, b = data["A0"], [row[0] for row in data["b"]]
    directions = [data[name] for name in sorted(data) if name not in ("A0", "b")]
    rows, columns, k = len(nominal), len(nominal[0]), len(directions)
    size = k + 1 + rows
    gradient = matrix(0.0, (size * size, columns + 2))
    constant = matrix(0.0, (size, size))

    def put(variable, i, j, value):
        gradient[i + size * j, variable] = gradient[j + size * i, variable] = -value

    for row in range(rows):
        constant[k + 1 + row, k + 1 + row] = 1
        constant[k + 1 + row, k] = constant[k, k + 1 + row] = -b[row]
        for column in range(columns):
            put(column, k + 1 + row, k, nominal[row][column])
            for d in range(k):
                put(column, k + 1 + row, d, directions[d][row][column])
    for d in range(k):
        put(columns, d, d, 1.0)
    put(columns + 1, k, k, 1.0)
    objective = matrix([0.0] * columns + [1.0, 1.0])
    solution = solvers.sdp(objective, Gs=[gradient], hs=[constant])
    if solution["status"] != "optimal":
        raise RuntimeError(f"CVXOPT ended as {solution['status']}")
    return {"value": solution["primal objective"], "theta": list(solution["x"][:columns])}


def main(data_folder, folder):
    solvers.options.update(show_progress=False, abstol=1e-9, reltol=1e-9, feastol=1e-9)
    result = {}
    for figure, name, rows in (("6.15", "robust_least_squares_6_15.csv", 10),
                               ("6.16", "robust_least_squares_6_16.csv", 50)):
        result[figure] = worst_case(read_matrices(os.path.join(data_folder, name), rows))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "robust_least_squares.json"), "w") as file:
        json.dump(result, file)
    print(f"CVXOPT {cvxopt.__version__}: " + ", ".join(f"{figure} {r['value']:.9f}" for figure, r in result.items()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
