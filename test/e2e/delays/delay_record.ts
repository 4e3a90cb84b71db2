/** What record.mjs wrote of an extension host's event loop. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LoopDelay } from '../../../bench/soak/loop_delay.mjs';
import { loading, type OwnEditorStart } from '../own_editor';

const PATIENCE = { timeout: 60_000, interval: 100 };

export interface DelayRecord extends LoopDelay {
  /** Timers. */
  readonly count: number;
}

/** With what an editor's extension host writes the record. */
export function recordingDelays(file: string): OwnEditorStart {
  return loading(join(import.meta.dirname, 'record.mjs'), { EMBERLINE_DELAYS: file });
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
