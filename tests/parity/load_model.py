"""python3 load_model.py MODEL INPUTS OUT: the model.pt of a run, as a Python user opens it, on the tensor x of INPUTS.

OUT receives the logits, the gradient of their sum for x, the weights and their gradients, which can be trained further,
and the modes of all modules; then the logits in training mode and the buffers behind that pass.
"""
import sys

import torch

import tensors

model = torch.jit.load(sys.argv[1])
x = tensors.load(sys.argv[2])["x"].requires_grad_()
logits = model(x)
logits.sum().backward()
modes = [module.training for module in model.modules()]
found = {"logits": logits, "input_gradient": x.grad, "modes": torch.tensor(modes)}
for name, parameter in model.named_parameters():
    found[name] = parameter
    found[name + "_gradient"] = parameter.grad
model.train()
found["train_logits"] = model(x)
for name, buffer in model.named_buffers():
    found[name] = buffer.clone()
model.eval()
tensors.save(sys.argv[3], found)
