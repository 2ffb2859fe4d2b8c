import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dataHome, type RunningPlatform, startPlatform } from '../test/support/platform.ts';
import { openDatabase, startEmbeddedPostgres, uuidv7 } from '../packages/kit/src/index.ts';
import { startPeer } from './peer.ts';

/**
 * Speed, as ratios against a peer and floors that run beside it on the same machine in the same minutes.
 * `npm run bench` prints a table; nothing here asserts a time.
 */

interface Measured {
  readonly name: string;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly per_s: number;
}

const WARM = 200;

async function load(
  name: string,
  count: number,
  concurrency: number,
  one: () => Promise<unknown>,
): Promise<Measured> {
  for (let at = 0; at < WARM; at += concurrency) await Promise.all(Array.from({ length: concurrency }, one));
  const times: number[] = [];
  let left = count;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) {
        const start = performance.now();
        await one();
        times.push(performance.now() - start);
      }
    }),
  );
  const took = performance.now() - began;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { name, p50_ms: at(0.5), p99_ms: at(0.99), per_s: (count / took) * 1000 };
}

function print(rows: readonly Measured[]): void {
  for (const { name, p50_ms, p99_ms, per_s } of rows) {
    process.stdout.write(
      `${name.padEnd(56)} p50 ${p50_ms.toFixed(2).padStart(8)} ms  p99 ${p99_ms.toFixed(2).padStart(8)} ms  ${per_s.toFixed(0).padStart(6)}/s\n`,
    );
  }
}

function sendTo(url: string, headers: Record<string, string>): () => Promise<unknown> {
  return async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
        },
      }),
    });
    const body = (await answer.json()) as { error?: unknown };
    if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
  };
}

async function ingestion(platform: RunningPlatform): Promise<Measured> {
  const batch = () => {
    const post = Array.from({ length: 100 }, () => {
      const id = uuidv7();
      const at = new Date();
      const stamp = `${at.toISOString().replaceAll(/[-:]|\.\d+Z/g, '')}000000Z${id}`;
      return {
        id,
        trace_id: id,
        dotted_order: stamp,
        name: 'bench',
        run_type: 'chain',
        session_name: 'bench',
        start_time: at.toISOString(),
        end_time: at.toISOString(),
        inputs: { text: createHash('sha256').update(id).digest('hex').repeat(8) },
        outputs: { ok: true },
        extra: {},
      };
    });
    return platform.fetch(`${platform.url}/runs/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ post, patch: [] }),
    });
  };
  const measured = await load('trace ingestion, 100 runs a request, at 8', 100, 8, async () => {
    const answer = await batch();
    if (answer.status !== 202) throw new Error(await answer.text());
  });
  return { ...measured, per_s: measured.per_s * 100 };
}

async function insertFloor(folder: string): Promise<Measured> {
  await using postgres = await startEmbeddedPostgres({ folder });
  await using db = openDatabase({ url: postgres.url('postgres'), max: 8, name: 'bench' });
  await db.run('create table bench (id uuid primary key, started timestamptz, payload text)');
  const measured = await load('floor: bare insert of 100 rows a commit, at 8', 100, 8, () => {
    const ids = Array.from({ length: 100 }, () => uuidv7());
    return db.run('insert into bench select u, now(), p from unnest($1::uuid[], $2::text[]) t(u, p)', [
      ids,
      ids.map((id) => createHash('sha256').update(id).digest('hex').repeat(8)),
    ]);
  });
  return { ...measured, per_s: measured.per_s * 100 };
}

const count = Number(process.argv[2] ?? 2000);
await using home = await dataHome();
await using platform = await startPlatform(home.path);
const agents = new URL('../test/agents/javascript', import.meta.url).pathname;
const deployed = await platform.run('deploy', agents, '--name', 'bench');
if (deployed.code !== 0) throw new Error(deployed.stderr);
const send = sendTo(`${platform.url}/agents/bench/a2a/agent`, { 'x-api-key': platform.key });
await using peer = await startPeer();
const rows = [
  await load('Roadstead message/send, traced, at 1', count / 4, 1, send),
  await load('Roadstead message/send, traced, at 32', count, 32, send),
  await load(
    'peer: @a2a-js/sdk 1.3.0, in memory, no graph, at 1',
    count / 4,
    1,
    sendTo(peer.url, { 'a2a-version': '1.0' }),
  ),
  await load(
    'peer: @a2a-js/sdk 1.3.0, in memory, no graph, at 32',
    count,
    32,
    sendTo(peer.url, { 'a2a-version': '1.0' }),
  ),
  await ingestion(platform),
];
await using floorHome = await dataHome();
rows.push(await insertFloor(`${floorHome.path}/postgres`));
print(rows);
const ratio = (one: number, other: number) => (rows[one]?.per_s ?? 0) / (rows[other]?.per_s ?? 1);
process.stdout.write(
  `\nRoadstead (durable, graph, traced) against the peer (in memory, no graph), at 32: ${ratio(1, 3).toFixed(2)} x\n`,
);
process.stdout.write(`ingestion against a bare insert: ${(ratio(4, 5) * 100).toFixed(0)} %\n`);
process.stdout.write(`${execFileSync('nproc').toString().trim()} cores, Node ${process.version}\n`);
