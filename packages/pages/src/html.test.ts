import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html } from './html.ts';

test('when anything is written, then it stays inside of its place and reads back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = html`<p title="${text}">${text}</p>`.toString();
      const inside = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(written);
      expect([inside?.[1], inside?.[2]].map((part) => read(part ?? ''))).toEqual([text, text]);
    }),
  );
});

const read = (text: string) =>
  text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
    const meant: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    return meant[name] ?? '';
  });

test('when HTML, lists or nothing are written, then they are kept, joined and left out', () => {
  const items = ['<a>', 'b'].map((text) => html`<li>${text}</li>`);
  const written = String(html`<p>${items}|${undefined}${false}${null}${0}${''}</p>`);
  expect(written.replaceAll(/\s/g, '')).toBe('<p><li>&lt;a&gt;</li><li>b</li>|0</p>');
});
