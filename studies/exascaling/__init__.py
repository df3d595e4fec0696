"""S. Shudler et al., Exascaling Your Library: Will Your Implementation Meet Your Expectations? (ICS 2015)."""
