import { longestHold, useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { multipartInit, startFixture } from '../testing/observability-fixture.ts';

/** Examples of the largest size that SDKs send, in several requests at once. */

const fixture = useFixture(startFixture);

const MB = 1_000_000;
const id = (index: number) => `0199d3a0-0000-7000-8000-${String(index).padStart(12, '0')}`;

test('when three requests of 20 MB come at once, then they are stored, and hold nobody up', async () => {
  const created = await fixture().send('/datasets', {
    method: 'POST',
    body: JSON.stringify({ name: 'large' }),
    headers: { 'content-type': 'application/json' },
  });
  const dataset = ((await created.json()) as { id: string }).id;
  const requests = [0, 1, 2].map((request) =>
    multipartInit(
      [0, 1].flatMap((index) => {
        const example = id(request * 2 + index);
        const inputs = JSON.stringify({ number: index, text: `word ${request} `.repeat((4 * MB) / 7) });
        return [
          [example, '{}'],
          [`${example}.inputs`, inputs],
          [
            `${example}.attachment.file`,
            new Uint8Array(6 * MB).fill(request),
            'Content-Type: application/x-test',
          ],
        ] as const;
      }),
    ),
  );
  let statuses: number[] = [];
  const held_ms = await longestHold(async () => {
    const sent = requests.map((init) => fixture().send(`/v1/platform/datasets/${dataset}/examples`, init));
    statuses = (await Promise.all(sent)).map(({ status }) => status);
  });
  expect(statuses).toEqual([201, 201, 201]);
  // The bound is 50 ms; the rest is for slow machines.
  expect(held_ms).toBeLessThan(150);
  const read = (await (await fixture().send(`/examples/${id(5)}`)).json()) as {
    inputs: { text: string };
    attachment_urls: Record<string, { presigned_url: string }>;
  };
  expect(read.inputs.text.length).toBe('word 2 '.length * Math.floor((4 * MB) / 7));
  const address = read.attachment_urls['attachment.file']?.presigned_url ?? '';
  const file = new Uint8Array(await (await fixture().send(new URL(address).pathname)).arrayBuffer());
  expect([file.length, file[0], file.at(-1)]).toEqual([6 * MB, 2, 2]);
});

test('when a request fails at the end, then nothing that it had written is there', async () => {
  const created = await fixture().send('/datasets', {
    method: 'POST',
    body: JSON.stringify({ name: 'failing' }),
    headers: { 'content-type': 'application/json' },
  });
  const dataset = ((await created.json()) as { id: string }).id;
  await fixture().fresh.db.run(
    `create function traces.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger refuse before insert on traces.example_attachments for each row execute function traces.refuse()`,
  );
  const parts = [
    [id(100), '{}'],
    [`${id(100)}.inputs`, '{}'],
    [`${id(100)}.attachment.file`, 'x', 'Content-Type: text/plain'],
  ] as const;
  const sent = await fixture().send(`/v1/platform/datasets/${dataset}/examples`, multipartInit(parts));
  expect(sent.status).toBe(500);
  await fixture().fresh.db.run('drop trigger refuse on traces.example_attachments');
  expect(await (await fixture().send(`/examples?dataset=${dataset}`)).json()).toEqual([]);
  expect(await (await fixture().send(`/datasets/${dataset}/versions`)).json()).toEqual([]);
  expect(
    (await fixture().send(`/v1/platform/datasets/${dataset}/examples`, multipartInit(parts))).status,
  ).toBe(201);
});
