"""The network as RLlib wants it: a module whose logits leave no probability to illegal moves."""

from typing import Any

from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from examples.ppo_single_file import Network, masked_log_probabilities


class GinModule(TorchRLModule, ValueFunctionAPI):
    """The network of examples/ppo_single_file.py, for the observations of `GinRummyTable`.

    Its ``model_config`` is ``{"width": units of the hidden layer}``. The same networks play in all
    phases: what is tried out, what is measured and what is learned from differ in nothing.
    """

    def setup(self) -> None:
        """Build the network."""
        self.network = Network(self.model_config["width"])

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """The values of observations, shape [B]; those that `_forward_train` found, if given."""
        if embeddings is not None:
            return embeddings
        values: Tensor = self.network(batch[Columns.OBS]["observations"])[1]
        return values

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:  # noqa: ARG002
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["observations"])
        masked = masked_log_probabilities(logits, seen["action_mask"])
        return {Columns.ACTION_DIST_INPUTS: masked, Columns.EMBEDDINGS: values}
