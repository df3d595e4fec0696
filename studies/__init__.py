"""Repetitions of published studies: one folder per publication and study.

`python -m studies --help` lists the commands.

A study's folder has

- ``study.toml``: title, kind, durations, and the record of the last full run;
- ``redoes.toml``: a row for each table and figure that it reproduces (`studies._publications.Row`);
- ``study.py``: `needs`, `measure`, and `render`, see `studies._catalog.Code`;
- ``records.jsonl`` and further stored records;
- ``published.toml``: the published numbers;
- ``text.md``: the page's paragraphs with placeholders for values, see `studies._page.fill`;
- ``page.md`` and pictures, which ``make study`` writes.

A publication's folder has ``publication.toml``: its title, its pages, and its tables and figures that no study
reproduces.
"""
