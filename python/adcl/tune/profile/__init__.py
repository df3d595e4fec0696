"""What a program's profile says about which settings can matter for it."""

from adcl.tune.profile._conditions import LimitInForce, RunConditions, limits_in_force, write_conditions
from adcl.tune.profile._properties import (
    PROFILE_METHODS,
    EagerLimitDependency,
    ProfileMethod,
    Property,
    find_properties,
)
from adcl.tune.profile._read import Profile, ProfileError, read_profile
from adcl.tune.profile._restrict import Restriction, restrict, restrict_for_all

__all__ = [
    "PROFILE_METHODS",
    "EagerLimitDependency",
    "LimitInForce",
    "Profile",
    "ProfileError",
    "ProfileMethod",
    "Property",
    "Restriction",
    "RunConditions",
    "find_properties",
    "limits_in_force",
    "read_profile",
    "restrict",
    "restrict_for_all",
    "write_conditions",
]
