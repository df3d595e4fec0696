"""Growth of the codelets on simulated clusters."""
