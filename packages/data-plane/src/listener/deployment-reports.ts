import type {
  Artifact,
  AssignedRevision,
  Assignment,
  Observation,
  StatusReason,
} from '@roadstead/contracts/control-plane';
import type { Manifest } from '@roadstead/contracts/host';
import type { DatabaseKind } from '../databases/databases.ts';
import { isRefusal } from './accidents.ts';
import { withoutEffect } from './host-resources.ts';
import type { DeploymentContext } from './deployment-context.ts';

/** The part of a report that is not known of the deployment anyway. */
export type Report = Pick<Observation, 'revision_id' | 'phase' | 'outcome'> &
  Partial<Pick<Observation, 'reason' | 'commit_sha' | 'artifact'>>;

/** An artifact, and what its graph host described. */
export interface DescribedArtifact {
  readonly artifact: Artifact;
  readonly manifest: Manifest;
}

/** A revision that serves, and what of it is known. */
export interface ServingRevision extends DescribedArtifact {
  readonly revision: AssignedRevision;
}

/** The known facts of a deployment on this machine. */
interface DeploymentFacts {
  readonly serving: ServingRevision | undefined;
  readonly database_ready: boolean;
  readonly hosts: number;
  readonly trouble: StatusReason | null;
}

/** Port: what an attempt at a revision reports. */
export interface RevisionReports {
  /** Losing a report costs nothing. The reason is what keeps the revision in its phase. */
  progress(at: Pick<Observation, 'phase' | 'artifact' | 'reason'>): Promise<void>;
  /** Reports the artifact; false for the one refusal that no later report repairs: the control plane has lost it. */
  artifact(artifact: Artifact): Promise<boolean>;
  /** Reports the commit that a ref was resolved to; throws where it is unknown whether the report arrived. */
  commit(commit_sha: string): Promise<void>;
}

/**
 * Reports to the control plane on one deployment; always about the desired state that was worked on, which may not be
 * the newest by now.
 */
export class DeploymentReports {
  readonly #context: DeploymentContext;
  readonly #seen: () => DeploymentFacts;

  constructor(context: DeploymentContext, seen: () => DeploymentFacts) {
    this.#context = context;
    this.#seen = seen;
  }

  /** A lost report is made good by the next one. */
  async progress(assignment: Assignment, report: Report): Promise<void> {
    await this.send(assignment, report).catch((error: unknown) =>
      this.#context.log.debug('progress was not reported', { error }),
    );
  }

  /** The reports on an attempt at the revision that is assigned. */
  onAttempt(assignment: Assignment, revision_id: string): RevisionReports {
    return {
      progress: (at) => this.progress(assignment, { revision_id, outcome: 'running', ...at }),
      artifact: async (artifact) => {
        // An image is made by nobody here.
        const phase = artifact.kind === 'folder' ? 'build' : 'source';
        try {
          await this.send(assignment, { revision_id, phase, outcome: 'running', artifact });
        } catch (error) {
          if (isRefusal(error)) return false;
          this.#context.log.debug('progress was not reported', { error });
        }
        return true;
      },
      commit: (commit_sha) =>
        this.send(assignment, { revision_id, phase: 'source', outcome: 'running', commit_sha }),
    };
  }

  /** Repeats the report until it is accepted. */
  async send({ deployment_id, generation, slug }: Assignment, report: Report): Promise<void> {
    const database = this.#context.databases.kindOf(deployment_id);
    const { serving, ...seen } = this.#seen();
    const served = report.outcome === 'done' ? serving : undefined;
    const accepted = await this.#context.link.observe(deployment_id, {
      generation,
      reason: null,
      artifact: served?.artifact ?? null,
      manifest: served?.manifest ?? null,
      url: served === undefined ? null : this.#context.agent_url(slug),
      notes: serving === undefined ? [] : notesOf(serving, database),
      ...seen,
      ...report,
    });
    if (!accepted) throw new Error('Another process of this listener has taken over.');
  }
}

/** An image is a server where it has no graphs. */
const notesOf = (
  { revision: { resources }, artifact, manifest: { graphs } }: ServingRevision,
  database: DatabaseKind,
): string[] =>
  withoutEffect(resources, { is_server: artifact.kind === 'image' && graphs.length === 0, database });
