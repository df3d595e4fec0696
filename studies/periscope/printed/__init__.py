"""Numbers, examples, and commands that the paper prints, recomputed."""
