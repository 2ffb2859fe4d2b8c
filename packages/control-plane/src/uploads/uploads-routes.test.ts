import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createRequest, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/fixture.ts';

test('when a workspace’s archives trickle in, then its next are refused, another’s taken', async () => {
  await using fixture = await startFixture();
  const addressOf = async (workspace_id: string) => {
    const client = fixture.client(workspace_id);
    const { id } = await client.createDeployment({ body: createRequest('agent') });
    return (await client.createUploadAddress({ params: { deployment_id: id } })).upload_url;
  };
  const put = async (url: string, body: Buffer | ReadableStream<Uint8Array>) =>
    fixture.fetch(new Request(url, { method: 'PUT', body, duplex: 'half' }));
  const greedy = await addressOf(WORKSPACE);
  let begun = 0;
  const ends: (() => void)[] = [];
  /** Yields its first bytes, and the rest when the test releases it. */
  const trickling = () => {
    const end = Promise.withResolvers<void>();
    ends.push(() => end.resolve());
    const archive = gzipSync('source');
    let hasBegun = false;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (!hasBegun) {
            hasBegun = true;
            begun += 1;
            return controller.enqueue(archive.subarray(0, 5));
          }
          await end.promise;
          controller.enqueue(archive.subarray(5));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };
  const under_way: Promise<Response>[] = [];
  for (let at = 0; at < 100; at += 1) {
    under_way.push(put(greedy, trickling()));
    await expect.poll(() => begun, { interval: 1 }).toBe(at + 1);
  }
  const refused = await put(greedy, gzipSync('source'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await put(await addressOf(OTHER_WORKSPACE), gzipSync('source'))).status).toBe(200);
  for (const end of ends) end();
  expect(new Set((await Promise.all(under_way)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await put(greedy, gzipSync('source'))).status).toBe(200);
});
