/**
 * Somebody works for hours: types in many files, accepts, undoes, changes files, outruns the engine, generates, has lines edited, unloads the model,
 * changes to an engine elsewhere and back. The rounds follow from the seed; what is accepted hangs on what the engine was in time for.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { limitedRendering, templateScript } from '../../core/chat/limited_rendering';
import { OneEngine } from '../../core/completion/asking';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { OtherText } from '../../core/completion/references';
import { Suggestions } from '../../core/completion/suggestions';
import { summaryOf } from '../../core/completion/summary';
import { applied } from '../../core/edit/line_edit';
import { GeneratedText } from '../../core/generate/generated_text';
import { BackOff } from '../../core/remote/back_off';
import { endpointOf } from '../../core/remote/endpoint';
import { RemoteEngine } from '../../core/remote/remote_engine';
import { noTimes, type Remote, RemoteFirst } from '../../core/remote/remote_first';
import { SessionStatistics } from '../../core/statistics/session_statistics';
import { firstEdit } from '../first_edit';
import { ROOT } from '../../cli/engine_options';
import { valueOf } from '../../cli/failure';
import { SeededRandom } from '../random';
import { DEBOUNCE_MS, REAL_CLOCK } from '../typing/clock';
import { intervalAfter } from '../typing/typist';
import type { EngineInUse } from './engine_in_use';
import { OpenDocument } from './open_document';
import { LEAST_KEYS, type Round, type RoundKind, roundOf } from './rounds';

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** A server that stands in for an engine elsewhere. */
export interface StandIn {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const REMOTE_TIMEOUT_MS = 1_000;
const GENERATED_TOKENS = 48;
/** As many as the extension remembers beside the one that is edited (extension/editor/recent_texts.ts). */
const MOST_BESIDE = 4;
const EDITED_LINES = 3;
const INSTRUCTIONS = ['add a comment', 'rename i to index', 'add a docstring', 'sort the lines'];

export class SoakSession {
  readonly done: Record<string, number> = {};
  readonly errors: string[] = [];
  readonly differing: string[] = [];
  compared = 0;
  requests = 0;
  logBytes = 0;
  private readonly engine: EngineInUse;
  private readonly sources: readonly SourceText[];
  private readonly seed: number;
  private readonly kinds: readonly RoundKind[];
  private readonly startServer: () => Promise<StandIn>;
  private readonly options: CompletionOptions = DEFAULT_OPTIONS;
  private readonly statistics = new SessionStatistics();
  private readonly open = new Map<string, OpenDocument>();
  private readonly asking: RemoteFirst;
  private readonly pipeline: CompletionPipeline;
  private readonly suggestions: Suggestions;
  private remote: Remote | undefined;
  private opened = 0;

  constructor(
    engine: EngineInUse,
    sources: readonly SourceText[],
    { seed, kinds }: { seed: number; kinds: readonly RoundKind[] },
    startServer: () => Promise<StandIn>,
  ) {
    this.engine = engine;
    this.sources = sources;
    this.seed = seed;
    this.kinds = kinds;
    this.startServer = startServer;
    const prompts = new PromptWriter(engine);
    this.asking = new RemoteFirst({
      local: new OneEngine(engine, prompts),
      remote: () => this.remote,
      mayLeave: () => true,
    });
    const options = (): CompletionOptions => this.options;
    this.pipeline = new CompletionPipeline(engine, options, prompts, undefined, this.asking);
    this.suggestions = new Suggestions(this.pipeline, options);
  }

  /** Nothing is under way when it settles. */
  async round(number: number): Promise<void> {
    const round = roundOf(this.seed, number, this.sources.length, this.kinds);
    const random = new SeededRandom(round.seed);
    const document = this.documentOf(round);
    this.place(document, random);
    this.count(round.kind);
    switch (round.kind) {
      case 'generate':
        await this.generate(document);
        break;
      case 'edit':
        await this.edit(document, random);
        break;
      case 'reload':
        await this.engine.unload();
        this.pipeline.reset();
        await this.type(document, { ...round, keys: LEAST_KEYS }, random);
        await this.engine.load();
        break;
      case 'remote':
        await this.elsewhere(() => this.type(document, round, random));
        break;
      default:
        await this.type(document, round, random);
    }
    this.compare(document);
  }

  private async type(document: OpenDocument, round: Round, random: SeededRandom): Promise<void> {
    const keys = keysFor(this.sources, random, round.keys);
    let before: Promise<void> = Promise.resolve();
    for (const key of keys) {
      document.type(key);
      this.count('key');
      this.suggestions.foresee({ document: document.snapshot(), beside: this.besideOf(document) });
      const left = intervalAfter(key, random) * round.pace;
      const undoes = random.below(40) === 0;
      const accepts = random.below(3) === 0;
      await REAL_CLOCK.within(left, async (signal) => {
        await delay(Math.min(DEBOUNCE_MS * round.pace, left), undefined, { signal }).catch(() => undefined);
        // As an editor: nobody waits for what was cancelled.
        if (!signal.aborted) before = this.ask(document, accepts, signal);
        await Promise.race([before, aborted(signal)]);
        await aborted(signal);
      });
      if (undoes) {
        this.count('undo');
        document.undo();
      }
    }
    await before;
  }

  private async ask(document: OpenDocument, accepts: boolean, signal: AbortSignal): Promise<void> {
    const askedMs = performance.now();
    const { version, cursor: offset, uri, languageId } = document;
    const outcome = await this.suggestions.begin({
      document: document.snapshot(),
      signal,
      beside: this.besideOf(document),
    });
    this.ended(document, outcome, { version, offset, askedMs, uri, languageId });
    if (outcome.stop === 'cancelled' || signal.aborted || document.version !== version) return;
    if (!outcome.shown || !accepts) return;
    this.count('accept');
    document.type(outcome.text, outcome.replace);
  }

  private ended(
    document: OpenDocument,
    outcome: CompletionOutcome,
    at: { version: number; offset: number; askedMs: number; uri: string; languageId: string },
  ): void {
    this.requests++;
    this.count(
      outcome.stop === 'cancelled'
        ? 'cancelled'
        : `from ${outcome.remote === true ? 'elsewhere' : outcome.source}`,
    );
    this.logged(`#${this.requests} ${document.languageId} ${summaryOf(outcome)}`);
    if (outcome.error !== undefined) this.errors.push(outcome.error.code);
    this.statistics.ended({
      ...at,
      sequence: this.requests,
      outcome,
      others: [],
      explicit: false,
      inList: false,
      answeredMs: performance.now(),
    });
  }

  private async generate(document: OpenDocument): Promise<void> {
    const controller = new AbortController();
    const written = new GeneratedText(document.snapshot());
    const { answer } = await this.asking.ask({
      place: { document: document.snapshot(), options: { ...this.options, maxTokens: GENERATED_TOKENS } },
      signal: controller.signal,
      send: (engine, request, signal, onText) => engine.generate(request, signal, onText),
      onText: (piece) => {
        const text = written.over ? '' : written.add(piece);
        if (text !== '') document.type(text);
        if (written.over) controller.abort();
      },
    });
    this.requests++;
    this.logged(`generate: ${answer.ok ? answer.value.stop : answer.error.code}`);
    if (!answer.ok) this.errors.push(answer.error.code);
  }

  private async edit(document: OpenDocument, random: SeededRandom): Promise<void> {
    const { text, languageId } = document;
    const lines = text.split('\n').length;
    const first = 1 + random.below(Math.max(1, lines - EDITED_LINES));
    const last = Math.min(lines, first + EDITED_LINES - 1);
    const instruction = INSTRUCTIONS[random.below(INSTRUCTIONS.length)] ?? '';
    const request = { instruction, text, languageId, first, last, adds: false, unit: '  ' };
    const parts = { engine: this.engine, render: limitedRendering(templateScript(ROOT)) };
    const proposal = await firstEdit(parts, request);
    this.requests++;
    this.logged(`edit: ${proposal.ending}`);
    if (proposal.error !== undefined) this.errors.push(proposal.error.code);
    // From the end on: an offset is one of the text before.
    for (const edit of proposal.replacements.toReversed()) document.apply(edit);
    if (document.text !== applied(text, proposal.replacements)) this.differing.push(document.path);
  }

  private async elsewhere(work: () => Promise<void>): Promise<void> {
    const server = await this.startServer();
    const engine = new RemoteEngine({
      endpoint: valueOf(endpointOf(server.url)),
      key: () => undefined,
      choices: { protocol: 'auto', model: '', fim: 'auto' },
    });
    this.remote = {
      engine,
      prompts: new PromptWriter(engine),
      backOff: new BackOff(),
      times: noTimes(),
      timeoutMs: REMOTE_TIMEOUT_MS,
    };
    this.pipeline.reset();
    try {
      await work();
    } finally {
      this.remote = undefined;
      this.pipeline.reset();
      engine.dispose();
      await server.stop();
    }
  }

  /** Opens it where it is not, under a name that was never there, and closes what was there of the file. */
  private documentOf({ file, reopens }: Round): OpenDocument {
    const { path, text } = sourceAt(this.sources, file);
    const before = this.open.get(path);
    if (before !== undefined && !reopens) return before;
    if (before !== undefined) {
      this.count('close');
      this.pipeline.forget(before.uri);
      this.statistics.closed(before.uri);
    }
    const uri = `soak:${++this.opened}/${path}`;
    const document = new OpenDocument(uri, path, text, this.statistics);
    // The one that was opened last is the last of them.
    this.open.delete(path);
    this.open.set(path, document);
    return document;
  }

  /** Texts of the documents that were opened last, as drafts are looked up in them. */
  private besideOf({ uri }: OpenDocument): OtherText[] {
    const others = [...this.open.values()].filter((one) => one.uri !== uri);
    return others.slice(-MOST_BESIDE).map(({ text, languageId }) => ({ text, languageId }));
  }

  /** The end of some line. */
  private place(document: OpenDocument, random: SeededRandom): void {
    const { text } = document;
    const end = text.indexOf('\n', random.below(text.length + 1));
    document.cursor = end < 0 ? text.length : end;
  }

  private compare(document: OpenDocument): void {
    this.compared++;
    if (!document.isAsTyped) this.differing.push(document.path);
  }

  private count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  private logged(line: string): void {
    this.logBytes += Buffer.byteLength(line) + 1;
  }
}

function sourceAt(sources: readonly SourceText[], index: number): SourceText {
  const source = sources[index];
  if (source === undefined) throw new RangeError(`There is no source ${index}.`);
  return source;
}

/** Keys as a file has them, from a line's start on. */
function keysFor(sources: readonly SourceText[], random: SeededRandom, count: number): string[] {
  const { text } = sourceAt(sources, random.below(sources.length));
  const start = text.indexOf('\n', random.below(Math.max(1, text.length - 2 * count)));
  return (text.slice(Math.max(0, start)).match(/\n[ \t]*|[^\n]/gu) ?? []).slice(0, count);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
