"""The environments: PettingZoo AEC, Gymnasium, and the Gymnasium vector environment."""
