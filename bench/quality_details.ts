/** The details file of a quality run: a place a line, with what was proposed there. */
import Ajv from 'ajv';
import { readJsonLines } from '../cli/files';
import { lineOf } from './closers';
import { type CompletionCase, type Place, PLACES, placeOf } from './completion_case';
import type { LineRecord } from './line_record';
import type { Completed } from './quality_rows';
import { isExact } from './scores';

/** What of a line other programs go by; there is more in it for people. */
export interface Detail extends Pick<CompletionCase, 'id' | 'path' | 'expected'> {
  readonly place: Place;
  /** Above 0 where the text was drawn. */
  readonly temperature: number;
  readonly text: string;
  /** What stands left of the cursor on its line, and right of it. */
  readonly line: string;
  readonly lineAfter: string;
  /** `shown`, or why the text is not. */
  readonly reason: string;
  readonly exact: boolean;
  /** Of a suggestion where a block begins: what was asked, line by line. */
  readonly lines?: readonly LineRecord[];
  /** How probable each token was, and where the text ends behind it, from its first visible unit on; not of a block. */
  readonly tokens?: { readonly probabilities: readonly number[]; readonly ends: readonly number[] };
}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const NUMBER = { type: 'number' } as const;
const NUMBERS = { type: 'array', items: NUMBER } as const;

const TOKENS = {
  type: 'object',
  required: ['probabilities', 'ends'],
  properties: { probabilities: NUMBERS, ends: NUMBERS },
} as const;

const isDetail = new Ajv().compile<Detail>({
  type: 'object',
  required: [
    'id',
    'path',
    'expected',
    'place',
    'temperature',
    'text',
    'line',
    'lineAfter',
    'reason',
    'exact',
  ],
  properties: {
    id: TEXT,
    path: TEXT,
    expected: TEXT,
    place: { enum: PLACES },
    temperature: NUMBER,
    text: TEXT,
    line: TEXT,
    lineAfter: TEXT,
    reason: TEXT,
    exact: FLAG,
    tokens: TOKENS,
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'text',
          'shown',
          'reason',
          'stop',
          'certainty',
          'confidence',
          'endProbability',
          'made',
          'tokens',
        ],
        properties: {
          text: TEXT,
          shown: FLAG,
          reason: TEXT,
          stop: TEXT,
          certainty: NUMBER,
          confidence: NUMBER,
          endProbability: NUMBER,
          made: TEXT,
          tokens: TOKENS,
        },
      },
    },
  },
});

export function detailsOf(completed: Completed, temperature: number): Detail {
  const { id, path, prefix, suffix, expected } = completed.case;
  const { text, shown, reason, stop, confidence, certainty, endProbability, timings } = completed;
  const line = lineOf(prefix);
  const lineAfter = suffix.split('\n', 1)[0] ?? '';
  const exact = isExact({ expected, text });
  const { part, course, lines } = completed;
  const more = {
    shown,
    stop,
    confidence,
    certainty,
    endProbability,
    timings,
    part,
    ...(lines && { lines }),
  };
  const place = placeOf(completed.case);
  const detail = { id, path, place, temperature, text, expected, line, lineAfter, reason, exact, ...more };
  if (course === undefined) return detail;
  return { ...detail, tokens: { probabilities: [...course.probabilities], ends: [...course.ends] } };
}

/** Throws Failure for what is no details file. */
export function readDetails(path: string): Promise<Detail[]> {
  return readJsonLines(path, isDetail, () => 'is no place of a quality run; write the file with --details');
}
