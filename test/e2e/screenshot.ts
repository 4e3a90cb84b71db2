/** Not a test: takes the README's picture of ghost text (`npm run test:e2e -- --screenshot docs/media/ghost-text.png`). */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const BEFORE = `"""Plane geometry."""

import math


class Circle:
    def __init__(self, radius):
        self.radius = radius

    def circumference(self):
        return 2 * math.pi * self.radius
`;
const TYPED = '\ndef area(self):\nreturn ';

it('takes the picture', async () => {
  const file = process.env['EMBERLINE_SCREENSHOT'];
  if (file === undefined) throw new Error('EMBERLINE_SCREENSHOT names no file.');
  const browser = await launchChromium();
  try {
    const place = { editorUrl: inject('editorUrl'), workspace: inject('workspace') };
    const context = await browser.newContext({
      viewport: { width: 760, height: 440 },
      deviceScaleFactor: 2,
    });
    const editor = await EditorPage.open(context, place, 'circle.py', BEFORE);
    await editor.press('Control+b');
    await editor.type(TYPED);
    await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).not.toBe('');
    await editor.waitForStatus('Ready');
    mkdirSync(dirname(file), { recursive: true });
    await editor.page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
});
