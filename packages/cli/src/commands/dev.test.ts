import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const launcher = fileURLToPath(new URL('../../../../bin/roadstead.mjs', import.meta.url));
const deployment = {
  id: crypto.randomUUID(),
  name: 'worked-on-dev',
  secrets: [],
  latest_revision_id: null,
};

test.each([
  [204, 0, 'The deployment is removed.'],
  [404, 0, 'The deployment is removed.'],
  [500, 1, 'worked-on-dev could not be removed, and may still serve'],
])(
  'when a removal is answered with %i, then dev ends with %i and says so',
  async (answered, code, sentence) => {
    const folder = await mkdtemp(join(tmpdir(), 'dev-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(
      join(folder, 'langgraph.json'),
      '{ "graphs": { "agent": "./agent.js:graph" }, "colour": 1 }',
    );
    await writeFile(join(folder, 'listener-id'), 'own');
    await writeFile(join(folder, 'api-key'), 'rs_key');
    const asked = Promise.withResolvers<void>();
    const platform = createServer(({ method, url }, response) => {
      const answer = (status: number, body?: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (method === 'DELETE') answer(answered, answered === 204 ? undefined : { detail: 'no' });
      else if (method === 'POST' && url === '/v2/deployments') answer(201, deployment);
      // The command is interrupted while it waits for this.
      else if (method === 'POST') asked.resolve();
      else if (url?.startsWith('/v2/listeners') === true) answer(200, { resources: [{ id: 'own' }] });
      else answer(200, { resources: [], items: [] });
    });
    await once(platform.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      platform.closeAllConnections();
      platform.close();
    });
    const { port } = platform.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      ROADSTEAD_DATA_DIR: folder,
      ROADSTEAD_URL: `http://127.0.0.1:${port}`,
    };
    const child = spawn(process.execPath, [launcher, 'dev', folder, '--name', deployment.name], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
    const ended = new Promise((resolve) => child.once('close', resolve));
    await Promise.race([asked.promise, ended]);
    child.kill('SIGINT');
    expect([await ended, said]).toEqual([code, expect.stringContaining(sentence)]);
    expect(said).toContain('langgraph.json: the key "colour" is not known and is ignored');
  },
);
