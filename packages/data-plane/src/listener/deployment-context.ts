import type { Admission, Bound, Log } from '@roadstead/kit';
import type { Pythons } from '@roadstead/uv';
import type { Artifacts } from '../artifacts/artifacts.ts';
import type { Builder } from '../ports/builder.ts';
import type { BuildCache } from '../builders/build-cache.ts';
import type { ImageSource } from '../images/images.ts';
import type { Machine } from './host-resources.ts';
import type { Databases } from '../databases/databases.ts';
import type { Routes } from '../router/routes.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { ControlLink } from './control-link.ts';

/** The dependencies for bringing a deployment to its desired state. */
export interface DeploymentContext {
  readonly link: ControlLink;
  readonly runtime: Runtime;
  readonly artifacts: Artifacts;
  /** The images that it runs; undefined where it runs none. */
  readonly images: ImageSource | undefined;
  /** What the machine has that runs all deployments; undefined where a cluster does. */
  readonly machine: Machine | undefined;
  /** The places where deployments run. @throws Problem `invalid` where that of a deployment is none of ours */
  readonly places: {
    readonly check: (deployment_id: string) => void;
    /** For what served before: it may be in another one from now on. */
    readonly checkServed: (deployment_id: string) => void;
  };
  readonly databases: Databases;
  /** The Pythons that hosts run on. */
  readonly pythons: Pythons;
  /** Removes what was brought for Python, but for what artifacts of these versions need. */
  readonly prunePython: (versions: ReadonlySet<string>) => Promise<void>;
  readonly routes: Routes;
  /** The public address of an agent. */
  readonly agent_url: (slug: string) => string;
  readonly build: {
    readonly builder: Builder;
    /** Limits how many builds run at once; workspaces take turns. */
    readonly slots: Admission;
    /** The cache of what builds have fetched. */
    readonly cache: BuildCache;
  };
  /** How long to wait for an attempt that was given up. */
  readonly attempt_grace_ms: number;
  readonly log: Log;
  /** Called after each attempt at a revision, with any outcome. */
  readonly onAttempted: () => void;
}

/** An install alone keeps a core and a network busy. Half of the places are for one workspace. */
export const buildBound: Bound<string> = { size: 4, owner: (workspace_id) => [workspace_id] };
