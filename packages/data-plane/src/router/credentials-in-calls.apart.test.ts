import { expect, test } from 'vitest';
import { addressForCode, headersForCode } from '@roadstead/contracts';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';

/** Calls are looked at before anybody knows who sends them; Node takes 16 KB of address and headers together. */
const places: readonly ((text: string) => unknown)[] = [
  (text) => addressForCode(`/agents/x?a=${text}`),
  (text) => headersForCode(new Headers({ 'x-a': text })),
  (text) => headersForCode(new Headers({ cookie: `a=${text}` })),
  (text) => headersForCode(new Headers({ authorization: `Basic ${text}` })),
];

test.each(['-eyJ', '_eyJa', '-eyJa.eyJ', 'rs_', '%65%79J-', 'eyJ.'])(
  'when a call holds nothing but beginnings of a credential, %s, then it holds nobody up',
  async (beginning) => {
    const text = beginning.repeat(15_600 / beginning.length);
    for (const look of places) expect(await longestHold(async () => look(text))).toBeLessThan(MOST_HELD_MS);
  },
);
