"""Tunes an MPI library's own settings for an application.

Its rooms, each of which uses those before it (`tools/layers.py` sees to that):

- `space`: parameters, their values, conditions and constraints
- `search`: which scenario is tried next
- `file`: the tuning file, read, checked against the installed library, and written
- `profile`: what a program's profile says about its settings
- `trial`: one run of the program with one configuration
- `study`: all runs, in which order, until there is a verdict
- `result`: what a study has found, for people, for programs and for the MPI library

session = Session.prepare(StudyRequest("tuning.toml", text, "./solver", ranks=4), Path("tuning.study"))
conclusion = conclude(session, run_session(session))
"""
