#!/usr/bin/env python3
"""What is in a .stave file, as JSON: {"sums": {name: [spans, total, self]}, "paths": {names joined by newlines: self},
"frames": [[name, file, line], ...]}, in ns; file null and line 0 where they are not known.

    sums.py FILE --depth LEVELS [--folded] [--nested]

--folded: names as folded stacks have them. --nested: only what stands on its lane's own track. Spans without a length are left
out: speedscope does not keep them.
"""

import argparse
import json
import pathlib

from compare import folded_name
from spans import paths, sums
from truth import Truth, read

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file", type=pathlib.Path)
parser.add_argument("--depth", type=int, required=True)
parser.add_argument("--folded", action="store_true")
parser.add_argument("--nested", action="store_true")
options = parser.parse_args()

spans = Truth(read(options.file.read_bytes()), depth=options.depth).all()
if options.nested:
    spans = [s for s in spans if not s.track and not (hasattr(s, "about") and s.parent is None)]
if options.folded:
    for span in spans:
        span.name = folded_name(span.name)
longer = [s for s in spans if s.end > s.start]
print(json.dumps({"sums": sums(longer), "paths": {"\n".join(path): self for path, self in paths(spans).items()},
                  "frames": list({s.frame() for s in longer})}))
