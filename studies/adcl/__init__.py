"""Studies of ADCL's own codelets and applications with the method of Shudler et al."""
