import type { Revision } from '@roadstead/contracts/control-plane';
import { effectiveResources } from '../specs/effective-resources-rules.ts';
import type { RevisionConfig } from '../specs/revision-rules.ts';

/** The columns that make up an answer. */
type AnswerColumns = Omit<
  Revision,
  | 'repo_ref'
  | 'langgraph_config_path'
  | 'image_uri'
  | 'source_tarball_path'
  | 'repo_commit_sha'
  | 'source_revision_config'
  | 'phases'
  | 'install_command'
  | 'build_command'
  | 'resource_spec'
  | 'secret_names'
> & {
  readonly config: RevisionConfig;
  readonly commit_sha: string | null;
  readonly phases: readonly Revision['phases'][number][];
};

/** A revision on the wire: it holds the paths twice, since clients read both places. */
export function revisionAnswer(row: AnswerColumns, secret_names: readonly string[]): Revision {
  const { repo_ref, langgraph_config_path, image_uri, source_tarball_path } = row.config;
  const made_of = {
    repo_ref,
    langgraph_config_path,
    image_uri,
    source_tarball_path,
    repo_commit_sha: row.commit_sha,
  };
  return {
    id: row.id,
    deployment_id: row.deployment_id,
    number: row.number,
    status: row.status,
    status_reason: row.status_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
    source: row.source,
    ...made_of,
    source_revision_config: made_of,
    phases: [...row.phases],
    trigger: row.trigger,
    superseded_by: row.superseded_by,
    rollback_of: row.rollback_of,
    artifact_digest: row.artifact_digest,
    artifact_image: row.artifact_image,
    install_command: row.config.install_command,
    build_command: row.config.build_command,
    resource_spec: row.config.resource_spec == null ? null : effectiveResources(row.config.resource_spec),
    environment_version: row.environment_version,
    secret_names: [...secret_names],
  };
}
