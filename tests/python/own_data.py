"""python3 own_data.py ARKS FOLDER: the first hours of a user, on four tables and two folders of images written here.

Each goes the whole way: data show, train (erm and arks), evaluate on a shifted field file, predict, export. Then the
exported file is loaded with torch.jit.load, the field file is read again with Python's csv module and the description
inside the model, and every prediction and every error must be the same here. The tables have the mess of real exports:
text labels, categories, missing values, dates, an index column, semicolons with decimal commas, a byte order mark,
CRLF, tabs, gzip, no header.
Ends with 77 (skipped) where PyTorch is missing.
"""
import csv
import datetime
import gzip
import json
import random
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

try:
    import torch
except ImportError:
    print("SKIPPED: python3-torch is not installed")
    sys.exit(77)

ARKS = str(Path(sys.argv[1]).resolve())
FOLDER = Path(sys.argv[2])
MISSING = {"", "NA", "NaN", "nan", "?"}


def arks(*arguments, code=0):
    run = subprocess.run([ARKS, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    assert run.returncode == code, f"arks {' '.join(map(str, arguments))}: {run.returncode}\n{run.stdout}{run.stderr}"
    return run


def write(name, header, rows, separator=",", line="\n", mark=False):
    text = "".join(separator.join(map(str, row)) + line for row in ([header] if header else []) + rows)
    content = (b"\xef\xbb\xbf" if mark else b"") + text.encode()
    (FOLDER / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


def comma(number):
    return f"{number:.3f}".replace(".", ",")


# --- the tables -------------------------------------------------------------------------------------------------------

def parts(count, shift):
    """Semicolons, decimal commas, a byte order mark, CRLF, an index, a category, dates, missing cells, a text label."""
    rows = []
    for i in range(count):
        warm, pressure = random.gauss(20 + shift, 5), random.gauss(1000, 50)
        city, ok = random.choice(["Bonn", "Köln", "Essen"]), random.random() < 0.5
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=random.randrange(300))
        bad = warm / 5 + pressure / 50 + (2 if city == "Bonn" else 0) + random.gauss(0, 0.5) > 24.6
        rows.append([i, "" if random.random() < 0.1 else comma(warm), comma(pressure), city if i != 3 else "NA", ok,
                     day, 7, "defect" if bad else "good"])
    return rows


PARTS = ["", "temperature", "pressure (hPa)", "city", "ok", "day", "constant", "quality"]


def flowers(count, shift):
    """No header, commas."""
    rows = []
    for _ in range(count):
        kind = random.randrange(3)
        rows.append([f"{random.gauss(kind, 0.5) + shift:.2f}", f"{random.gauss(2 * kind, 0.7):.2f}",
                     ["setosa", "versicolor", "virginica"][kind]])
    return rows


def houses(count, shift):
    """Tabs, gzip, large numbers to predict."""
    rows = []
    for i in range(count):
        area, rooms, kind = random.uniform(40, 200) + shift, random.randrange(1, 7), random.choice("ABC")
        price = 3000 * area + 20000 * rooms + {"A": 0, "B": 50000, "C": -30000}[kind] + random.gauss(0, 10000)
        rows.append([f"id-{i}", f"{area:.1f}", rooms, kind, f"{price:.0f}"])
    return rows


def motors(count, shift):
    """Two numbers to predict, quotes, a code of numbers that are names, points in time within one day."""
    rows = []
    for i in range(count):
        load, code = random.uniform(0, 1) + shift, random.choice(["07", "12"])
        heat = 40 + 30 * load + (5 if code == "12" else 0) + random.gauss(0, 1)
        made = datetime.datetime(2024, 5, 1) + datetime.timedelta(seconds=200 * i)
        rows.append([made.isoformat(" "), f"{load:.4f}", code, f'"line {random.randrange(2)}, hall 1"', f"{heat:.2f}",
                     f"{load * 2:.3f}"])
    return rows


# --- the same in Python -----------------------------------------------------------------------------------------------

def read(name, separator, header):
    content = (FOLDER / name).read_bytes()
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode("utf-8-sig")
    rows = list(csv.reader(text.splitlines(), delimiter=separator))
    names = rows.pop(0) if header else [f"c{i + 1}" for i in range(len(rows[0]))]
    return [dict(zip(names, row)) for row in rows]


def number(cell, kind, decimal):
    if kind == "true/false":
        return {"True": 1.0, "False": 0.0}[cell]
    if kind == "date":
        return (datetime.datetime.fromisoformat(cell) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    return float(cell.replace(decimal, "."))


def encode(rows, interface, decimal):
    """The inputs, and which of them are numbers that were filled in."""
    inputs, filled = [], []
    for row in rows:
        values, fills = [], []
        for column in interface["table"]["columns"]:
            cell = row[column["name"]]
            missing = cell in MISSING
            if column["kind"] == "category":
                chosen = column["missing"] if missing else cell  # None: none of the values
                values += [1.0 if value == chosen else 0.0 for value in column["values"]]
                fills += [False] * len(column["values"])
            else:
                values.append(column["missing"] if missing else number(cell, column["kind"], decimal))
                fills.append(missing)
            if column["indicator"]:
                values.append(1.0 if missing else 0.0)
                fills.append(False)
        inputs.append(values)
        filled.append(fills)
    return torch.tensor(inputs, dtype=torch.float64), torch.tensor(filled)


def load(name):
    files = {"arks.json": ""}
    model = torch.jit.load(str(FOLDER / name), _extra_files=files)
    text = files["arks.json"]
    return model, json.loads(text if isinstance(text, str) else text.decode())


def predictions(name):
    with open(FOLDER / name, newline="") as file:
        return list(csv.DictReader(file))


def close(a, b, what, tolerance=1e-5):
    assert abs(a - b) <= tolerance * max(1, abs(a), abs(b)), f"{what}: {a} and {b}"


def clear(outputs):
    """Whether the class is far from a tie: else rounding decides, which differs between processors and programs."""
    best = outputs.double().topk(2, dim=1).values
    return ((best[:, 0] - best[:, 1]) > 1e-4 * best[:, 0].abs().clamp(min=1)).tolist()


def check_count(errors, told, outputs, what):
    """The same number of errors, but for rows near a tie."""
    assert abs(errors - told) <= clear(outputs).count(False), f"{what}: {errors} errors here, {told} there"


def check_classes(outputs, interface, labels, rows, points, what):
    """Predictions to the row, and the errors of each model."""
    classes = interface["outputs"]["class_names"]
    guesses = [classes[i] for i in outputs.argmax(1).tolist()]
    sure = clear(outputs)
    assert sum(sure) >= 0.9 * len(rows), f"{what}: too many rows near a tie to show anything"
    assert all(guess == row["class"] for guess, row, known in zip(guesses, rows, sure) if known), what
    for probabilities, row in zip(outputs.double().softmax(1).tolist(), rows):
        for name, probability in zip(classes, probabilities):
            close(probability, float(row[f"probability of {name}"]), what)
    errors = sum(guess != label for guess, label in zip(guesses, labels))
    check_count(errors, points[0]["errors"], outputs, what)


def check_scaled_rows(name, run, outputs, interface, rows, quantities, separator, line, mark, header, decimal):
    """The field file with every quantity times 1.25 written into it: the same classes, row by row."""
    columns = {c["name"]: c for c in interface["table"]["columns"]}
    def moved(column, cell):
        if column not in quantities or cell in MISSING:
            return cell
        return repr(number(cell, columns[column]["kind"], decimal) * 1.25).replace(".", decimal)
    scaled = "scaled-" + name
    write(scaled, header, [[moved(column, cell) for column, cell in row.items()] for row in rows], separator, line,
          mark)
    arks("predict", run, "--data", scaled, "--out", f"{scaled}.csv")
    classes = interface["outputs"]["class_names"]
    told = [row["class"] for row in predictions(f"{scaled}.csv")]
    here = [classes[i] for i in outputs.argmax(1).tolist()]
    same = [a == b for a, b, known in zip(told, here, clear(outputs), strict=True) if known]
    assert all(same), f"{name}: rows scaled in the file and by the tool differ"


def whole_way(name, make, header, flags=(), separator=",", line="\n", mark=False, decimal=".", targets=None, count=300):
    stem = name.split(".")[0]
    field = "field-" + name
    write(name, header, make(count, 0), separator, line, mark)
    write(field, header, make(80, 0.4), separator, line, mark)
    shown = arks("data", "show", name, *flags).stdout
    assert "table" in shown, shown
    for method in (["erm"], ["arks", "--sigma", "0.5"]):
        arks("train", "--data", name, *flags, "--method", *method, "--epochs", 20, "--out", f"{stem}-{method[0]}",
             "--quiet")
    run, exported = f"{stem}-arks", f"{stem}.pt"
    arks("export", run, "--out", exported)
    arks("predict", run, "--data", field, "--out", f"{stem}-run.csv")
    arks("predict", exported, "--data", field, "--out", f"{stem}-file.csv")
    evaluated = json.loads(arks("evaluate", run, exported, f"{stem}-erm", "--test-data", field, "--attack", "scale",
                                "--eps", "0,0.25", "--json", "-", "--quiet").stdout)
    points = {(p["model"], p["eps"]): p for p in evaluated["points"]}
    model, interface = load(exported)
    assert interface["inputs"]["type"] == ("float64" if name.startswith("motors") else "float32")
    rows = read(field, separator, header is not None)
    inputs, filled = encode(rows, interface, decimal)
    quantity = torch.tensor([f["quantity"] and not f["date"] for f in interface["inputs"]["features"]])
    for eps in (0, 0.25):
        # the shift acts on the user's own numbers; what is a name, a flag, a date or missing stays as it is
        moved = torch.where(quantity & ~filled, inputs * (1 + eps),
                            inputs).to(getattr(torch, interface["inputs"]["type"]))
        with torch.no_grad():
            outputs = model(moved)
        both = [points[(run, eps)], points[(exported, eps)]]
        if targets is None:
            labels = [row[interface["outputs"]["target"]] for row in rows]
            guesses = [interface["outputs"]["class_names"][i] for i in outputs.argmax(1).tolist()]
            errors = sum(guess != label for guess, label in zip(guesses, labels))
            for point in both:
                check_count(errors, point["errors"], outputs, f"{name}, eps {eps}, {point['model']}")
            if eps == 0.25:
                quantities = {f["column"] for f in interface["inputs"]["features"] if f["quantity"] and not f["date"]}
                check_scaled_rows(name, run, outputs, interface, rows, quantities, separator, line, mark, header,
                                  decimal)
            if eps == 0:
                for file in (f"{stem}-run.csv", f"{stem}-file.csv"):
                    check_classes(outputs, interface, labels, predictions(file), both, f"{name}, {file}")
        else:
            truth = torch.tensor([[float(row[t]) for t in targets] for row in rows], dtype=torch.float64)
            scale = torch.tensor(interface["outputs"]["deviation"], dtype=torch.float64)
            loss = (((outputs.double() - truth) / scale) ** 2).sum(1).mean().item()
            for point in both:
                close(loss, point["loss"], f"{name}, eps {eps}", 1e-4)
            if eps == 0:
                for file in (f"{stem}-run.csv", f"{stem}-file.csv"):
                    for row, values in zip(predictions(file), outputs.tolist()):
                        for target, value in zip(targets, values):
                            close(value, float(row[f"predicted {target}"]), f"{name}, {file}", 1e-4)
    print(f"{name}: {len(rows)} rows of the field agree")


# --- images -----------------------------------------------------------------------------------------------------------

def png(path, pixels, width, height, channels):
    """8-bit PNG: grey, colour, or colour with alpha."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    kind = {1: 0, 3: 2, 4: 6}[channels]
    lines = b"".join(b"\0" + bytes(pixels[y * width * channels:(y + 1) * width * channels]) for y in range(height))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def pictures(folder, count, shift, sides, modes):
    """Bright on the left or on the right; sizes and modes differ. Returns height, width and brightness by file."""
    written = {}
    for i in range(count):
        label = ["left", "right"][i % 2]
        height, width = random.choice(sides)
        channels = modes[i // 2 % len(modes)]
        brightness = []
        for _ in range(height):
            for x in range(width):
                bright = (x < width / 2) == (label == "left")
                brightness.append(min(255, max(0, int(random.gauss(150 if bright else 80, 30) + shift))))
        file = FOLDER / folder / label / f"{i}.png"
        pixels = []
        for value in brightness:
            pixels += [value] * min(channels, 3) + [255 - value // 2] * (channels == 4)
        png(file, pixels, width, height, channels)
        written[file.resolve()] = (height, width, brightness)
    return written


def check_images(name, written, rows):
    """Images of the size that the model takes, computed here; the others the tool has resized."""
    model, interface = load(f"{name}.pt")
    channels, height, width = interface["inputs"]["shape"]
    classes = interface["outputs"]["class_names"]
    assert classes == ["left", "right"]
    checked = 0
    for row in rows:
        h, w, brightness = written[(FOLDER / row["file"]).resolve()]
        if (h, w) != (height, width):
            continue
        image = (torch.tensor(brightness, dtype=torch.float32) / 255).reshape(1, 1, h, w).expand(1, channels, h, w)
        with torch.no_grad():
            outputs = model(image.contiguous())
        probabilities = outputs.double().softmax(1)[0]
        assert row["class"] == classes[int(probabilities.argmax())] or not clear(outputs)[0], row
        for label, probability in zip(classes, probabilities.tolist()):
            close(probability, float(row[f"probability of {label}"]), row["file"], 1e-4)
        checked += 1
    assert checked >= 5, f"{name}: only {checked} images have the size of the model"
    return checked


def whole_way_of_images(name, sides, modes, flags):
    pictures(name, 60, 0, sides, modes)
    written = pictures("field-" + name, 20, 30, sides, modes)
    arks("data", "show", name, *flags)
    for method in (["erm"], ["arks", "--sigma", "0.5"]):
        arks("train", "--data", name, *flags, "--method", *method, "--epochs", 3, "--batch-size", 16, "--inner-steps",
             3, "--out", f"{name}-{method[0]}", "--quiet")
    arks("export", f"{name}-arks", "--out", f"{name}.pt")
    arks("predict", f"{name}.pt", "--data", "field-" + name, "--out", f"{name}.csv")
    evaluated = json.loads(arks("evaluate", f"{name}-arks", f"{name}.pt", "--test-data", "field-" + name, "--eps", "0",
                                "--json", "-", "--quiet").stdout)
    wrong = sum(Path(row["file"]).parent.name != row["class"] for row in predictions(f"{name}.csv"))
    ties = sum(abs(float(row["probability of left"]) - 0.5) < 1e-4 for row in predictions(f"{name}.csv"))
    for point in evaluated["points"]:
        assert abs(point["errors"] - wrong) <= ties and point["n"] == 20, (point, wrong)
    checked = check_images(name, written, predictions(f"{name}.csv"))
    print(f"{name}: 20 images of the field agree, {checked} of them to the probability")


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
random.seed(7)
whole_way("parts.csv", parts, PARTS, ["--missing", "indicator"], separator=";", line="\r\n", mark=True, decimal=",")
whole_way("flowers.csv", flowers, None)
whole_way("houses.tsv.gz", houses, ["id", "area", "rooms", "kind", "price"], ["--drop", "id"], separator="\t",
          targets=["price"])
whole_way("motors.csv", motors, ["made", "load", "code", "place", "heat", "current"],
          ["--target", "heat,current", "--categorical", "code"], targets=["heat", "current"])
whole_way_of_images("grey", [(12, 12), (16, 10)], [1], ["--resize", "12x12"])
whole_way_of_images("colour", [(20, 20)], [3, 4, 1], [])
