import type { Phase } from '@roadstead/contracts/control-plane';
import { folderOf, parseGraphConfig, staysInside } from './graph-config-rules.ts';

export interface BuildFacts {
  /** Text of the graph configuration file; undefined when there is none at the path. */
  readonly config_text: string | undefined;
  readonly config_path: string;
  /** Names in the project's root folder. */
  readonly root_files: readonly string[];
  /** Names in the folder of the graph configuration. */
  readonly config_files: readonly string[];
  readonly install_command: string | null;
  readonly build_command: string | null;
}

interface BuildStep {
  readonly phase: Phase & ('install' | 'build');
  readonly command: string;
  /** Relative to the project's root. */
  readonly folder: string;
}

export type BuildPlan =
  | {
      readonly kind: 'steps';
      readonly steps: readonly BuildStep[];
      /** What the build log should say first. */
      readonly warnings: readonly string[];
    }
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

/**
 * What to run, in order. A given install command runs in the project's root and a build command beside the
 * configuration; a detected install command runs where its file was found, the root first.
 */
export function planBuild(facts: BuildFacts): BuildPlan {
  const { config_path, install_command, build_command } = facts;
  if (!staysInside('.', config_path))
    return { kind: 'refused', message: 'langgraph_config_path must be a path inside the project.' };
  const parsed = parseGraphConfig(facts.config_text, config_path);
  if (parsed.kind === 'refused') return parsed;
  const install = install_command === null ? detectInstall(facts) : { command: install_command, folder: '.' };
  const build =
    build_command === null ? undefined : { command: build_command, folder: folderOf(config_path) };
  return {
    kind: 'steps',
    steps: [
      ...(install === undefined ? [] : [{ phase: 'install' as const, ...install }]),
      ...(build === undefined ? [] : [{ phase: 'build' as const, ...build }]),
    ],
    warnings: parsed.config.warnings,
  };
}

function detectInstall({ root_files, config_files, config_path }: BuildFacts) {
  const places = [
    { files: root_files, folder: '.' },
    { files: config_files, folder: folderOf(config_path) },
  ];
  for (const { files, folder } of places) {
    const command = installCommands.find(([file]) => files.includes(file))?.[1];
    if (command !== undefined) return { command, folder };
  }
  return undefined;
}
