import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Launcher } from '@roadstead/agent-server';
import { createSigner, createSigningKey, createVerifier } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { createGuardedFetch } from '@roadstead/outbound';
import { type Databases, openSharedDatabases } from '../databases/databases.ts';
import { createProcessRuntime } from '../runtimes/process-runtime.ts';
import { writeProject } from './projects.ts';
import type { HostedRuntime } from './hosts-suite.ts';

/** The runtime of a data plane, whose hosts start by this launcher; it has a folder of its own. */
export async function openTestRuntime(
  launcherOf: (folder: string) => Promise<Launcher>,
): Promise<HostedRuntime> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'runtime-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const databases = stack.use(
    openSharedDatabases({ admin_url: inject('postgresUrl'), password_key: 'a key' }),
  );
  const made: string[] = [];
  stack.defer(async () => {
    for (const id of made) await databases.drop(id);
  });
  const noting: Pick<Databases, 'ensure'> = {
    ensure: (id) => (made.push(id), databases.ensure(id)),
  };
  const signer = createSigner(createSigningKey());
  const runtime = createProcessRuntime({
    databases: { ...databases, ...noting },
    verify: createVerifier(signer.public_keys, { audience: 'agent-server' }),
    config: {
      jobs_per_host: 10,
      idle_s: 900,
      start_s: 60,
      unresponsive_s: 60,
      min_hosts: 0,
      max_hosts: 2,
      host_memory_mb: 1024,
      host_cpus: undefined,
      a2a_body_bytes: 26_214_400,
      expose_errors: false,
    },
    launcher: await launcherOf(folder),
    outbound: createGuardedFetch(),
    scratch_folder: join(folder, 'scratch'),
    log: silentLog,
  });
  const opened = stack.move();
  return {
    runtime,
    assertion: (workspace_id) =>
      signer.sign({ workspace_id, actor: 'key:test', scopes: ['agents:invoke'] }, 'agent-server'),
    project: async (kind) => {
      const project = await mkdtemp(join(folder, 'project-'));
      await writeProject(project, kind);
      // As artifacts are: hosts may be another user.
      await chmod(project, 0o755);
      return project;
    },
    hasTraces: (id) =>
      stat(join(folder, 'scratch', id)).then(
        () => true,
        () => false,
      ),
    holdSwitch: async (id) => lockAssistants(await databases.ensure(id)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A revision that takes over first stores the assistants of its graphs. */
async function lockAssistants(url: string): Promise<AsyncDisposable> {
  const db = openDatabase({ url, max: 1, name: 'test' });
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.run('lock table agent.assistants in access exclusive mode');
    locked.resolve();
    await released.promise;
  });
  await Promise.race([locked.promise, holding]);
  return {
    [Symbol.asyncDispose]: async () => {
      released.resolve();
      await holding;
      await db[Symbol.asyncDispose]();
    },
  };
}
