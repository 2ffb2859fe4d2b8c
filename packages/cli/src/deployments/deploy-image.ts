import type { Deployment } from '@roadstead/contracts/control-plane';
import { findByName } from './deploy-source.ts';
import type { ImageFields } from './image-fields.ts';
import type { Place } from './place-rules.ts';
import { pushImage } from './push-image.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { type Secrets, withSecrets } from './variables.ts';

interface ImageSource {
  readonly name: string;
  readonly image_uri: string;
  readonly secrets: Secrets;
  readonly place: Place;
  readonly fields: ImageFields;
}

interface Progress {
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** Deploys an image that the listener's container engine has or fetches; answers the deployment with its new revision. */
export async function deployImage(
  target: Target,
  source: ImageSource,
  { signal, onProgress }: Progress,
): Promise<Deployment> {
  const { name, image_uri, secrets } = source;
  const found = await findByName(target, name, { signal });
  if (found === undefined) {
    onProgress(`creating ${name} from the image ${image_uri}`);
    return await target.control.createDeployment({
      body: {
        name,
        source: 'external_image',
        ...fieldsOf(source),
        source_revision_config: { image_uri },
        secrets: [...secrets],
      },
      signal,
    });
  }
  requireSource(found, { source: 'external_image' });
  onProgress(`a new revision of ${name} from the image ${image_uri}`);
  return await changeImage(target, { ...source, found, signal });
}

/** Pushes an image of this machine to the platform and deploys it; answers the deployment with its new revision. */
export async function deployPushedImage(
  target: Target,
  source: ImageSource,
  { signal, onProgress }: Progress,
): Promise<Deployment> {
  const { name, image_uri, secrets } = source;
  const found = await findByName(target, name, { signal });
  if (found !== undefined) requireSource(found, { source: 'internal_image' });
  const deployment =
    found ??
    (await target.control.createDeployment({
      body: {
        name,
        source: 'internal_image',
        ...fieldsOf(source),
        source_revision_config: {},
        secrets: [...secrets],
      },
      signal,
    }));
  const params = { deployment_id: deployment.id };
  const { registry_url, ...credential } = await target.control.createPushToken({
    params,
    query: { image: name },
    signal,
  });
  const remote = `${registry_url}/${name}:${tagOfImage(image_uri)}`;
  onProgress(`pushing ${image_uri} to ${remote}`);
  // The registry is at the platform's public address, which may be another one than ours.
  const { protocol, host } = new URL(target.url);
  const is_plain = protocol === 'http:' && registry_url.startsWith(`${host}/`);
  const pushed = await pushImage({ image: image_uri, remote, credential, is_plain, signal });
  onProgress(`pushed ${pushed}`);
  return await changeImage(target, {
    ...source,
    found: deployment,
    image_uri: pushed,
    secrets: found === undefined ? [] : secrets,
    signal,
  });
}

async function changeImage(
  target: Target,
  change: ImageSource & { readonly found: Deployment; readonly signal: AbortSignal },
): Promise<Deployment> {
  const { found, image_uri, secrets, signal } = change;
  return await target.control.patchDeployment({
    params: { deployment_id: found.id },
    body: {
      ...fieldsOf(change),
      source_revision_config: { image_uri },
      ...(secrets.length === 0 ? {} : { secrets: [...withSecrets(found, secrets)] }),
    },
    signal,
  });
}

const fieldsOf = ({ place, fields }: ImageSource) => ({
  source_config: { ...place, ...fields.source_config },
  ...fields.references,
});

/** The name of a deployment by that of its image: the last part of the path, without registry, tag and digest. */
export function nameOfImage(image_uri: string): string {
  const path = image_uri.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const words = path.slice(path.lastIndexOf('/') + 1).replaceAll(/[^a-z0-9]+/g, '-');
  return words.replaceAll(/^-+|-+$/g, '').slice(0, 63);
}

/** The tag of an image; one without, such as an id, is pushed as the latest. */
export function tagOfImage(image_uri: string): string {
  return (
    /^[^@]*:([\w][\w.-]{0,127})(?:@|$)/.exec(image_uri.startsWith('sha256:') ? '' : image_uri)?.[1] ??
    'latest'
  );
}
