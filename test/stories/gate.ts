import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { dataHome, freePort, type RunningPlatform } from '../support/platform.ts';
import { RestartedPlatform } from '../support/restarted-platform.ts';

/** A platform on which the agent “gate” is deployed. */
export interface Gate {
  readonly platform: () => RunningPlatform;
  readonly startAgain: () => Promise<void>;
  readonly address: () => string;
}

export function useGate(): Gate {
  const home = useFixture(dataHome);
  const port = useFixture(freePort);
  const running = useFixture(() => RestartedPlatform.start(home().path, { port: port() }));
  const platform = () => running().current;
  useFixture(async () => {
    const folder = fileURLToPath(new URL('../agents/gate', import.meta.url));
    const deployed = await platform().run('deploy', folder, '--name', 'gate');
    if (deployed.code !== 0) throw new Error(deployed.stderr);
  });
  return {
    platform,
    startAgain: () => running().startAgain({ port: port() }),
    address: () => `${platform().url}/agents/gate`,
  };
}
