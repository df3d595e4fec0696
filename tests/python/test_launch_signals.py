"""Termination signals become stop requests."""

from __future__ import annotations

import os
import signal

import pytest

from adcl.launch import Stop


def test_signal_requests_a_stop_without_interrupting() -> None:
    stop = Stop()
    try:
        with stop.on_signals():
            os.kill(os.getpid(), signal.SIGTERM)
            assert stop.wait(5.0)
            assert stop.requested
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        stop.close()
