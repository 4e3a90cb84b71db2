/**
 * The quality suite: completes cases the way an editor would and compares with what the authors wrote. Lines are drawn at the
 * editor's temperature and made greedily, blocks greedily.
 */
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { editsOf, piecesOf } from '../cli/case_snippets';
import { Failure } from '../cli/failure';
import { type Eagerness, LEAST_CERTAINTY } from '../core/completion/certainty';
import type { GenerationEngine } from '../core/completion/engine_port';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../core/completion/options';
import { CompletionPipeline, type SuggestionRequest } from '../core/completion/pipeline';
import { DEFAULT_SAMPLING, type SamplingOptions } from '../core/completion/sampling';
import type { Schemas } from '../core/completion/schema_port';
import { Suggestions } from '../core/completion/suggestions';
import type { FindSnippets } from '../core/completion/snippets';
import { mostUseful } from '../core/completion/imported_definitions';
import { fittedInJson } from '../core/schema/fitting';
import { alternativeDetails, alternativeRows, askAt, type Asked } from './alternatives';
import { completeBlock } from './block_completion';
import { documentOf, placeOf, readExpectedCases, type CompletionCase } from './completion_case';
import { type Given, GivenPrompts } from './given_prompts';
import { closersBehind, lineOf } from './closers';
import { OpenFiles } from './open_files';
import { ProjectFiles } from './project_files';
import { LineRecorder } from './line_record';
import { detailsOf } from './quality_details';
import { blockRows, qualityRows, shapeRows, suggestedRows, type Completed } from './quality_rows';
import type { Row } from './report';

/** The committed case set. */
export const OWN_CASES = join(ROOT, 'bench', 'cases', 'own.jsonl');

/** How lines are made: as an editor draws them, or greedily. */
export const WAYS = ['drawn', 'greedy'] as const;
export type Way = (typeof WAYS)[number];

const SAMPLING: Readonly<Record<Way, SamplingOptions>> = {
  drawn: DEFAULT_SAMPLING,
  greedy: { ...DEFAULT_SAMPLING, temperature: 0 },
};

/** Of what there is beside a document all is read that is given, whatever the model. */
const ALL = { similarCode: 'always', definitions: 'always', recentEdits: true } as const;

type Beside = Pick<SuggestionRequest, 'beside' | 'snippets'>;

/** How often a person who waits is told how far it is, cases. */
const PROGRESS_STEP = 50;

export interface QualityOptions extends Given {
  /** A file of cases. */
  readonly cases: string;
  /** Tokens of prompt; 0 follows the measured speed, as the editor does. */
  readonly promptTokens: number;
  /** How lines are made; both one after the other, so that the second finds the prompt in the KV cache. */
  readonly ways: readonly Way[];
  /** Whether one that reads pieces of other files is given those of a case; default: true. */
  readonly snippets?: boolean;
  /** Whether it is given the definitions behind what a case's file imports, as they are found in the folders of `beside`; default: false. */
  readonly definitions?: boolean;
  /** Whether it is given what a case says was edited before; default: true. */
  readonly edits?: boolean;
  /** Folders in which the files of the cases lie: the others of their packages have a say in the law. Default: none. */
  readonly beside?: readonly string[];
  /** Whether brackets and quotes that are open on the cursor's line stand closed behind it, as an editor closes them; default: false. */
  readonly closers?: boolean;
  /** How much is shown unasked; default: `balanced`. */
  readonly eagerness?: Eagerness;
  /** Whether somebody asks at the places in lines: rows of what is offered then take the place of the others. Default: nobody does. */
  readonly alternatives?: boolean;
}

export interface Quality {
  readonly rows: readonly Row[];
  readonly lines: Readonly<Record<Way, readonly Completed[]>>;
  /** Each place with what was proposed there, as JSON. */
  readonly details: readonly object[];
}

export async function runQuality(engine: GenerationEngine, options: QualityOptions): Promise<Quality> {
  const cases = await readExpectedCases(options.cases);
  const files = new OpenFiles(options.beside ?? []);
  const project = new ProjectFiles(options.beside ?? []);
  const lines: Record<Way, Completed[]> = { drawn: [], greedy: [] };
  const asked: Asked[] = [];
  const blocks: Completed[] = [];
  const suggested: Completed[] = [];
  for (const [index, one] of cases.entries()) {
    const { beside } = await files.besideOf(one);
    const snippets = await snippetsOf(one, options, project);
    const given = { beside, snippets };
    if (options.alternatives === true) {
      if (placeOf(one) !== 'block') asked.push(await makeAlternatives(engine, one, options, given));
    } else if (placeOf(one) === 'block') {
      if (options.ways.includes('greedy')) blocks.push(await makeBlock(engine, one, options, snippets));
      if (options.ways.includes('drawn')) suggested.push(await suggestLines(engine, one, options, given));
    } else {
      for (const way of options.ways) {
        lines[way].push(await makeLine(engine, one, options, way, given));
      }
    }
    if ((index + 1) % PROGRESS_STEP === 0) console.error(`${index + 1} of ${cases.length} places`);
  }
  if (options.alternatives === true)
    return { rows: alternativeRows(asked), lines, details: asked.map(alternativeDetails) };
  const made = [
    ...WAYS.map((way) => [way, lines[way]] as const),
    ['greedy', blocks] as const,
    ['drawn', suggested] as const,
  ];
  const details = made.flatMap(([way, some]) => some.map((one) => detailsOf(one, SAMPLING[way].temperature)));
  const ofLines = [...qualityRows(lines.drawn), ...qualityRows(lines.greedy, 'quality/greedy-')];
  const shapes = shapeRows([...lines.drawn, ...suggested]);
  const rows = [...ofLines, ...blockRows(blocks), ...suggestedRows(suggested), ...shapes];
  return { rows, lines, details };
}

/** JSON as in an editor that knows no schema. */
const NO_SCHEMAS: Schemas = { bindingFor: () => Promise.resolve(undefined), fitted: fittedInJson };

/** What an editor shows unasked where a block begins: nothing, its first line, or several. Throws Failure when the engine reports an error. */
async function suggestLines(
  engine: GenerationEngine,
  one: CompletionCase,
  options: QualityOptions,
  given: Beside,
): Promise<Completed> {
  const chosen = optionsOf(options, 'drawn');
  const recorder = new LineRecorder();
  const listened = recorder.engine(engine);
  const pipeline = new CompletionPipeline(listened, () => chosen, new GivenPrompts(listened, options));
  const { signal } = new AbortController();
  // However slow this machine is: a block is judged by what it says.
  const suggestions = new Suggestions(recorder.pipeline(pipeline), () => chosen, Infinity);
  const outcome = await suggestions.complete({ document: documentOf(one), signal, ...given });
  if (outcome.error !== undefined) throw new Failure(outcome.error);
  const { text, shown, reason, stop, confidence, certainty, endProbability, timings } = outcome;
  const { lines } = recorder;
  return { case: one, text, shown, reason, stop, confidence, certainty, endProbability, timings, lines };
}

/** As if its file had just been opened. Throws Failure when the engine reports an error. */
async function makeLine(
  engine: GenerationEngine,
  one: CompletionCase,
  options: QualityOptions,
  way: Way,
  given: Beside,
): Promise<Completed> {
  const chosen = optionsOf(options, way);
  const prompts = new GivenPrompts(engine, options);
  const pipeline = new CompletionPipeline(engine, () => chosen, prompts, NO_SCHEMAS);
  const { signal } = new AbortController();
  const closers = options.closers === true ? closersBehind(lineOf(one.prefix)) : '';
  const outcome = await pipeline.complete({
    document: documentOf(one, closers),
    signal,
    ...given,
    evenIfRefused: true,
  });
  if (outcome.error !== undefined) throw new Failure(outcome.error);
  const { uncut, replace, course, stop, confidence, endProbability, timings } = outcome;
  // What the line is then, whatever of it stood there before.
  const right = closers.slice(replace);
  const made = { case: one, course, stop, confidence, endProbability, timings };
  if (uncut === undefined) {
    const { text, shown, reason, certainty } = outcome;
    return { ...made, text: text + right, shown, reason, certainty };
  }
  return {
    ...made,
    text: uncut.text + right,
    certainty: uncut.certainty,
    part: outcome.text + right,
    shown: false,
    reason: 'low_confidence',
  };
}

/** What is offered where somebody asks. Throws Failure when the engine reports an error. */
function makeAlternatives(
  engine: GenerationEngine,
  one: CompletionCase,
  options: QualityOptions,
  given: Beside,
): Promise<Asked> {
  const { signal } = new AbortController();
  const request = { document: documentOf(one), signal, ...given };
  return askAt(engine, one, optionsOf(options, 'drawn'), new GivenPrompts(engine, options), request);
}

async function makeBlock(
  engine: GenerationEngine,
  one: CompletionCase,
  options: QualityOptions,
  snippets: FindSnippets,
): Promise<Completed> {
  const prompts = new GivenPrompts(engine, options);
  const made = await completeBlock(engine, documentOf(one), optionsOf(options, 'greedy'), prompts, snippets);
  return { case: one, ...made };
}

function optionsOf({ promptTokens, eagerness = 'balanced' }: QualityOptions, way: Way): CompletionOptions {
  const leastCertainty = LEAST_CERTAINTY[eagerness];
  return { ...DEFAULT_OPTIONS, promptTokens, leastCertainty, sampling: SAMPLING[way], ...ALL };
}

/** What there is to read beside a case, as far as it is given. Throws Failure. */
async function snippetsOf(
  one: CompletionCase,
  { snippets = true, definitions = false, edits = true }: QualityOptions,
  project: ProjectFiles,
): Promise<FindSnippets> {
  const found = definitions ? await project.definitionsOf(one) : [];
  const others = [...(snippets ? piecesOf(one) : []), ...(edits ? editsOf(one) : [])];
  return (document) => [...mostUseful(found, document), ...others];
}
