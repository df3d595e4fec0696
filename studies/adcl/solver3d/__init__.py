"""Strong scaling of solver3d on a simulated cluster."""
