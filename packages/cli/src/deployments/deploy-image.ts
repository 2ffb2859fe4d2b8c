import type { Deployment } from '@roadstead/contracts/control-plane';
import { findByName } from './deploy-source.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { type Secrets, withSecrets } from './variables.ts';

interface ImageSource {
  readonly name: string;
  readonly image_uri: string;
  readonly secrets: Secrets;
}

/** Deploys an image that the listener's container engine has or fetches; answers the deployment with its new revision. */
export async function deployImage(
  target: Target,
  { name, image_uri, secrets }: ImageSource,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
): Promise<Deployment> {
  const found = await findByName(target, name, { signal });
  if (found === undefined) {
    onProgress(`creating ${name} from the image ${image_uri}`);
    return await target.control.createDeployment({
      body: {
        name,
        source: 'external_image',
        source_config: {},
        source_revision_config: { image_uri },
        secrets: [...secrets],
      },
      signal,
    });
  }
  requireSource(found, { source: 'external_image' });
  onProgress(`a new revision of ${name} from the image ${image_uri}`);
  return await target.control.patchDeployment({
    params: { deployment_id: found.id },
    body: {
      source_revision_config: { image_uri },
      ...(secrets.length === 0 ? {} : { secrets: [...withSecrets(found, secrets)] }),
    },
    signal,
  });
}

/** The name of a deployment by that of its image: the last part of the path, without registry, tag and digest. */
export function nameOfImage(image_uri: string): string {
  const path = image_uri.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const words = path.slice(path.lastIndexOf('/') + 1).replaceAll(/[^a-z0-9]+/g, '-');
  return words.replaceAll(/^-+|-+$/g, '').slice(0, 63);
}
