"""Determine from a program's profile which settings can affect it."""

from adcl.tune.profile._conditions import CurrentLimit, RunConditions, current_limits, write_conditions
from adcl.tune.profile._properties import (
    EAGER_LIMIT_SHARE,
    PROFILE_METHODS,
    EagerLimitDependency,
    ProfileMethod,
    Property,
    find_properties,
)
from adcl.tune.profile._read import Messages, Profile, ProfileError, SizeClass, read_profile
from adcl.tune.profile._restrict import Restriction, restrict, restrict_for_all

__all__ = [
    "EAGER_LIMIT_SHARE",
    "PROFILE_METHODS",
    "CurrentLimit",
    "EagerLimitDependency",
    "Messages",
    "Profile",
    "ProfileError",
    "ProfileMethod",
    "Property",
    "Restriction",
    "RunConditions",
    "SizeClass",
    "current_limits",
    "find_properties",
    "read_profile",
    "restrict",
    "restrict_for_all",
    "write_conditions",
]
