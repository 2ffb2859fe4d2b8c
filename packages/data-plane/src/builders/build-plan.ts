import type { Phase } from '@roadstead/contracts/control-plane';
import { folderOf, type ReadConfig } from '@roadstead/contracts/langgraph-json';
import { type Chain, installPlace } from './install-place.ts';
import {
  type Choice,
  chooseManager,
  type Manager,
  managersInCommands,
  npmLocksIn,
} from './package-manager-rules.ts';

export interface BuildFacts {
  /** The graph configuration, or why it is refused. */
  readonly graph_config: ReadConfig;
  /** One chain from the folder of the graph configuration, and one from each folder under its `dependencies`. */
  readonly chains: readonly Chain[];
  readonly install_command: string | null;
  readonly build_command: string | null;
}

interface BuildStep {
  readonly phase: Phase & ('install' | 'build');
  readonly command: string;
  /** Relative to the project's root. */
  readonly folder: string;
}

export interface BuildSteps {
  readonly kind: 'steps';
  /** The package managers that the steps need beside Node and npm. */
  readonly managers: readonly Manager[];
  readonly steps: readonly BuildStep[];
  /** The lock files of npm, relative to the project's root. */
  readonly locks: readonly string[];
  /** The first lines of the build log. */
  readonly warnings: readonly string[];
}

export type BuildPlan =
  | BuildSteps
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

/**
 * Plans the commands to run, in order. A given install command runs in the project's root and a build command beside
 * the configuration; a detected install command runs where the packages that the graphs import are installed, which
 * in a workspace is its root.
 */
export function planBuild(facts: BuildFacts): BuildPlan {
  const { graph_config, install_command, build_command } = facts;
  if (graph_config.kind === 'refused') return graph_config;
  const { config_path, warnings } = graph_config.config;
  const installs = planInstalls(facts.chains);
  const refusal = installs.find(({ choice }) => choice.kind === 'refused')?.choice;
  // A user with a command of their own may not need them.
  if (install_command === null && refusal?.kind === 'refused') return refusal;
  const chosen = installs.flatMap(({ folder, choice }) =>
    choice.kind === 'chosen' ? [{ folder, ...choice }] : [],
  );
  const own = chosen.flatMap(({ name, version }) => (version === undefined ? [] : [{ name, version }]));
  const install =
    install_command === null
      ? chosen.map(({ install: command, folder }) => ({ command, folder }))
      : [{ command: install_command, folder: '.' }];
  return {
    kind: 'steps',
    managers: [...distinct(own), ...managersInCommands([install_command, build_command], own)],
    steps: [
      ...install.map((step) => ({ phase: 'install' as const, ...step })),
      ...(build_command === null
        ? []
        : [{ phase: 'build' as const, command: build_command, folder: folderOf(config_path) }]),
    ],
    locks: [...new Set(facts.chains.flat().flatMap(npmLocksIn))],
    warnings,
  };
}

/** Plans one install per folder; folders that the configuration depends on come first. */
function planInstalls(chains: readonly Chain[]): { readonly folder: string; readonly choice: Choice }[] {
  const planned = new Map<string, Choice>();
  for (const chain of chains.toReversed()) {
    const place = installPlace(chain);
    if (place === undefined) continue;
    const choice = chooseManager(place, chain.slice(chain.indexOf(place) + 1));
    planned.set(place.folder, choice);
  }
  return [...planned].map(([folder, choice]) => ({ folder, choice }));
}

const distinct = (managers: readonly Manager[]): Manager[] => [
  ...new Map(managers.map((one) => [`${one.name} ${one.version}`, one])).values(),
];
