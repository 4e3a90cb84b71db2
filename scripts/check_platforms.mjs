/**
 * Packages Emberline for every platform and checks each package's addon, on x86-64 Linux:
 *   node scripts/check_platforms.mjs [TARGET ...]      (default: all; `npm run package` must have built this machine's)
 * - It is for the platform's system and processor, offers what Node asks for, and needs nothing that not every system has.
 * - Where that platform's Node.js can be run (setup/foreign_nodes.mjs), the addon of the unpacked package completes a line with the
 *   embedded model as the addon of this machine's own compiler does, token by token. Elsewhere it is built, not run.
 * Prints a line a platform and a table; the status is 1 when anything failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addonFormat, formatProblems } from './addon_format.mjs';
import { Failure } from './failure.mjs';
import { chosenTargets, packageFor, unpack } from './package.mjs';
import { embeddedModelName, ROOT } from './paths.mjs';
import { folderOf } from './platforms.mjs';
import { run, runCommand, runForStatus } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureDebianPackages, FOR_PLATFORMS } from './setup/debian_packages.mjs';
import { ensureForeignNodes, RUNNABLE, WINE, WINE_SERVER } from './setup/foreign_nodes.mjs';
import { requireNode } from './setup/node_packages.mjs';

/** @typedef {import('./platforms.mjs').Target} Target */
/** @typedef {{ ids: number[], text: string, device: string, platform: string, arch: string, node: string }} Line */
/** @typedef {{ target: Target, bytes: number, ran: string, problems: string[] }} Row `ran`: where it ran and what it wrote */

/**
 * @param {Progress} progress
 * @param {readonly Target[]} targets
 * @returns {Promise<Row[]>}
 */
export async function checkPlatforms(progress, targets) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Failure('Other platforms are checked on x86-64 Linux; run this there.');
  const commandOf = await ensureForeignNodes(progress);
  const expected = await progress.step('complete a line here', (log) =>
    completeLine([process.execPath], ROOT, log),
  );
  const rows = [];
  for (const target of targets) {
    const vsix = await packageFor(progress, target);
    const folder = join(folderOf(target), 'unpacked');
    await unpack(vsix, folder);
    const addon = join(folder, 'dist', 'native', 'emberline.node');
    const problems = formatProblems(addonFormat(readFileSync(addon)), target);
    if (target.startsWith('linux-')) problems.push(...(await symbolProblems(progress, target, addon)));
    let ran = 'built, not run';
    const runnable = RUNNABLE.find((one) => one === target);
    if (runnable !== undefined) {
      const command = commandOf(runnable);
      const line = await progress
        .step(`complete a line on ${target}`, (log) => completeLine(command, folder, log), describeLine)
        .catch((/** @type {unknown} */ error) => sentenceOf(error));
      if (typeof line === 'string') problems.push(line);
      else problems.push(...lineProblems(line, expected, target));
      ran = typeof line === 'string' ? 'failed' : describeLine(line);
    }
    rmSync(folder, { recursive: true });
    rows.push({ target, bytes: statSync(vsix).size, ran, problems });
  }
  return rows;
}

/** @param {unknown} error */
function sentenceOf(error) {
  if (error instanceof Failure) return error.message;
  throw error;
}

/** @param {Line} line */
const describeLine = ({ platform, arch, node, device, text }) =>
  `${platform}-${arch}, Node.js ${node}, ${device}: \`${text}\``;

/**
 * @param {Line} line
 * @param {Line} expected
 * @param {Target} target
 */
export function lineProblems(line, expected, target) {
  const host = `${line.platform}-${line.arch}`;
  return [
    // Alpine is Linux to Node.
    ...(host === target.replace('alpine', 'linux') ? [] : [`The addon for ${target} was run on ${host}.`]),
    ...(line.ids.join() === expected.ids.join()
      ? []
      : [`On ${target} the line was completed with \`${line.text}\`, here with \`${expected.text}\`.`]),
  ];
}

/**
 * @param {readonly [string, ...string[]]} command runs a Node.js
 * @param {string} folder an unpacked package, or the repository
 * @param {string} log
 * @returns {Promise<Line>}
 */
async function completeLine([program, ...args], folder, log) {
  const script = join(ROOT, 'scripts', 'complete_line.mjs');
  const scratch = mkdtempSync(join(tmpdir(), 'emb-line-'));
  const env = {
    ...process.env,
    // Of Wine: its own files, no word on what it lacks; Node takes it for an old Windows.
    WINEPREFIX: join(scratch, 'wine'),
    TMPDIR: scratch,
    WINEDEBUG: '-all',
    NODE_SKIP_PLATFORM_CHECK: '1',
  };
  try {
    const status = await runForStatus(program, [...args, script, folder, embeddedModelName()], { log, env });
    const line = readFileSync(log, 'utf8')
      .split('\n')
      .find((one) => one.startsWith('{'));
    if (status !== 0 || line === undefined)
      throw new Failure(`${program} ${args.join(' ')} ended with ${status} and completed no line.`, log);
    return JSON.parse(line);
  } finally {
    if (program === WINE) spawnSync(WINE_SERVER, ['--kill', '--wait'], { env });
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {Progress} progress
 * @param {Target} target
 * @param {string} addon
 * @returns {Promise<string[]>}
 */
async function symbolProblems(progress, target, addon) {
  const failure = `The addon for ${target} needs newer libraries than the oldest system it is meant for.`;
  return await progress
    .step(`symbol versions of the addon for ${target}`, (log) =>
      run(process.execPath, [join(ROOT, 'scripts', 'check_symbol_versions.mjs'), addon], { log, failure }),
    )
    .then(() => [])
    .catch((/** @type {unknown} */ error) => [sentenceOf(error)]);
}

/** @returns {Promise<number>} */
async function main() {
  const targets = chosenTargets(process.argv.length > 2 ? process.argv.slice(2) : ['all']);
  const progress = new Progress();
  requireNode();
  await ensureDebianPackages(FOR_PLATFORMS, progress);
  const rows = await checkPlatforms(progress, targets);
  console.log('\n| package | bytes | the addon |\n| --- | ---: | --- |');
  for (const { target, bytes, ran } of rows) console.log(`| ${target} | ${bytes} | ${ran} |`);
  const problems = rows.flatMap((row) => row.problems);
  for (const problem of problems) console.log(problem);
  const failed = rows.filter((row) => row.problems.length > 0).length;
  console.log(`platforms: ${rows.length - failed} passed, ${failed} failed`);
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
