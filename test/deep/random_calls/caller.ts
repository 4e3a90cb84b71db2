/** Calls the addon in any order with any arguments, and says of each call what came of it. */
import { SeededRandom } from '../../../bench/random';
import { GREEDY, NO_DRAFTING } from '../../../core/engine/engine_request';
import { NATIVE_ERROR_CODES } from '../../../core/engine/native_result';
import type {
  NativeAddon,
  NativeCompletionRequest,
  NativeModel,
  NativeSession,
} from '../../../core/engine/native_types';
import type { NativeGrammar } from '../../../core/engine/native_grammar';
import { RandomValues } from './random_values';

type AnyFunction = (...values: unknown[]) => unknown;

/** One call, before it is made. */
interface Call {
  readonly name: string;
  readonly called: AnyFunction;
  readonly values: readonly unknown[];
  /** Takes in what it gave. */
  readonly keep?: (value: unknown) => void;
}

/** Models take a moment to load, and memory. */
const MOST_MODELS = 2;
const MOST_SESSIONS = 6;
const MOST_GRAMMARS = 6;
const MOST_PENDING = 12;
const TEXTS = [
  '',
  'x',
  'def f(x):\n    return',
  'a small',
  'count',
  'count ',
  '日本語 😀',
  '\u0000',
  '{"a":',
];
const GRAMMARS: readonly object[] = [
  { gbnf: 'root ::= [a-z]+' },
  { gbnf: 'root ::= "a" root | "b"' },
  { gbnf: 'root ::= missing' },
  { schema: '{"type":"object","properties":{"a":{"type":"integer"}}}', layout: { kind: 'compact' } },
  { schema: '{"$ref":"b.json"}', layout: { kind: 'free' }, uri: 'file:///a.json' },
  { schema: '{"enum":["a",1,null]}', layout: { kind: 'indented', unit: '  ', newline: '\n' } },
  { schema: '{"a"', layout: { kind: 'compact' } },
];

export interface CalledModels {
  /** The first is a good one. */
  readonly paths: readonly string[];
  /** How many tokens the good one has. */
  readonly vocabulary: number;
}

export interface Called {
  readonly calls: number;
  /** By function and outcome: `session.complete OK`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What no call may do: throw, reject, give something else than is documented. */
  readonly complaints: readonly string[];
}

export class Caller {
  private readonly addon: NativeAddon;
  private readonly paths: readonly string[];
  private readonly vocabulary: number;
  private readonly random: RandomValues;
  private readonly told: (call: string) => void;
  /** Closed ones stay a while, to be called as well. */
  private readonly models: NativeModel[] = [];
  private readonly sessions: NativeSession[] = [];
  private readonly grammars: NativeGrammar[] = [];
  private readonly pending = new Set<Promise<void>>();
  private readonly outcomes: Record<string, number> = {};
  private readonly complaints: string[] = [];
  private lastId = 0;
  private loading = 0;

  /**
   * @param told Told of each call before it is made.
   */
  constructor(
    addon: NativeAddon,
    { paths, vocabulary }: CalledModels,
    seed: number,
    told: (call: string) => void,
  ) {
    this.addon = addon;
    this.paths = paths;
    this.vocabulary = vocabulary;
    this.random = new RandomValues(new SeededRandom(seed));
    this.told = told;
  }

  async run(calls: number): Promise<Called> {
    for (let number = 0; number < calls; number++) {
      const call = this.draw();
      this.told(`${number} ${call.name}`);
      this.make(call);
      if (this.pending.size >= MOST_PENDING || this.random.once(12)) await this.settle();
      if (this.random.once(200)) globalThis.gc?.();
    }
    await this.settle();
    await Promise.all(this.models.map((model) => model.close()));
    return { calls, outcomes: this.outcomes, complaints: this.complaints };
  }

  private make({ name, called, values, keep }: Call): void {
    let given: unknown;
    try {
      // The functions look at no `this`.
      given = Reflect.apply(called, this.random.any(), values);
    } catch (error) {
      this.complain(name, `threw ${String(error)}`);
      return;
    }
    if (!(given instanceof Promise)) {
      this.ended(name, given, keep);
      return;
    }
    const settled = given.then(
      (value: unknown) => this.ended(name, value, keep),
      (error: unknown) => this.complain(name, `rejected with ${String(error)}`),
    );
    this.pending.add(settled);
    void settled.then(() => this.pending.delete(settled));
  }

  private ended(name: string, value: unknown, keep: Call['keep']): void {
    const outcome = outcomeOf(name, value);
    if (outcome === undefined) this.complain(name, `gave ${JSON.stringify(value)}`);
    this.count(`${name} ${outcome ?? 'wrong'}`);
    if (outcome === 'OK') keep?.((value as { value: unknown }).value);
  }

  /** Everything under way ends; what may take for ever is cancelled. */
  private async settle(): Promise<void> {
    if (this.random.once(2)) await new Promise(setImmediate);
    for (const session of this.sessions) for (let id = 0; id <= this.lastId; id++) session.cancel(id);
    // Ids that are no number of ours.
    for (const session of this.sessions) for (const id of [2 ** 31, 2 ** 32, 2 ** 53]) session.cancel(id);
    await Promise.all(this.pending);
    this.lastId = 0;
  }

  private draw(): Call {
    const { random } = this;
    const kinds = [
      () => this.ofAddon(),
      () => this.ofModel(),
      () => this.ofSession(),
      () => this.ofGrammar(),
    ];
    for (;;) {
      const call = random.pick(kinds.concat(() => this.ofSession()))();
      if (call === undefined) continue;
      const values = call.values.map((value) => random.perhaps(value));
      if (random.once(40)) values.pop();
      if (random.once(40)) values.push(random.any());
      return { ...call, values };
    }
  }

  private ofAddon(): Call | undefined {
    const { random, addon } = this;
    const path = random.once(3) ? random.pick(this.paths) : this.paths[0];
    const options = {
      path,
      threads: random.below(3),
      device: random.pick(['auto', 'cpu', 'metal']),
      context: random.pick([0, 64, 2_048]),
    };
    switch (random.below(6)) {
      case 0:
        return this.loading > 0 || this.models.length > MOST_MODELS ? undefined : this.load(options);
      case 1:
        return { name: 'checkModel', called: addon.checkModel as AnyFunction, values: [options] };
      case 2:
        return { name: 'inspect', called: addon.inspect as AnyFunction, values: [path] };
      case 3:
        // Once in a while: it goes through all of it on every core.
        if (!random.once(10)) return undefined;
        return { name: 'readBandwidth', called: addon.readBandwidth as AnyFunction, values: [1 << 16] };
      default:
        return {
          name: 'compileGrammar',
          called: addon.compileGrammar as AnyFunction,
          values: [random.pick(GRAMMARS)],
          keep: (grammar) => hold(this.grammars, grammar as NativeGrammar, MOST_GRAMMARS),
        };
    }
  }

  private load(options: object): Call {
    return {
      name: 'loadModel',
      called: this.addon.loadModel as AnyFunction,
      values: [options],
      keep: (value) => {
        const model = value as NativeModel;
        const gone = hold(this.models, model, MOST_MODELS);
        void gone?.close();
      },
    };
  }

  private ofModel(): Call | undefined {
    const { random, models } = this;
    if (models.length === 0) return undefined;
    const model = random.pick(models);
    const ids = Uint32Array.from({ length: 1 + random.below(6) }, () => random.below(this.vocabulary));
    const text = random.pick(TEXTS);
    switch (random.below(9)) {
      case 0:
        return random.once(2)
          ? { name: 'model.info', called: model.info, values: [] }
          : { name: 'model.progress', called: model.progress, values: [] };
      case 1:
        return {
          name: 'model.tokenize',
          called: model.tokenize as AnyFunction,
          values: [text, random.once(2)],
        };
      case 2:
        return { name: 'model.detokenize', called: model.detokenize as AnyFunction, values: [ids] };
      case 3:
        return { name: 'model.logits', called: model.logits as AnyFunction, values: [ids] };
      case 4:
        return { name: 'model.dispatches', called: model.dispatches as AnyFunction, values: [1, false] };
      case 5:
        if (this.grammars.length === 0) return undefined;
        return {
          name: 'model.maskTimes',
          called: model.maskTimes as AnyFunction,
          values: [random.pick(this.grammars), text],
        };
      case 6:
        if (!random.once(4)) return undefined;
        return { name: 'model.close', called: model.close, values: [] };
      default:
        return {
          name: 'model.createSession',
          called: model.createSession as AnyFunction,
          values: [{ context: random.pick([16, 64, 256]) }],
          keep: (session) => hold(this.sessions, session as NativeSession, MOST_SESSIONS),
        };
    }
  }

  private ofSession(): Call | undefined {
    const { random, sessions } = this;
    if (sessions.length === 0) return undefined;
    const session = random.pick(sessions);
    switch (random.below(12)) {
      case 0:
        return { name: 'session.close', called: session.close, values: [] };
      case 1:
        return {
          name: 'session.fork',
          called: session.fork,
          values: [],
          keep: (fork) => hold(this.sessions, fork as NativeSession, MOST_SESSIONS),
        };
      case 2:
      case 3:
        return { name: 'session.cancel', called: session.cancel as AnyFunction, values: [this.lastId] };
      default: {
        const onText = random.pick([undefined, () => 1, () => session.cancel(this.lastId), throwing]);
        return {
          name: 'session.complete',
          called: session.complete as AnyFunction,
          values: [this.request(), onText],
        };
      }
    }
  }

  private ofGrammar(): Call | undefined {
    const { random, grammars } = this;
    if (grammars.length === 0) return undefined;
    const grammar = random.pick(grammars);
    if (random.once(6)) return { name: 'grammar.close', called: grammar.close, values: [] };
    return { name: 'grammar.check', called: grammar.check as AnyFunction, values: [random.pick(TEXTS)] };
  }

  private request(): NativeCompletionRequest {
    const { random } = this;
    const text = random.pick(TEXTS);
    const sampled = {
      ...GREEDY,
      temperature: 0.8,
      topP: 0.9,
      topK: 40,
      repeatPenalty: 1.1,
      penaltyWindow: 64,
    };
    return {
      id: ++this.lastId,
      prompt: random.once(3)
        ? [1, text, random.below(Math.round(1.2 * this.vocabulary)), random.pick(TEXTS)]
        : text,
      parseSpecial: random.once(2),
      requiredPrefix: random.once(3) ? random.pick(TEXTS) : '',
      maxTokens: random.pick([1, 4, 12, 400]),
      singleLine: random.once(2),
      banBlankStart: random.once(2),
      leastConfidence: random.pick([0, 0, 0.5, 1]),
      sampling: random.once(2) ? GREEDY : sampled,
      drafting: random.once(2) ? NO_DRAFTING : { lookup: true, model: true, adaptive: false, most: 15 },
      references: random.once(2) ? [] : [random.pick(TEXTS), random.pick(TEXTS)],
      remembered: random.below(3),
      rememberedBeside: random.below(3),
      lead: random.once(6) ? Uint32Array.of(random.below(this.vocabulary)) : new Uint32Array(),
      barred: random.once(4) ? Uint32Array.of(random.below(this.vocabulary)) : new Uint32Array(),
      ...(random.once(4) && this.grammars.length > 0
        ? { grammar: { grammar: random.pick(this.grammars), prefix: random.pick(TEXTS) } }
        : {}),
    };
  }

  private count(what: string): void {
    this.outcomes[what] = (this.outcomes[what] ?? 0) + 1;
  }

  private complain(name: string, what: string): void {
    this.complaints.push(`${name} ${what}`);
  }
}

const CODES: ReadonlySet<string> = new Set(NATIVE_ERROR_CODES);
/** Give nothing, at once or as a promise. */
const WITHOUT_RESULT: ReadonlySet<string> = new Set([
  'session.cancel',
  'grammar.close',
  'session.close',
  'model.close',
]);

function throwing(): never {
  throw new Error('from a callback');
}

/** `OK`, or a code of the engine's; undefined where the answer is neither. */
function outcomeOf(name: string, value: unknown): string | undefined {
  if (WITHOUT_RESULT.has(name)) return value === undefined ? 'nothing' : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (name === 'model.info') return 'vocabulary' in value ? 'info' : undefined;
  if (name === 'model.progress') return 'turns' in value ? 'progress' : undefined;
  if (!('ok' in value)) return undefined;
  if (value.ok === true) return 'value' in value ? 'OK' : undefined;
  const { error } = value as { error?: { code?: unknown; message?: unknown } };
  const { code, message } = error ?? {};
  const isSentence = typeof message === 'string' && /^\S.*[.?!)]$/s.test(message);
  return typeof code === 'string' && CODES.has(code) && isSentence ? code : undefined;
}

/** Keeps the latest; gives the one that it lets go of, which is not closed. */
function hold<T>(kept: T[], value: T, most: number): T | undefined {
  kept.push(value);
  return kept.length > most ? kept.shift() : undefined;
}
