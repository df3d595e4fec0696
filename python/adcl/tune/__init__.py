"""Tunes an MPI library's own settings for an application.

session = Session.prepare(Request("tuning.toml", text, "./solver", ranks=4), Path("tuning.study"))
conclusion = conclude(session, run_session(session))
"""

from adcl.tune._conclusion import Conclusion, Setting, conclude, document, write_advice
from adcl.tune._driver import check_study, replay_session, run_session
from adcl.tune._flavours import FLAVOURS, Advice, MpiFlavour
from adcl.tune._profile_read import Profile, ProfileError, read_profile
from adcl.tune._properties import EagerLimitDependency, Property, find_properties
from adcl.tune._request import REQUEST, Request
from adcl.tune._restrict import Restriction, restrict
from adcl.tune._session import Checked, Session, check_file, elsewhere, launcher_for
from adcl.tune._source import Source, SourceError
from adcl.tune._space import Choices, Condition, Configuration, Parameter, Space, Steps
from adcl.tune._starting_file import starting_file
from adcl.tune._study import Progress, StudyResult
from adcl.tune._toml_writer import write as write_toml
from adcl.tune._trial import TrialOutcome, Trials
from adcl.tune._tuning_file import TuningFile, load, parse, search_names

__all__ = [
    "FLAVOURS",
    "REQUEST",
    "Advice",
    "Checked",
    "Choices",
    "Conclusion",
    "Condition",
    "Configuration",
    "EagerLimitDependency",
    "MpiFlavour",
    "Parameter",
    "Profile",
    "ProfileError",
    "Progress",
    "Property",
    "Request",
    "Restriction",
    "Session",
    "Setting",
    "Source",
    "SourceError",
    "Space",
    "Steps",
    "StudyResult",
    "TrialOutcome",
    "Trials",
    "TuningFile",
    "check_file",
    "check_study",
    "conclude",
    "document",
    "elsewhere",
    "find_properties",
    "launcher_for",
    "load",
    "parse",
    "read_profile",
    "replay_session",
    "restrict",
    "run_session",
    "search_names",
    "starting_file",
    "write_advice",
    "write_toml",
]
