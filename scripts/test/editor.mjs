import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD, vsixPath } from '../paths.mjs';
import { ensureCodeServer } from '../setup/code_server.mjs';
import { FOR_BROWSER_TESTS, FOR_BUILDING } from '../setup/debian_packages.mjs';
import { summary } from './counts.mjs';
import { clearMocha, countMocha, mochaFigures } from './mocha.mjs';

/**
 * Mocha inside a real extension host, against the installed package.
 * @type {import('./stage.mjs').Stage}
 */
export const editor = {
  name: 'editor',
  // Debian's Chromium; elsewhere `npm run test:desktop` runs the same suite.
  platform: 'linux-x64',
  requirements: [...FOR_BUILDING, ...FOR_BROWSER_TESTS],
  needs: ['codeServer', 'vsix'],
  alone: true,
  run: (progress) =>
    progress.step(
      'tests in the extension host',
      async (log) => {
        // Loaded here: playwright-core is not installed before the set-up is over.
        const { runInCodeServer } = await import('../../test/vscode/runner/in_code_server.mjs');
        const results = join(BUILD, 'results', 'mocha.json');
        clearMocha(results);
        await runInCodeServer(await ensureCodeServer(progress), vsixPath(), { log, results });
        for (const figure of mochaFigures(results)) progress.say(`  ${figure}`);
        const counts = countMocha(results, 'extension host');
        appendFileSync(log, counts.errors.join('\n\n'));
        if (counts.failed > 0) progress.showTail(log);
        return counts;
      },
      summary,
    ),
};
