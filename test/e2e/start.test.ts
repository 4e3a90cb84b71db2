/** `npm start`, from the command to the editor in the browser, and Ctrl-C, after which nothing is left. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { family, processTable } from '../../scripts/process_table.mjs';
import { startGroup, stopGroup } from '../../scripts/processes.mjs';
import { theBrowser } from './browser';

/** It builds and packages again, at worst everything. */
const PATIENCE_MS = 240_000;

it(
  'starts an editor with Emberline in it, and Ctrl-C leaves nothing behind',
  async () => {
    const command = startGroup(process.execPath, ['scripts/start.mjs', '--editor', 'code-server'], {
      output: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => stopGroup(command));
    const exit = new Promise<number | null>((resolve) => command.once('exit', resolve));
    let printed = '';
    for (const stream of [command.stdout, command.stderr]) {
      stream?.on('data', (piece: Buffer) => (printed += piece.toString()));
    }
    const address = /http:\/\/127\.0\.0\.1:\d+\/\?folder=\S+/;
    await expect.poll(() => printed, { timeout: PATIENCE_MS / 2 }).toMatch(address);
    const url = new URL(address.exec(printed)?.[0] ?? '');
    const profile = dirname(url.searchParams.get('folder') ?? '');

    const browser = await theBrowser();
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(url.href);
    // By now the editor has started its extension host, one more process to end.
    await page
      .locator('.statusbar-item [aria-label*="Emberline: Ready"]')
      .waitFor({ timeout: PATIENCE_MS / 4 });
    const before = family(processTable(), command.pid ?? 0).map((process) => process.id);
    expect(before.length).toBeGreaterThan(2);
    expect(existsSync(profile)).toBe(true);

    command.kill('SIGINT');
    expect(await exit).toBe(0);
    expect(processTable().filter((process) => before.includes(process.id))).toEqual([]);
    expect(existsSync(profile)).toBe(false);
    await expect(fetch(url)).rejects.toThrow();
  },
  PATIENCE_MS,
);
