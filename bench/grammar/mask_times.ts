/** What the programs that follow documents print, ours and the peers', and the rows made of it. */
import { parsedLines } from '../json_lines';
import { besideRow, ownRow, type Row } from '../report';
import { type Better, quantile } from '../statistics';

interface Line {
  /** Of the file of cases, from 0; as `instance` is among the documents of the schema. */
  readonly schema: number;
  readonly compileMs?: number;
  readonly refused?: string;
  readonly instance?: number;
  readonly rejected?: boolean;
  readonly maskUs?: readonly number[];
  readonly stepUs?: readonly number[];
  readonly bytes?: number;
}

interface FollowedDocument {
  /** Of each token. */
  readonly maskUs: readonly number[];
  readonly stepUs: readonly number[];
  /** The most that states and masks held; 0 where it is not known. */
  readonly bytes: number;
}

export interface MaskTimes {
  /** Milliseconds by the schema's number. */
  readonly compiled: ReadonlyMap<number, number>;
  /** Why, by the schema's number. */
  readonly refused: ReadonlyMap<number, string>;
  /** By `SCHEMA/INSTANCE`. */
  readonly followed: ReadonlyMap<string, FollowedDocument>;
  readonly rejected: readonly string[];
}

/** A vocabulary's rows say which it is, but for the embedded model's. */
const EMBEDDED_LOGITS = 49_152;
const suffix = (logits: number): string => (logits === EMBEDDED_LOGITS ? '' : `-${logits}`);

export function readTimes(output: string): MaskTimes {
  const compiled = new Map<number, number>();
  const refused = new Map<number, string>();
  const followed = new Map<string, FollowedDocument>();
  const rejected: string[] = [];
  for (const line of parsedLines(output) as Line[]) {
    const { schema, compileMs, refused: why, instance, maskUs, stepUs, bytes = 0 } = line;
    if (compileMs !== undefined) compiled.set(schema, compileMs);
    else if (why !== undefined) refused.set(schema, why);
    else if (maskUs === undefined || stepUs === undefined) rejected.push(`${schema}/${instance ?? ''}`);
    else followed.set(`${schema}/${instance ?? ''}`, { maskUs, stepUs, bytes });
  }
  return { compiled, refused, followed, rejected };
}

/** A figure of the times, and the most that is promised of it. */
interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly promised: number | null;
  /** Of at least one value. */
  readonly of: (times: Pooled) => number;
}

/** The times of all tokens and of all schemas. */
interface Pooled {
  readonly maskUs: readonly number[];
  readonly stepUs: readonly number[];
  readonly compileMs: readonly number[];
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const FIGURES: readonly Figure[] = [
  { name: 'mask-p50-us', unit: 'us', promised: 10, of: ({ maskUs }) => quantile(maskUs, 0.5) },
  { name: 'mask-p99-us', unit: 'us', promised: 300, of: ({ maskUs }) => quantile(maskUs, 0.99) },
  { name: 'mask-p999-us', unit: 'us', promised: 1_000, of: ({ maskUs }) => quantile(maskUs, 0.999) },
  {
    name: 'token-mean-us',
    unit: 'us',
    promised: null,
    of: ({ maskUs, stepUs }) => mean(maskUs) + mean(stepUs),
  },
  { name: 'compile-p50-ms', unit: 'ms/schema', promised: 1, of: ({ compileMs }) => quantile(compileMs, 0.5) },
  {
    name: 'compile-p99-ms',
    unit: 'ms/schema',
    promised: 20,
    of: ({ compileMs }) => quantile(compileMs, 0.99),
  },
];

const MEGABYTE = 2 ** 20;
/** States and masks of one document, MB. */
const PROMISED_MEMORY = 64;
/** Times as long as without the bound. */
const PROMISED_RATIO = 2;

/** Ours, over all that was followed; nothing where nothing was. */
export function maskRows(times: MaskTimes, logits: number): Row[] {
  const documents = [...times.followed.values()];
  if (documents.length === 0) return [];
  const pooled = pool(times, [...times.followed.keys()], [...times.compiled.keys()]);
  const row = (name: string, unit: string, value: number, floor: number | null = null): Row =>
    ownRow(`grammar/${name}${suffix(logits)}`, unit, value, floor);
  const most = documents.reduce((bytes, document) => Math.max(bytes, document.bytes), 0);
  return [
    ...FIGURES.map(({ name, unit, promised, of }) => row(name, unit, of(pooled), promised)),
    row('memory-mb', 'MB', most / MEGABYTE, PROMISED_MEMORY),
    row('tokens', 'tokens', pooled.maskUs.length),
    row('documents', 'documents', documents.length),
    row('documents-rejected', 'documents', times.rejected.length, 0),
    row('schemas', 'schemas', times.compiled.size),
    row('schemas-refused', 'schemas', times.refused.size),
  ];
}

/** Both over the documents that both follow, and the schemas that both compile; without a peer, ours over all. */
export function peerRows(ours: MaskTimes, peer: MaskTimes | undefined, name: string, logits: number): Row[] {
  const shared = <T>(some: ReadonlyMap<T, unknown>, others: ReadonlyMap<T, unknown> | undefined): T[] =>
    [...some.keys()].filter((key) => others?.has(key) ?? true);
  const documents = shared(ours.followed, peer?.followed);
  const schemas = shared(ours.compiled, peer?.compiled);
  const rows = [compared('documents', 'documents', ours.followed.size, peer?.followed.size, 'higher')];
  if (documents.length > 0) {
    const mine = pool(ours, documents, schemas);
    const theirs = peer && pool(peer, documents, schemas);
    for (const { name: figure, unit, of } of FIGURES)
      rows.push(compared(figure, unit, of(mine), theirs && of(theirs), 'lower'));
  }
  return rows.map((row) => ({ ...row, name: `grammar/${row.name}-${name}${suffix(logits)}` }));
}

function compared(name: string, unit: string, ours: number, peer: number | undefined, better: Better): Row {
  return peer === undefined ? ownRow(name, unit, ours) : besideRow({ name, unit, ours, peer }, better);
}

/** Of some documents and schemas that were followed and compiled. */
function pool(times: MaskTimes, documents: readonly string[], schemas: readonly number[]): Pooled {
  const followed = documents.flatMap((key) => times.followed.get(key) ?? []);
  return {
    maskUs: followed.flatMap(({ maskUs }) => maskUs),
    stepUs: followed.flatMap(({ stepUs }) => stepUs),
    compileMs: schemas.flatMap((schema) => times.compiled.get(schema) ?? []),
  };
}

interface BoundTimes {
  readonly name: string;
  readonly withUs: number;
  readonly withoutUs: number;
}

/** How many times longer a token takes with a bound that is far away, and how long. */
export function boundRows(output: string, logits: number): Row[] {
  const bounds = parsedLines(output) as BoundTimes[];
  return bounds.flatMap(({ name, withUs, withoutUs }) => {
    const called = (figure: string): string => `grammar/bound-${name}-${figure}${suffix(logits)}`;
    return [
      ownRow(called('ratio'), 'times', withUs / withoutUs, PROMISED_RATIO),
      ownRow(called('token-us'), 'us', withUs),
    ];
  });
}
