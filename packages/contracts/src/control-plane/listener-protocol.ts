import { z } from 'zod';
import { Manifest } from '../host/manifest.ts';
import { SecretReference } from './deployments.ts';
import { RepairedText } from '../values/repaired-text.ts';
import { ResourceSpec } from './resource-spec.ts';
import { Phase, StatusReason } from './statuses.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The protocol between the control plane and a listener: desired state in one direction, observations in the other. */

/** The forms in which a source travels; a listener reports those that it can run. */
export const SourceForm = z.enum(['archive', 'git', 'image']).meta({ id: 'SourceForm' });
export type SourceForm = z.output<typeof SourceForm>;

const put_url = WellFormedText;
/**
 * Whether an image is of the platform's own registry: there are credentials to ask for, and it may be fetched from there wherever that
 * is. Absent: no.
 */
const is_ours = z.boolean().optional();

/** A source from which a listener makes an artifact. */
export const AssignedSource = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('archive'),
      /** Signed GET address of a gzip tar. */
      url: WellFormedText,
      digest: WellFormedText,
      /** Signed PUT address for the artifact that is built from it. */
      artifact_put_url: put_url,
    }),
    z.object({
      kind: z.literal('git'),
      repo_url: WellFormedText,
      /** A branch by its bare name, a tag that begins with `refs/tags/`, a commit, or `HEAD`. */
      ref: WellFormedText,
      /** The commit that is fetched. Null: the listener resolves the ref, and reports the commit. */
      commit_sha: WellFormedText.nullable(),
      /** Whether there are credentials to ask for. */
      has_credentials: z.boolean(),
      artifact_put_url: put_url,
    }),
    z.object({ kind: z.literal('image'), image_uri: WellFormedText, is_ours }),
  ])
  .meta({ id: 'AssignedSource' });
export type AssignedSource = z.output<typeof AssignedSource>;

const FolderArtifact = z.object({ kind: z.literal('folder'), digest: WellFormedText });
/** An image by its digest, so that going back to it finds the same one. */
const ImageArtifact = z.object({ kind: z.literal('image'), image_uri: RepairedText });

/** An artifact that a listener has made from a source. */
export const Artifact = z
  .discriminatedUnion('kind', [FolderArtifact, ImageArtifact])
  .meta({ id: 'Artifact' });
export type Artifact = z.output<typeof Artifact>;

/** The same for the listener that runs it: a folder comes with its signed GET address, an image with where it is from. */
export const AssignedArtifact = z
  .discriminatedUnion('kind', [
    FolderArtifact.extend({ url: WellFormedText }),
    ImageArtifact.extend({ is_ours }),
  ])
  .meta({ id: 'AssignedArtifact' });
export type AssignedArtifact = z.output<typeof AssignedArtifact>;

/** Everything a listener needs to run one revision, but for its environment. */
export const AssignedRevision = z
  .object({
    id: WellFormedText,
    number: z.number(),
    /** Null when there is an artifact: then nothing else is fetched or built. */
    source: AssignedSource.nullable(),
    /** Null until it is built. */
    artifact: AssignedArtifact.nullable(),
    config: z.object({
      /** Null where an image has its own. */
      langgraph_config_path: WellFormedText.nullable(),
      install_command: WellFormedText.nullable(),
      build_command: WellFormedText.nullable(),
    }),
    /** Null: the listener's defaults. */
    resources: ResourceSpec.nullable(),
    secret_references: z.array(SecretReference),
    environment_version: z.number(),
    /** The description that a graph host gave of it: an instance that takes it over needs to start none for that. Null or absent where there is none. */
    manifest: Manifest.nullish(),
  })
  .meta({ id: 'AssignedRevision' });
export type AssignedRevision = z.output<typeof AssignedRevision>;

/** A ref that a listener polls, since nobody reports when it moves. */
export const Watch = z
  .object({
    repo_url: WellFormedText,
    ref: WellFormedText,
    interval_s: z.number(),
    has_credentials: z.boolean(),
  })
  .meta({ id: 'Watch' });
export type Watch = z.output<typeof Watch>;

/** The whole desired state of one deployment. */
export const Assignment = z
  .object({
    deployment_id: WellFormedText,
    workspace_id: WellFormedText,
    name: WellFormedText,
    slug: WellFormedText,
    /** The namespace on a cluster; null elsewhere, and where neither the deployment nor its listener names one. */
    namespace: WellFormedText.nullable(),
    /** Whether its listener gave it that, rather than that it names it itself. */
    is_default_namespace: z.boolean().optional(),
    /** A second address of the deployment; null for most. */
    custom_url: WellFormedText.nullable(),
    /** Null where there is nothing to watch. */
    watch: Watch.nullable(),
    generation: z.number(),
    fence: z.number(),
    /**
     * What an instance of a listener that has several does: `run` it; `prepare`, fetch what running it takes and say so, since it comes
     * from another instance; `release`, close it and say so, since it goes to another. Absent: `run`.
     */
    hold: z.enum(['run', 'prepare', 'release']).optional(),
    /**
     * Keys that seal secrets of clients in the deployment's database, wherever it runs: the first one seals, each one
     * opens.
     */
    sealing_keys: z.array(WellFormedText).min(1),
    /** The desired revision; null while there is none. */
    revision: AssignedRevision.nullable(),
    /** The revision that last served: it is restored first, and goes on serving while `revision` is tried. */
    active: AssignedRevision.nullable(),
    /** Stop and unroute; then report `done`. */
    removed: z.boolean(),
    /** With `removed`: the database goes too. */
    purge: z.boolean(),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.output<typeof Assignment>;

/** A listener's observation of a deployment. `done` with `removed` has phase `switch` and no revision. */
export const Observation = z
  .object({
    generation: z.number().int(),
    fence: z.number().int(),
    revision_id: WellFormedText.nullable(),
    phase: Phase,
    outcome: z.enum(['running', 'done', 'failed']),
    /** Why it failed; of a revision that is running, what keeps it in its phase and may pass. */
    reason: StatusReason.nullable(),
    artifact: Artifact.nullable(),
    manifest: Manifest.nullable(),
    url: RepairedText.nullable(),
    database_ready: z.boolean(),
    hosts: z.number().int(),
    /** The commit that the ref of a git source was resolved to; reported once, and never another. */
    commit_sha: WellFormedText.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/).nullish(),
    /** The trouble of the revision that serves; null or absent without any. */
    trouble: StatusReason.nullish(),
    /** What of the revision that serves has no effect where it runs, in sentences; absent from older listeners. */
    notes: z.array(RepairedText).max(20).optional(),
  })
  .meta({ id: 'Observation' });
export type Observation = z.output<typeof Observation>;
