/** What masks cost, token by token along documents: of our grammars, of bounds that are far away, and of other engines. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../cli/failure';
import { writeBytes } from '../../cli/files';
import { GRAMMAR_FILES, SOURCES } from '../build_folder';
import { jsonLines } from '../json_lines';
import { buildNativeProgram } from '../native_programs';
import { outputOf, printedBy } from '../program_run';
import type { Row } from '../report';
import { type CaseOptions, type GrammarCase, grammarCases } from './grammar_cases';
import { boundRows, maskRows, type MaskTimes, peerRows, readTimes } from './mask_times';
import { inSchemaOrder } from './member_order';
import { vocabularies } from './vocabulary_file';

const PEERS = ['llguidance', 'xgrammar'] as const;
const PEER_PROGRAM = join(SOURCES, 'grammar', 'peer_masks.py');
/** Of that program: the peer's package cannot be imported. */
const NOT_INSTALLED = 3;
/** Refusals that are told one by one. */
const MOST_TOLD = 10;

/** A GGUF file whose vocabulary is taken, in place of the bench's two. */
interface OfModel {
  readonly model?: string;
}

/** Throws Failure. */
export async function runMasks(options: CaseOptions & OfModel): Promise<Row[]> {
  const program = await buildNativeProgram('emberline_grammar_bench');
  const cases = await grammarCases(options);
  const file = await writeCases('masks', cases);
  const rows: Row[] = [];
  for (const { path, logits } of await vocabularies(options.model)) {
    const times = readTimes(await outputOf(program, ['masks', path, file]));
    if (rows.length === 0) tell(cases, times);
    rows.push(...maskRows(times, logits));
  }
  return rows;
}

/** Throws Failure. */
export async function runBounds(options: OfModel): Promise<Row[]> {
  const program = await buildNativeProgram('emberline_grammar_bench');
  const rows: Row[] = [];
  for (const { path, logits } of await vocabularies(options.model))
    rows.push(...boundRows(await outputOf(program, ['bounds', path]), logits));
  return rows;
}

/** Members in the schema's order, so that there is something that all can follow. Throws Failure. */
export async function runPeers(options: CaseOptions & { readonly python: string }): Promise<Row[]> {
  const program = await buildNativeProgram('emberline_grammar_bench');
  const cases = (await grammarCases(options)).map(({ documents, ...rest }) => {
    const ordered = documents.map((document) => inSchemaOrder(rest.schema, document));
    return { ...rest, documents: ordered };
  });
  const file = await writeCases('peers', cases);
  const rows: Row[] = [];
  const missing = new Set<string>();
  // Theirs have no way to read a model's file.
  for (const { path, logits } of await vocabularies(undefined)) {
    const ours = readTimes(await outputOf(program, ['masks', path, file]));
    for (const peer of PEERS) {
      const output = missing.has(peer) ? undefined : await peerOutput(options.python, peer, path, file);
      if (output === undefined) missing.add(peer);
      rows.push(...peerRows(ours, output === undefined ? undefined : readTimes(output), peer, logits));
    }
  }
  return rows;
}

async function writeCases(name: string, cases: readonly GrammarCase[]): Promise<string> {
  mkdirSync(GRAMMAR_FILES, { recursive: true });
  const path = join(GRAMMAR_FILES, `${name}.jsonl`);
  const lines = cases.map(({ schema, documents }) => ({
    schema: JSON.stringify(schema),
    instances: documents,
  }));
  await writeBytes(path, jsonLines(lines));
  return path;
}

/** Undefined where the peer is not installed; standard error says what to do. */
async function peerOutput(
  python: string,
  peer: string,
  vocabulary: string,
  cases: string,
): Promise<string | undefined> {
  try {
    return (await printedBy(python, [PEER_PROGRAM, peer, vocabulary, cases])).stdout;
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === NOT_INSTALLED) {
      console.error(`grammar: ${(stderr ?? '').trim()}`);
      return undefined;
    }
    if (code === 'ENOENT') {
      console.error(`grammar: ${python} cannot be started: name a Python with ${peer} by --python`);
      return undefined;
    }
    throw new Failure({ code: 'WORKER_FAILED', message: `${peer} failed: ${String(error)}` });
  }
}

/** What a reader wants to know of schemas and documents that have no figures. */
function tell(cases: readonly GrammarCase[], { refused, rejected }: MaskTimes): void {
  const nameOf = (schema: number): string => cases[schema]?.name ?? String(schema);
  const notes = [
    ...[...refused].map(([schema, why]) => `${nameOf(schema)}: refused: ${why}`),
    ...rejected.map((key) => `${nameOf(Number.parseInt(key, 10))}: a document is rejected`),
  ];
  for (const note of notes.slice(0, MOST_TOLD)) console.error(`grammar: ${note}`);
  if (notes.length > MOST_TOLD) console.error(`grammar: and ${notes.length - MOST_TOLD} more like that`);
}
