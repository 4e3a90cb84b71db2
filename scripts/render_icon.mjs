/** Renders media/icon.svg to media/icon.png (256 x 256), with Chromium. Run it after changing the drawing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from './editor/chromium.mjs';
import { ROOT } from './paths.mjs';

const MEDIA = join(ROOT, 'media');
const SIZE = 256;

const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<body style="margin:0">${readFileSync(join(MEDIA, 'icon.svg'), 'utf8')}</body>`);
  await page.screenshot({ path: join(MEDIA, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
