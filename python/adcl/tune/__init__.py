"""Tune the settings of an MPI library for an application.

Each subpackage uses only the subpackages before it (checked by `tools/layers.py`):

- `space`: parameters, their values, conditions and constraints
- `search`: selects the next scenario
- `file`: the tuning file, read, checked against the installed library, and written
- `profile`: which settings can affect a program, from its profile
- `trial`: one run of the program with one configuration
- `study`: all runs in order, until there is a verdict
- `result`: the result of a study as text, as JSON, and as settings for the MPI library

    session = Session.prepare(StudyRequest("tuning.toml", text, "./solver", ranks=4), Path("tuning.study"))
    conclusion = conclude(session, run_session(session))
"""
