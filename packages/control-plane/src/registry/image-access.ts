import type { Principal } from '@roadstead/contracts';
import { Admission, isUuid, Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { isImageName } from './digest-rules.ts';
import type { Repository } from './image-name-rules.ts';
import { hasRepositories } from './repository-store.ts';

interface RepositoryCall {
  readonly params: { readonly workspace: string; readonly deployment: string; readonly image: string };
  readonly workspace_id: string;
  readonly principal: Principal;
}

/**
 * The repository that a call names, if its credential reaches it.
 * @throws Problem `not_found` for any other, whether it is there or not
 */
export async function readRepository(
  context: Pick<Context, 'db'>,
  call: RepositoryCall,
): Promise<Repository> {
  const { workspace, deployment, image } = call.params;
  const { deployment_id } = call.principal;
  const at = { workspace_id: call.workspace_id, deployment_id: deployment, image };
  const isReached = workspace === call.workspace_id && (deployment_id ?? deployment) === deployment;
  if (!isReached || !isUuid(deployment) || !(await hasRepositories(context.db, at))) throw noRepository();
  if (isImageName(image)) return at;
  throw new Problem(
    'invalid',
    'The last part of the name of an image is lower-case letters, digits, dots and hyphens.',
    {
      code: 'NAME_INVALID',
    },
  );
}

/** The same for a push. @throws Problem `forbidden` where images are pushed elsewhere */
export async function readPushRepository(
  context: Pick<Context, 'db' | 'images'>,
  call: RepositoryCall,
): Promise<Repository> {
  const { registry_url } = context.images;
  if (registry_url !== undefined)
    throw new Problem('forbidden', `Images of this platform are pushed to ${registry_url}.`);
  return readRepository(context, call);
}

export const noRepository = () =>
  new Problem('not_found', 'This credential reaches no deployment of pushed images of that name.', {
    code: 'NAME_UNKNOWN',
    hint: 'POST /v2/deployments/{deployment_id}/push-token says where images are pushed to.',
  });

/** Each push holds a connection, and disk space before it is recorded. Half of the places are for one workspace. */
export const pushPlaces = () => new Admission({ size: 100 });
const places = pushPlaces();

export function pushPlaceOf(workspace_id: string): Disposable {
  const place = places.tryTake([workspace_id]);
  if (place !== undefined) return place;
  throw new Problem('limit', 'This workspace pushes more layers at once than are accepted.', {
    hint: 'Send it again when others have arrived.',
    retry_after_s: 5,
  });
}
