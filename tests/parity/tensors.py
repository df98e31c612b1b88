"""Named tensors between Python and C++: a TorchScript module whose buffers they are."""
import torch


class Shelf(torch.nn.Module):
    def forward(self, x):
        return x


def save(path, tensors):
    shelf = Shelf()
    for name, tensor in tensors.items():
        # a clone, since tensors that share memory would be stored as one
        shelf.register_buffer(name.replace(".", "_"), tensor.detach().clone().contiguous())
    torch.jit.script(shelf).save(path)


def load(path):
    return dict(torch.jit.load(path).named_buffers())
