/** What the completion pipeline needs to bind suggestions in JSON documents to their schemas; `core/schema/` provides it. */
import type { NativeGrammarUse } from '../engine/native_grammar';
import type { DocumentSnapshot } from './document';
import type { SchemaUse } from './schema_use';

/** What was made of a document's schema, for its status and the log. */
export interface SchemaNote {
  readonly use: SchemaUse;
  /** Which schema, or what is wrong with it: a name or one sentence; may be empty. */
  readonly detail: string;
}

/** A suggestion that has to follow a schema. */
export interface SchemaBinding {
  /** What of the text before the cursor the model writes again; the grammars read it from there on. */
  readonly requiredPrefix: string;
  /** Whether something has to follow at the cursor. */
  readonly goesOn: boolean;
  /** Which schema, for people. */
  readonly name: string;
  /**
   * What to try in turn, until the text before the cursor is not rejected (GRAMMAR_REJECTS_PREFIX): the narrowest first.
   * A note instead says that there is no grammar, and why.
   */
  readonly attempts: readonly (() => Promise<NativeGrammarUse | SchemaNote>)[];
  /** The model's text, fitted to what stands around it; `cut` where it had not come to its end. */
  readonly finish: (text: string, cut: boolean) => string;
}

export interface Schemas {
  /** Undefined where no schema could say anything: the document is no JSON. Never rejects. */
  bindingFor(document: DocumentSnapshot): Promise<SchemaBinding | SchemaNote | undefined>;
  /** What a model says without a schema, in JSON fitted to what stands around it. */
  fitted(document: DocumentSnapshot, text: string): string;
}

export function isNote(value: SchemaBinding | NativeGrammarUse | SchemaNote): value is SchemaNote {
  return 'use' in value;
}
