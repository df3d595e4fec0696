"""Message sizes of the applications."""
