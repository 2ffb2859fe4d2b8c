import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { useFixture, useFolder } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OriginalClient, originalClients } from '../support/original-clients.ts';
import { needsLanguage } from '../support/languages.ts';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';
import { pythonWith } from '@roadstead/testing/processes';

/** The command lines of the original deploy here as they do there. */

const agent = fileURLToPath(new URL('../agents/javascript', import.meta.url));
const pythonAgent = fileURLToPath(new URL('../agents/python', import.meta.url));
const clients = await originalClients();
const python = await pythonWith(['requests==2.34.2']);
const run = promisify(execFile);

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));

test('when the original clients are tried, then what is needed for that is here', ({ skip }) => {
  const missing = [...clients, python].filter((one) => typeof one === 'string');
  if (missing.length > 0) skip(missing.join(' '));
  expect(missing).toEqual([]);
});

describe.each(clients.filter((one): one is OriginalClient => typeof one !== 'string'))(
  'when the client is $name',
  (client) => {
    const name = client.name.includes('PyPI') ? 'from-python' : 'from-npm';
    const folder = useFolder('original-client-');
    const python_folder = useFolder('original-client-python-');
    beforeAll(async () => {
      await cp(agent, folder(), { recursive: true });
      await writeFile(join(folder(), '.env'), 'MY_TOKEN=first\nLANGSMITH_TRACING=true\nEMPTY=\n');
    });

    const langgraph = (...args: string[]) =>
      client.run([...args, '--host-url', platform().url], {
        folder: folder(),
        env: { LANGSMITH_API_KEY: platform().key },
      });
    const deploy = (...args: string[]) =>
      langgraph('deploy', '--name', name, '--no-input', '--remote', ...args);

    async function read<T>(path: string): Promise<T> {
      return (await (await platform().fetch(`${platform().url}${path}`)).json()) as T;
    }
    async function deployment(): Promise<Deployment> {
      const { resources } = await read<{ resources: Deployment[] }>(`/v2/deployments?name=${name}`);
      return resources[0] as Deployment;
    }
    async function revisions(): Promise<Revision[]> {
      const { id } = await deployment();
      return (await read<{ resources: Revision[] }>(`/v2/deployments/${id}/revisions`)).resources;
    }

    test('when the first deploy runs, then it uploads, builds and says where the agent answers', async () => {
      const first = await deploy();
      expect(first, first.stderr).toMatchObject({ code: 0 });
      expect(first.stdout).toContain(`${platform().url}/agents/${name}`);
      const { source, secrets, active_revision_id } = await deployment();
      expect(source).toBe('internal_source');
      // What is empty the client leaves out, and what is so anyway the control plane.
      expect(secrets).toEqual([{ name: 'MY_TOKEN', value: '********' }]);
      expect((await revisions())[0]).toMatchObject({ id: active_revision_id, status: 'DEPLOYED' });
    });

    test('when the second deploy runs, then it finds the first and shows its build with --verbose', async () => {
      await writeFile(join(folder(), '.env'), 'MY_TOKEN=second\nANOTHER=value\n');
      const before = await revisions();
      const again = await deploy('--verbose', '--build-command', 'npm ls');
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(again.stdout).toContain('Found existing deployment');
      expect(await revisions()).toHaveLength(before.length + 1);
      expect((await deployment()).secrets.map((one) => one.name).toSorted()).toEqual(['ANOTHER', 'MY_TOKEN']);
    });

    test('when an agent in Python is deployed, then it is built and answers', async (context) => {
      needsLanguage('python', context);
      const python_name = `${name}-python`;
      const options = ['--host-url', platform().url, '--name', python_name, '--no-input', '--remote'];
      await cp(pythonAgent, python_folder(), { recursive: true });
      const at = { folder: python_folder(), env: { LANGSMITH_API_KEY: platform().key } };
      const deployed = await client.run(['deploy', ...options], at);
      expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
      const { result } = await callA2a(platform(), python_name, 'message/send', userMessage('hello'));
      expect(answerOf(result)).toBe('python 1: hello');
    });

    test('when a build fails, then the deploy ends with an error and its last lines', async () => {
      const { active_revision_id } = await deployment();
      const failed = await deploy('--build-command', 'npm run nothing-of-the-kind');
      expect(failed.code).toBe(1);
      expect(failed.stdout + failed.stderr).toContain('nothing-of-the-kind');
      expect((await revisions())[0]).toMatchObject({ status: 'BUILD_FAILED' });
      expect((await deployment()).active_revision_id).toBe(active_revision_id);
    });

    test('when lists, revisions and logs are asked for, then they are read', async () => {
      const { id } = await deployment();
      const list = await langgraph('deploy', 'list', '--name-contains', name);
      expect(list.stdout).toContain(id);
      const shown = await langgraph('deploy', 'revisions', 'list', id);
      for (const revision of await revisions()) expect(shown.stdout).toContain(revision.id);
      expect(shown.stdout).toContain('BUILD_FAILED');
      const built = await langgraph('deploy', 'logs', '--name', name, '--type', 'build');
      expect(built.stdout).toContain('nothing-of-the-kind');
      const logs = await langgraph('deploy', 'logs', '--deployment-id', id);
      expect(logs, logs.stderr).toMatchObject({ code: 0 });
    });

    test('when a name or a key is nobody’s, then no other deployment is taken for it', async () => {
      const { latest_revision_id } = await deployment();
      const unknown = await langgraph('deploy', 'logs', '--name', 'nobody-s');
      expect(unknown.code).not.toBe(0);
      const wrong = await client.run(['deploy', 'list', '--host-url', platform().url], {
        folder: folder(),
        env: { LANGSMITH_API_KEY: 'rs_nobody' },
      });
      expect(wrong.code).not.toBe(0);
      expect((await deployment()).latest_revision_id).toBe(latest_revision_id);
    });

    test('when a deployment was deleted, then it is gone from the list', async () => {
      const { id } = await deployment();
      const deleted = await langgraph('deploy', 'delete', id, '--force');
      expect(deleted, deleted.stderr).toMatchObject({ code: 0 });
      expect((await langgraph('deploy', 'list', '--name-contains', name)).stdout).not.toContain(id);
    });
  },
);

describe('the newer forms of the command line of PyPI', () => {
  const python = clients.find(
    (one): one is OriginalClient => typeof one !== 'string' && one.name.includes('PyPI'),
  );
  const langgraph = async (...args: string[]) => {
    const at = { folder: agent, env: { LANGSMITH_API_KEY: platform().key } };
    const { code, stdout, stderr } = (await python?.run([...args, '--host-url', platform().url], at)) ?? {};
    return { code, said: `${stdout}${stderr}` };
  };

  test.runIf(python !== undefined)('when listeners are asked for, then they are listed', async () => {
    expect((await langgraph('deploy', 'listeners', 'list')).code).toBe(0);
  });

  test.runIf(python !== undefined)(
    'when an agent’s id is given, which means nothing here, then it changes nothing',
    async () => {
      const args = ['--agent-id', 'x', '--agent-environment', 'development', '--no-input', '--remote'];
      const { code, said } = await langgraph('deploy', ...args);
      expect(code).toBe(1);
      expect(said).toContain('deployments belong to no agents here');
    },
  );

  test.runIf(python !== undefined)(
    'when no listener runs images, then an image is refused in words',
    async () => {
      const { code, said } = await langgraph(
        ...'deploy --no-input --name image --image-uri'.split(' '),
        `registry.example.com/a@sha256:${'0'.repeat(64)}`,
      );
      expect(code).toBe(1);
      expect(said).toContain('runs images');
    },
  );
});

describe('what a pipeline does, without any client', () => {
  test.runIf(typeof python !== 'string')(
    'when requests create, poll, patch and delete a deployment, then each does so',
    async () => {
      if (typeof python === 'string') return;
      const archive = join(home().path, 'source.tar.gz');
      await run('tar', ['-czf', archive, '-C', agent, '.']);
      const workspaces = await platform().fetch(`${platform().url}/v2/workspaces`);
      const { items } = (await workspaces.json()) as { items: { id: string }[] };
      const program = await readFile(new URL('./deploy-in-ci.py', import.meta.url), 'utf8');
      const going = python.run(program, {
        CONTROL_PLANE_HOST: `${platform().url}/api-host`,
        API_KEY: platform().key,
        WORKSPACE_ID: items[0]?.id ?? '',
        SOURCE: 'uploaded',
        ARCHIVE: archive,
      });
      await expect(going).resolves.toBeTypeOf('string');
    },
  );
});
