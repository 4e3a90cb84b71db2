/**
 * Reads JSON that somebody is writing: with comments, trailing commas and single mistakes, up to wherever the text ends. What was
 * complete is kept in its canonical, compact spelling; what is open is a stack of containers.
 */
import { canonicalNumber, canonicalString } from './canonical';
import { type Token, tokensOf } from './json_tokens';

/** A mistake that can be read over: a comma or a colon too few or too many, a wrong closing bracket. */
const MOST_MISTAKES = 4;
/** Deeper documents are not read: nobody writes one. */
const MOST_DEPTH = 200;

/** A literal or a number that has only begun. */
const PARTIAL_WORD = /^(?:-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

/** What may come next in a container. */
export type Expectation =
  /** In an object: a key, or its end; there is no comma before. */
  | 'first_key'
  /** In an object, behind a comma. */
  | 'next_key'
  | 'colon'
  | 'value'
  /** In an array: an item, or its end. */
  | 'first_item'
  /** In an array, behind a comma. */
  | 'next_item'
  /** A comma or the end of the container; of the document: its end. */
  | 'comma';

export interface OpenContainer {
  readonly kind: 'document' | 'object' | 'array';
  /** Canonical values by canonical keys, in their order, of an object; the last of two with the same key. */
  readonly members: Map<string, string>;
  /** Canonical values of an array, or the one of a document. */
  readonly items: string[];
  /** The key whose value is being written, canonical. */
  key: string | undefined;
  expects: Expectation;
  /** Whitespace and comments between its opening bracket and what came first; undefined while nothing did. */
  lead: string | undefined;
  /** Where what is behind the opening bracket begins. */
  readonly start: number;
}

/** What the text ends in. */
export interface Partial {
  readonly kind: 'key' | 'string' | 'scalar' | 'comment';
  /** Where it begins, UTF-16 units from the start of the text. */
  readonly start: number;
}

export interface Reading {
  /** The document and the containers that are open, outermost first. */
  readonly open: readonly OpenContainer[];
  /** The token that the text ends in, which may go on; undefined between tokens. */
  readonly partial: Partial | undefined;
  /** Where the last token or comment that is complete ends. */
  readonly end: number;
  /** Decoded keys of all objects read. */
  readonly keys: ReadonlySet<string>;
}

/**
 * @param text JSON up to any place.
 * @param stopsAtClose Stop before the end of the first container, whatever follows.
 * @returns undefined where the text cannot be read.
 */
export function readJson(text: string, stopsAtClose = false): Reading | undefined {
  const reader = new Reader(text, stopsAtClose);
  return reader.read() ? reader : undefined;
}

class Reader implements Reading {
  readonly open: OpenContainer[] = [container('document', 'value', 0)];
  readonly keys = new Set<string>();
  partial: Partial | undefined;
  end = 0;
  private readonly text: string;
  private readonly stopsAtClose: boolean;
  private mistakes = 0;

  constructor(text: string, stopsAtClose: boolean) {
    this.text = text;
    this.stopsAtClose = stopsAtClose;
  }

  read(): boolean {
    for (const token of tokensOf(this.text)) {
      const { kind, start, end, state } = token;
      const last = end === this.text.length;
      if (kind === 'blanks') continue;
      if (kind === 'comment') {
        if (last && state === 'open') this.partial = { kind: 'comment', start };
        else this.end = end;
        continue;
      }
      if (last && mayGoOn(token)) return this.takePartial(token);
      if (this.stopsAtClose && this.open.length === 2 && (kind === '}' || kind === ']')) return true;
      if (!this.take(token)) return false;
      this.end = end;
    }
    return true;
  }

  private get innermost(): OpenContainer {
    const last = this.open.at(-1);
    if (last === undefined) throw new Error('The document is never closed.');
    return last;
  }

  private takePartial({ kind, start, value }: Token): boolean {
    const text = kind === 'string';
    if (kind === 'unknown' && !PARTIAL_WORD.test(value)) return false;
    if (!this.prepare(text)) return false;
    const key = this.awaitsKey;
    if (key && !text) return false;
    this.note(start);
    this.partial = { kind: key ? 'key' : text ? 'string' : 'scalar', start };
    return true;
  }

  private take(token: Token): boolean {
    switch (token.kind) {
      case '{':
        return this.enter('object', 'first_key', token.start);
      case '[':
        return this.enter('array', 'first_item', token.start);
      case '}':
        return this.leave('object');
      case ']':
        return this.leave('array');
      case ',':
        return this.takeComma();
      case ':':
        return this.takeColon();
      case 'string':
        if (token.state !== 'whole' && !this.forgive()) return false;
        return this.takeScalar(token, canonicalString(token.value));
      case 'number':
        return token.state === 'whole' && this.takeScalar(token, canonicalNumber(token.value));
      case 'word':
        return this.takeScalar(token, token.value);
      default:
        return false;
    }
  }

  private enter(kind: 'object' | 'array', expects: Expectation, start: number): boolean {
    if (this.open.length > MOST_DEPTH || !this.prepare(false) || this.awaitsKey) return false;
    this.note(start);
    this.open.push(container(kind, expects, start + 1));
    return true;
  }

  private leave(kind: 'object' | 'array'): boolean {
    const { innermost } = this;
    if (innermost.kind === 'document' || innermost.expects === 'colon' || innermost.expects === 'value')
      return false;
    if (innermost.kind !== kind && !this.forgive()) return false;
    this.open.pop();
    this.add(textOf(innermost));
    return true;
  }

  private takeComma(): boolean {
    const { innermost } = this;
    switch (innermost.expects) {
      case 'comma':
        if (innermost.kind === 'document') return false;
        innermost.expects = innermost.kind === 'object' ? 'next_key' : 'next_item';
        return true;
      case 'first_key':
      case 'next_key':
      case 'first_item':
      case 'next_item':
        return this.forgive();
      default:
        return false;
    }
  }

  private takeColon(): boolean {
    const { innermost } = this;
    if (innermost.kind !== 'object') return false;
    if (innermost.expects === 'value') return this.forgive();
    if (innermost.expects !== 'colon') return false;
    innermost.expects = 'value';
    return true;
  }

  private takeScalar({ kind, start, value }: Token, canonical: string): boolean {
    const text = kind === 'string';
    if (!this.prepare(text)) return false;
    const key = this.awaitsKey;
    if (key && !text) return false;
    this.note(start);
    if (!key) {
      this.add(canonical);
      return true;
    }
    this.keys.add(value);
    this.innermost.key = canonical;
    this.innermost.expects = 'colon';
    return true;
  }

  /** Reads over what is missing before a key or a value. False where none can stand here. */
  private prepare(text: boolean): boolean {
    const { innermost } = this;
    if (innermost.expects === 'colon') {
      innermost.expects = 'value';
      return this.forgive();
    }
    if (innermost.expects !== 'comma') return true;
    if (innermost.kind === 'document' || (innermost.kind === 'object' && !text)) return false;
    innermost.expects = innermost.kind === 'object' ? 'next_key' : 'next_item';
    return this.forgive();
  }

  /** The innermost container has a value. */
  private add(value: string): void {
    const { innermost } = this;
    if (innermost.kind === 'object') {
      const key = innermost.key ?? '""';
      innermost.members.delete(key);
      innermost.members.set(key, value);
      innermost.key = undefined;
    } else {
      innermost.items.push(value);
    }
    innermost.expects = 'comma';
  }

  private note(start: number): void {
    this.innermost.lead ??= this.text.slice(this.innermost.start, start);
  }

  private get awaitsKey(): boolean {
    const { expects } = this.innermost;
    return expects === 'first_key' || expects === 'next_key';
  }

  private forgive(): boolean {
    return ++this.mistakes <= MOST_MISTAKES;
  }
}

/** Whether a token at the end of the text may go on. */
function mayGoOn({ kind, state }: Token): boolean {
  return kind === 'string' ? state === 'open' : kind === 'number' || kind === 'word' || kind === 'unknown';
}

function container(kind: OpenContainer['kind'], expects: Expectation, start: number): OpenContainer {
  return { kind, members: new Map(), items: [], key: undefined, expects, lead: undefined, start };
}

/** The canonical text of a container, with its end. */
function textOf({ kind, members, items }: OpenContainer): string {
  if (kind === 'array') return `[${items.join(',')}]`;
  return `{${[...members].map(([key, value]) => `${key}:${value}`).join(',')}}`;
}
