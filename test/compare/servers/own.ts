import { dataHome, startPlatform } from '../../support/platform.ts';
import { projects } from '../projects/projects.ts';
import type { ComparedServer } from './address.ts';

/** A platform that both projects are deployed to. It shows why graphs failed, as the original does. */
export async function startOwn(): Promise<ComparedServer> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const platform = stack.use(await startPlatform(home.path, { env: { ROADSTEAD_EXPOSE_ERRORS: 'true' } }));
  for (const [name, folder] of Object.entries(projects)) {
    const { code, stdout, stderr } = await platform.run('deploy', folder, '--name', name);
    if (code !== 0) throw new Error(`${name} was not deployed: ${(stdout + stderr).slice(-4000)}`);
  }
  const opened = stack.move();
  return {
    addresses: {
      open: { url: `${platform.url}/agents/open`, key: platform.key },
      guarded: { url: `${platform.url}/agents/guarded` },
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
