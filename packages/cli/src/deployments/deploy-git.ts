import type { Deployment } from '@roadstead/contracts/control-plane';
import { findByName } from './deploy-source.ts';
import type { Place } from './place-rules.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { type Secrets, withSecrets } from './variables.ts';

export interface GitSource {
  readonly name: string;
  readonly repo_url: string;
  /** Undefined: unchanged, and `main` for a new deployment. */
  readonly ref: string | undefined;
  readonly integration_id: string | undefined;
  readonly build_on_push: boolean;
  /** Undefined: unchanged, and `langgraph.json` for a new deployment. */
  readonly config_path: string | undefined;
  readonly secrets: Secrets;
  readonly place: Place;
  readonly install_command: string | undefined;
  readonly build_command: string | undefined;
}

const DEFAULT_REF = 'main';

/** Deploys from a git repository: creates the deployment, or a revision of it; answers it with its new revision. */
export async function deployGit(
  target: Target,
  source: GitSource,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
): Promise<Deployment> {
  const found = await findByName(target, source.name, { signal });
  const { repo_url, integration_id, build_on_push, config_path, secrets } = source;
  const given = {
    ...(source.install_command === undefined ? {} : { install_command: source.install_command }),
    ...(source.build_command === undefined ? {} : { build_command: source.build_command }),
    ...(build_on_push ? { build_on_push } : {}),
    ...(integration_id === undefined ? {} : { integration_id }),
    ...source.place,
  };
  if (found === undefined) {
    const repo_ref = source.ref ?? DEFAULT_REF;
    onProgress(`creating ${source.name} from ${repo_url}, ${repo_ref}`);
    return await target.control.createDeployment({
      body: {
        name: source.name,
        source: 'git',
        source_config: { repo_url, ...given },
        source_revision_config: { repo_ref, langgraph_config_path: config_path ?? 'langgraph.json' },
        secrets: [...secrets],
      },
      signal,
    });
  }
  requireSource(found, { source: 'git', repo_url });
  const known = found.source_revision_config['repo_ref'];
  const repo_ref = source.ref ?? (typeof known === 'string' ? known : DEFAULT_REF);
  onProgress(`a new revision of ${found.name} from ${repo_ref}`);
  return await target.control.patchDeployment({
    params: { deployment_id: found.id },
    body: {
      source_config: given,
      source_revision_config: {
        repo_ref,
        ...(config_path === undefined ? {} : { langgraph_config_path: config_path }),
      },
      ...(secrets.length === 0 ? {} : { secrets: [...withSecrets(found, secrets)] }),
    },
    signal,
  });
}
