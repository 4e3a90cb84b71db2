/** The part of the native surface that is about grammars: what a text may be, compiled once and followed token by token. */
import type { NativeResult } from './native_result';

/** Which whitespace stands between the tokens of a JSON document. */
export type NativeLayout =
  /** None. */
  | { readonly kind: 'compact' }
  /** Any that JSON has, at most 64 bytes in one place. */
  | { readonly kind: 'free' }
  /**
   * The document's own: members and items on lines of their own, or arrays on one line; `": "` behind a key. `unit`: of
   * indentation, spaces or tabs, at most 16. `newline`: `\n` or `\r\n`.
   */
  | { readonly kind: 'indented'; readonly unit: string; readonly newline: string };

/** What grammars are compiled from. Texts have at most MOST_GRAMMAR_UNITS UTF-16 units. */
export type NativeGrammarSource =
  /** A grammar in llama.cpp's notation, whose start is the rule `root`. */
  | { readonly gbnf: string }
  /**
   * A JSON Schema as JSON text, and the layout of the documents. `uri`: where the schema lies, absolute: what its relative references start
   * from. `documents`: what it may refer to beside itself and the metaschemas.
   */
  | {
      readonly schema: string;
      readonly layout: NativeLayout;
      readonly uri?: string;
      readonly documents?: NativeSchemaDocuments;
    };

/** JSON texts of schemas, and the absolute URIs, without fragment, under which they are referred to: as many. At most 1,000. */
export interface NativeSchemaDocuments {
  readonly uris: readonly string[];
  readonly texts: readonly string[];
}

export const MOST_GRAMMAR_UNITS = 2 ** 24;

/** A compiled grammar. It belongs to no model: requests of any session may follow it, several at once. */
export interface NativeGrammar {
  /** How long it took to compile, ms. */
  readonly compileMs: number;
  /** Whether nothing conforms to it: `check` rejects everything, and a request is GRAMMAR_REJECTS_PREFIX. */
  readonly empty: boolean;
  /**
   * Whether the grammar accepts `instance`. With a schema that is a JSON document, whose layout does not matter: its values, in their
   * own order, are what is checked; a text that is no JSON is INVALID_ARGUMENT. With GBNF it is the whole text as it
   * stands. Runs on a thread of its own. INVALID_ARGUMENT, GRAMMAR_TOO_LARGE, OUT_OF_MEMORY.
   */
  readonly check: (instance: string) => Promise<NativeResult<'accept' | 'reject'>>;
  /**
   * Lets go of the memory, once no request needs it and the sessions that used it have had another grammar or are closed. Later
   * calls, and requests with it, give INVALID_ARGUMENT.
   */
  readonly close: () => void;
}

/** What the text of a request has to be. */
export interface NativeGrammarUse {
  readonly grammar: NativeGrammar;
  /**
   * Text that is written already and that the grammar reads first, before `requiredPrefix`: in a JSON document, what
   * stands before the cursor. In JSON, both are read with any whitespace between tokens; GRAMMAR_REJECTS_PREFIX where
   * no document that the grammar accepts begins like this. Empty: the text begins with the grammar.
   */
  readonly prefix: string;
}

/**
 * Compiles a grammar on a thread of its own; needs no model. GRAMMAR_INVALID (what is wrong, and where), GRAMMAR_UNSUPPORTED
 * (what cannot be enforced, by name), GRAMMAR_TOO_LARGE, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
export type CompileGrammar = (source: NativeGrammarSource) => Promise<NativeResult<NativeGrammar>>;
