"""The studies of publications, redone: one folder per publication and study.

`python -m studies --help` lists the commands.

A study's folder has

- ``study.toml``: title, what it redoes, how it runs, durations, and the record of the last full run;
- ``study.py``: `needs`, `measure`, and `render`, see `studies._catalog.Code`;
- ``records.jsonl`` and further stored records;
- ``published.toml``: the published numbers;
- ``text.md``: the page's paragraphs with places for values, see `studies._page.fill`;
- ``page.md`` and pictures, which ``make study`` writes.
"""
