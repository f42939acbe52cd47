"""A web with a clock: made from a seed, and watched over weeks of simulated time."""
