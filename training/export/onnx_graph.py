"""The policy of a trained network as an ONNX graph, checked against the policy itself."""

import logging
import warnings

import numpy as np
import torch

from training.errors import ExportError
from training.policy import Actor

OBSERVATIONS, LOGITS = "observations", "logits"
"""What goes in (shape [batch, N], float32) and what comes out (shape [batch, 108], float32)."""

MISSING = "an ONNX graph needs onnx, onnxscript and onnxruntime: pip install 'gin-env[export]'"


def check_installed() -> None:
    """Check that graphs can be made here.

    Raises:
        ExportError: If a library is missing.
    """
    try:
        import onnx  # noqa: F401, PLC0415
        import onnxruntime  # noqa: F401, PLC0415
        import onnxscript  # noqa: F401, PLC0415
    except ImportError as error:
        raise ExportError(MISSING) from error


def make_graph(actor: Actor, n_inputs: int) -> bytes:
    """An ONNX graph of a policy, for any number of observations at once."""
    import onnx  # noqa: PLC0415  (an extra)

    with warnings.catch_warnings():
        # Torch warns of what it does itself, and of libraries that are not needed here.
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            actor.eval(),
            (torch.zeros(2, n_inputs),),
            dynamo=True,
            input_names=[OBSERVATIONS],
            output_names=[LOGITS],
            dynamic_shapes=({0: torch.export.Dim("batch")},),
            verbose=False,
        )
    if program is None:
        raise ExportError("torch made no ONNX graph")
    graph = program.model_proto
    _forget_where_it_was_made(graph)
    onnx.checker.check_model(graph, full_check=True)
    return graph.SerializeToString()  # type: ignore[no-any-return]


def run_graph(graph: bytes, observations: np.ndarray) -> np.ndarray:
    """What onnxruntime makes of observations. Returns the logits, shape [B, 108]."""
    import onnxruntime  # noqa: PLC0415  (an extra)

    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    (logits,) = session.run([LOGITS], {OBSERVATIONS: observations})
    return np.asarray(logits)


def _forget_where_it_was_made(model: object) -> None:
    """Drop the notes that torch leaves in each part: they name files of this machine."""
    graph = model.graph  # type: ignore[attr-defined]
    for part in (model, graph, *graph.node, *graph.input, *graph.output):
        del part.metadata_props[:]
        part.doc_string = ""
    for part in (*graph.initializer, *graph.value_info):
        del part.metadata_props[:]
        part.doc_string = ""
