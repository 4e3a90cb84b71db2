/** The terminal program, which runs the same engine and the same pipeline as the editor: what the editor is compared with. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../../scripts/paths.mjs';

/**
 * What `emberline complete` would show at the end of `head` in a file called `name` that goes on with `tail`; empty when it
 * would show nothing.
 * @param folder A folder to write the file in: the editor's own has another version of it.
 */
export function completionBetween(folder: string, name: string, head: string, tail: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), head + tail);
  const lines = head.split(/\r\n|\n/);
  const place = ['--line', String(lines.length), '--column', String((lines.at(-1)?.length ?? 0) + 1)];
  const printed = execFileSync(
    process.execPath,
    [join(DIST, 'cli.cjs'), 'complete', '--file', name, ...place, '--json'],
    { cwd: folder, encoding: 'utf8' },
  );
  const { shown, text, part = '' } = JSON.parse(printed) as { shown: boolean; text: string; part?: string };
  return shown ? text : part;
}
