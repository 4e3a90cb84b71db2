/** What the addon does for JavaScript, each as a piece of work whose allocations may fail. */
import { valueOf } from '../../../cli/failure';
import { GREEDY, NO_DRAFTING } from '../../../core/engine/engine_request';
import type { NativeGrammar, NativeGrammarSource } from '../../../core/engine/native_grammar';
import type { NativeResult } from '../../../core/engine/native_result';
import type {
  NativeAddon,
  NativeCompletion,
  NativeCompletionRequest,
  NativeModel,
  NativeSession,
} from '../../../core/engine/native_types';
import type { Work } from './survey';

const GBNF: NativeGrammarSource = { gbnf: 'root ::= "{" [a-z]{1,4} ":" [0-9]{1,3} "}"\n' };
const SCHEMA: NativeGrammarSource = {
  schema: JSON.stringify({
    type: 'object',
    properties: { a: { type: 'integer', minimum: 2 }, b: { $ref: 'other.json' } },
    required: ['a'],
  }),
  layout: { kind: 'indented', unit: '  ', newline: '\n' },
  uri: 'file:///folder/one.json',
  documents: { uris: ['file:///folder/other.json'], texts: ['{"enum":["x","yz"]}'] },
};
const CONTEXT = 128;

let lastId = 0;

function request(changes: Partial<NativeCompletionRequest> = {}): NativeCompletionRequest {
  return {
    id: ++lastId,
    prompt: ['def first', 5, '(value):\n    return '],
    parseSpecial: false,
    requiredPrefix: 'th',
    maxTokens: 8,
    singleLine: false,
    banBlankStart: false,
    leastConfidence: 0,
    sampling: GREEDY,
    drafting: NO_DRAFTING,
    references: [],
    remembered: 0,
    rememberedBeside: 0,
    lead: new Uint32Array(),
    barred: Uint32Array.of(7),
    ...changes,
  };
}

const SAMPLED: Partial<NativeCompletionRequest> = {
  sampling: {
    ...GREEDY,
    temperature: 0.8,
    topP: 0.9,
    topK: 40,
    repeatPenalty: 1.1,
    penaltyWindow: 64,
    seed: 3,
  },
  drafting: { lookup: true, model: false, adaptive: false, most: 4 },
  references: ['def first(value):\n    return the value', 'then and there'],
};

function told<T>(result: NativeResult<T>, text: (value: T) => string): string {
  return result.ok ? text(result.value) : result.error.code;
}

const textOf = (completion: NativeCompletion): string => `${completion.ids.join(' ')} ${completion.stop}`;

/** @param path A model that loads in a moment. */
export function works(addon: NativeAddon, path: string): readonly Work[] {
  const options = { path, threads: 1, device: 'cpu', context: CONTEXT } as const;
  let model: NativeModel | undefined;
  let session: NativeSession | undefined;

  const theModel = async (): Promise<NativeModel> => (model ??= valueOf(await addon.loadModel(options)));
  const aModel = async (): Promise<void> => {
    await theModel();
  };
  const open = async (): Promise<NativeSession> =>
    valueOf(await (await theModel()).createSession({ context: CONTEXT }));
  const theSession = async (): Promise<NativeSession> => (session ??= await open());
  const freshSession = async (): Promise<void> => {
    await session?.close();
    session = await open();
  };
  const said = async (on: NativeSession, changes: Partial<NativeCompletionRequest> = {}): Promise<string> =>
    told(await on.complete(request(changes)), textOf);
  const saidAfterwards = async (): Promise<string> => said(await theSession());

  /** Loads another one, has it say something, and closes it. */
  const another = async (): Promise<string> => {
    const loaded = await addon.loadModel(options);
    if (!loaded.ok) return loaded.error.code;
    const text = loaded.value.info().architecture;
    await loaded.value.close();
    return text;
  };
  const alone = <T>(name: string, call: () => Promise<NativeResult<T>>, text: (value: T) => string): Work => {
    const attempt = async (): Promise<string> => told(await call(), text);
    return { name, attempt, afterwards: attempt };
  };
  const ofModel = <T>(
    name: string,
    call: (on: NativeModel) => Promise<NativeResult<T>>,
    text: (value: T) => string,
  ): Work => {
    const attempt = async (): Promise<string> => told(await call(await theModel()), text);
    return { name, begin: aModel, attempt, afterwards: attempt };
  };
  const compiling = (name: string, source: NativeGrammarSource, instance: string): Work => {
    const attempt = async (): Promise<string> => {
      const compiled = await addon.compileGrammar(source);
      if (!compiled.ok) return compiled.error.code;
      const checked = await compiled.value.check(instance);
      compiled.value.close();
      return told(checked, (verdict) => verdict);
    };
    return { name, attempt, afterwards: attempt };
  };
  const completing = (name: string, changes: () => Promise<Partial<NativeCompletionRequest>>): Work => ({
    name,
    begin: freshSession,
    attempt: async () => said(await theSession(), await changes()),
    afterwards: async () => `${await said(await theSession(), await changes())}; ${await saidAfterwards()}`,
  });
  let grammar: NativeGrammar | undefined;
  const theGrammar = async (): Promise<NativeGrammar> =>
    (grammar ??= valueOf(await addon.compileGrammar(SCHEMA)));

  return [
    { name: 'loadModel and close', attempt: another, afterwards: another },
    {
      name: 'loadModel of no model',
      attempt: async () => told(await addon.loadModel({ ...options, path: `${path}.missing` }), () => 'OK'),
      afterwards: another,
    },
    alone(
      'checkModel',
      () => addon.checkModel(options),
      () => 'OK',
    ),
    alone(
      'inspect',
      () => addon.inspect(path),
      ({ tensors }) => `${tensors.length}`,
    ),
    alone(
      'readBandwidth',
      () => addon.readBandwidth(1 << 16),
      (rate) => `${rate > 0}`,
    ),
    compiling('compileGrammar of GBNF and check', GBNF, '{ab:12}'),
    compiling('compileGrammar of a schema and check', SCHEMA, '{"a": 3, "b": "yz"}'),
    ofModel(
      'tokenize',
      (on) => on.tokenize('def first(value):', false),
      (ids) => ids.join(' '),
    ),
    ofModel(
      'detokenize',
      (on) => on.detokenize(Uint32Array.of(5, 6, 300)),
      (bytes) => `${bytes.length}`,
    ),
    ofModel(
      'logits',
      (on) => on.logits(Uint32Array.of(5, 6, 7)),
      (values) => `${values.length}`,
    ),
    ofModel(
      'dispatches',
      (on) => on.dispatches(1, true),
      (list) => `${list.length > 0}`,
    ),
    {
      name: 'createSession and close',
      begin: aModel,
      attempt: async () => {
        const made = await (await theModel()).createSession({ context: CONTEXT });
        if (!made.ok) return made.error.code;
        const text = await said(made.value);
        await made.value.close();
        return text;
      },
      afterwards: saidAfterwards,
    },
    completing('complete', () => Promise.resolve({})),
    completing('complete, sampled and drafted', () => Promise.resolve(SAMPLED)),
    {
      ...completing('complete after a grammar', async () => ({
        grammar: { grammar: await theGrammar(), prefix: '' },
        requiredPrefix: '',
        barred: new Uint32Array(),
        maxTokens: 6,
      })),
      begin: async () => {
        await theGrammar();
        await freshSession();
      },
    },
    {
      name: 'complete with its text as it comes',
      begin: freshSession,
      attempt: async () => {
        let streamed = '';
        const on = await theSession();
        const completed = await on.complete(request(), (piece) => {
          streamed += piece;
        });
        // A piece that had no memory is missing, and nothing else.
        return told(completed, (completion) =>
          completion.text.length >= streamed.length ? textOf(completion) : `streamed ${streamed}`,
        );
      },
      afterwards: saidAfterwards,
    },
    {
      name: 'two requests, of which one is cancelled',
      begin: freshSession,
      attempt: async () => {
        const on = await theSession();
        const first = request();
        const second = request({ prompt: 'something else' });
        const both = [on.complete(first), on.complete(second)];
        on.cancel(second.id);
        const [one, two] = await Promise.all(both);
        if (one === undefined || two === undefined) return 'nothing';
        const outcomes = [told(one, textOf), told(two, ({ stop }) => stop)];
        return outcomes.includes('OUT_OF_MEMORY') ? 'OUT_OF_MEMORY' : outcomes.join('; ');
      },
      afterwards: saidAfterwards,
    },
    {
      name: 'fork',
      begin: async () => {
        await freshSession();
        await saidAfterwards();
      },
      attempt: async () => {
        const forked = await (await theSession()).fork();
        if (!forked.ok) return forked.error.code;
        const text = await said(forked.value);
        await forked.value.close();
        return text;
      },
      afterwards: saidAfterwards,
    },
    {
      name: 'close of a model under way',
      attempt: async () => {
        const loaded = await addon.loadModel(options);
        if (!loaded.ok) return loaded.error.code;
        const opened = await loaded.value.createSession({ context: CONTEXT });
        const under = opened.ok ? opened.value.complete(request({ maxTokens: 100 })) : undefined;
        await loaded.value.close();
        await under;
        return opened.ok ? 'closed' : opened.error.code;
      },
      afterwards: another,
    },
  ];
}
