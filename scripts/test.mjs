/**
 * `npm test`: sets up what is missing, builds, and runs its stages; the last line is `N passed, N failed, N skipped`.
 * Options: `--deep` (the stages that take longer instead), `--only a,b` (some stages), `--screenshot FILE` (with `--only e2e`: take the README's picture instead of testing),
 * `--paint KEYS` (with `--only e2e`: measure how long so many keys take until they are painted, with suggestions and without),
 * `--delay SECONDS` (with `--only e2e`: measure how late the extension host's event loop is while somebody types so long),
 * `--screenshots FOLDER` (keep pictures of what the tests in the browser see).
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { oneFailed, sum, summary } from './counts.mjs';
import { Failure, Interrupted } from './failure.mjs';
import { vscodeTarget } from './paths.mjs';
import { aside, runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureDebianPackages } from './setup/debian_packages.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { ensureToolchain } from './setup/toolchain.mjs';
import { arm } from './test/arm.mjs';
import { inTurn } from './test/checks.mjs';
import { e2e } from './test/e2e.mjs';
import { editor } from './test/editor.mjs';
import { endurance } from './test/endurance.mjs';
import { fuzzing } from './test/fuzz.mjs';
import { integration } from './test/integration.mjs';
import { interleavings } from './test/interleavings.mjs';
import { lint } from './test/lint.mjs';
import { metal, metalEditor } from './test/metal.mjs';
import { native } from './test/native.mjs';
import { packaged } from './test/package.mjs';
import { parsers } from './test/parsers.mjs';
import { platforms } from './test/platforms.mjs';
import { proofs } from './test/proofs.mjs';
import { portability } from './test/portability.mjs';
import { Preparations } from './test/preparations.mjs';
import { remoteServer } from './test/remote_server.mjs';
import { sanitized } from './test/sanitized.mjs';
import { threads, threadsAll } from './test/threads.mjs';
import { tidyAll, tidyChanged } from './test/tidy.mjs';
import { training } from './test/training.mjs';
import { types } from './test/types.mjs';
import { unit } from './test/unit.mjs';

/** @typedef {import('./test/stage.mjs').Stage} Stage */
/** @typedef {import('./counts.mjs').Counts} Counts */

/**
 * In the order they run, and what they need is compiled: first what can begin soon and leaves a core free, on which is compiled what the
 * others need. Those that are `beside` run in this order too, in a row of their own: while an editor is waited for, they have the processors.
 */
const STAGES = [
  lint,
  types,
  unit,
  packaged,
  editor,
  e2e,
  // Needs what these two do, and mostly waits.
  endurance,
  native,
  parsers,
  metal,
  metalEditor,
  // Reads what Ninja has noted in the folder that all of these are built in.
  tidyChanged,
  integration,
  proofs,
  training,
  fuzzing,
  tidyAll,
  sanitized,
  threads,
  threadsAll,
  interleavings,
  portability,
  arm,
  platforms,
  remoteServer,
];

/**
 * @param {string | undefined} only names joined by commas; all that this platform can run when undefined
 * @param {boolean} deep
 * @returns {Stage[]}
 */
function chosenStages(only, deep) {
  if (only === undefined) {
    const asked = STAGES.filter((stage) => (stage.deep ?? false) === deep && stage.onRequest !== true);
    const here = asked.filter(({ platform = vscodeTarget() }) => platform === vscodeTarget());
    const elsewhere = asked.filter((stage) => !here.includes(stage)).map((stage) => stage.name);
    if (elsewhere.length > 0) console.log(`Left out on this platform: ${elsewhere.join(', ')}.`);
    return here;
  }
  const names = only.split(',');
  const unknown = names.filter((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    const known = STAGES.map((stage) => stage.name).join(', ');
    throw new Failure(`There is no stage ${unknown.join(', ')}; there are ${known}.`);
  }
  return STAGES.filter((stage) => names.includes(stage.name));
}

/**
 * What is wrong, for the list of failures; an error nobody foresaw keeps its stack.
 * @param {unknown} error
 * @returns {string}
 */
function sentenceOf(error) {
  if (error instanceof Failure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * @param {Stage} stage
 * @param {Preparations} preparations
 * @param {Progress} progress
 * @returns {Promise<Counts>}
 */
async function runStage(stage, preparations, progress) {
  try {
    await Promise.all(stage.needs.map((need) => preparations.get(need)));
    return await stage.run(progress);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return oneFailed(`${stage.name}: ${sentenceOf(error)}`);
  }
}

/**
 * @param {readonly Stage[]} stages
 * @param {Progress} progress
 */
async function setUp(stages, progress) {
  requireNode();
  await ensureDebianPackages(
    stages.flatMap((stage) => stage.requirements),
    progress,
  );
  if (stages.some((stage) => stage.needs.length > 0)) await ensureToolchain(progress);
  await ensureNodePackages(progress);
}

/**
 * @param {readonly Stage[]} stages
 * @param {Progress} progress
 * @returns {Promise<Counts>}
 */
async function runStages(stages, progress) {
  const preparations = new Preparations(progress);
  // Compiled while stages that need nothing of it are running.
  for (const need of stages.flatMap((stage) => stage.needs)) void preparations.get(need).catch(() => {});
  const beside = stages.filter((stage) => stage.beside === true);
  const others = stages.filter((stage) => stage.beside !== true);
  const runInTurn = (/** @type {readonly Stage[]} */ row) =>
    inTurn(row.map((stage) => () => runStage(stage, preparations, progress)));
  if (others.length === 0) return await runInTurn(beside);
  return sum(await Promise.all([runInTurn(others), aside(() => runInTurn(beside))]));
}

/**
 * Runs `work` with a folder of its own for temporary files, in which it should leave nothing.
 * @param {() => Promise<Counts>} work
 * @returns {Promise<Counts>}
 */
async function inOwnTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'emb-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env['TMPDIR'] = folder;
  const counts = await work();
  const left = readdirSync(folder);
  return left.length === 0 ? counts : sum([counts, oneFailed(`left behind: ${left.join(', ')}`)]);
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({
    options: {
      deep: { type: 'boolean', default: false },
      delay: { type: 'string' },
      only: { type: 'string' },
      paint: { type: 'string' },
      screenshot: { type: 'string' },
      screenshots: { type: 'string' },
    },
  });
  if (values.screenshot !== undefined) process.env['EMBERLINE_SCREENSHOT'] = resolve(values.screenshot);
  if (values.paint !== undefined) process.env['EMBERLINE_PAINT'] = values.paint;
  if (values.delay !== undefined) process.env['EMBERLINE_DELAY'] = values.delay;
  if (values.screenshots !== undefined) process.env['EMBERLINE_SCREENSHOTS'] = resolve(values.screenshots);
  const stages = chosenStages(values.only, values.deep);
  const progress = new Progress();
  let counts;
  try {
    await setUp(stages, progress);
    counts = await inOwnTemporaryFolder(() => runStages(stages, progress));
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    counts = oneFailed(sentenceOf(error));
  }
  if (counts.failures.length > 0)
    console.log(`\nFailed:\n${counts.failures.map((name) => `  ${name}`).join('\n')}`);
  progress.table();
  console.log(`\n${summary(counts)}`);
  return counts.failed === 0 ? 0 : 1;
}

await runCommand(main);
