import { describe, expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { projectGraphs, type ProjectKind } from './projects.ts';
import type { RunningDeployment, Runtime, RuntimeRevision } from '../ports/runtime.ts';

/** The behaviour that the listener relies on: the same tests for the process runtime and for the one in memory. */
export interface OpenedRuntime extends AsyncDisposable {
  readonly runtime: Runtime;
  /** A folder with a project of this kind. */
  readonly project: (kind: ProjectKind) => Promise<string>;
  /** Whether any files of a deployment's code are left on this machine. */
  readonly hasTraces: (deployment_id: string) => Promise<boolean>;
  /** Makes a takeover in a deployment wait, as for a database that does not answer, until this is disposed of. */
  readonly holdSwitch: (deployment_id: string) => Promise<AsyncDisposable>;
}

type Open = () => Promise<OpenedRuntime>;
const calm = () => new AbortController().signal;

export function runtimeSuite(name: string, open: Open): void {
  describe(`runtime: ${name}`, () => {
    opening(open);
    starting(open);
    switching(open);
    givingUp(open);
    stopping(open);
  });
}

function starting(open: Open): void {
  test('when a revision is prepared, then it says what it holds, and serves once it is activated', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const revision = await revisionOf(opened, 'works');
    const manifest = await deployment.running.prepare(revision, calm());
    expect(manifest.graphs).toEqual([
      { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true },
    ]);
    expect(deployment.running.hosts()).toBe(1);
    expect(deployment.told).toEqual([1]);
    expect(await servedBy(deployment.running)).toBeNull();
    await deployment.running.activate(revision.revision_id, calm());
    expect(await servedBy(deployment.running)).toBe(revision.revision_id);
  });

  test('when a revision does not start, then it says why, and leaves nothing running', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const revision = await revisionOf(opened, 'broken');
    const refusal = expect.objectContaining({
      name: 'Problem',
      message: expect.stringContaining('never loads'),
    });
    await expect(deployment.running.prepare(revision, calm())).rejects.toEqual(refusal);
    await expect.poll(() => deployment.running.hosts()).toBe(0);
    await expect(deployment.running.activate(revision.revision_id, calm())).rejects.toHaveProperty(
      'kind',
      'conflict',
    );
  });

  test('when a start is given up, even before it began, then it leaves nothing running', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const revision = await revisionOf(opened, 'hangs');
    const stop = new AbortController();
    const prepared = deployment.running.prepare(revision, stop.signal);
    prepared.catch(() => undefined);
    await expect.poll(() => deployment.running.hosts()).toBe(1);
    stop.abort(new Error('given up'));
    await expect(prepared).rejects.toThrow();
    await expect.poll(() => deployment.running.hosts()).toBe(0);
    await expect(deployment.running.prepare(revision, stop.signal)).rejects.toThrow();
    expect(deployment.running.hosts()).toBe(0);
  });
}

function switching(open: Open): void {
  test('when a former life prepared a revision, then it serves without a start', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const revision = await revisionOf(opened, 'works');
    const manifest = { graphs: [], langgraph_version: null };
    deployment.running.restore(revision, manifest);
    await deployment.running.activate(revision.revision_id, calm());
    expect(await servedBy(deployment.running)).toBe(revision.revision_id);
    expect(deployment.running.hosts()).toBe(0);
  });

  test('when a revision takes over, then the one before ends', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const [one, two] = [await revisionOf(opened, 'works'), await revisionOf(opened, 'works')];
    for (const revision of [one, two]) {
      await deployment.running.prepare(revision, calm());
      await deployment.running.activate(revision.revision_id, calm());
    }
    expect(await servedBy(deployment.running)).toBe(two.revision_id);
    await expect.poll(() => deployment.running.hosts()).toBe(1);
    // And back, however far the end of the first has come.
    await deployment.running.prepare(one, calm());
    await deployment.running.activate(one.revision_id, calm());
    expect(await servedBy(deployment.running)).toBe(one.revision_id);
    await expect.poll(() => deployment.running.hosts()).toBe(1);
  });
}

function givingUp(open: Open): void {
  test('when taking over is given up, then what served goes on, also when it comes to its end', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const { running } = deployment;
    const [one, two] = [await revisionOf(opened, 'works'), await revisionOf(opened, 'works')];
    await running.prepare(one, calm());
    await running.activate(one.revision_id, calm());
    await running.prepare(two, calm());
    const held = await opened.holdSwitch(deployment.id);
    const stop = new AbortController();
    const activated = running.activate(two.revision_id, stop.signal);
    activated.catch(() => undefined);
    expect(await servedBy(running)).toBe(one.revision_id);
    stop.abort(new Error('given up'));
    await running.retire(two.revision_id, 0);
    await held[Symbol.asyncDispose]();
    await expect(activated).rejects.toThrow('given up');
    expect(await servedBy(running)).toBe(one.revision_id);
    expect(running.hosts()).toBe(1);
    await expect(running.activate(one.revision_id, stop.signal)).rejects.toThrow('given up');
  });
}

function opening(open: Open): void {
  test('when an opening is given up before it began, then it opens nothing', async () => {
    await using opened = await open();
    await expect(openDeployment(opened, AbortSignal.abort(new Error('given up')))).rejects.toThrow(
      'given up',
    );
  });
}

function stopping(open: Open): void {
  test('when a revision is retired, then it is gone, and what serves goes on', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const [one, two] = [await revisionOf(opened, 'works'), await revisionOf(opened, 'works')];
    await deployment.running.prepare(one, calm());
    await deployment.running.activate(one.revision_id, calm());
    await deployment.running.prepare(two, calm());
    expect(deployment.running.hosts()).toBe(2);
    await deployment.running.retire(two.revision_id, 0);
    await deployment.running.retire(uuidv7(), 0);
    expect(deployment.running.hosts()).toBe(1);
    expect(await servedBy(deployment.running)).toBe(one.revision_id);
    await expect(deployment.running.activate(two.revision_id, calm())).rejects.toHaveProperty(
      'kind',
      'conflict',
    );
  });

  test('when a deployment is killed, then none of its processes is left', async () => {
    await using opened = await open();
    await using deployment = await openDeployment(opened);
    const [one, two] = [await revisionOf(opened, 'works'), await revisionOf(opened, 'works')];
    for (const revision of [one, two]) await deployment.running.prepare(revision, calm());
    expect(deployment.running.hosts()).toBe(2);
    deployment.running.kill();
    await expect.poll(() => deployment.running.hosts()).toBe(0);
  });

  test('when a deployment is closed, then it runs nothing; when it is forgotten, it leaves nothing', async () => {
    await using opened = await open();
    const deployment = await openDeployment(opened);
    await deployment.running.prepare(await revisionOf(opened, 'works'), calm());
    await deployment[Symbol.asyncDispose]();
    expect(deployment.running.hosts()).toBe(0);
    await opened.runtime.forget(deployment.id);
    await opened.runtime.forget(deployment.id);
    expect(await opened.hasTraces(deployment.id)).toBe(false);
  });
}

async function openDeployment({ runtime }: OpenedRuntime, signal = calm()) {
  const id = uuidv7();
  const told: number[] = [];
  const running = await runtime.open({
    deployment_id: id,
    workspace_id: uuidv7(),
    name: 'agent',
    sealing_keys: ['key'],
    signal,
    public_url: () => 'http://roadstead.test/agents/agent',
    onHosts: (count) => told.push(count),
    onTrouble: () => undefined,
    onLog: () => undefined,
  });
  return { id, running, told, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

async function revisionOf(opened: OpenedRuntime, kind: ProjectKind): Promise<RuntimeRevision> {
  const folder = await opened.project(kind);
  return { revision_id: uuidv7(), folder, project: projectGraphs, environment: {} };
}

async function servedBy(running: RunningDeployment): Promise<string | null> {
  const answer = await running.fetch(new Request('http://agent.test/info'), { path: '/info' });
  return ((await answer.json()) as { revision_id: string | null }).revision_id;
}
