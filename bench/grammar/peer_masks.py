"""Times the masks of llguidance or xgrammar along documents, on one core.

    python3 peer_masks.py llguidance|xgrammar VOCABULARY CASES

The files, and the lines that are printed, are those of emberline_grammar_bench (native/grammar_bench.cpp). Exit status 3: the
package cannot be imported; a line on standard error says which to install.
"""

import ctypes
import json
import os
import sys
from time import perf_counter_ns

NOT_INSTALLED = 3

# One core for everybody; read by the packages when they are imported.
for variable in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")


def read_vocabulary(path):
    """The number of logits, and the bytes of each of their tokens, none for those without text."""
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    logits = int(lines[0])
    tokens = [bytes.fromhex(line) for line in lines[1:]][:logits]
    return logits, tokens + [b""] * (logits - len(tokens))


class Split:
    """Cuts text into the longest tokens, the lowest id of several."""

    def __init__(self, tokens):
        self.ids = {}
        for token, text in enumerate(tokens):
            if text:
                self.ids.setdefault(text, token)
        self.longest = max(map(len, self.ids))

    def __call__(self, text):
        ids = []
        at = 0
        while at < len(text):
            for length in range(min(self.longest, len(text) - at), 0, -1):
                token = self.ids.get(text[at : at + length])
                if token is not None:
                    ids.append(token)
                    at += length
                    break
            else:
                return None
        return ids


class LlGuidance:
    """Masks go straight into memory, without an array of Python's."""

    def __init__(self, logits, tokens, split):
        import llguidance

        self.matcher_type = llguidance.LLMatcher
        end = next(token for token, text in enumerate(tokens) if not text)

        class Wrapped:
            eos_token_id = end
            bos_token_id = None
            special_token_ids = [token for token, text in enumerate(tokens) if not text]

            def __call__(self, text):
                return split(text)

        Wrapped.tokens = [text or b"\xff<%d>" % token for token, text in enumerate(tokens)]
        wrapper = llguidance.TokenizerWrapper(Wrapped())
        slices = llguidance.LLTokenizer.json_slices()
        self.tokenizer = llguidance.LLTokenizer(wrapper, n_vocab=logits, slices=slices)
        self.mask = (ctypes.c_uint32 * ((logits + 31) // 32))()

    def compile(self, schema):
        compact = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
        grammar = self.matcher_type.grammar_from_json_schema(schema, overrides=compact)
        matcher = self.matcher_type(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def start(self, matcher):
        return matcher.deep_copy()

    def fill(self, matcher):
        matcher.unsafe_compute_mask_ptr(ctypes.addressof(self.mask), ctypes.sizeof(self.mask))

    def allows(self, token):
        return self.mask[token >> 5] >> (token & 31) & 1 == 1

    def advance(self, matcher, token):
        return matcher.consume_token(token)

    def ended(self, matcher):
        return matcher.is_accepting()


class XGrammar:
    def __init__(self, logits, tokens, _):
        import xgrammar

        self.matcher_type = xgrammar.GrammarMatcher
        self.end = next(token for token, text in enumerate(tokens) if not text)
        info = xgrammar.TokenizerInfo(tokens, vocab_size=logits, stop_token_ids=[self.end])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.mask = xgrammar.allocate_token_bitmask(1, logits)

    def compile(self, schema):
        return self.compiler.compile_json_schema(
            schema, any_whitespace=False, separators=(",", ":"), strict_mode=False
        )

    def start(self, grammar):
        return self.matcher_type(grammar)

    def fill(self, matcher):
        matcher.fill_next_token_bitmask(self.mask)

    def allows(self, token):
        return int(self.mask[0, token >> 5]) >> (token & 31) & 1 == 1

    def advance(self, matcher, token):
        return matcher.accept_token(token)

    def ended(self, matcher):
        return matcher.accept_token(self.end)


PEERS = {"llguidance": LlGuidance, "xgrammar": XGrammar}


def follow(peer, grammar, ids):
    """Microseconds of each mask and of each step; None where the document is not accepted."""
    matcher = peer.start(grammar)
    masks, steps = [], []
    for token in ids:
        start = perf_counter_ns()
        peer.fill(matcher)
        masks.append((perf_counter_ns() - start) / 1e3)
        if not peer.allows(token):
            return None
        start = perf_counter_ns()
        went_on = peer.advance(matcher, token)
        steps.append((perf_counter_ns() - start) / 1e3)
        if not went_on:
            return None
    return {"maskUs": masks, "stepUs": steps} if peer.ended(matcher) else None


def run(peer, split, cases):
    for at, case in enumerate(cases):
        start = perf_counter_ns()
        try:
            grammar = peer.compile(case["schema"])
        except Exception as error:  # Each package has its own.
            print(json.dumps({"schema": at, "refused": str(error)}))
            continue
        print(json.dumps({"schema": at, "compileMs": (perf_counter_ns() - start) / 1e6}))
        for number, instance in enumerate(case["instances"]):
            ids = split(instance.encode())
            times = None if ids is None else follow(peer, grammar, ids)
            print(json.dumps({"schema": at, "instance": number, **(times or {"rejected": True})}))


def main():
    name, vocabulary, case_file = sys.argv[1:]
    logits, tokens = read_vocabulary(vocabulary)
    split = Split(tokens)
    try:
        peer = PEERS[name](logits, tokens, split)
    except ImportError as error:
        print(f"{name} cannot be imported ({error}): install it with {sys.executable} -m pip install {name}", file=sys.stderr)
        return NOT_INSTALLED
    with open(case_file, encoding="utf-8") as file:
        run(peer, split, map(json.loads, file))
    return 0


sys.exit(main())
