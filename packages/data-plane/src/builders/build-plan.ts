import type { Phase } from '@roadstead/contracts/control-plane';
import { folderOf, languagesOf, type ReadConfig } from '@roadstead/contracts/langgraph-json';
import { type Chain, installPlace } from './install-place.ts';
import {
  type Choice,
  chooseManager,
  type Manager,
  managersInCommands,
  npmLocksIn,
} from './package-manager-rules.ts';
import { planPython, type PythonPlan } from './python-plan.ts';
import type { PythonFacts } from './python-sources.ts';

export interface BuildFacts {
  /** The graph configuration, or why it is refused. */
  readonly graph_config: ReadConfig;
  /** One chain from the folder of the graph configuration, and one from each folder under its `dependencies`. */
  readonly chains: readonly Chain[];
  readonly python: PythonFacts | undefined;
  readonly install_command: string | null;
  readonly build_command: string | null;
}

interface BuildStep {
  readonly phase: Phase & ('install' | 'build');
  readonly command: string;
  /** Relative to the project's root. */
  readonly folder: string;
  /** The words of the log in the command's place. */
  readonly title?: string;
}

export interface BuildSteps {
  readonly kind: 'steps';
  /** The package managers that the steps need beside Node and npm. */
  readonly managers: readonly Manager[];
  readonly steps: readonly BuildStep[];
  /** The lock files of npm, relative to the project's root. */
  readonly locks: readonly string[];
  /** The facts that the steps of Python need. */
  readonly python: PythonPlan | undefined;
  /** The first lines of the build log. */
  readonly warnings: readonly string[];
}

export type BuildPlan =
  | BuildSteps
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

export interface PlanOptions {
  /** Whether the operator names an index of Python packages. */
  readonly has_index?: boolean;
}

/**
 * Plans the commands to run, in order. A given install command runs in the project's root and a build command beside
 * the configuration; a detected install command runs where the packages that the graphs import are installed, which
 * in a workspace is its root.
 */
export function planBuild(facts: BuildFacts, { has_index = false }: PlanOptions = {}): BuildPlan {
  const { graph_config, install_command, build_command } = facts;
  if (graph_config.kind === 'refused') return graph_config;
  const { config } = graph_config;
  const installs = languagesOf(config).includes('javascript') ? planInstalls(facts.chains) : [];
  const refusal = installs.find(({ choice }) => choice.kind === 'refused')?.choice;
  // A user with a command of their own may not need them.
  if (install_command === null && refusal?.kind === 'refused') return refusal;
  const python =
    facts.python === undefined ? undefined : planPython(facts.python, { install_command, has_index });
  if (python?.kind === 'refused') return python;
  const chosen = installs.flatMap(({ folder, choice }) =>
    choice.kind === 'chosen' ? [{ folder, ...choice }] : [],
  );
  const own = chosen.flatMap(({ name, version }) => (version === undefined ? [] : [{ name, version }]));
  return {
    kind: 'steps',
    managers: [...distinct(own), ...managersInCommands([install_command, build_command], own)],
    steps: stepsOf(facts, { chosen, python, folder: folderOf(config.config_path) }),
    locks: [...new Set(facts.chains.flat().flatMap(npmLocksIn))],
    python,
    warnings: [...config.warnings, ...(python?.warnings ?? [])],
  };
}

function stepsOf(
  { install_command, build_command }: BuildFacts,
  {
    chosen,
    python,
    folder,
  }: {
    readonly chosen: readonly { readonly install: string; readonly folder: string }[];
    readonly python: PythonPlan | undefined;
    readonly folder: string;
  },
): BuildStep[] {
  const install = (command: string, at: string): BuildStep => ({ phase: 'install', command, folder: at });
  const detected = [
    ...chosen.map((one) => install(one.install, one.folder)),
    ...(python?.installs ?? []).map((one) => install(one.command, one.folder)),
  ];
  const given = install_command === null ? [] : [install(install_command, '.')];
  const build: BuildStep[] =
    build_command === null ? [] : [{ phase: 'build', command: build_command, folder }];
  const last = build.at(-1)?.phase ?? 'install';
  return [
    ...(python?.begins ?? []).map((one) => install(one.command, one.folder)),
    ...(install_command === null ? detected : given),
    ...build,
    ...(python?.ends ?? []).map((one) => ({ phase: last, ...one })),
  ];
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
