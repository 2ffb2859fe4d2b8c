import { basicPasswordOf, type Principal } from '@roadstead/contracts';
import { inwardOf, type RequestHandler } from '@roadstead/http';
import type { Context, ImageClaims } from '../context/context.ts';
import { folderOf } from './image-name-rules.ts';

/**
 * Tokens by which the images of one deployment are pushed and fetched: the password of a client of the registry, whoever its user is. They
 * are signed and kept nowhere.
 */

export const IMAGE_TOKEN_S = 3600;
/** The user that the original's command line logs in as. */
export const IMAGE_USER = 'oauth2accesstoken';

const scopes = {
  push: ['deployments:read', 'deployments:write'],
  pull: ['deployments:read'],
} as const;

const REGISTRY_PATH = /^\/v2(?:\/?$|\/images\/)/;

/** Lets these tokens call the registry, and nothing else. */
export function withImageTokens(
  served: RequestHandler,
  { image_tokens }: Pick<Context, 'image_tokens'>,
): RequestHandler {
  return {
    fetch: async (request, inward = inwardOf(request)) => {
      const password = basicPasswordOf(request.headers);
      const claims =
        password !== undefined && REGISTRY_PATH.test(new URL(request.url).pathname)
          ? image_tokens.read(password)
          : undefined;
      return served.fetch(
        request,
        claims === undefined ? inward : { ...inward, identify: async () => principalOf(claims) },
      );
    },
  };
}

const principalOf = ({ right, workspace_id, deployment_id }: ImageClaims): Principal => ({
  workspace_id,
  actor: `image-token:${deployment_id}`,
  scopes: [...scopes[right]],
  deployment_id,
});

/** Where images of a deployment are pushed to, in names of images. */
export const registryOf = (
  { public_url }: Pick<Context, 'public_url'>,
  at: { readonly workspace_id: string; readonly deployment_id: string },
): string => `${new URL(public_url).host}/${folderOf(at)}`;
