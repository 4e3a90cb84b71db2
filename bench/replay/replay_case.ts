/** A place in a file that is being edited, with what an editor knows beside it. */
import { join } from 'node:path';
import { type Case, readCases } from '../../cli/case_file';
import { ROOT } from '../../cli/engine_options';
import { Failure } from '../../cli/failure';

/** What is being done at the place. Texts of the first three repeat what stands elsewhere; the others are new. */
export const KINDS = ['repetitive', 'refactor', 'tests', 'prose', 'code'] as const;
export type ReplayKind = (typeof KINDS)[number];

const REPEATING: ReadonlySet<ReplayKind> = new Set(['repetitive', 'refactor', 'tests']);

/** The committed cases: a file a kind. */
const FOLDER = join(ROOT, 'bench', 'cases', 'replay');

export interface ReplayCase extends Case {
  readonly kind: ReplayKind;
  /** Texts of other files, nearest first. */
  readonly beside: readonly string[];
}

/** Whether texts of this kind repeat what stands elsewhere. */
export function repeats(kind: ReplayKind): boolean {
  return REPEATING.has(kind);
}

/** All cases, kind after kind. Throws Failure. */
export async function readReplayCases(folder = FOLDER): Promise<ReplayCase[]> {
  const kinds = await Promise.all(
    KINDS.map(async (kind) => {
      const path = join(folder, `${kind}.jsonl`);
      const cases = await readCases(path);
      if (cases.length === 0) fail(`${path} has no cases; add some.`);
      return cases.map((one): ReplayCase => ({ ...one, kind, beside: besideOf(one) }));
    }),
  );
  return kinds.flat();
}

function besideOf(one: Case): readonly string[] {
  if (!('beside' in one)) return [];
  const { beside } = one;
  if (Array.isArray(beside) && beside.every((text): text is string => typeof text === 'string'))
    return beside;
  return fail(`"beside" of case ${one.id} is no list of texts; correct it.`);
}

function fail(message: string): never {
  throw new Failure({ code: 'INVALID_ARGUMENT', message });
}
