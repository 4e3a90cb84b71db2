"""
Losses behind the output matrix, of the next token and against what another model says of it, without ever holding all logits.

The vocabulary is 85 times as wide as the network: the logits of a batch would take more memory than everything else. So
they are made for some rows at a time, turned into the gradient of the loss at once, and multiplied on to the gradients of the
hidden states and of the matrix (as in Liger Kernel, Hsu et al., 2024).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

# Rows whose logits exist at a time: few enough for a processor's caches, many enough to keep a GPU busy.
CHUNK = 256
GPU_CHUNK = 8192

LossAndGradient = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


def loss_and_gradient(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The losses of some rows, and the gradient of their weighted sum with respect to the logits, in the logits' dtype."""
    # In place: this is bound by memory.
    wide = logits.float()
    largest = wide.amax(-1, keepdim=True)
    at = targets[:, None]
    of_target = wide.gather(-1, at)
    total = wide.sub_(largest).exp_().sum(-1, keepdim=True)
    losses = (total.log() + largest - of_target).squeeze(-1)
    gradient = wide.mul_(weights[:, None] / total).scatter_add_(-1, at, -weights[:, None])
    return losses, gradient.to(logits.dtype)


def loss_and_gradient_to_fuse(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The same as one expression, which a compiler makes few passes over the logits of."""
    wide = logits.float()
    largest = wide.amax(-1, keepdim=True)
    total = (wide - largest).exp().sum(-1, keepdim=True)
    losses = total.log().squeeze(-1) + largest.squeeze(-1) - wide.gather(-1, targets[:, None]).squeeze(-1)
    is_target = torch.arange(wide.shape[-1], device=wide.device) == targets[:, None]
    gradient = ((wide - largest).exp() / total - is_target.float()) * weights[:, None]
    return losses, gradient.to(logits.dtype)


def divergence_and_gradient(logits: Tensor, known: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """
    Of some rows the divergence KL(p || q), in nats, of what is learned (q, of `logits`) from what was known (p, of `known`), and the
    gradient of their weighted sum with respect to `logits`, in their dtype.
    """
    q = logits.float().log_softmax(-1)
    p = known.float().log_softmax(-1)
    likely = p.exp()
    gradient = (q.exp() - likely) * weights[:, None]
    return (likely * (p - q)).sum(-1), gradient.to(logits.dtype)


def linear_cross_entropy(
    hidden: Tensor,
    matrix: Tensor,
    targets: Tensor,
    weights: Tensor,
    learned: Tensor | None = None,
    of_logits: LossAndGradient = loss_and_gradient,
) -> tuple[Tensor, Tensor]:
    """
    The sum over rows of weight times -log softmax(hidden @ matrix.T)[target], in nats; and the losses of the rows, without a
    gradient.

    hidden: [n, width]; matrix: [vocabulary, width]; targets: [n] int64; weights: [n] float32;
    learned: [k] int64, the rows of the matrix that get a gradient, or None for all; of_logits: one of the two above.
    """

    def of_rows(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return of_logits(logits, targets[rows], weights[rows])

    return _LinearLoss.apply(hidden, matrix, weights, learned, of_rows)


def linear_divergence(
    hidden: Tensor,
    matrix: Tensor,
    known_hidden: Tensor,
    known_matrix: Tensor,
    weights: Tensor,
    learned: Tensor | None = None,
    of_logits: LossAndGradient = divergence_and_gradient,
) -> tuple[Tensor, Tensor]:
    """
    The sum over rows of weight times KL(p || q), p = softmax(known_hidden @ known_matrix.T), q = softmax(hidden @ matrix.T), in nats; and
    the divergences of the rows, without a gradient. Shapes as in `linear_cross_entropy`; of_logits: `divergence_and_gradient`, or that
    compiled.
    """

    def of_rows(logits: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        return of_logits(logits, known_hidden[rows] @ known_matrix.t(), weights[rows])

    return _LinearLoss.apply(hidden, matrix, weights, learned, of_rows)


class _LinearLoss(torch.autograd.Function):
    @staticmethod
    def forward(  # type: ignore[override]
        ctx,
        hidden: Tensor,
        matrix: Tensor,
        weights: Tensor,
        learned: Tensor | None,
        of_rows: Callable[[Tensor, slice], tuple[Tensor, Tensor]],
    ):
        losses = torch.empty_like(weights)
        wants_gradient = any(ctx.needs_input_grad[:2])
        of_hidden = torch.empty_like(hidden) if wants_gradient else None
        columns = slice(None) if learned is None else learned
        of_matrix = torch.zeros_like(matrix[columns], dtype=torch.float32) if wants_gradient else None
        chunk = GPU_CHUNK if hidden.is_cuda else CHUNK
        for start in range(0, hidden.shape[0], chunk):
            rows = slice(start, start + chunk)
            logits = hidden[rows] @ matrix.t()
            losses[rows], gradient = of_rows(logits, rows)
            if of_hidden is not None and of_matrix is not None:
                of_hidden[rows] = gradient @ matrix
                of_matrix += gradient[:, columns].t() @ hidden[rows]
        if of_hidden is not None and of_matrix is not None:
            ctx.save_for_backward(of_hidden, of_matrix.to(matrix.dtype), learned)
            ctx.matrix_shape = matrix.shape
        ctx.mark_non_differentiable(losses)
        return (losses * weights).sum(), losses

    @staticmethod
    def backward(ctx, scale: Tensor, _: Tensor):  # type: ignore[override]
        of_hidden, of_matrix, learned = ctx.saved_tensors
        of_matrix = of_matrix * scale.to(of_matrix.dtype)
        if learned is not None:
            of_matrix = of_matrix.new_zeros(ctx.matrix_shape).index_copy_(0, learned, of_matrix)
        return of_hidden * scale.to(of_hidden.dtype), of_matrix, None, None, None
