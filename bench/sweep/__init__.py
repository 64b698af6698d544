"""Many runs: what a command line or an experiment expands to, done one by one."""
