import { expect, test } from 'vitest';
import { addressForCode, headersForCode } from '@roadstead/contracts';
import { longestHold } from '@roadstead/testing';

/** Calls are looked at before anybody knows who sends them, and as long as Node takes them. */
test.each(['-eyJ', '_eyJa', '-eyJa.eyJ', 'rs_', '%65%79J-', 'eyJ.'])(
  'when a call holds nothing but beginnings of a credential, %s, then it holds nobody up',
  async (beginning) => {
    const text = beginning.repeat(15_600 / beginning.length);
    const held_ms = await longestHold(async () => {
      addressForCode(`/agents/x?a=${text}`);
      headersForCode(new Headers({ 'x-a': text, cookie: `a=${text}`, authorization: `Basic ${text}` }));
    });
    expect(held_ms).toBeLessThan(50);
  },
);
