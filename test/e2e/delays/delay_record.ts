/** What record.mjs wrote of an extension host's event loop. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import type { OwnEditorStart } from '../own_editor';

const PATIENCE = { timeout: 60_000, interval: 100 };

/** How late timers were, ms. */
export interface DelayRecord {
  /** Timers. */
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** With what an editor's extension host writes the record. */
export function recordingDelays(file: string): OwnEditorStart {
  const hook = pathToFileURL(join(import.meta.dirname, 'record.mjs')).href;
  return { environment: { EMBERLINE_DELAYS: file }, nodeOptions: ['--import', hook] };
}

/** Forgets what was recorded so far. */
export async function beginAnew(file: string): Promise<void> {
  writeFileSync(`${file}.begin`, '');
  await expect.poll(() => existsSync(`${file}.begin`), PATIENCE).toBe(false);
  rmSync(file, { force: true });
}

export async function delaysIn(file: string): Promise<DelayRecord> {
  await expect.poll(() => existsSync(file), PATIENCE).toBe(true);
  return JSON.parse(readFileSync(file, 'utf8')) as DelayRecord;
}
