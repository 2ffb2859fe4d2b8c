import type { Deployment } from '@roadstead/contracts/control-plane';
import { findByName } from './deploy-source.ts';
import type { Place } from './place-rules.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { type Secrets, withSecrets } from './variables.ts';

interface TemplateSource {
  readonly name: string;
  readonly template_id: string;
  readonly secrets: Secrets;
  readonly place: Place;
}

/** Deploys a template of the platform; answers the deployment with its new revision. */
export async function deployTemplate(
  target: Target,
  { name, template_id, secrets, place }: TemplateSource,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
): Promise<Deployment> {
  const found = await findByName(target, name, { signal });
  if (found === undefined) {
    onProgress(`creating ${name} from the template ${template_id}`);
    return await target.control.createDeployment({
      body: {
        name,
        source: 'internal_template',
        source_config: { template_id, ...place },
        source_revision_config: {},
        secrets: [...secrets],
      },
      signal,
    });
  }
  requireSource(found, { source: 'internal_template', template_id });
  onProgress(`a new revision of ${name} from its template`);
  const params = { deployment_id: found.id };
  const body = {
    source_config: place,
    ...(secrets.length === 0 ? {} : { secrets: [...withSecrets(found, secrets)] }),
  };
  await target.control.createRevision({ params, body, signal });
  return await target.control.readDeployment({ params, signal });
}
