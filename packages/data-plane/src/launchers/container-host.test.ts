import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ContainerEngine } from '@roadstead/containers';
import { defaultSettings } from '@roadstead/contracts/langgraph-json';
import { silentLog } from '@roadstead/kit';
import { useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ContainerHost } from './container-host.ts';

const folder = useFolder('container-host-');
let count = 0;

/** A host whose engine answers as this does, and the requests that the engine got. */
async function hostOf(answer: (asked: string, response: ServerResponse) => unknown) {
  const asked: string[] = [];
  const socket = join(folder(), `${(count += 1)}.sock`);
  const server = createServer((request: IncomingMessage, response) => {
    const line = `${request.method} ${request.url?.replace(/^\/v1\.41|\?.*$/g, '').replace(/roadstead-host-\w+/, 'NAME')}`;
    asked.push(line);
    answer(line, response);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const graphs = { agent: { path: './agent.js:graph', description: null } };
  const host = new ContainerHost(
    {
      engine: new ContainerEngine(socket),
      image: 'an/image:1',
      ensureImage: async () => undefined,
      network: 'host',
      labels: {},
      hidden: '/nowhere',
      doors: undefined,
      log: silentLog,
    },
    {
      revision: {
        folder: folder(),
        project: { config_path: 'langgraph.json', graphs, ...defaultSettings },
        environment: {},
      },
      language: 'javascript',
      limits: { memory_mb: 256, cpus: undefined },
      names: { deployment_id: 'deployment', revision_id: 'revision', name: 'agent' },
      writable_folder: folder(),
      api_url: 'http://roadstead.test',
    },
  );
  return {
    host,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const CREATE = 'POST /containers/create';
const REMOVE = 'DELETE /containers/NAME';

test('when a host is killed while its container is made, then that is removed once it is there', async () => {
  const creating = Promise.withResolvers<ServerResponse>();
  await using opened = await hostOf((asked, response) =>
    asked === CREATE ? creating.resolve(response) : response.writeHead(204).end(),
  );
  const response = await creating.promise;
  opened.host.kill();
  expect(opened.asked).toEqual([CREATE]);
  response.writeHead(201).end('{"Id":"x"}');
  expect(await opened.host.ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
  expect(opened.asked).toEqual([CREATE, REMOVE]);
  await expect(opened.host.connections).rejects.toThrow('has ended');
});

test('when an engine refuses a container, then its words, which name this machine, are not told', async () => {
  const words = JSON.stringify({ message: 'bind source path does not exist: /home/op/data' });
  await using opened = await hostOf((asked, response) =>
    asked === CREATE ? response.writeHead(400).end(words) : response.writeHead(404).end('{}'),
  );
  expect(await opened.host.ended).toEqual({ kind: 'not started', why: 'the container engine refused it' });
});

test('when a removal fails, then it is tried until the container is gone', async () => {
  let removals = 0;
  await using opened = await hostOf((asked, response) => {
    if (asked === CREATE) return response.writeHead(201).end('{"Id":"x"}');
    if (asked === REMOVE) return response.writeHead((removals += 1) < 3 ? 500 : 204).end();
    return response.writeHead(409).end('{"message":"no"}');
  });
  expect(await opened.host.ended).toMatchObject({ kind: 'not started' });
  expect(removals).toBe(3);
});
