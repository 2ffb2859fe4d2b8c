import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { type DeploymentKey, operatorFolderOf } from './image-name-rules.ts';
import { IMAGE_TOKEN_S, IMAGE_USER, registryOf } from './image-tokens.ts';
import { askCredential, type PushCredential } from './operator-registry.ts';

/** Where images of a deployment are pushed to, and by what. */
export interface PushToken extends PushCredential {
  /** The name before those of its images. */
  readonly registry_url: string;
}

type TokenContext = Pick<Context, 'images' | 'image_tokens' | 'public_url' | 'log'>;

/** @param image the last part of the name that it will be pushed under */
export async function createPushToken(
  context: TokenContext,
  { image, ...at }: DeploymentKey & { readonly image: string },
): Promise<PushToken> {
  const { registry_url, login_file, share_login = false } = context.images;
  if (registry_url !== undefined) {
    const folder = operatorFolderOf(registry_url, at);
    if (login_file === undefined) throw withoutLogin(folder);
    const [registry = '', ...path] = folder.split('/');
    const of = { registry, login_file, share_login, log: context.log };
    return { ...(await askCredential(of, [[...path, image].join('/')])), registry_url: folder };
  }
  // Names of images have no room for a path before theirs.
  if (new URL(context.public_url).pathname !== '/')
    throw new Problem(
      'invalid',
      'This platform stands below a path of its address, where no registry can be: images are pushed to another one.',
      { hint: 'Its operator names one in ROADSTEAD_REGISTRY_URL, or serves it at the root of a host.' },
    );
  const token = context.image_tokens.sign({ ...at, right: 'push' }, IMAGE_TOKEN_S);
  return { kind: 'password', username: IMAGE_USER, token, registry_url: registryOf(context, at) };
}

/** Who pushes has a login of their own. */
const withoutLogin = (folder: string) =>
  new Problem(
    'invalid',
    `Images of this deployment are pushed to ${folder}, and no tokens for it are given out here.`,
    {
      hint: 'Log in there, push the image, and PATCH source_revision_config.image_uri.',
    },
  );
