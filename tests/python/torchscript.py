"""python3 torchscript.py ARKS FOLDER: a network of a Python user goes through arks and comes back.

It is trained a little in Python, saved scripted and traced, evaluated by arks with the same errors as here, made
robust by `arks train --model`, and loaded back with torch.jit.load. Also: files that arks must refuse, and in which
words.
Ends with 77 (skipped) where PyTorch or Fashion-MNIST is missing.
"""
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

try:
    import torch
    from torch import nn
except ImportError:
    print("SKIPPED: python3-torch is not installed")
    sys.exit(77)

ARKS = sys.argv[1]
FOLDER = Path(sys.argv[2])
DATA = Path(os.environ.get("ARKS_DATA_DIR", "/usr/share/datasets")) / "fashion-mnist"
TRAIN, TEST = 1200, 300
EPS, STEPS, ALPHA = 0.05, 5, 0.02


def idx(name, count):
    with gzip.open(DATA / name) as file:
        _, dimensions = struct.unpack(">HBB", file.read(4))[1:]
        shape = struct.unpack(">" + "I" * dimensions, file.read(4 * dimensions))
        size = 1
        for length in shape[1:]:
            size *= length
        return torch.frombuffer(bytearray(file.read(count * size)), dtype=torch.uint8).reshape(count, *shape[1:])


def images(part, count):
    x = idx(f"{part}-images-idx3-ubyte.gz", count).float().div(255).unsqueeze(1)
    return x, idx(f"{part}-labels-idx1-ubyte.gz", count).long()


class Net(nn.Module):
    """What a user might write: batch norm, dropout, an exported method and an attribute."""

    classes: int

    def __init__(self):
        super().__init__()
        self.classes = 10
        self.body = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(), nn.Dropout(0.1),
            nn.Flatten(), nn.Linear(16 * 36, 10))

    def forward(self, x):
        return self.body(x)

    @torch.jit.export
    def predict(self, x):
        return self.body(x).argmax(1)


def trained(net, x, y):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
    for _ in range(4):
        for batch in torch.randperm(len(x)).split(100):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x[batch]), y[batch]).backward()
            optimizer.step()
    return net.eval()


def errors(net, x, y):
    with torch.no_grad():
        return int((net(x).argmax(1) != y).sum())


def attacked(net, x, y, steps, alpha):
    u = x.clone()
    for _ in range(steps):
        u.requires_grad_()
        loss = nn.functional.cross_entropy(net(u), y, reduction="sum")
        gradient, = torch.autograd.grad(loss, u)
        u = (x + (u.detach() + alpha * gradient.sign() - x).clamp(-EPS, EPS))
    return u.clamp(0, 1)


def robust_errors(net, x, y):
    return errors(net, attacked(net, x, y, STEPS, ALPHA), y)


def arks(*arguments):
    done = subprocess.run([ARKS, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def succeed(*arguments):
    code, out, err = arks(*arguments)
    assert code == 0, f"arks {' '.join(map(str, arguments))} ended with {code}: {err}"
    return out


def evaluated(models, *arguments):
    document = json.loads(succeed("evaluate", *models, "--data", "fashion-mnist", "--limit", TEST, "--quiet", "--json",
                                  "-", *arguments))
    return {(point["model"], point["eps"]): point["errors"] for point in document["points"]}


PGD = ("--attack", "pgd", "--eps", EPS, "--steps", STEPS, "--alpha", ALPHA)


def alike(one, other):
    """Counts of errors, but for images so near a tie that rounding decides, which differs between processors."""
    return abs(one - other) <= max(1, TEST // 100)


def same_errors_as_here(net, x, y):
    """arks counts what Python counts, clean, under FGSM and under PGD, for all ways of saving a module."""
    files = ["scripted.pt", "traced.pt", "frozen.pt"]
    net.train()
    torch.jit.script(net).save(FOLDER / files[0])  # in training mode: arks evaluates in evaluation mode
    net.eval()
    torch.jit.trace(net, x[:2]).save(FOLDER / files[1])
    torch.jit.freeze(torch.jit.script(net)).save(FOLDER / files[2])
    fgsm = evaluated(files, "--attack", "fgsm", "--eps", f"0,{EPS}")
    pgd = evaluated(files, *PGD)
    for file in files:
        assert alike(fgsm[file, 0], errors(net, x, y)), (file, fgsm, errors(net, x, y))
        expected = errors(net, attacked(net, x, y, 1, EPS), y)
        assert alike(fgsm[file, EPS], expected), (file, "fgsm", fgsm, expected)
        assert alike(pgd[file, EPS], robust_errors(net, x, y)), (file, "pgd", pgd, robust_errors(net, x, y))
    transfer = evaluated(["traced.pt"], *PGD, "--source", "scripted.pt")
    assert alike(transfer["traced.pt", EPS], pgd["traced.pt", EPS]), "crafted on the same network"


def normalised(net, x, y):
    mean, std = 0.286, 0.353

    class Scaled(nn.Module):
        def forward(self, u):
            return net((u - mean) / std)

    found = evaluated(["scripted.pt"], *PGD, "--mean", mean, "--std", std)
    assert alike(found["scripted.pt", EPS], robust_errors(Scaled(), x, y)), found


def flags_of(program):
    return {name: module.training for name, module in program.named_modules()}


def comes_back_robust(net, x, y):
    before = robust_errors(net, x, y)
    for name in ("scripted", "traced"):
        succeed("train", "--model", f"{name}.pt", "--data", "fashion-mnist", "--method", "arks", "--sigma", 1,
                "--epochs", 3, "--inner-steps", 5, "--inner-lr", 0.1, "--lr", 0.003, "--batch-size", 100,
                "--train-limit", TRAIN, "--limit", TEST, "--out", name, "--quiet")
        given, back = torch.jit.load(FOLDER / f"{name}.pt"), torch.jit.load(FOLDER / name / "model.pt")
        assert list(back.state_dict()) == list(given.state_dict())
        assert flags_of(back) == flags_of(given), "modes are those of the file"
        steps = [f"body.{layer}.num_batches_tracked" for layer in (1, 4)]
        for key in steps:
            moved = int(back.state_dict()[key] - given.state_dict()[key])
            assert (moved > 0) == (name == "scripted"), "what was traced in evaluation mode keeps its statistics"
        assert all(p.requires_grad for p in back.parameters())
        back.eval()
        if name == "scripted":
            assert back.classes == 10
            assert torch.equal(back.predict(x), back(x).argmax(1))
        found = evaluated([name], *PGD)[name, EPS]
        after = robust_errors(back, x, y)
        assert alike(found, after), f"{name}: arks counts {found}, Python {after}"
        assert alike(evaluated([f"{name}/model.pt"], *PGD)[f"{name}/model.pt", EPS], after)
        print(f"{name}: {before} of {TEST} wrong under PGD before, {after} after")
        assert after < 0.8 * before, f"{name}: {before} errors under PGD before, {after} after"
        succeed("export", name, "--out", f"{name}-export.pt")
        assert torch.equal(torch.jit.load(FOLDER / f"{name}-export.pt").eval()(x), back(x))


def goes_on(x, y):
    """Re-initialised, with a scaling in front, interrupted by its number of epochs and resumed: the same weights."""
    common = ("--data", "fashion-mnist", "--model", "scripted.pt", "--reinit", "--mean", 0.286, "--std", 0.353,
              "--method", "pgd", "--eps", 0.05, "--inner-steps", 2, "--inner-lr", 0.03, "--batch-size", 100,
              "--train-limit", 300, "--limit", 100, "--quiet")
    succeed("train", *common, "--epochs", 2, "--out", "whole")
    succeed("train", *common, "--epochs", 1, "--out", "parts")
    os.rename(FOLDER / "scripted.pt", FOLDER / "moved.pt")  # the run folder alone is enough
    succeed("train", "--resume", "parts", "--epochs", 2, "--quiet")
    os.rename(FOLDER / "moved.pt", FOLDER / "scripted.pt")
    whole, parts = (torch.jit.load(FOLDER / run / "model.pt") for run in ("whole", "parts"))
    for (name, a), b in zip(whole.state_dict().items(), parts.state_dict().values()):
        assert torch.equal(a, b), f"{name} differs in the run that was resumed"
    whole.eval()
    with torch.no_grad():
        expected = whole.net((x - 0.286) / 0.353)
    assert torch.allclose(whole(x), expected, atol=1e-4), "the file holds the scaling"
    assert alike(evaluated(["whole"], "--attack", "fgsm", "--eps", 0)["whole", 0], errors(whole, x, y))


def certified(net):
    out = json.loads(succeed("certify", "scripted.pt", "--data", "fashion-mnist", "--rho", "0:0.1:0.1", "--sigma", 0.1,
                             "--limit", 4, "--inner-steps", 5, "--quiet", "--json", "-"))
    assert out["label"] == "verified", out
    known = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ELU(0.5), nn.MaxPool2d(2), nn.LeakyReLU(0.2),
                          nn.AvgPool2d(2), nn.Sequential(nn.Tanh(), nn.Identity(), nn.Flatten()), nn.Linear(98, 10),
                          nn.Sigmoid())
    torch.jit.script(known).save(FOLDER / "known.pt")
    succeed("certify", "known.pt", "--data", "fashion-mnist", "--rho", 0.1, "--sigma", 0.1, "--limit", 2,
            "--inner-steps", 2, "--quiet")
    torch.jit.script(nn.Sequential(nn.Flatten(), nn.Linear(784, 10), nn.Softplus())).save(FOLDER / "softplus.pt")
    refused("certify", "softplus.pt", "layer 2 (Softplus)")
    succeed("certify", "softplus.pt", "--data", "fashion-mnist", "--label", "estimated", "--rho", "0:0.1:0.1",
            "--sigma", 0.1, "--limit", 4, "--inner-steps", 5, "--quiet")


def refused(command, file, *words):
    code, _, err = arks(command, *(("--model",) if command == "train" else ()), file, "--data", "fashion-mnist",
                        "--limit", 10, "--quiet",
                        *(("--train-limit", 50, "--out", "refused") if command == "train" else ()))
    assert code == 2, f"{command} {file}: ended with {code}: {err}"
    assert err.count("\n") == 1, f"{command} {file}: not one line: {err}"
    for word in words:
        assert word in err, f"{command} {file}: '{word}' is not in: {err}"


class Wide(nn.Module):
    def forward(self, x):
        return x.reshape(x.size(0), 3, 32, 32).sum((2, 3))


class Pair(nn.Module):
    def forward(self, x):
        return x.flatten(1)[:, :10], x


class Detached(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(784, 10)

    def forward(self, x):
        return self.dense(x.detach().flatten(1))


class Noisy(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x.flatten(1)[:, 400:410], 0.5, training=True)


def bad_files(net, x):
    (FOLDER / "notes.pt").write_text("not a model\n")
    torch.save(net.state_dict(), FOLDER / "state.pt")
    torch.save(net.state_dict(), FOLDER / "old.pt", _use_new_zipfile_serialization=False)
    whole = (FOLDER / "scripted.pt").read_bytes()
    (FOLDER / "half.pt").write_bytes(whole[:len(whole) // 2])
    for name, module in (("wide", Wide()), ("pair", Pair()), ("detached", Detached()), ("double", net.double())):
        torch.jit.script(module).save(FOLDER / f"{name}.pt")
    net.float()
    for command in ("evaluate", "certify", "train"):
        refused(command, "notes.pt", "TorchScript file")
    refused("evaluate", "state.pt", "pickle", "torch.jit.script")
    refused("train", "old.pt", "pickle")
    refused("certify", "half.pt", "damaged")
    refused("train", "double.pt", "float32")
    refused("evaluate", "none.pt", "does not exist")
    refused("evaluate", "wide.pt", "[1, 28, 28]", "shape '[2, 3, 32, 32]' is invalid")
    refused("evaluate", "pair.pt", "returns a (Tensor, Tensor)")
    refused("evaluate", "detached.pt", "not differentiable in its input")
    refused("train", "detached.pt", "not differentiable in its input")
    refused("train", "frozen.pt", "no parameters to train")
    code, _, err = arks("evaluate", "scripted.pt")
    assert code == 2 and "give --data" in err, err
    torch.jit.trace(Noisy(), x[:2], check_trace=False).save(FOLDER / "noisy.pt")
    code, _, err = arks("evaluate", "noisy.pt", "--data", "fashion-mnist", "--limit", 10, "--eps", 0)
    assert code == 0 and "random in evaluation mode" in err and "traced in training mode" in err, err


def main():
    if not DATA.is_dir():
        print(f"SKIPPED: no Fashion-MNIST in {DATA}")
        sys.exit(77)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    torch.manual_seed(0)
    net = trained(Net(), *images("train", TRAIN))
    x, y = images("t10k", TEST)
    same_errors_as_here(net, x, y)
    normalised(net, x, y)
    comes_back_robust(net, x, y)
    goes_on(x, y)
    certified(net)
    bad_files(net, x)
    shutil.rmtree(FOLDER)


main()
