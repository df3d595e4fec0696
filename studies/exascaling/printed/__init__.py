"""Tables 2, 3, and 4: divergence and match computed from the published models."""
