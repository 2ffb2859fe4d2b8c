import type { Deployment } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

type KnownDeployment = Pick<Deployment, 'name' | 'source' | 'source_config'>;

/** The source of a deploy. */
type DeploySource =
  | { readonly source: 'internal_source' }
  | { readonly source: 'external_image' }
  | { readonly source: 'internal_image' }
  | { readonly source: 'git'; readonly repo_url: string }
  | { readonly source: 'internal_template'; readonly template_id: string };

/** @throws Problem where the deployment has another source: a deployment's source never changes. */
export function requireSource(known: KnownDeployment, wanted: DeploySource): void {
  const is = placeOf(known);
  const wish = placeOf({ source: wanted.source, source_config: wanted });
  if (is === wish) return;
  throw new Problem(
    'conflict',
    `${known.name} is deployed from ${is}, and that never changes: deploy ${wish} under another --name, or \`roadstead delete ${known.name}\` first.`,
  );
}

function placeOf({
  source,
  source_config,
}: {
  readonly source: Deployment['source'];
  readonly source_config: object;
}): string {
  const { repo_url, template_id } = source_config as Partial<Record<'repo_url' | 'template_id', unknown>>;
  if (source === 'git') return `the repository ${String(repo_url)}`;
  if (source === 'internal_template') return `the template ${String(template_id)}`;
  if (source === 'internal_source') return 'a folder';
  // Clients of the original have names of their own for both.
  const isPushed = source === 'internal_image' || source === 'internal_docker';
  return isPushed ? 'images that are pushed (--push)' : 'an image';
}
