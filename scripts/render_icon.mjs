/** Renders media/icon.svg to media/icon.png (256 x 256), with Chromium. Run it after changing the drawing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const MEDIA = join(import.meta.dirname, '..', 'media');
const SIZE = 256;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<body style="margin:0">${readFileSync(join(MEDIA, 'icon.svg'), 'utf8')}</body>`);
  await page.screenshot({ path: join(MEDIA, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
