"""`debate demo`: one whole dialectic in a sample repository, with words that were written beforehand."""
