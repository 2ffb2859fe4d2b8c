import type { Trouble } from '@roadstead/agent-server';
import { uuidv7 } from '@roadstead/kit';
import { describe, expect, test } from 'vitest';
import type { RuntimeDeployment } from '../ports/runtime.ts';
import { projectGraphs } from './projects.ts';
import type { OpenedRuntime } from './runtime-suite.ts';

/** What becomes of graph hosts that print, end or take too much: the same wherever they run. */
export interface HostedRuntime extends OpenedRuntime {
  /** What the router says of a caller of that workspace. */
  readonly assertion: (workspace_id: string) => string;
}

type Line = Parameters<RuntimeDeployment['onLog']>[0];

const SLOW = { timeout: 60_000 };

export function hostsSuite(name: string, open: () => Promise<HostedRuntime>): void {
  describe(`graph hosts: ${name}`, () => {
    test.each([
      ['prints', 'a line of the graph'],
      ['warns', 'a warning of the graph'],
    ])('when a graph %s, then the log of its deployment has "%s"', async (does, message) => {
      await using opened = await open();
      await using serving = await serve(opened);
      expect(await serving.run(does)).toBe('success');
      const { revision_id } = serving;
      await expect
        .poll(() => serving.lines)
        .toContainEqual(expect.objectContaining({ revision_id, message }) as Line);
    });

    test('when a host is killed in the middle of a run, then another one finishes it', SLOW, async () => {
      await using opened = await open();
      await using serving = await serve(opened);
      expect(await serving.run('dies once')).toBe('success');
      expect(serving.troubles).toEqual([]);
    });

    test('when a host takes too much memory, then that is told', SLOW, async () => {
      await using opened = await open();
      await using serving = await serve(opened);
      void serving.run('fills its memory').catch(() => undefined);
      await expect
        .poll(() => serving.troubles.at(-1), SLOW)
        .toMatchObject({
          code: 'out_of_memory',
          message: expect.stringContaining('took more than 256 MB of memory') as string,
        });
    });

    test('when hosts keep ending, then that is told as a crash loop', SLOW, async () => {
      await using opened = await open();
      await using serving = await serve(opened);
      const dying = async () => {
        for (let runs = 0; runs < 5; runs += 1) await serving.run('dies');
      };
      void dying().catch(() => undefined);
      await expect.poll(() => serving.troubles.at(-1)?.code, SLOW).toBe('crash_loop');
    });
  });
}

async function serve({ runtime, project, assertion }: HostedRuntime) {
  const lines: Line[] = [];
  const troubles: (Trouble | undefined)[] = [];
  const workspace_id = uuidv7();
  const { signal } = new AbortController();
  const running = await runtime.open({
    deployment_id: uuidv7(),
    workspace_id,
    name: 'agent',
    sealing_keys: ['key'],
    signal,
    public_url: () => 'http://roadstead.test/agents/agent',
    onHosts: () => undefined,
    onTrouble: (trouble) => troubles.push(trouble),
    onLog: (line) => lines.push(line),
  });
  const revision_id = uuidv7();
  const folder = await project('obeys');
  const resources = { memory_mb: 256 };
  await running.prepare({ revision_id, folder, project: projectGraphs, environment: {}, resources }, signal);
  await running.activate(revision_id, signal);
  const ask = async (path: string, body?: unknown) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const request = new Request(`http://agent.test${path}`, { ...init, headers });
    const answer = await running.fetch(request, { path, assertion: assertion(workspace_id) });
    return (await answer.json()) as Record<string, string>;
  };
  return {
    revision_id,
    lines,
    troubles,
    /** @returns the status of a run, once it has ended, whose graph does this */
    run: async (does: string) => {
      const { thread_id } = await ask('/threads', {});
      const { run_id } = await ask(`/threads/${thread_id}/runs`, {
        assistant_id: 'agent',
        input: {},
        metadata: { does },
      });
      await ask(`/threads/${thread_id}/runs/${run_id}/join`);
      return (await ask(`/threads/${thread_id}/runs/${run_id}`))['status'];
    },
    [Symbol.asyncDispose]: async () => {
      running.kill();
      await running[Symbol.asyncDispose]();
    },
  };
}
