/** Compiled grammars of schemas, the last used few. */
import type {
  CompileGrammar,
  NativeGrammar,
  NativeGrammarSource,
  NativeLayout,
} from '../engine/native_grammar';
import type { NativeResult } from '../engine/native_result';
import { withClosedObjects } from './closed_objects';
import type { LoadedSchema } from './schema_store';

/** Grammars that are kept: a few files, each with its layouts. */
const CAPACITY = 12;

export interface GrammarKey {
  readonly schema: LoadedSchema;
  readonly layout: NativeLayout;
  /** Take no keys but those that are listed and these (closed_objects.ts); undefined: whatever the schema takes. */
  readonly onlyKnown: ReadonlySet<string> | undefined;
}

interface Entry {
  readonly schema: LoadedSchema;
  readonly variant: string;
  readonly compiled: Promise<NativeResult<NativeGrammar>>;
}

export class GrammarCache {
  private readonly compile: CompileGrammar;
  /** The last used last. */
  private readonly entries: Entry[] = [];

  constructor(compile: CompileGrammar) {
    this.compile = compile;
  }

  get size(): number {
    return this.entries.length;
  }

  /** What a grammar was refused for is remembered as well. Never rejects. */
  grammarFor(key: GrammarKey): Promise<NativeResult<NativeGrammar>> {
    const variant = JSON.stringify([key.layout, key.onlyKnown && [...key.onlyKnown].sort()]);
    const at = this.entries.findIndex((entry) => entry.schema === key.schema && entry.variant === variant);
    const [known] = at < 0 ? [] : this.entries.splice(at, 1);
    const entry = known ?? { schema: key.schema, variant, compiled: this.compile(sourceOf(key)) };
    if (known === undefined) void entry.compiled.then((result) => this.forgetFailure(entry, result));
    this.entries.push(entry);
    if (this.entries.length > CAPACITY) this.release(this.entries.shift());
    return entry.compiled;
  }

  clear(): void {
    for (const entry of this.entries.splice(0)) this.release(entry);
  }

  /** That there was no engine, or no memory, says nothing about the next time. */
  private forgetFailure(entry: Entry, result: NativeResult<NativeGrammar>): void {
    if (result.ok || result.error.code.startsWith('GRAMMAR_')) return;
    const at = this.entries.indexOf(entry);
    if (at >= 0) this.entries.splice(at, 1);
  }

  private release(entry: Entry | undefined): void {
    void entry?.compiled.then((result) => {
      if (result.ok) result.value.close();
    });
  }
}

function sourceOf({ schema: loaded, layout, onlyKnown }: GrammarKey): NativeGrammarSource {
  const { schema, uri, documents, refersBack } = loaded;
  const narrowed = onlyKnown === undefined || refersBack ? schema : withClosedObjects(schema, onlyKnown);
  return { schema: JSON.stringify(narrowed), layout, documents, ...(uri === undefined ? {} : { uri }) };
}
