"""Small functions to try completions on: put the cursor at the end of a line and type."""


def scale(values, factor):
    """Each value times `factor`."""
    return [value * factor for value in values]


def mean(values):
    """The arithmetic mean of a non-empty list."""
    return sum(values) / len(values)


def clamp(value, low, high):
    """The value, but no lower than `low` and no higher than `high`."""
    return max(low, min(value, high))
