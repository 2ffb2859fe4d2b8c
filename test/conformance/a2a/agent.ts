import { fileURLToPath } from 'node:url';
import { dataHome, startPlatform } from '../../support/platform.ts';
import type { Addresses } from './kits.ts';

const project = fileURLToPath(new URL('../../agents/tck/', import.meta.url));
const NAME = 'tck';

export interface AgentUnderTest extends AsyncDisposable {
  readonly key: string;
  addressesOf(graph: string): Addresses;
}

/** A platform as `npm start` starts it, with the agent that does what the kits' scenarios ask for. */
export async function startAgent(): Promise<AgentUnderTest> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  // Where the kits listen for push notifications.
  const env = { ROADSTEAD_ALLOWED_HOSTS: 'localhost,127.0.0.1,[::1]' };
  const platform = stack.use(await startPlatform(home.path, { env }));
  const { code, stderr } = await platform.run('deploy', project, '--name', NAME);
  if (code !== 0) throw new Error(stderr);
  const base = `${platform.url}/agents/${NAME}`;
  const opened = stack.move();
  return {
    key: platform.key,
    addressesOf: (graph) => ({ base, rpc: `${base}/a2a/${graph}` }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
