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
/** The same graphs in Python. */
export const PYTHON_AGENT = fileURLToPath(new URL('../agent-python', import.meta.url));

export interface BenchOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The real platform with the bench's agent deployed twice: as every agent is, and with tracing switched off. */
export async function startBenchPlatform({
  folder = BENCH_AGENT,
  env = {},
}: BenchOptions = {}): Promise<BenchPlatform> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const platform = stack.use(await startPlatform(home.path, { env }));
  await deployFolder(platform, { folder, options: ['--name', 'traced'] });
  await deployFolder(platform, { folder, options: ['--name', 'untraced', '--secret', 'BENCH_UNTRACED=1'] });
  const opened = stack.move();
  return {
    platform,
    address: (deployment, graph) => `${platform.url}/agents/${deployment}/a2a/${graph}`,
    headers: { 'x-api-key': platform.key },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function deployBenchAgent(
  platform: Pick<RunningPlatform, 'run'>,
  name: string,
  ...options: string[]
): Promise<void> {
  return deployFolder(platform, { folder: BENCH_AGENT, options: ['--name', name, ...options] });
}

export async function deployFolder(
  platform: Pick<RunningPlatform, 'run'>,
  { folder, options }: { readonly folder: string; readonly options: readonly string[] },
): Promise<void> {
  const deployed = await platform.run('deploy', folder, ...options);
  if (deployed.code !== 0) throw new Error(deployed.stderr);
}
