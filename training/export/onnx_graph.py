"""The policy of a trained network as an ONNX graph, checked against the policy itself."""

import logging
import warnings
from typing import Any

import numpy as np
import torch

from training.errors import RunError
from training.policy import Actor

OBSERVATIONS, LOGITS = "observations", "logits"
"""Names of the input (shape [batch, N], float32) and the output (shape [batch, 108], float32)."""

MISSING = "an ONNX graph needs onnx, onnxscript and onnxruntime: pip install 'gin-env[export]'"


def check_installed() -> None:
    """Check that the libraries for graphs are installed.

    Raises:
        RunError: If a library is missing.
    """
    try:
        import onnx  # noqa: F401, PLC0415
        import onnxruntime  # noqa: F401, PLC0415
        import onnxscript  # noqa: F401, PLC0415
    except ImportError as error:
        raise RunError(MISSING) from error


def make_graph(actor: Actor, n_inputs: int) -> bytes:
    """Make an ONNX graph of a policy, for any number of observations at once."""
    import onnx  # noqa: PLC0415  (an extra)

    with warnings.catch_warnings():
        # Torch warns about its own code, and about libraries that are not needed here.
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
        raise RunError("torch made no ONNX graph")
    graph = program.model_proto
    _remove_paths(graph)
    onnx.checker.check_model(graph, full_check=True)
    return graph.SerializeToString()  # type: ignore[no-any-return]


def run_graph(graph: bytes, observations: np.ndarray) -> np.ndarray:
    """Run a graph. Returns the logits, shape [B, 108]."""
    import onnxruntime  # noqa: PLC0415  (an extra)

    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    (logits,) = session.run([LOGITS], {OBSERVATIONS: observations})
    return np.asarray(logits)


def _remove_paths(model: Any) -> None:
    """Remove the notes that torch leaves in each part: they name files of this machine."""
    graph = model.graph
    values = (*graph.input, *graph.output, *graph.initializer, *graph.value_info)
    for part in (model, graph, *graph.node, *values):
        del part.metadata_props[:]
        part.doc_string = ""
