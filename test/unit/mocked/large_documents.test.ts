/**
 * What is read of a document at a key, counted: every unit that is copied of it, every line that is looked at, and all lines where a place is looked for among
 * them all. It is no more in a document of 50 MB than in one of 1 MB, nor in one that 5 MB were pasted into.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nothing } from '../../../core/completion/outcome';
import type { CompletionPipeline } from '../../../core/completion/pipeline';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { GhostTextProvider } from '../../../extension/completion/provider';
import { snapshotOf } from '../../../extension/editor/editor_snapshot';
import { Surroundings } from '../../../extension/editor/surroundings';

const { editor, MockPosition, MockRange, KEYBOARD } = vi.hoisted(() => {
  class Position {
    readonly line: number;
    readonly character: number;
    constructor(line: number, character: number) {
      this.line = line;
      this.character = character;
    }
    isBefore(other: Position): boolean {
      return this.line < other.line || (this.line === other.line && this.character < other.character);
    }
    isEqual(other: Position): boolean {
      return this.line === other.line && this.character === other.character;
    }
  }
  class Range {
    readonly start: Position;
    readonly end: Position;
    constructor(...given: readonly (number | Position)[]) {
      const [a, b, c, d] = given;
      this.start = typeof a === 'object' ? a : new Position(Number(a), Number(b));
      this.end = typeof b === 'object' ? b : new Position(Number(c), Number(d));
    }
  }
  const editor = {
    active: undefined as unknown,
    listeners: new Map<string, ((value: unknown) => void)[]>(),
    fire: (name: string, value: unknown): void =>
      editor.listeners.get(name)?.forEach((listener) => listener(value)),
  };
  return { editor, MockPosition: Position, MockRange: Range, KEYBOARD: 1 };
});

vi.mock('vscode', () => {
  const on =
    (name: string) =>
    (listener: (value: unknown) => void): { dispose: () => void } => {
      editor.listeners.set(name, [...(editor.listeners.get(name) ?? []), listener]);
      return { dispose: () => undefined };
    };
  return {
    EventEmitter: class {
      readonly event = (): { dispose: () => void } => ({ dispose: () => undefined });
      readonly fire = (): void => undefined;
      readonly dispose = (): void => undefined;
    },
    Position: MockPosition,
    Range: MockRange,
    FileType: { File: 1 },
    InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
    TextEditorSelectionChangeKind: { Keyboard: KEYBOARD },
    Uri: {
      joinPath: ({ path }: { path: string }, name: string) => ({ path: `${path}/${name}` }),
      parse: (uri: string) => ({ path: new URL(uri).pathname }),
    },
    commands: { executeCommand: () => Promise.resolve([]) },
    window: {
      get activeTextEditor() {
        return editor.active;
      },
      get visibleTextEditors() {
        return [editor.active];
      },
      onDidChangeActiveTextEditor: on('activate'),
      onDidChangeTextEditorSelection: on('select'),
    },
    workspace: {
      isTrusted: true,
      textDocuments: [],
      asRelativePath: ({ path }: { path: string }) => path.slice(1),
      getWorkspaceFolder: () => ({ name: 'w', uri: { path: '/w' } }),
      onDidChangeTextDocument: on('change'),
      onDidOpenTextDocument: on('open'),
      onDidCloseTextDocument: on('close'),
      onDidGrantWorkspaceTrust: on('trust'),
      fs: {
        isWritableFileSystem: () => true,
        stat: () => Promise.reject(new Error('no file')),
      },
    },
  };
});

type Position = InstanceType<typeof MockPosition>;
type Range = InstanceType<typeof MockRange>;

/** A document of lines as VS Code keeps it beside an extension. */
class CountedDocument {
  readonly uri: { scheme: string; path: string; toString: () => string };
  version = 1;
  readonly languageId: string;
  readonly lines: string[];
  /** Units that were copied, and lines that were looked at. */
  touched = 0;

  constructor(languageId: string, lines: string[], path = '/w/large.py') {
    this.uri = { scheme: 'file', path, toString: () => `file://${path}` };
    this.languageId = languageId;
    this.lines = lines;
  }

  get lineCount(): number {
    return this.lines.length;
  }

  lineAt(line: number): { text: string; range: Range } {
    this.touched++;
    const text = this.lines[line] ?? '';
    return { text, range: new MockRange(line, 0, line, text.length) };
  }

  getText(range?: Range): string {
    const { start, end } = range ?? new MockRange(0, 0, this.lineCount, 0);
    const lines = this.lines.slice(start.line, end.line + 1);
    const last = end.line < this.lineCount ? (lines.pop() ?? '').slice(0, end.character) : '';
    const text = [...lines, last].join('\n').slice(start.character);
    this.touched += text.length;
    return text;
  }

  /** Quick behind an edit of that line (VS Code's sums of lines' lengths). */
  offsetAt({ line, character }: Position): number {
    this.touched++;
    return line * ((this.lines[0]?.length ?? 0) + 1) + character;
  }

  /** Sums up all lines first. */
  positionAt(): Position {
    this.touched += this.lineCount;
    return new MockPosition(0, 0);
  }

  /** Types or pastes; gives the event. */
  insert({ line, character }: Position, text: string): unknown {
    const whole = this.lines[line] ?? '';
    this.lines[line] = whole.slice(0, character) + text + whole.slice(character);
    this.version++;
    const place = new MockPosition(line, character);
    const change = { range: new MockRange(place, place), rangeLength: 0, text };
    const rangeOffset = this.offsetAt(place);
    return { document: this, contentChanges: [{ ...change, rangeOffset }] };
  }
}

const LINE = 'value = compute(1, 2)';
const manyLines = (units: number): string[] => Array<string>(Math.round(units / 22)).fill(LINE);
const oneLine = (units: number): string[] => [LINE.repeat(Math.round(units / 22))];

describe('what is read of a document at a key', () => {
  let provider: GhostTextProvider;
  let surroundings: Surroundings;

  beforeEach(() => {
    vi.useFakeTimers();
    editor.listeners.clear();
    editor.active = undefined;
    const options = (): typeof DEFAULT_OPTIONS => ({
      ...DEFAULT_OPTIONS,
      definitions: 'always',
      recentEdits: true,
    });
    surroundings = new Surroundings(options, () => true);
    const ask = (): Promise<ReturnType<typeof nothing>> => Promise.resolve(nothing('blank_result'));
    const pipeline = { complete: ask, forget: () => undefined } as unknown as CompletionPipeline;
    provider = new GhostTextProvider(
      pipeline,
      options,
      surroundings,
      { around: (snapshot) => Promise.resolve(snapshot) },
      { settled: () => Promise.resolve() },
    );
  });
  afterEach(() => {
    provider.dispose();
    surroundings.dispose();
    vi.useRealTimers();
  });

  function show(document: CountedDocument, line: number): void {
    const active = new MockPosition(line, 3);
    const selection = { active, start: active, end: active, isEmpty: true };
    editor.active = { document, selection, selections: [selection], options: {} };
    editor.fire('activate', editor.active);
  }

  /** Units and lines for a key in that line, with all that follows from it. */
  async function keyIn(document: CountedDocument, line: number, text = 'x'): Promise<number> {
    const before = document.touched;
    const place = new MockPosition(line, 2);
    editor.fire('change', document.insert(place, text));
    editor.fire('select', {
      textEditor: editor.active,
      selections: [(editor.active as { selection: unknown }).selection],
      kind: KEYBOARD,
    });
    const position = new MockPosition(line, 3);
    const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => 0 }) };
    const call = [document, position, { triggerKind: 1 }, token] as unknown;
    await provider.provideInlineCompletionItems(
      ...(call as Parameters<GhostTextProvider['provideInlineCompletionItems']>),
    );
    surroundings.snippets(snapshotOf(document as never, position as never));
    // The definitions behind imports are looked for where nothing is typed for a while.
    await vi.advanceTimersByTimeAsync(1_000);
    return document.touched - before;
  }

  const SIZES = [1_000_000, 50_000_000] as const;
  const SHAPES = {
    'many lines': manyLines,
    'one line': oneLine,
    // Each is cut, none is read to its end.
    'long lines': (units: number) => Array<string>(8).fill(LINE.repeat(Math.round(units / 176))),
  };

  it.each(
    Object.entries(SHAPES).flatMap(([shape, make]) =>
      ['python', 'json'].map((language) => ({ shape, language, make })),
    ),
  )('is no more for 50 MB than for 1 MB: $shape, $language', async ({ make, language }) => {
    const touched: number[] = [];
    for (const units of SIZES) {
      const document = new CountedDocument(language, make(units));
      const line = document.lineCount >> 1;
      show(document, line);
      await vi.advanceTimersByTimeAsync(1_000);
      // From the second key on, what is asked is begun before.
      await keyIn(document, line);
      document.touched = 0;
      touched.push(await keyIn(document, line), await keyIn(document, line));
    }
    const [small = 0, , large = 0, next] = touched;
    expect(small).toBeGreaterThan(10_000);
    // JSON is read from its start on as far as its schema asks for.
    expect(small).toBeLessThan(1_500_000);
    // The first line of what is read begins and ends elsewhere.
    expect(large).toBeLessThan(small + LINE.length * 2);
    expect(next).toBeLessThan(large + LINE.length * 2);
  });

  it.each(['\n', ' '])('is no more after a paste of 5 MB between keys, with %j in it', async (between) => {
    const document = new CountedDocument('python', manyLines(1_000_000));
    show(document, 100);
    await vi.advanceTimersByTimeAsync(1_000);
    await keyIn(document, 100);
    const before = await keyIn(document, 100);
    const paste = `${LINE}${between}`.repeat(230_000);
    const atPaste = await keyIn(document, 100, paste);
    const after = await keyIn(document, 100);
    expect(atPaste).toBeLessThan(2 * before);
    expect(after).toBeLessThan(2 * before);
  });

  it('is of a few others where a thousand are open, and each is read once a change', async () => {
    const documents = Array.from(
      { length: 1_000 },
      (_, at) => new CountedDocument('python', manyLines(100_000), `/w/part_${at}.py`),
    );
    for (const document of documents) {
      show(document, 100);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    const last = documents.at(-1);
    if (last === undefined) expect.fail('no document');
    const touched = (): number[] => documents.slice(0, -1).map((one) => one.touched);
    const beside = async (): Promise<number> => {
      const before = touched();
      await keyIn(last, 100);
      const after = touched();
      const read = after.filter((units, at) => units > (before[at] ?? 0));
      return read.length;
    };
    await beside();
    // What they say is known.
    expect(await beside()).toBe(0);
    for (const document of documents.slice(0, -1)) {
      const place = new MockPosition(1, 0);
      editor.fire('change', document.insert(place, 'x'));
    }
    const read = await beside();
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(6);
  });
});
