import type { Phase } from '@roadstead/contracts/control-plane';
import { folderOf, readLangGraphJson, staysInside } from '@roadstead/contracts/langgraph-json';
import {
  chooseManager,
  isInstallable,
  type Manager,
  managersInCommands,
  type Place,
} from './package-manager-rules.ts';

export interface BuildFacts {
  /** Text of the graph configuration file; undefined when there is none at the path. */
  readonly config_text: string | undefined;
  readonly config_path: string;
  readonly root: Place;
  /** The folder of the graph configuration. */
  readonly beside_config: Place;
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
  /** What the steps need beside Node and npm. */
  readonly managers: readonly Manager[];
  readonly steps: readonly BuildStep[];
  /** What the build log should say first. */
  readonly warnings: readonly string[];
}

export type BuildPlan =
  | BuildSteps
  | { readonly kind: 'refused'; readonly message: string; readonly hint?: string };

/**
 * What to run, in order. A given install command runs in the project's root and a build command beside the
 * configuration; a detected install command runs where there is something to install, the root first.
 */
export function planBuild(facts: BuildFacts): BuildPlan {
  const { config_path, install_command, build_command } = facts;
  if (!staysInside('.', config_path))
    return { kind: 'refused', message: 'langgraph_config_path must be a path inside the project.' };
  const parsed = readLangGraphJson(facts.config_text, config_path);
  if (parsed.kind === 'refused') return parsed;
  const place = [facts.root, facts.beside_config].find(({ files }) => files.some(isInstallable));
  const choice = place === undefined ? undefined : chooseManager(place, facts.root);
  // Whoever gives a command of their own may do without.
  if (install_command === null && choice?.kind === 'refused') return choice;
  const chosen = choice?.kind === 'chosen' ? choice : undefined;
  const install = install_command ?? chosen?.install;
  const folder = install_command === null ? (place?.folder ?? '.') : '.';
  const own = chosen?.version === undefined ? [] : [{ name: chosen.name, version: chosen.version }];
  return {
    kind: 'steps',
    managers: [...own, ...managersInCommands([install_command, build_command], own)],
    steps: [
      ...(install === undefined ? [] : [{ phase: 'install' as const, command: install, folder }]),
      ...(build_command === null
        ? []
        : [{ phase: 'build' as const, command: build_command, folder: folderOf(config_path) }]),
    ],
    warnings: parsed.config.warnings,
  };
}
