import { describe, expect, test } from 'vitest';
import { listen } from '@roadstead/http';
import { untilAborted } from '@roadstead/testing';
import { createGuardedFetch } from './guarded-fetch.ts';
import { OutboxStore } from './outbox-store.ts';
import { freshOutbox, message, state } from './testing/fresh-outbox.ts';

describe('turns', () => {
  /** The given number of messages of a workspace to a host. */
  const many = (count: number, workspace_id: string, host: string) =>
    Array.from({ length: count }, (_, at) => ({
      workspace_id,
      url: `http://${host}/hook`,
      destination: `${workspace_id} ${host} ${at}`,
      body: '{}',
    }));
  const located = async (destination: string) => {
    const [, host = ''] = destination.split(' ');
    return { url: `http://${host}/hook`, secrets: [], headers: { 'x-from': destination } };
  };
  /** Kept alive: a collected request does not pass on that it is aborted. */
  const unanswered: Request[] = [];
  const neverAnswer = async (request: Request) => {
    unanswered.push(request);
    return untilAborted(request.signal);
  };

  test('when a receiver does not answer, then other workspaces and receivers are sent to meanwhile', async () => {
    const under_way: string[] = [];
    await using box = await freshOutbox({
      fetch: async (request) => {
        const from = request.headers.get('x-from') ?? '';
        under_way.push(from);
        if (from.includes('slow')) return neverAnswer(request);
        return new Response();
      },
      locate: located,
      senders: 8,
    });
    await using outbox = box.open({ resync_ms: 3_600_000 });
    // The slow messages were there before, and more of them than are listed at once.
    const flood = [...many(300, 'greedy', 'slow.test'), ...many(300, 'greedy', 'slow-too.test')];
    const added = await box.db.transaction((tx) => outbox.addAll(tx, flood));
    for (const one of added) outbox.wake(one);
    const others = [...many(3, 'greedy', 'well.test'), ...many(3, 'w', 'well.test')];
    for (const one of await box.db.transaction((tx) => outbox.addAll(tx, others))) outbox.wake(one);
    const left = () =>
      box.db.one<{ count: number }>(
        `select count(*) from own.outbox_messages where state = 'waiting' and receiver = 'well.test'`,
      );
    // One slow receiver leaves two of the workspace's four senders, and two leave none.
    await expect.poll(left).toEqual({ count: 3 });
    const slow = () => under_way.filter((from) => from.includes('slow'));
    await expect.poll(() => slow().length).toBe(4);
    expect(new Set(slow().map((from) => from.split(' ')[1])).size).toBe(2);
    expect(under_way.filter((from) => from.startsWith('w '))).toHaveLength(3);
  });

  test('when one receiver is slow, then the other receivers of its workspace are not', async () => {
    const done: string[] = [];
    await using box = await freshOutbox({
      fetch: async (request) => {
        const from = request.headers.get('x-from') ?? '';
        if (from.includes('slow')) return neverAnswer(request);
        done.push(from);
        return new Response();
      },
      locate: located,
      senders: 8,
    });
    await using outbox = box.open();
    await box.db.transaction((tx) =>
      outbox.addAll(tx, [...many(300, 'greedy', 'slow.test'), ...many(30, 'greedy', 'well.test')]),
    );
    await expect.poll(() => done.length).toBe(30);
  });

  test('when much of one owner waits, then what is due is still listed in turns', async () => {
    await using box = await freshOutbox({ fetch: async () => new Response() });
    const store = new OutboxStore(box.db, 'own');
    const sent = [
      ...many(500, 'greedy', 'a.test'),
      ...many(500, 'greedy', 'b.test'),
      ...many(2, 'w', 'a.test'),
      ...many(1, 'v', 'c.test'),
      ...many(5, 'later', 'a.test'),
    ].map(({ url, ...one }) => ({ ...one, receiver: new URL(url).host }));
    await box.db.transaction((tx) => store.insert(tx, sent));
    await box.db.run(
      `update own.outbox_messages set due_at = now() + interval '1 h' where workspace_id = 'later'`,
    );
    const { due, has_more } = await store.listDue(9);
    const listed = due.map(({ workspace_id, receiver }) => `${workspace_id} ${receiver}`);
    expect(listed.slice(0, 3).toSorted()).toEqual(['greedy a.test', 'v c.test', 'w a.test']);
    expect(listed.slice(3, 5).toSorted()).toEqual(['greedy b.test', 'w a.test']);
    expect([listed.length, has_more]).toEqual([5, true]);
  });

  test('when a receiver answers byte by byte, then it has its whole time, and no more', async () => {
    const ended = Promise.withResolvers<void>();
    await using receiver = await listen(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        const trickle = setInterval(() => response.write('.'), 5);
        response.once('close', () => (clearInterval(trickle), ended.resolve()));
      },
      { host: '127.0.0.1', port: 0 },
      { drain_ms: 0 },
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    await using box = await freshOutbox({
      fetch: createGuardedFetch({ allowed_hosts: [`127.0.0.1:${receiver.port}`], timeout_ms: 200 }),
      locate: async () => ({ url, secrets: [] }),
    });
    await using outbox = box.open();
    const { id } = await box.db.transaction((tx) => outbox.add(tx, { ...message(), url }));
    const error = `127.0.0.1:${receiver.port} did not answer within 0.2 s.`;
    await expect.poll(() => state(box.db, id)).toMatchObject({ state: 'waiting', attempts: 1, error });
    await ended.promise;
  });
});
