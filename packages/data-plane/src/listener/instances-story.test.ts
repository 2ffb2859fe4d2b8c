import { createSigner, createSigningKey } from '@roadstead/http';
import { freePort } from '@roadstead/testing/processes';
import { expect, test } from 'vitest';
import { useListener, wait } from '../testing/use-listener.ts';

/** A data plane that shares the deployments of its listener with others. */

const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const { fixture, deployed, served, untilHeard } = useListener({
  settings: { instance: 'one', agents_port: port, agents_address: address },
});
const opened = () => [...fixture().runtime.opened.keys()];
const stepsOf = (id: string) =>
  fixture()
    .control.steps.filter((one) => one.deployment_id === id)
    .map(({ instance, step }) => `${instance} ${step}`);

test('when it begins, then it says who and where it is, and when it ends, that it has left', async () => {
  await deployed();
  expect(fixture().control.instance).toEqual({ name: 'one', address, state: 'serving' });
  await fixture().restart(async () => {
    expect(fixture().control.instance.state).toBe('left');
  });
});

test('when a deployment goes to another instance, then it is closed and released, and serves again once it is back', async () => {
  const { id, revision } = await deployed();
  fixture().control.hold(id, 'release');
  await expect.poll(() => stepsOf(id), wait).toEqual(['one released']);
  expect(opened()).toEqual([]);
  expect(await fixture().call('/agents/mine/info')).toMatchObject({ status: 404 });
  fixture().control.hold(id, 'run');
  await expect.poll(opened, wait).toEqual([id]);
  await expect.poll(served, wait).toEqual({ revision_id: revision.id });
  expect(await fixture().countBuilds()).toBe(1);
});

test('when a deployment comes from another instance, then it is prepared once, and runs when that has closed it', async () => {
  const { id, revision } = await deployed();
  fixture().control.hold(id, 'prepare');
  await expect.poll(() => stepsOf(id), wait).toEqual(['one prepared']);
  expect(opened()).toEqual([]);
  await untilHeard();
  fixture().control.hold(id, 'run');
  await expect.poll(served, wait).toEqual({ revision_id: revision.id });
  expect(stepsOf(id)).toEqual(['one prepared']);
});

test('when its lease was lost, then what others have by now is closed, and what is still its own goes on', async () => {
  const { id, revision } = await deployed();
  const kept = fixture().control.desire('kept', { revision: fixture().control.revisionOf(revision) });
  await expect.poll(opened, wait).toEqual([id, kept]);
  fixture().control.hold(id, 'away');
  fixture().control.takeLease();
  await expect.poll(opened, wait).toEqual([kept]);
  expect(stepsOf(id)).toEqual([]);
});

test('when it ends and others take what it has, then it waits for them', async () => {
  const { id } = await deployed();
  fixture().control.others = 1;
  let left: string | undefined;
  const ended = fixture().restart(async () => {
    left = stepsOf(id).join();
    fixture().control.hold(id, 'run');
    fixture().control.others = 0;
  });
  await expect.poll(() => fixture().control.instance.state, wait).toBe('draining');
  expect(opened()).toEqual([id]);
  fixture().control.hold(id, 'release');
  await ended;
  expect(left).toBe('one released');
});

test('when an edge asks for what is not here, then it learns so, and nobody else does', async () => {
  const { id } = await deployed();
  const elsewhereOf = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(address + path, { headers });
    return answer.headers.get('x-roadstead-elsewhere');
  };
  const edge = { 'x-roadstead-assertion': fixture().control.signedAs('service:edge') };
  expect(await elsewhereOf('/agents/mine/info', edge)).toBeNull();
  expect(await elsewhereOf('/agents/absent/info', edge)).toBe('1');
  for (const forged of [
    'forged',
    fixture().control.signedAs('key:one'),
    createSigner(createSigningKey()).sign(
      { workspace_id: id, actor: 'service:edge', scopes: [] },
      'agent-server',
    ),
  ])
    expect(await elsewhereOf('/agents/absent/info', { 'x-roadstead-assertion': forged })).toBeNull();
  expect(await elsewhereOf('/agents/absent/info', {})).toBeNull();
});
