import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '@roadstead/contracts/host';
import { openFence } from '@roadstead/fence';
import { createSigner, createSigningKey, createVerifier, silentLog } from '@roadstead/kit';
import { freshDatabase } from '../../../test/support/database.ts';
import { openAgentServer } from './agent-server.ts';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const folder = fileURLToPath(new URL('../../graph-host/fixtures/agents/', import.meta.url));
const manifest: Manifest = { graphs: [], http: { disable_a2a: false }, langgraph_version: null };

test('after a start the active revision has the hosts that are wanted, before any call', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'agent-server-'));
  onTestFinished(() => rm(scratch, { recursive: true, force: true }));
  const { fence } = await openFence({ isolation: 'auto', data_folder: scratch, sockets: [] });
  await using database = await freshDatabase();
  await using server = await openAgentServer({
    deployment_id: 'd',
    workspace_id: 'w',
    name: 'agent',
    database_url: database.url,
    verify: createVerifier(createSigner(createSigningKey()).public_keys, 'agent-server'),
    public_url: 'http://roadstead.test/agents/agent',
    log: silentLog,
    onLog: () => undefined,
    onHosts: () => undefined,
    config: {
      jobs_per_host: 1,
      idle_s: 900,
      unresponsive_s: 60,
      min_hosts: 1,
      max_hosts: 2,
      a2a_body_bytes: 1_000_000,
      expose_errors: false,
    },
    fence,
    writable_folder: scratch,
  });
  const environment = { ROADSTEAD_MODULE_ROOT: checkout };
  const [before, after] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  for (const revision_id of [before, after])
    server.restore({ revision_id, folder, config_path: 'langgraph.json', environment }, manifest);
  expect(server.hosts()).toBe(0);
  await server.activate(before);
  await expect.poll(() => server.hosts()).toBe(1);
  // The one that is replaced keeps none.
  await server.activate(after);
  await server.retire(before, 0);
  await expect.poll(() => server.hosts()).toBe(1);
}, 30_000);
