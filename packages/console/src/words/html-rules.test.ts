import { expect, test } from 'vitest';
import { framedPage, htmlIn, plainBytes } from './html-rules.ts';

const base64 = Buffer.from('<p>Grüße</p>').toString('base64');
const page = { html: '<p>Grüße</p>', name: 'Page' };

test.each([
  [{ type: 'text', mime_type: 'text/html', text: '<p>Grüße</p>' }, page],
  [{ type: 'file', source_type: 'base64', mime_type: 'text/html', data: base64 }, page],
  [
    { type: 'file', mime_type: 'text/html; charset=utf-8', data: base64, metadata: { filename: 'a.html' } },
    { ...page, name: 'a.html' },
  ],
  [{ type: 'resource', resource: { mimeType: 'text/html', text: '<p>Grüße</p>' } }, page],
  [{ type: 'document', source: { type: 'base64', media_type: 'Text/HTML', data: base64 } }, page],
  [{ mime_type: 'application/xhtml+xml', content: '<p>Grüße</p>' }, page],
  [{ type: 'file', mime_type: 'text/html', data: 'no base64!' }, undefined],
  [{ type: 'file', mime_type: 'text/html', url: 'https://evil.invalid/' }, undefined],
  [{ type: 'file', mime_type: 'text/htmlx', data: base64 }, undefined],
  [{ type: 'text', text: '<p>text</p>' }, undefined],
  ['<p>text</p>', undefined],
])('when a block is %j, then its page is %j', (block, found) => {
  expect(htmlIn(block)).toEqual(found);
});

test('when a page is framed, then its policy comes before all that it holds', () => {
  const html = '<meta http-equiv="Content-Security-Policy" content="default-src *"><script>1</script>';
  expect(framedPage(html)).toMatch(/^<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Sec/);
  expect(framedPage(html).indexOf("default-src 'none'")).toBeLessThan(framedPage(html).indexOf(html));
});

test.each([
  ['data:image/svg+xml;base64,AA,A', 'data:application/octet-stream;base64,AA,A'],
  ['data:text/csv;charset=utf-8;base64,AA', 'data:application/octet-stream;base64,AA'],
  ['DATA:text/html,<p>a,b</p>', 'data:application/octet-stream,<p>a,b</p>'],
  ['data:,a', 'data:application/octet-stream,a'],
])('when a file is %s, then it is saved as %s', (url, saved) => {
  expect(plainBytes(url)).toBe(saved);
});
