import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';

/** kill -9 while traces come in by every way: what was acknowledged is there, and whole. */

const SENDERS = 6;

interface SentRun {
  readonly run_id: string;
  readonly text: string;
}

const idOf = (n: number) => n.toString(16).padStart(16, '0');
const runIdOf = (span_id: string) => `00000000-0000-0000-${span_id.slice(0, 4)}-${span_id.slice(4)}`;

async function post(platform: RunningPlatform, path: string, { body, type }: { body: string; type: string }) {
  const headers = { 'x-api-key': platform.key, 'content-type': type };
  return (await platform.fetch(platform.url + path, { method: 'POST', body, headers })).status;
}

/** A run with a file, in parts. */
async function sendParts(platform: RunningPlatform, text: string): Promise<SentRun | undefined> {
  const run_id = crypto.randomUUID();
  const place = { id: run_id, trace_id: run_id, dotted_order: `20260105T090000000000Z${run_id}` };
  const parts = {
    [`post.${run_id}`]: JSON.stringify({ ...place, name: 'parts', session_name: 'chaos' }),
    [`post.${run_id}.inputs`]: JSON.stringify({ text }),
    [`attachment.${run_id}.file`]: text,
  };
  const body = Object.entries(parts).map(
    ([name, content]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`,
  );
  const type = 'multipart/form-data; boundary=b';
  const status = await post(platform, '/runs/multipart', { body: `${body.join('')}--b--\r\n`, type });
  return status === 202 ? { run_id, text } : undefined;
}

/** A span below one that never comes. */
async function sendSpan(platform: RunningPlatform, text: string): Promise<SentRun | undefined> {
  const spanId = idOf(Math.floor(Math.random() * 2 ** 48) + 1);
  const span = {
    traceId: 'a'.repeat(32),
    spanId,
    parentSpanId: 'b'.repeat(16),
    name: 'span',
    startTimeUnixNano: '1767603600000000000',
    attributes: [{ key: 'gen_ai.prompt', value: { stringValue: JSON.stringify({ text }) } }],
  };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const status = await post(platform, '/v1/traces', { body, type: 'application/json' });
  return status === 200 ? { run_id: runIdOf(spanId), text } : undefined;
}

test('when a write was acknowledged before the platform is killed, then it is read back whole', async () => {
  await using home = await dataHome();
  const folder = join(home.path, 'data');
  const acknowledged: SentRun[] = [];
  {
    await using platform = await startPlatform(folder);
    const sender = async (index: number) => {
      for (let count = 0; ; count += 1) {
        const text = `${index}/${count}/${'x'.repeat((count * 997) % 30_000)}`;
        const send = count % 2 === 0 ? sendParts : sendSpan;
        const sent = await send(platform, text).catch(() => undefined);
        if (sent === undefined) return;
        acknowledged.push(sent);
      }
    };
    const senders = Array.from({ length: SENDERS }, (_, index) => sender(index));
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(120);
    // Each sender ends with the first request that is not answered.
    await platform.kill();
    await Promise.all(senders);
  }
  await using platform = await startPlatform(folder);
  const read = async (path: string) =>
    platform.fetch(platform.url + path, { headers: { 'x-api-key': platform.key } });
  for (const { run_id, text } of acknowledged) {
    const answer = await read(`/runs/${run_id}`);
    const run = (await answer.json()) as {
      name: string;
      inputs: unknown;
      s3_urls: Record<string, { presigned_url: string }> | null;
    };
    expect([answer.status, run.inputs]).toEqual([200, { text }]);
    if (run.name !== 'parts') continue;
    const address = run.s3_urls?.['attachment.file']?.presigned_url ?? '';
    expect(await (await platform.fetch(address)).text()).toBe(text);
  }
}, 240_000);
