/** Runs a suite of schemas and documents, and counts where the engine agrees with it. */
import { join } from 'node:path';
import type { Engine } from '../core/engine/engine';
import { Failure } from './failure';
import { jsonFilesIn, readText } from './files';
import { schemaSource } from './grammar_options';
import { itemSlices, memberSlices } from './json_slices';
import type { SchemaFolder } from './schema_folder';

/** A schema with its tests: a file of one, or a group of JSON-Schema-Test-Suite. */
export interface SuiteGroup {
  /** The file, and in it what the group is called. */
  readonly name: string;
  readonly schema: string;
  readonly tests: readonly {
    readonly name: string;
    readonly data: string;
    readonly valid: boolean;
  }[];
}

/** What a suite needs of an engine. */
export type SuiteEngine = Pick<Engine, 'compileGrammar' | 'maskTimes'>;

export interface SuiteCounts {
  /** Schemas. */
  files: number;
  validAccepted: number;
  validRejected: number;
  invalidRejected: number;
  invalidAccepted: number;
  /** Schemas that are refused; their tests count nowhere. */
  unsupported: number;
  /** Of each schema that is not refused. */
  readonly compileMs: number[];
  /** Of each token of each valid document. */
  readonly maskUs: number[];
  /** What a reader wants to know: refusals and disagreements, one line each. */
  readonly notes: string[];
}

/** Every `.json` file of `folder` and the folders in it, in order. */
export async function readSuite(folder: string): Promise<SuiteGroup[]> {
  const groups: SuiteGroup[] = [];
  for (const name of await jsonFilesIn(folder))
    groups.push(...groupsOf(name, await readText(join(folder, name))));
  return groups;
}

/** The groups of a file. */
export function groupsOf(name: string, text: string): SuiteGroup[] {
  try {
    JSON.parse(text);
  } catch {
    throw notASuite(name, 'is not JSON');
  }
  return (itemSlices(text) ?? [text]).map((group) => groupOf(name, group));
}

function groupOf(file: string, text: string): SuiteGroup {
  const group = memberSlices(text);
  const schema = group?.get('schema');
  const tests = itemSlices(group?.get('tests') ?? '');
  if (schema === undefined || tests === undefined) throw notASuite(file, 'has no schema with tests');
  const titled = (slice: string | undefined): string =>
    slice?.startsWith('"') === true ? `: ${JSON.parse(slice) as string}` : '';
  return {
    name: file + titled(group?.get('description')),
    schema,
    tests: tests.map((slice) => {
      const test = memberSlices(slice);
      const data = test?.get('data');
      const valid = test?.get('valid');
      if (data === undefined || (valid !== 'true' && valid !== 'false'))
        throw notASuite(file, 'has a test without data and valid');
      return { name: titled(test?.get('description')), data, valid: valid === 'true' };
    }),
  };
}

function notASuite(file: string, what: string): Failure {
  const message = `${file} ${what}; a suite's files are {schema, tests: [{valid, data}]}, or arrays of that.`;
  return new Failure({ code: 'INVALID_ARGUMENT', message });
}

/** @param folder Schemas that those of the suite refer to. */
export async function runSuite(
  engine: SuiteEngine,
  groups: readonly SuiteGroup[],
  folder?: SchemaFolder,
): Promise<SuiteCounts> {
  const counts: SuiteCounts = {
    files: 0,
    validAccepted: 0,
    validRejected: 0,
    invalidRejected: 0,
    invalidAccepted: 0,
    unsupported: 0,
    compileMs: [],
    maskUs: [],
    notes: [],
  };
  for (const group of groups) {
    counts.files++;
    const source = await schemaSource(group.schema, undefined, { kind: 'compact' }, folder);
    const compiled = await engine.compileGrammar(source);
    if (!compiled.ok) {
      counts.unsupported++;
      counts.notes.push(`${group.name}: unsupported: ${compiled.error.message}`);
      continue;
    }
    const grammar = compiled.value;
    counts.compileMs.push(grammar.compileMs);
    for (const { name, data, valid } of group.tests) {
      const checked = await grammar.check(data);
      const accepted = checked.ok && checked.value === 'accept';
      counts[`${valid ? 'valid' : 'invalid'}${accepted ? 'Accepted' : 'Rejected'}`]++;
      if (accepted !== valid) {
        const why = checked.ok ? '' : ` (${checked.error.code}: ${checked.error.message})`;
        counts.notes.push(`${group.name}${name}: ${accepted ? 'accepted' : 'rejected'}${why}`);
      }
      if (!valid || !accepted) continue;
      const times = await engine.maskTimes(grammar, data);
      if (times.ok) for (const time of times.value) counts.maskUs.push(time);
      else
        counts.notes.push(`${group.name}${name}: not measured (${times.error.code}: ${times.error.message})`);
    }
    grammar.close();
  }
  return counts;
}

/** The value below which `share` of `values` lie, by nearest rank; 0 where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
