"""Exchanges of FT and Euler3D on simulated clusters like Laki and Shark."""
