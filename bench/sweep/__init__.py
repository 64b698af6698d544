"""Many runs: expanded from a command line or an experiment, and done one by one."""
