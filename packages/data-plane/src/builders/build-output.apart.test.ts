import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { BuildOutput, type BuildOutputOptions } from './build-output.ts';

async function read(chunks: Iterable<string>, options: Partial<BuildOutputOptions> = {}) {
  const lines: string[] = [];
  const taken: string[] = [];
  const onLine = (line: string) => lines.push(line);
  const output = new BuildOutput({ onLine, mask: (text) => text.replaceAll('canary', '****'), ...options });
  const { signal } = new AbortController();
  // Like a pipe: a turn of the event loop passes between two chunks.
  const bytes = async function* () {
    for (const chunk of chunks) {
      yield Buffer.from(chunk);
      await setImmediate();
    }
  };
  await output.read(Readable.from(bytes()), { level: 'INFO', take: (line) => taken.push(line), signal });
  return { lines, taken };
}

test('when output comes in pieces, then each line of it comes whole and masked', async () => {
  const { lines, taken } = await read(['one\ntw', 'o can', 'ary\n', 'last']);
  expect(lines).toEqual(['one', 'two ****', 'last']);
  expect(taken).toEqual(lines);
});

test.each([
  ['lines', { max_lines: 3, max_bytes: 1_000_000 }],
  ['bytes', { max_lines: 1_000_000, max_bytes: 5000 }],
])(
  'when output passes the bound on %s, then its end is kept, and what is left out is said',
  async (_what, limits) => {
    const chunk = `${'x'.repeat(1000)}\n`.repeat(20);
    const { lines } = await read([chunk, chunk, chunk, 'why it failed\n'], { limits });
    const at = lines.findIndex((line) => /^… \d+ bytes of output are left out here$/.test(line));
    expect(at).toBeGreaterThan(0);
    expect(lines.at(-1)).toBe('why it failed');
    expect(lines.length).toBeLessThan(40);
  },
);

test('when the beginning of a line is left out, then no end of a secret in it shows', async () => {
  const secret = `${'y'.repeat(20_000)}canary`;
  const { lines } = await read([`${secret}\n`, `${secret}\n`, 'end'], {
    limits: { max_lines: 1, max_bytes: 1_000_000 },
    mask: (text) => text.replaceAll(secret, '****'),
  });
  expect(lines.join('\n')).not.toContain('canary');
  expect(lines.at(-1)).toBe('end');
});

test('when a quarter of a gigabyte of empty lines comes, then nobody is held up', async () => {
  const chunk = '\n'.repeat(65_536);
  let lines: readonly string[] = [];
  const held = await longestHold(async () => {
    ({ lines } = await read(Array.from({ length: 4096 }, () => chunk)));
  });
  expect(lines.length).toBeLessThan(65_536);
  expect(held).toBeLessThan(MOST_HELD_MS);
});
