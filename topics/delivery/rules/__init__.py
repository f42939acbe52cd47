"""Alert rules: which pages fit, when their messages go out, and why none came."""
