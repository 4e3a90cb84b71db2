import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCounts, sum, summary } from '../counts.mjs';
import { Failure } from '../failure.mjs';
import { BUILD, DIST } from '../paths.mjs';
import { run, runForStatus } from '../processes.mjs';
import { FOR_BUILDING, FOR_TRAINING } from '../setup/debian_packages.mjs';
import { ensureTrainingPython } from '../setup/training_python.mjs';
import { check } from './checks.mjs';

/** @typedef {import('../counts.mjs').Counts} Counts */
/** @typedef {import('../progress.mjs').Progress} Progress */

/**
 * The programs that make the embedded model: their own tests, and the whole way from sources to a packed file with a few
 * thousand tokens.
 * @type {import('./stage.mjs').Stage}
 */
export const training = {
  name: 'training',
  requirements: [...FOR_BUILDING, ...FOR_TRAINING],
  needs: ['addon', 'bundles', 'trainingPython'],
  deep: true,
  async run(progress) {
    const python = await ensureTrainingPython(progress);
    await progress.step('install llama.cpp, which reads packed files as well', (log) =>
      run(process.execPath, [join(DIST, 'bench.cjs'), 'peer'], {
        log,
        failure: 'llama.cpp could not be installed.',
      }),
    );
    return sum([
      await runRuff(progress, python),
      await runPytest(progress, python),
      await runSmoke(progress, python),
    ]);
  },
};

/**
 * @param {Progress} progress
 * @param {string} python
 * @returns {Promise<Counts>}
 */
async function runRuff(progress, python) {
  return await check(progress, 'lint training/', async (log) => {
    for (const command of [['check'], ['format', '--check']]) {
      await run(python, ['-m', 'ruff', ...command, '--no-cache', 'training'], {
        log,
        failure: `training/ is not as ruff wants it; \`ruff ${command[0]} training\` says where.`,
      });
    }
  });
}

/**
 * @param {Progress} progress
 * @param {string} python
 * @returns {Promise<Counts>}
 */
async function runPytest(progress, python) {
  return await progress.step(
    'tests of training/',
    async (log) => {
      const report = join(BUILD, 'results', 'pytest.xml');
      rmSync(report, { force: true });
      const scratch = mkdtempSync(join(tmpdir(), 'training-'));
      try {
        const args = ['training/tests', '-p', 'no:cacheprovider', `--basetemp=${join(scratch, 'tests')}`];
        const status = await runForStatus(python, ['-m', 'pytest', '-v', ...args, `--junitxml=${report}`], {
          log,
          env: environment(scratch),
        });
        if (!existsSync(report))
          throw new Failure(`The tests of training/ did not run: pytest ended with ${status}.`, log);
        const counts = countTests(readFileSync(report, 'utf8'));
        if (status !== 0 && counts.failed === 0) {
          counts.failed += 1;
          counts.failures.push(`tests of training/: pytest ended with ${status} although no test failed`);
        }
        if (counts.failed > 0) progress.showTail(log);
        return counts;
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
    summary,
  );
}

/**
 * @param {Progress} progress
 * @param {string} python
 * @returns {Promise<Counts>}
 */
async function runSmoke(progress, python) {
  return await check(progress, 'teach the embedded model a few thousand tokens', async (log) => {
    const scratch = mkdtempSync(join(tmpdir(), 'smoke-'));
    try {
      await run(python, ['-m', 'training', 'smoke', '--folder', join(scratch, 'run')], {
        log,
        env: environment(scratch),
        failure: 'python -m training smoke failed.',
      });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

/**
 * Keeps what Python's libraries cache in a folder that is removed.
 * @param {string} scratch
 * @returns {NodeJS.ProcessEnv}
 */
function environment(scratch) {
  return {
    ...process.env,
    PYTHONDONTWRITEBYTECODE: '1',
    MPLCONFIGDIR: join(scratch, 'matplotlib'),
    TORCHINDUCTOR_CACHE_DIR: join(scratch, 'inductor'),
  };
}

/**
 * @param {string} report what pytest's `--junitxml` writes: a `testcase` a test, empty where it passed
 * @returns {Counts}
 */
export function countTests(report) {
  const counts = noCounts();
  for (const [, attributes = '', content = ''] of report.matchAll(
    /<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    if (/<(?:failure|error)\b/.test(content)) {
      counts.failed += 1;
      counts.failures.push(`training: ${valueOf('classname', attributes)} ${valueOf('name', attributes)}`);
    } else if (/<skipped\b/.test(content)) counts.skipped += 1;
    else counts.passed += 1;
  }
  return counts;
}

/**
 * @param {string} name of an attribute
 * @param {string} attributes
 */
function valueOf(name, attributes) {
  return new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}
