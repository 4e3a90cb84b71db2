/** The one browser of a run. Tests have windows of their own, not browsers: one that starts takes a second, and the first window in it another. */
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

let connection: Promise<Browser> | undefined;

/** The same for all files that a process runs. */
export function theBrowser(): Promise<Browser> {
  connection ??= chromium.connect(inject('browser'));
  return connection;
}
