/** What each part of the page says: a sentence, a chart's series, and the same numbers as a table. Without a page, so that tests can ask. */
import { REASONS } from '../../../core/completion/reasons';
import { sizeText } from '../../../core/models/size_text';
import type { DashboardData } from '../../../core/statistics/dashboard_data';
import { countOf, type HistogramCounts, quantileOf } from '../../../core/statistics/histogram';
import { countText, msText, percentText, rateText, wholeText } from './numbers';

/** The colours of a theme's charts, by VS Code's names. */
export type Colour = 'blue' | 'yellow' | 'green' | 'purple' | 'orange' | 'red' | 'grey';

export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly values: readonly number[];
}

export interface ChartFigure {
  /** `rows`: bars to the right, stacked, a label a row. `columns`: bars upwards, stacked. */
  readonly kind: 'rows' | 'columns';
  /** What the numbers are of, for example `ms`. */
  readonly unit: string;
  /** Of the axis that is no number. */
  readonly axis: string;
  /** A line break stands where it may be broken in two. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Beside one another instead. */
  readonly unstacked?: boolean;
}

export interface TableFigure {
  readonly head: readonly string[];
  /** The first cell names the row. */
  readonly rows: readonly (readonly string[])[];
}

export interface Section {
  readonly id: string;
  readonly title: string;
  /** What there is to see, in words. */
  readonly summary: string;
  /** What it is that is counted. */
  readonly note?: string;
  readonly chart?: ChartFigure;
  readonly table?: TableFigure;
  /** Numbers with names. */
  readonly facts?: readonly (readonly [string, string])[];
}

/** Of fewer one does not say what half of them are. */
const FEW = 10;
/** Requests that fit a picture. */
const MOST_DRAWN = 20;

export function keySection({ keyToGhost }: DashboardData): Section {
  const count = countOf(keyToGhost);
  const summary =
    count === 0
      ? 'No key was followed by ghost text yet.'
      : count < FEW
        ? `${countText(count, 'key')} had ghost text, ${within(keyToGhost, 1)}.`
        : `Of ${countText(count, 'key')} with ghost text, half had it ${within(keyToGhost, 0.5)}, nine of ten ${within(keyToGhost, 0.9)}.`;
  return {
    id: 'keys',
    title: 'From a key to ghost text',
    summary,
    note: 'From the change that reaches the extension until its ghost text is handed to the editor, whose own wait is part of it; drawing is not.',
    ...histogram(keyToGhost, 'Time', 'Keys', 'blue'),
  };
}

export function requestSection({ requests: ended }: DashboardData): Section {
  // They come in the order of their ends.
  const requests = ended.toSorted((one, other) => one.sequence - other.sequence);
  const asked = requests.filter(({ modelCalls }) => modelCalls > 0);
  const drawn = asked.slice(-MOST_DRAWN).toReversed();
  const shown = requests.filter(({ reason }) => reason === 'shown').length;
  return {
    id: 'requests',
    title: 'The last requests',
    summary:
      requests.length === 0
        ? 'Nothing was asked yet.'
        : `Of ${countText(requests.length, 'request')}, ${wholeText(asked.length)} reached the model and ${wholeText(shown)} ended with a suggestion on the screen.`,
    note: 'Those that reached the model, the last first, from the key on. Judging is what is left of the time: the prompt is made, the answer judged. Of a remote engine prefill is the time to its first token.',
    ...(drawn.length > 0 && {
      chart: {
        kind: 'rows',
        unit: 'ms',
        axis: 'Request',
        labels: drawn.map(({ sequence, reason }) => `#${sequence}\n${reason.replaceAll('_', ' ')}`),
        series: [
          series('Editor’s wait', 'grey', drawn, ({ waitMs }) => waitMs),
          series('Queue', 'red', drawn, ({ queueMs }) => queueMs),
          series('Prefill', 'blue', drawn, ({ prefillMs }) => prefillMs),
          series('Decode', 'yellow', drawn, ({ decodeMs }) => decodeMs),
          series('Judging', 'green', drawn, ({ restMs }) => restMs),
        ],
      },
    }),
    table: {
      head: [
        'Request',
        'Language',
        'End',
        'Text of',
        'Editor’s wait',
        'Queue',
        'Prefill',
        'Decode',
        'Judging',
      ],
      rows: requests
        .toReversed()
        .map((one) => [
          `#${one.sequence}`,
          one.languageId,
          one.reason === 'shown' ? 'Shown' : REASONS[one.reason],
          one.source === 'none' ? '–' : one.source,
          ...[one.waitMs, one.queueMs, one.prefillMs, one.decodeMs, one.restMs].map(
            (ms) => `${msText(ms)} ms`,
          ),
        ]),
    },
  };
}

export function speedSection({ requests, model, drafts }: DashboardData): Section {
  const asked = requests.filter(({ promptTokens }) => promptTokens > 0);
  const drawn = asked.slice(-MOST_DRAWN);
  const prompt = sum(asked.map(({ promptTokens }) => promptTokens));
  const recomputed = sum(asked.map(({ recomputedTokens }) => recomputedTokens));
  const mean = asked.length === 0 ? 0 : recomputed / asked.length;
  return {
    id: 'speed',
    title: 'Tokens',
    summary:
      asked.length === 0
        ? 'The model read no prompt yet.'
        : `A request read ${countText(Math.round(mean), 'token')} anew; the KV cache had ${percentText(prompt - recomputed, prompt)} of the prompts.`,
    note: 'All calls of the model together: one for each line and for each other suggestion. Of what they read, much is the same.',
    facts: [
      ['Prefill', rate(model?.prefillRate)],
      ['Decode', rate(model?.decodeRate)],
      ['Drafts proposed', countText(drafts.drafted, 'token')],
      ['Drafts accepted', `${wholeText(drafts.accepted)} (${percentText(drafts.accepted, drafts.drafted)})`],
      ['Time that drafts saved', `${msText(drafts.savedMs)} ms`],
    ],
    ...(drawn.length > 0 && {
      chart: {
        kind: 'columns',
        unit: 'tokens of prompts',
        axis: 'Request',
        labels: drawn.map(({ sequence }) => `#${sequence}`),
        series: [
          series('Read anew', 'orange', drawn, (one) => one.recomputedTokens),
          series('In the KV cache', 'blue', drawn, (one) => one.promptTokens - one.recomputedTokens),
        ],
      },
    }),
    table: {
      head: ['Request', 'Prompts', 'Read anew', 'Generated', 'Drafted', 'Accepted', 'Prefill', 'Decode'],
      rows: asked
        .toReversed()
        .map((one) => [
          `#${one.sequence}`,
          ...[one.promptTokens, one.recomputedTokens, one.generatedTokens, one.drafted, one.accepted].map(
            wholeText,
          ),
          perSecond(one.recomputedTokens, one.prefillMs),
          perSecond(one.generatedTokens, one.decodeMs),
        ]),
    },
  };
}

export function usageSection({ usage }: DashboardData): Section {
  const { languages } = usage;
  const total = (of: (one: (typeof languages)[number]) => number): number => sum(languages.map(of));
  const shown = total((one) => one.shown);
  const taken = total(takenOf);
  const saved = total((one) => one.charactersSaved);
  const since = usage.since.slice(0, 10);
  return {
    id: 'usage',
    title: 'What became of suggestions',
    summary:
      shown === 0
        ? 'No suggestion was shown yet.'
        : `Since ${since}: ${countText(shown, 'suggestion')} shown, ${wholeText(taken)} taken as a whole or in part (${percentText(taken, shown)}), ${countText(saved, 'character')} saved.`,
    note: 'Told from the edits that follow. Kept on this machine as these counts alone, from session to session, until they are deleted.',
    ...(shown > 0 && {
      chart: {
        kind: 'rows',
        unit: 'suggestions',
        axis: 'Language',
        labels: languages.map(({ language }) => language),
        series: [
          series('Taken whole', 'green', languages, ({ whole }) => whole),
          series('By lines', 'blue', languages, ({ line }) => line),
          series('By words', 'purple', languages, ({ word }) => word),
          series('Typed along', 'yellow', languages, ({ typedAlong }) => typedAlong),
          series('Typed over', 'red', languages, ({ typedOver }) => typedOver),
          series('Left or dismissed', 'grey', languages, ({ left, dismissed }) => left + dismissed),
        ],
      },
      table: {
        head: [
          'Language',
          'Shown',
          'Whole',
          'Lines',
          'Words',
          'Typed along',
          'Typed over',
          'Dismissed',
          'Left',
          'Taken',
          'Characters saved',
        ],
        rows: languages.map((one) => [
          one.language,
          ...[
            one.shown,
            one.whole,
            one.line,
            one.word,
            one.typedAlong,
            one.typedOver,
            one.dismissed,
            one.left,
          ].map(wholeText),
          percentText(takenOf(one), one.shown),
          wholeText(one.charactersSaved),
        ]),
      },
    }),
  };
}

export function memorySection({ memory, model }: DashboardData): Section {
  const facts: (readonly [string, string])[] =
    memory === undefined
      ? []
      : [
          ['Weights', sizeText(memory.weights)],
          ['Keys and values now', sizeText(memory.kvNow)],
          [
            'Keys and values, most',
            `${sizeText(memory.kvMost)} (${countText(model?.context ?? 0, 'token')})`,
          ],
        ];
  return {
    id: 'memory',
    title: 'Memory',
    summary:
      memory === undefined
        ? model === undefined
          ? 'No model is loaded.'
          : 'The model’s file cannot be read.'
        : `The model takes ${sizeText(memory.weights + memory.kvNow)} now, and ${sizeText(memory.weights + memory.kvMost)} with a full context.`,
    note: 'By the headers of the model’s file. A draft model is not counted.',
    facts,
  };
}

export function delaySection({ threadDelay }: DashboardData): Section | undefined {
  if (threadDelay === undefined) return undefined;
  const count = countOf(threadDelay);
  return {
    id: 'delay',
    title: 'The extension host’s thread',
    summary:
      count === 0
        ? 'It was not looked at yet.'
        : `While this page was open, half of ${countText(count, 'look')} came ${within(threadDelay, 0.5)} late, 99 of a hundred ${within(threadDelay, 0.99)}.`,
    note: 'How late the thread that all extensions share comes to what is due. Looked at while this page is open alone.',
    ...histogram(threadDelay, 'Delay', 'Looks', 'purple'),
  };
}

function series<One>(name: string, colour: Colour, ones: readonly One[], of: (one: One) => number): Series {
  return { name, colour, values: ones.map(of) };
}

function histogram(
  counts: HistogramCounts,
  what: string,
  unit: string,
  colour: Colour,
): Pick<Section, 'chart' | 'table'> {
  const labels = counts.counts.map((_, at) => bucketText(counts.bounds, at));
  const chart: ChartFigure = {
    kind: 'columns',
    unit,
    axis: `${what}, ms`,
    labels,
    series: [{ name: unit, colour, values: counts.counts }],
  };
  const rows = counts.counts.map((count, at) => [`${labels[at] ?? ''} ms`, wholeText(count)]);
  return { ...(countOf(counts) > 0 && { chart }), table: { head: [what, unit], rows } };
}

/** `75–100`, `over 2,000`. */
function bucketText(bounds: readonly number[], at: number): string {
  const [from = 0, to] = [bounds[at - 1], bounds[at]];
  return to === undefined ? `over ${wholeText(from)}` : `${wholeText(from)}–${wholeText(to)}`;
}

/** `within 100 ms`. */
function within(counts: HistogramCounts, part: number): string {
  const { from, to } = quantileOf(counts, part) ?? { from: 0, to: 0 };
  return Number.isFinite(to) ? `within ${wholeText(to)} ms` : `after more than ${wholeText(from)} ms`;
}

const takenOf = ({ whole, line, word }: DashboardData['usage']['languages'][number]): number =>
  whole + line + word;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const rate = (tokensASecond: number | undefined): string =>
  tokensASecond === undefined ? 'not measured yet' : `${rateText(tokensASecond)} tokens/s`;

/** Of so few that the clock says little, nothing. */
function perSecond(tokens: number, ms: number): string {
  return tokens === 0 || ms <= 0 ? '–' : `${rateText((1_000 * tokens) / ms)} tokens/s`;
}
