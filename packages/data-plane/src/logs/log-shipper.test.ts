import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { silentLog } from '@roadstead/kit';
import { LogShipper } from './log-shipper.ts';

interface Chunk {
  readonly writer: string;
  readonly seq: number;
  readonly lines: readonly { readonly level: string; readonly message: string }[];
}

/** A control plane that accepts each sequence number once, and whose answers a test can lose. */
function receiver(answers: readonly ('ok' | 'lost answer' | 'lost request' | 404 | 409)[] = []) {
  const taken = new Map<number, Chunk>();
  let calls = 0;
  const client = createClient(controlPlane, {
    base_url: 'http://control.invalid',
    fetch: async (request) => {
      const fate = answers[calls] ?? 'ok';
      calls += 1;
      if (fate === 'lost request') throw new Error('away');
      if (typeof fate === 'number') return Response.json({ detail: 'no' }, { status: fate });
      const chunk = (await request.json()) as Chunk;
      if (!taken.has(chunk.seq)) taken.set(chunk.seq, chunk);
      if (fate === 'lost answer') throw new Error('away');
      return new Response(null, { status: 204 });
    },
  });
  return {
    client,
    calls: () => calls,
    messages: () =>
      [...taken.entries()]
        .toSorted(([one], [other]) => one - other)
        .flatMap(([, chunk]) => chunk.lines.map((line) => line.message)),
  };
}

function shipperTo({ client }: ReturnType<typeof receiver>, mask = (text: string) => text) {
  return new LogShipper({
    client,
    params: {
      listener_id: '018f0000-0000-7000-8000-000000000001',
      deployment_id: '018f0000-0000-7000-8000-000000000002',
    },
    fence: () => 1,
    revision_id: '018f0000-0000-7000-8000-000000000003',
    kind: 'build',
    mask,
    log: silentLog,
  });
}

test('when a line holds what no database can store, then that is replaced before it leaves', async () => {
  const to = receiver();
  {
    await using shipper = shipperTo(to);
    shipper.add('a NUL \0 and half \uD83D of a pair');
    // Cut in the middle of a surrogate pair.
    shipper.add(`${'x'.repeat(7999)}\u{1F600}`);
  }
  expect(to.messages()).toEqual(['a NUL \uFFFD and half \uFFFD of a pair', `${'x'.repeat(7999)}\uFFFD`]);
});

test('when lines are sent, then they come in order, and masked before they leave', async () => {
  const to = receiver();
  {
    await using shipper = shipperTo(to, (text) => text.replaceAll('hunter22', '********'));
    shipper.add('one');
    shipper.add('the password is hunter22', 'WARNING');
  }
  expect(to.messages()).toEqual(['one', 'the password is ********']);
});

test('when an answer is lost, then lines that came meanwhile are neither lost nor doubled', async () => {
  const to = receiver(['lost answer']);
  {
    await using shipper = shipperTo(to);
    shipper.add('one');
    await expect.poll(to.calls).toBe(1);
    // The first chunk was accepted, but its answer was lost: these lines must not travel under its number.
    shipper.add('two');
    shipper.add('three');
    await expect.poll(to.calls).toBe(3);
  }
  expect(to.messages()).toEqual(['one', 'two', 'three']);
});

test('when lines could not be sent, then they are sent later', async () => {
  const to = receiver(['lost request', 'lost request']);
  {
    await using shipper = shipperTo(to);
    shipper.add('one');
    await expect.poll(to.calls).toBe(3);
  }
  expect(to.messages()).toEqual(['one']);
});

test('when memory is full, then the oldest lines go, and a line says how many', async () => {
  const to = receiver();
  {
    await using shipper = shipperTo(to);
    for (let index = 0; index < 20_010; index += 1) shipper.add(`line ${index}`);
  }
  const messages = to.messages();
  expect(messages[0]).toBe('10 lines were dropped');
  expect(messages[1]).toBe('line 10');
  expect(messages.at(-1)).toBe('line 20009');
  expect(messages).toHaveLength(20_001);
});

test('when long lines fill the memory, then the oldest go, however few they are', async () => {
  const to = receiver();
  {
    await using shipper = shipperTo(to);
    for (let index = 0; index < 2003; index += 1) shipper.add(`${index} `.padEnd(8000, 'x'));
  }
  const messages = to.messages();
  expect(messages[0]).toBe('3 lines were dropped');
  expect(messages[1]?.slice(0, 2)).toBe('3 ');
  expect(messages).toHaveLength(2001);
});

test('when another life kept lines from being taken, then they are sent once the lease is ours', async () => {
  const to = receiver([409]);
  {
    await using shipper = shipperTo(to);
    shipper.add('one');
    await expect.poll(to.calls).toBe(2);
  }
  expect(to.messages()).toEqual(['one']);
});

test('when a log is of something that is gone, then it is given up', async () => {
  const to = receiver([404]);
  {
    await using shipper = shipperTo(to);
    shipper.add('one');
  }
  expect(to.calls()).toBe(1);
});
