/** The dashboard as somebody sees it: in every kind of theme, on a narrow page and a large zoom, by keyboard, and as a screen reader is told of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';
import { expect, inject, it, onTestFinished } from 'vitest';
import { type EditorPage, PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const place = inject('place');
const window = sharedWindow({ width: 1_200, height: 800 });
const settingsFile = join(dirname(place.workspace), 'user', 'User', 'settings.json');

/** Two themes at a time: the editor changes from one to the other with the system, while the page is open. */
const THEMES = [
  {
    kinds: [
      ['light', '.vscode-light'],
      ['dark', '.vscode-dark'],
    ],
    name: 'plain',
    prefix: '',
    settings: {},
  },
  {
    kinds: [
      ['light', '.vscode-high-contrast-light'],
      // The light one has this class as well.
      ['dark', '.vscode-high-contrast:not(.vscode-high-contrast-light)'],
    ],
    name: 'of high contrast',
    prefix: 'high-contrast-',
    settings: {
      'workbench.preferredLightColorTheme': 'Default High Contrast Light',
      'workbench.preferredDarkColorTheme': 'Default High Contrast',
    },
  },
] as const;

const BEFORE = '"""Arithmetic."""\n\n\n';
const TYPED = 'def add(a, b):\nreturn ';

/** For a new window, until the test is over. */
async function useSettings(more: object): Promise<void> {
  await window.renew();
  const before = readFileSync(settingsFile, 'utf8');
  onTestFinished(() => writeFileSync(settingsFile, before));
  writeFileSync(settingsFile, JSON.stringify({ ...(JSON.parse(before) as object), ...more }, null, 2));
}

interface Opened {
  readonly editor: EditorPage;
  readonly frame: Frame;
  /** What the browser kept the page from doing. */
  readonly refusals: string[];
}

/** Types, also along what is suggested, takes the rest, and opens the dashboard. */
async function open(name: string, size: { width: number; height: number; scale: number }): Promise<Opened> {
  const { width, height, scale } = size;
  const editor = await window.open(name, BEFORE);
  const refusals: string[] = [];
  editor.page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refusals.push(message.text());
  });
  await editor.hideFiles();
  await editor.type(TYPED);
  await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
  // On a slow machine the editor may have asked anew by itself: here a key has its ghost text. What was left of the one before may be replaced meanwhile.
  const before = await editor.ghostText();
  await editor.type(before.slice(0, 1));
  await expect
    .poll(() => editor.ghostText(), PATIENCE)
    .toSatisfy((ghost: string) => !['', before].includes(ghost));
  await editor.press('Tab');
  await expect.poll(() => editor.text(), PATIENCE).toMatch(/return \S/);
  await editor.save();
  const frame = await editor.showDashboard();
  await editor.page.setViewportSize({ width, height });
  if (scale !== 1) await zoom(editor, size);
  return { editor, frame, refusals };
}

/** Draws each unit of the page with so many pixels, as a zoom does, until the test is over. */
async function zoom(
  { page }: EditorPage,
  { width, height, scale }: { width: number; height: number; scale: number },
): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  onTestFinished(() => devtools.detach());
  await devtools.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    deviceScaleFactor: scale,
    mobile: false,
  });
}

/** What axe finds that keeps people from using the page. */
async function faults(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const { violations } = await frame.evaluate<AxeResults>('axe.run(document)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary ?? ''}`),
    );
}

const isTooWide = (frame: Frame): Promise<boolean> =>
  frame.evaluate<boolean>('document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth');

it('shows what was suggested, measures the machine, and is used by keyboard', async () => {
  const { editor, frame } = await open('dashboard.py', { width: 1_200, height: 2_100, scale: 1 });
  await frame.getByText(/\d+ keys? had ghost text/).waitFor();
  await frame.getByText(/A request read \d+ tokens? anew/).waitFor();
  await frame.locator('#usage tbody th', { hasText: 'python' }).waitFor({ state: 'attached' });

  await frame.getByRole('button', { name: 'Measure This Machine' }).focus();
  await editor.press('Enter');
  await frame.getByRole('status').filter({ hasText: 'Measured.' }).waitFor();
  await frame
    .locator('#machine')
    .getByText(/writes [\d.,]+ tokens\/s here, \d+ % of what its memory allows/)
    .waitFor();

  // A table opens and scrolls without a mouse.
  await frame.locator('#requests summary').focus();
  await editor.press('Enter');
  await frame.locator('#requests table').waitFor();
  await editor.press('Tab');
  expect(await frame.evaluate<string>('document.activeElement.className')).toBe('scroller');
  await editor.picture('dashboard-measured');

  await frame.getByRole('button', { name: 'Export as JSON…' }).click();
  // The editor asks where to, and offers a name.
  await editor.page.locator('.quick-input-widget', { hasText: 'Export the Dashboard' }).waitFor();
  await editor.press('Enter');
  await frame.getByRole('status').filter({ hasText: 'Exported.' }).waitFor();
  const exported = readFileSync(join(place.workspace, 'emberline-dashboard.json'), 'utf8');
  // Other tests may have typed in other languages before.
  const { usage } = JSON.parse(exported) as { usage: { languages: { language: string }[] } };
  expect(usage.languages.map(({ language }) => language)).toContain('python');
  for (const text of ['def add', 'Arithmetic', 'dashboard.py', place.workspace]) {
    expect(exported).not.toContain(text);
  }

  await frame.getByRole('button', { name: 'Delete the Counts…' }).click();
  await editor.page.getByRole('button', { name: 'Delete', exact: true }).click();
  await frame.getByText('No suggestion was shown yet.').waitFor();
});

it.each(THEMES)('can be read in a light theme and a dark one, $name', async ({ kinds, prefix, settings }) => {
  await useSettings({ 'window.autoDetectColorScheme': true, ...settings });
  const size = { width: 1_200, height: 2_100, scale: 1 };
  const { editor, frame, refusals } = await open(`dashboard_${prefix}themes.py`, size);
  onTestFinished(() => editor.page.emulateMedia({ colorScheme: null }));
  for (const [colorScheme, kind] of kinds) {
    await editor.page.emulateMedia({ colorScheme });
    await frame.locator(`body${kind}`).waitFor();
    expect(await faults(frame)).toEqual([]);
    await editor.picture(`dashboard-${prefix}${colorScheme}`);
  }
  expect(refusals).toEqual([]);
});

it.each([
  ['at 300 %', { width: 427, height: 900, scale: 3 }, 'zoomed'],
  ['in 300 px', { width: 349, height: 2_400, scale: 1 }, 'narrow'],
])('can be read %s', async (_, size, name) => {
  const { editor, frame } = await open(`dashboard_${name}.py`, size);
  expect(await isTooWide(frame)).toBe(false);
  expect(await faults(frame)).toEqual([]);
  await editor.picture(`dashboard-${name}`);
  for (const id of ['requests', 'usage', 'machine']) {
    await frame.locator(`#${id}`).scrollIntoViewIfNeeded();
    await editor.picture(`dashboard-${name}-${id}`);
  }
});
