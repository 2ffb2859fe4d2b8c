import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { dataHome, freePort, type RunningPlatform } from '../support/platform.ts';
import { type AgentLanguage, has_python } from '../support/languages.ts';
import { RestartedPlatform } from '../support/restarted-platform.ts';

/** A platform on which the agent “gate” is deployed. */
export interface Gate {
  readonly platform: () => RunningPlatform;
  readonly startAgain: () => Promise<void>;
  readonly address: (language: AgentLanguage) => string;
}

const pathOf = (folder: string) => fileURLToPath(new URL(`../agents/${folder}`, import.meta.url));
const agents: Readonly<Record<AgentLanguage, readonly string[]>> = {
  javascript: [pathOf('gate')],
  python: [pathOf('python'), '--config', 'gate.json'],
};
const nameOf = (language: AgentLanguage) => `gate-${language}`;

/** Deploys it in these languages, as far as they can be had here. */
export function useGate(wanted: readonly AgentLanguage[]): Gate {
  const home = useFixture(dataHome);
  const port = useFixture(freePort);
  const running = useFixture(() => RestartedPlatform.start(home().path, { port: port() }));
  const platform = () => running().current;
  const deploy = async (language: AgentLanguage) => {
    const { code, stderr } = await platform().run('deploy', ...agents[language], '--name', nameOf(language));
    if (code !== 0) throw new Error(stderr);
  };
  const served = wanted.filter((language) => language !== 'python' || has_python);
  useFixture(() => Promise.all(served.map(deploy)));
  return {
    platform,
    startAgain: () => running().startAgain({ port: port() }),
    address: (language) => `${platform().url}/agents/${nameOf(language)}`,
  };
}
