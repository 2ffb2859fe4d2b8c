import { fileURLToPath } from 'node:url';
import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';

export interface BenchPlatform extends AsyncDisposable {
  readonly platform: RunningPlatform;
  /** Where a graph of a deployment of the bench's agent answers. */
  address(deployment: 'traced' | 'untraced', graph: 'graph' | 'echo' | 'tokens'): string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The folder of the bench's agent. */
export const BENCH_AGENT = fileURLToPath(new URL('../agent', import.meta.url));

/** The real platform with the bench's agent deployed twice: as every agent is, and with tracing switched off. */
export async function startBenchPlatform(): Promise<BenchPlatform> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const platform = stack.use(await startPlatform(home.path));
  await deployBenchAgent(platform, 'traced');
  await deployBenchAgent(platform, 'untraced', '--secret', 'BENCH_UNTRACED=1');
  const opened = stack.move();
  return {
    platform,
    address: (deployment, graph) => `${platform.url}/agents/${deployment}/a2a/${graph}`,
    headers: { 'x-api-key': platform.key },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export async function deployBenchAgent(
  platform: RunningPlatform,
  name: string,
  ...options: string[]
): Promise<void> {
  const deployed = await platform.run('deploy', BENCH_AGENT, '--name', name, ...options);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
}
