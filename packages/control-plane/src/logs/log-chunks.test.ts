import { expect, test } from 'vitest';
import { readLogPage } from './log-page.ts';
import { type ChunkOf, listChunks } from './log-store.ts';
import { useLoggedDeployments } from '../testing/logged-deployment.ts';

const { fixture, begin, append } = useLoggedDeployments();

/** A log in 30 chunks of one to seven lines, which are numbered. */
async function begun() {
  const { deployment_id, revision_id } = await begin();
  let count = 0;
  for (let seq = 0; seq < 30; seq += 1) {
    const lines = Array.from({ length: (seq % 7) + 1 }, (_, index) => String(count + index));
    count += lines.length;
    await append({ deployment_id, revision_id }, seq, lines);
  }
  const of: ChunkOf = { deployment_id, revision_id: undefined, kind: 'server' };
  return { of, count };
}

test('when a page needs few lines, then no more chunks are unpacked than hold them', async () => {
  const { of } = await begun();
  const unpacked = async (order: 'asc' | 'desc', lines: number) => {
    const { chunks, is_last } = await listChunks(fixture().db, of, {
      position: undefined,
      order,
      filter: {},
      lines,
    });
    return [chunks.map((chunk) => chunk.lines.length), is_last];
  };
  expect(await unpacked('desc', 1)).toEqual([[2], false]);
  expect(await unpacked('desc', 4)).toEqual([[2, 1, 7], false]);
  expect(await unpacked('asc', 3)).toEqual([[1, 2], false]);
  const { chunks } = await listChunks(fixture().db, of, {
    position: undefined,
    order: 'desc',
    filter: {},
    lines: 1,
  });
  const rest = { order: 'desc', filter: {}, lines: 2 } as const;
  const after = { chunk_id: chunks[0]?.id ?? 0, index: 1 };
  const next = await listChunks(fixture().db, of, { ...rest, position: after });
  expect(next.chunks.map((chunk) => chunk.lines.length)).toEqual([2, 1]);
});

test.for(['asc', 'desc'] as const)(
  'when a log is read page by page, %s, then each line comes once',
  async (order) => {
    const { of, count } = await begun();
    const numbers = Array.from({ length: count }, (_, number) => String(number));
    const expected = order === 'asc' ? numbers : numbers.toReversed();
    for (const limit of [1, 3, 10, 50, 1000])
      for (const query of [undefined, '7']) {
        const read: string[] = [];
        let offset: string | undefined;
        do {
          const page = await readLogPage(fixture().db, of, { limit, order, offset, query });
          read.push(...page.logs.map(({ message }) => message));
          offset = page.next_offset ?? undefined;
        } while (offset !== undefined);
        expect(read).toEqual(expected.filter((number) => query === undefined || number.includes(query)));
      }
  },
);

test('when only the oldest of very many short chunks matches, then it is found', async () => {
  const { deployment_id, revision_id } = await begin();
  const of: ChunkOf = { deployment_id, revision_id: undefined, kind: 'server' };
  for (let seq = 0; seq < 1200; seq += 1)
    await append({ deployment_id, revision_id }, seq, [seq === 0 ? 'a needle' : 'hay']);
  const { logs } = await readLogPage(fixture().db, of, { limit: 1000, order: 'desc', query: 'needle' });
  expect(logs.map(({ message }) => message)).toEqual(['a needle']);
});
