import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { sayRetried, summary } from '../counts.mjs';
import { BUILD, vsixPath } from '../paths.mjs';
import { chargeTo } from '../processor_time.mjs';
import { ensureCodeServer } from '../setup/code_server.mjs';
import { clearMocha, countMocha, mochaFigures } from './mocha.mjs';

/** @typedef {import('../../test/vscode/runner/in_code_server.mjs').SuiteRun} SuiteRun */

/**
 * Runs a mocha suite inside a real extension host, against the installed package.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} title
 * @param {Pick<SuiteRun, 'suite' | 'settings' | 'nativeFiles'>} run
 * @returns {Promise<import('../counts.mjs').Counts>}
 */
export async function runInExtensionHost(progress, title, run) {
  return await progress.step(
    title,
    async (log) => {
      // Loaded here: playwright-core is not installed before the set-up is over.
      const { runInCodeServer } = await import('../../test/vscode/runner/in_code_server.mjs');
      const results = join(BUILD, 'results', `mocha-${run.suite}.json`);
      clearMocha(results);
      await runInCodeServer(await ensureCodeServer(progress), vsixPath(), { ...run, log, results });
      // The editor and the browser, which nobody has waited for yet.
      chargeTo(log);
      for (const figure of mochaFigures(results)) progress.say(`  ${figure}`);
      const counts = countMocha(results, 'extension host');
      sayRetried(progress, counts.retried);
      appendFileSync(log, counts.errors.join('\n\n'));
      if (counts.failed > 0) progress.showTail(log);
      return counts;
    },
    summary,
  );
}
