"""What a program's profile says about which settings can matter for it."""

from adcl.tune.profile._properties import EagerLimitDependency, Property, find_properties
from adcl.tune.profile._read import Profile, ProfileError, read_profile
from adcl.tune.profile._restrict import Restriction, restrict, restrict_for_all

__all__ = [
    "EagerLimitDependency",
    "Profile",
    "ProfileError",
    "Property",
    "Restriction",
    "find_properties",
    "read_profile",
    "restrict",
    "restrict_for_all",
]
