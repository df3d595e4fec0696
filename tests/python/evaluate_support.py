"""A program that `adcl evaluate` can run without an MPI library."""

from __future__ import annotations

# Arguments: adcl or plain, the factor of the time, and the file for the time. The table has the time of each codelet;
# the name of the search determines the codelet that a search chooses. Writes a trace in the library's format.
EVALUATED = """#!{python} -IS
import json, os, sys

TIMES = dict(a=3.0, b=1.0, c=2.0, d=40.0)
with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as calls:
    own = {{k: v for k, v in os.environ.items() if k[:5] == "ADCL_"}}
    calls.write(json.dumps(dict(arguments=sys.argv[1:], **own)) + "\\n")
if os.environ.get("OMPI_COMM_WORLD_RANK", "0") != "0":
    sys.exit()
mode, size, report = sys.argv[1:4]
chosen = os.environ.get("ADCL_CODELETS", "").partition(":")[2]
if os.path.exists("broken") and chosen == "c":
    sys.exit("no mesh")
trace = os.environ.get("ADCL_TRACE", "off")
if mode == "adcl" and trace != "off":
    winner = dict(fooled="c", lost="d").get(os.environ["ADCL_SEARCH"], "b")
    common = dict(schema=3, communicator="w", emethod=0)
    records = [
        dict(event="request", request=0, ranks=2, merged=False, function_set="halo", problem="p",
             candidates=["a", "b", "c", "d"], excluded=[], **common),
        dict(event="agreement", mode="start", start=9, entries=[
            dict(codelet=one, mean_s=t, filtered_mean_s=t, outliers=0, measurements=3, spread_s=0, judged_s=t,
                 removed="")
            for one, t in zip("abcd", (2.0, 3.0, 1.0, 4.0) if winner == "c" else TIMES.values())], **common),
        dict(event="decision", mode="start", start=9, winner=winner, reason="", ties=[], winner_s=1.0, first="a",
             first_s=3.0, searching_starts=9, searching_s=9.0, preparation_s=0.0, lost_s=0.5, **common),
    ]
    os.makedirs(os.path.join(trace, "run"))
    with open(os.path.join(trace, "run", "adcl.0.jsonl"), "w") as file:
        file.writelines(json.dumps(one) + "\\n" for one in records)
    chosen = winner
seconds = TIMES[chosen] * float(size) if mode == "adcl" else 2.5 * float(size)
with open(report, "w") as file:
    file.write(json.dumps(dict(seconds=dict(total=seconds))))
"""
