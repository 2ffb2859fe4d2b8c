import { createSecretBox, silentLog, uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it, vi } from 'vitest';
import { multipartInit, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { createAttachmentAddresses } from './attachment-addresses.ts';
import { readAttachments } from './attachment-store.ts';
import { blobLoop } from './blob-loop.ts';
import { withStoredBlobs } from './blob-receipt-work.ts';
import { collectBlobs } from './blob-removal-work.ts';
import { recordBlobs } from './blob-store.ts';

const fixture = useFixture(startFixture);

/** A grace period that protects nothing, not even a file stored in this millisecond. */
const NONE = -1;

const digestsOf = async () => (await Array.fromAsync(fixture().blobs.list())).map(({ digest }) => digest);

async function send(content: string, name = 'notes.txt', type = 'text/plain'): Promise<string> {
  const id = uuidv7();
  const run = { id, trace_id: id, dotted_order: `x${id}`, name: 'with a file' };
  const parts = [
    [`post.${id}`, JSON.stringify(run)],
    [`attachment.${id}.${name}`, content, `Content-Type: ${type}`],
  ] as const;
  expect((await fixture().send('/runs/multipart', multipartInit(parts))).status).toBe(202);
  return id;
}

it('when files are equal, then their bytes are kept once, and as long as a run has them', async () => {
  const content = `twice ${crypto.randomUUID()}`;
  const ids = [await send(content), await send(content)];
  const rows = await fixture().fresh.db.query<{ digest: string }>(
    'select digest from traces.attachments where run_id = any ($1::uuid[])',
    [ids],
  );
  const [{ digest } = { digest: '' }] = rows;
  expect(new Set(rows.map((row) => row.digest)).size).toBe(1);
  const { db } = fixture().fresh;
  await db.run('delete from traces.attachments where run_id = $1', [ids[0]]);
  await collectBlobs({ db, blobs: fixture().blobs }, NONE);
  expect(await digestsOf()).toContain(digest);
  await db.run('delete from traces.attachments where run_id = $1', [ids[1]]);
  await collectBlobs({ db, blobs: fixture().blobs }, 60_000);
  expect(await digestsOf()).toContain(digest);
  await collectBlobs({ db, blobs: fixture().blobs }, NONE);
  expect(await digestsOf()).not.toContain(digest);
});

it('when a killed process stored bytes and did not record them, then they are removed', async () => {
  const { digest } = await fixture().blobs.put(
    (async function* () {
      yield Buffer.from('never recorded');
    })(),
    { max_bytes: 100 },
  );
  await collectBlobs({ db: fixture().fresh.db, blobs: fixture().blobs }, NONE);
  expect(await digestsOf()).not.toContain(digest);
});

it('when bytes are collected while they are recorded, then they are stored again', async () => {
  const contents = [Buffer.from('collected meanwhile')];
  const { db } = fixture().fresh;
  const digest = await withStoredBlobs({ blobs: fixture().blobs, contents }, async ([blob]) => {
    if (blob === undefined) return '';
    await collectBlobs({ db, blobs: fixture().blobs }, NONE);
    expect(await digestsOf()).not.toContain(blob.digest);
    await db.transaction((tx) => recordBlobs(tx, [blob]));
    return blob.digest;
  });
  expect(await digestsOf()).toContain(digest);
});

it('when attachments are of an older release, then they are moved to the blobs', async () => {
  const id = uuidv7();
  const { db } = fixture().fresh;
  await db.run(
    `insert into traces.attachments (workspace_id, run_id, name, content_type, content, received_at)
     values ($1, $2, 'old', 'image/png', '\\x010203', now())`,
    [WORKSPACE, id],
  );
  await using loop = blobLoop({ db, blobs: fixture().blobs }, silentLog).start();
  loop.wake('all');
  const moved = () =>
    db.maybe<{ digest: string; size: number }>(
      'select digest, size from traces.attachments where run_id = $1 and content is null',
      [id],
    );
  await expect.poll(moved).toMatchObject({ size: 3 });
  const blob = await fixture().blobs.get((await moved())?.digest ?? '');
  expect([...(await new Response(blob?.stream).bytes())]).toEqual([1, 2, 3]);
});

it('when a file is asked for at its address, then it comes as it was sent, and nowhere else', async () => {
  const id = await send('<script>', 'a (b) ü.html', 'text/html; charset=utf-8');
  const read = await readAttachments(fixture().fresh.db, { workspace_id: WORKSPACE, run_ids: [id] });
  const [row] = read.get(id) ?? [];
  if (row === undefined) throw new Error('The attachment is not there.');
  let now = Date.now();
  const addresses = createAttachmentAddresses({
    secret_box: createSecretBox(['the secret key of tests']),
    public_url: 'http://test/',
    clock: { now: () => now },
  });
  const url = addresses.attachmentUrl(row);
  expect(url).toMatch(/^http:\/\/test\/attachments\/v1\./);
  const path = url.slice('http://test'.length);
  const answer = await fixture().service.served.fetch(new Request(url), {});
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('<script>');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename*=UTF-8''a%20%28b%29%20%C3%BC.html`,
  });
  expect((await fixture().send(`${path.slice(0, -4)}AAAA`)).status).toBe(403);
  expect((await fixture().send('/attachments/v1.x')).status).toBe(403);
  const token = path.slice('/attachments/'.length);
  expect(addresses.read(token)).toMatchObject({ digest: row.digest });
  now += 3_600_001;
  expect(addresses.read(token)).toBeUndefined();
});

it('when clients reach the bucket, then they are sent there, and scripts of pages are not', async () => {
  const id = await send('in a bucket', 'ü.txt', 'text/plain');
  const read = await readAttachments(fixture().fresh.db, { workspace_id: WORKSPACE, run_ids: [id] });
  const [row] = read.get(id) ?? [];
  if (row === undefined) throw new Error('The attachment is not there.');
  const secret_box = createSecretBox(['the secret key of tests']);
  const clock = { now: () => Date.now() };
  const url = createAttachmentAddresses({ secret_box, public_url: 'http://test', clock }).attachmentUrl(row);
  using address = vi.spyOn(fixture().blobs, 'address').mockResolvedValue('https://bucket.example/signed');
  const ask = (headers: Record<string, string>) =>
    fixture().service.served.fetch(new Request(url, { headers }), {});
  const answer = await ask({});
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://bucket.example/signed']);
  expect(address).toHaveBeenCalledWith(row.digest, {
    content_type: 'text/plain',
    content_disposition: "attachment; filename*=UTF-8''%C3%BC.txt",
  });
  const asked = await ask({ 'sec-fetch-mode': 'cors' });
  expect([asked.status, await asked.text()]).toEqual([200, 'in a bucket']);
  await fixture().blobs.delete(row.digest);
  expect((await ask({})).status).toBe(404);
});
