import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder for the test that runs, or that `beforeEach` makes ready: it is removed when that test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
