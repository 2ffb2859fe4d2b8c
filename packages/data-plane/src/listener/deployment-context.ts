import type { Admission, Bound, Log } from '@roadstead/kit';
import type { Artifacts } from '../artifacts/artifacts.ts';
import type { Builder } from '../ports/builder.ts';
import type { BuildCache } from '../builders/build-cache.ts';
import type { Databases } from '../databases/databases.ts';
import type { Routes } from '../router/routes.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { ControlLink } from './control-link.ts';

/** What bringing a deployment to its desired state stands on. */
export interface DeploymentContext {
  readonly link: ControlLink;
  readonly runtime: Runtime;
  readonly artifacts: Artifacts;
  readonly databases: Databases;
  readonly routes: Routes;
  /** Public address of an agent. */
  readonly agent_url: (slug: string) => string;
  readonly build: {
    readonly builder: Builder;
    /** How many builds may run at once; workspaces take turns. */
    readonly slots: Admission;
    /** What builds have fetched. */
    readonly cache: BuildCache;
  };
  /** How long an attempt that is given up is waited for. */
  readonly attempt_grace_ms: number;
  readonly log: Log;
  /** After each attempt at a revision, whatever came of it. */
  readonly onAttempted: () => void;
}

/** An install alone keeps a core and a network busy. Half of them is for one workspace. */
export const buildBound: Bound<string> = { size: 4, owner: (workspace_id) => [workspace_id] };
