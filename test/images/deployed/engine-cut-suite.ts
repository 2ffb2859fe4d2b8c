import { Client } from '@langchain/langgraph-sdk';
import { eventually } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { docker } from '../engine.ts';
import { ask, change, deploy, type ImagePlatform, pathOf } from './image-platform.ts';
import { idOf, type TestImages } from './images.ts';

const RUNS = 6;
const TEXT = 'a text of many letters '.repeat(4);

/** The engine's socket breaks during runs and calls. */
export function engineCutSuite(platform: () => ImagePlatform, images: () => TestImages): void {
  const running = () => platform().running;

  test('when the engine and then the hosts end during runs, then all that was taken is done once', async ({
    skip,
  }) => {
    const image = await images().original('unhurried');
    if (typeof image === 'string') return skip(image);
    await deploy(running(), { name: 'cut-runs', image_uri: image.tag });
    const client = new Client({ apiUrl: `${running().url}/agents/cut-runs`, apiKey: running().key });
    const begin = async (at: number) => {
      const { thread_id } = await client.threads.create();
      const input = { messages: [{ role: 'user', content: `${at} ${TEXT}` }] };
      const { run_id } = await client.runs.create(thread_id, 'agent', { input });
      return { thread_id, run_id, at };
    };
    const begun = await Promise.all(Array.from({ length: RUNS }, (_, at) => begin(at)));
    await eventually(async () => {
      const states = await Promise.all(
        begun.map(({ thread_id, run_id }) => client.runs.get(thread_id, run_id)),
      );
      expect(states.map(({ status }) => status)).toContain('running');
    });
    const hosts = docker('ps', '--quiet', '--filter', `ancestor=${idOf(image.tag)}`).split('\n');
    await platform().engine.cut();
    // Runs are taken while nobody can start a host for them, and after those that ran have ended.
    begun.push(await begin(RUNS));
    docker('kill', ...hosts);
    begun.push(await begin(RUNS + 1));
    await platform().engine.mend();
    for (const { thread_id, run_id, at } of begun) {
      await client.runs.join(thread_id, run_id);
      expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status: 'success' });
      const { values } = await client.threads.getState<{ messages: { content: string }[] }>(thread_id);
      const words = values.messages.map(({ content }) => content);
      expect(words).toEqual([`${at} ${TEXT}`, `heard: ${at} ${TEXT}`]);
    }
  });

  test('when the engine is away, then servers answer, and what is deployed waits until it is back', async () => {
    const [before, after] = [await images().server('before'), await images().server('after')];
    const { deployment } = await deploy(running(), { name: 'cut-server', image_uri: before });
    const name = async () =>
      (await ask<{ name: string }>(running(), ['GET', '/agents/cut-server/'])).body.name;
    const slow = running().fetch(`${running().url}/agents/cut-server/slow?ms=3000`);
    expect(await name()).toBe('before');
    await platform().engine.cut();
    const patch = { source_revision_config: { image_uri: after } };
    expect((await ask(running(), ['PATCH', pathOf(deployment), patch])).status).toBe(200);
    expect(await (await slow).text()).toBe('begun and ended');
    expect(await name()).toBe('before');
    await platform().engine.mend();
    const revision = await change(running(), { deployment, patch: {} });
    expect(revision).toMatchObject({ status: 'DEPLOYED', artifact_image: idOf(after) });
    expect(await name()).toBe('after');
  });
}
