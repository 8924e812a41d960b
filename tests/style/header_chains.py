"""Headers that one compilation proves to compile alone. Used by headers_alone.py and the test of the SDK's headers."""


def of(headers, below):
    """The headers in the fewest lists in which each includes all before it, which so prove it no less alone: a minimum chain
    cover by matching each header to one above it. below(header): all that it includes, directly or not."""
    above = {}

    def match(header, tried):
        for lower in below(header) & headers - tried:
            tried.add(lower)
            if lower not in above or match(above[lower], tried):
                above[lower] = header
                return True
        return False

    for header in sorted(headers):
        match(header, set())
    for first in sorted(headers - set(above.values())):
        chain = [first]
        while chain[-1] in above:
            chain.append(above[chain[-1]])
        yield chain
