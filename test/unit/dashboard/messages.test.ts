import { describe, expect, it } from 'vitest';
import { isHostMessage, isPageMessage, REQUESTS } from '../../../extension/dashboard/page/messages';
import { pageHtml } from '../../../extension/dashboard/page_html';

describe('a message of the page', () => {
  it.each(REQUESTS)('may be %s', (type) => {
    expect(isPageMessage({ type })).toBe(true);
  });

  it.each([
    undefined,
    null,
    'measure',
    [],
    {},
    { type: 'open' },
    { type: 'constructor' },
    { type: ['measure'] },
    { type: 'measure', path: '/etc/passwd' },
  ])('is not %j', (message) => {
    expect(isPageMessage(message)).toBe(false);
  });
});

describe('a message to the page', () => {
  const note = { type: 'note', text: 'Measured.', measuring: false };

  it('is a note, or data', () => {
    expect(isHostMessage(note)).toBe(true);
    expect(isHostMessage({ ...note, measuring: 'no' })).toBe(false);
    expect(isHostMessage({ ...note, text: 'x'.repeat(2_000) })).toBe(false);
    expect(isHostMessage({ ...note, more: 1 })).toBe(false);
    expect(isHostMessage({ type: 'data', data: {} })).toBe(false);
    expect(isHostMessage(undefined)).toBe(false);
  });
});

describe('the page', () => {
  const html = pageHtml({
    cspSource: 'https://*.example',
    nonce: 'abc123',
    script: 'https://file.example/page.js',
    style: 'https://file.example/page.css',
  });

  it('runs its own script alone, and loads nothing from elsewhere', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    expect(policy?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'nonce-abc123'",
      'style-src https://*.example',
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html.match(/<script[^>]*>/g)).toEqual([
      '<script nonce="abc123" src="https://file.example/page.js">',
    ]);
    expect(html).not.toMatch(/unsafe|<style|\sstyle=|\son\w+=/);
  });
});
