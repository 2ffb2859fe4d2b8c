import { Client } from '@langchain/langgraph-sdk';
import { pythonWith } from '@roadstead/testing/processes';
import { describe, expect, test } from 'vitest';
import { answerOf, callA2a, userMessage } from '../../support/platform.ts';
import { can_build_musl, can_build_python, inImage } from '../engine.ts';
import { ask, change, containersOf, deploy, type ImagePlatform } from './image-platform.ts';
import { idOf, type TestImages } from './images.ts';

const SDK = ['langgraph-sdk==0.4.14', 'langgraph==1.2.22'];

/** Images that `langgraph build` of the original made, unchanged. */
export function originalSuite(platform: () => ImagePlatform, images: () => TestImages): void {
  const running = () => platform().running;
  const says = (content: string) => ({ messages: [{ role: 'user', content }] });

  describe.each([
    ['javascript', 'glibc'],
    ['javascript', 'musl'],
    ['python', 'glibc'],
  ] as const)('an image of an agent in %s with %s that the original made', (language, libc) => {
    test('when it is deployed, then it answers over A2A, HTTP and the SDKs of LangGraph', async ({
      skip,
    }) => {
      skip(language === 'python' && !can_build_python, 'ROADSTEAD_TEST_PYTHON_IMAGE names none.');
      skip(libc === 'musl' && !can_build_musl, 'ROADSTEAD_TEST_MUSL_IMAGE names none.');
      const image = await images().original(language, { libc });
      if (typeof image === 'string') return skip(image);
      const has_musl = inImage(image.tag, 'ls /lib').includes('ld-musl-');
      expect(has_musl).toBe(libc === 'musl');
      const name = `original-${language}-${libc}`;
      const { deployment } = await deploy(running(), { name, image_uri: image.tag });
      const address = `${running().url}/agents/${name}`;

      const { result } = await callA2a(running(), name, 'message/send', userMessage('hello'));
      expect(answerOf(result)).toBe(`${language} 1: hello`);

      const waited = await ask<{ messages: { content: string }[] }>(running(), [
        'POST',
        `/agents/${name}/runs/wait`,
        { assistant_id: 'agent', input: says('again') },
      ]);
      expect(waited.body.messages.at(-1)?.content).toBe(`${language} 1: again`);

      const client = new Client({ apiUrl: address, apiKey: running().key });
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, 'agent', { input: says('one') });
      const values = await client.runs.wait(thread_id, 'agent', { input: says('two') });
      expect(values).toMatchObject({ messages: [{}, {}, {}, { content: `${language} 2: two` }] });

      const python = await pythonWith(SDK);
      if (typeof python === 'string') return skip(python);
      const told = await python.run(PROGRAM, { URL: address, KEY: running().key, THREAD: thread_id });
      expect(told.trim()).toBe(`${language} 3: three`);

      // Graph hosts are the queue of a ResourceSpec.
      const resource_spec = { memory_limit_mb: 300, queue_memory_limit_mb: 700, queue_cpu_limit: 0.9 };
      await change(running(), { deployment, patch: { source_config: { resource_spec } } });
      const again = await callA2a(running(), name, 'message/send', userMessage('hello again'));
      expect(answerOf(again.result)).toBe(`${language} 1: hello again`);
      const limits = { Memory: 700 * 1024 * 1024, NanoCpus: 900_000_000 };
      expect(containersOf(idOf(image.tag))).toContainEqual(
        expect.objectContaining({ HostConfig: expect.objectContaining(limits) as unknown }),
      );
    });
  });
}

const PROGRAM = `
import asyncio, os
from langgraph_sdk import get_client

async def main():
    client = get_client(url=os.environ["URL"], api_key=os.environ["KEY"])
    asked = {"messages": [{"role": "user", "content": "three"}]}
    print((await client.runs.wait(os.environ["THREAD"], "agent", input=asked))["messages"][-1]["content"])

asyncio.run(main())
`;
