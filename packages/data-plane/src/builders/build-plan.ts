import { z } from 'zod';
import type { Phase } from '@roadstead/contracts';

/** `langgraph.json`, as far as a build reads it (reference/agent-server.md A1); unknown keys are left alone. */
const GraphsConfig = z.object({
  graphs: z.record(
    z.string().min(1),
    z.union([z.string().min(1), z.object({ path: z.string().min(1), description: z.string().optional() })]),
  ),
  http: z.object({ disable_a2a: z.boolean().optional() }).optional(),
});

export interface BuildFacts {
  /** Text of the graph configuration file; undefined when there is none at the path. */
  readonly config_text: string | undefined;
  readonly config_path: string;
  /** Names in the project's root folder. */
  readonly root_files: readonly string[];
  readonly install_command: string | null;
  readonly build_command: string | null;
}

export interface BuildStep {
  readonly phase: Phase & ('install' | 'build');
  readonly command: string;
  /** Relative to the project's root. */
  readonly folder: string;
}

export type BuildPlan =
  | { readonly kind: 'steps'; readonly steps: readonly BuildStep[] }
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

/** The lock file tells the package manager; the first that is there wins. */
const installCommands: readonly (readonly [string, string])[] = [
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['package-lock.json', 'npm ci --no-audit --no-fund'],
  ['bun.lockb', 'bun install'],
  ['bun.lock', 'bun install'],
  ['package.json', 'npm install --no-audit --no-fund --no-package-lock'],
];

/** What to run, in order. The install command runs in the project's root, the build command beside the configuration. */
export function planBuild(facts: BuildFacts): BuildPlan {
  const refusal = refusalOf(facts);
  if (refusal !== undefined) return refusal;
  const detected = installCommands.find(([file]) => facts.root_files.includes(file))?.[1];
  const install = facts.install_command ?? detected;
  const config_folder = facts.config_path.split('/').slice(0, -1).join('/') || '.';
  return {
    kind: 'steps',
    steps: [
      ...(install === undefined ? [] : [{ phase: 'install' as const, command: install, folder: '.' }]),
      ...(facts.build_command === null
        ? []
        : [{ phase: 'build' as const, command: facts.build_command, folder: config_folder }]),
    ],
  };
}

function refusalOf({ config_text, config_path }: BuildFacts): BuildPlan | undefined {
  if (config_text === undefined)
    return refused(
      `There is no ${config_path} in the source.`,
      'Set langgraph_config_path to the path of your langgraph.json.',
    );
  const parsed = GraphsConfig.safeParse(jsonOf(config_text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return refused(
      `${config_path} is not a graph configuration: ${where === '' ? '' : `${where}: `}${issue?.message ?? 'not JSON'}.`,
    );
  }
  const paths = Object.values(parsed.data.graphs).map((entry) =>
    typeof entry === 'string' ? entry : entry.path,
  );
  if (paths.length === 0)
    return refused(`${config_path} names no graphs.`, 'Name at least one under "graphs".');
  const python = paths.find((path) => /\.py(:|$)/.test(path));
  if (python !== undefined)
    return refused(
      `${config_path} names the Python graph ${python}; only JavaScript and TypeScript graphs run here.`,
    );
  return undefined;
}

function refused(message: string, hint?: string): BuildPlan {
  return { kind: 'refused', message, ...(hint === undefined ? {} : { hint }) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
