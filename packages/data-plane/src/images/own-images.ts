import type { RegistryAuth } from '@roadstead/containers';
import type { AssignedRevision, Assignment, SourceCredentials } from '@roadstead/contracts/control-plane';
import { type ImageReference, imageReferenceOf, pushedFor } from './image-reference-rules.ts';

/** Port: asks the control plane for what the images of a deployment are fetched by, just before they are. */
export type AskCredentials = (deployment_id: string) => Promise<SourceCredentials | null>;

/**
 * The images of the platform's own registry, as assignments name them. Whoever fetches one needs a credential for its deployment, be it
 * for a first start or because the engine has lost it.
 */
export class OwnImages {
  readonly #ask: AskCredentials;
  /** The deployment of each repository. */
  readonly #deployments = new Map<string, string>();

  constructor(ask: AskCredentials) {
    this.#ask = ask;
  }

  /** Takes note of what an assignment names. */
  assign({ deployment_id, revision, active, removed }: Assignment): void {
    if (removed) return this.#forget(deployment_id);
    for (const image_uri of [revision, active].flatMap(ownImagesOf))
      this.#deployments.set(repositoryOf(imageReferenceOf(image_uri)), deployment_id);
  }

  #forget(deployment_id: string): void {
    for (const [repository, owner] of this.#deployments)
      if (owner === deployment_id) this.#deployments.delete(repository);
  }

  /** The deployment whose image it is; undefined for one of another registry. */
  ownerOf(reference: ImageReference): string | undefined {
    return this.#deployments.get(repositoryOf(reference));
  }

  /** Whether an image was pushed for another deployment, also for one that is not here, or not any more: an engine may still have it. */
  isAnothers(reference: ImageReference, deployment_id: string): boolean {
    const owner = this.ownerOf(reference) ?? pushedFor(reference);
    return owner !== undefined && owner !== deployment_id;
  }

  /** The login for an image; undefined for one of another registry. */
  async loginFor(reference: ImageReference): Promise<RegistryAuth | undefined> {
    const owner = this.ownerOf(reference);
    return owner === undefined ? undefined : await this.#login(owner, reference.registry);
  }

  async #login(deployment_id: string, serveraddress: string): Promise<RegistryAuth> {
    const credentials = await this.#ask(deployment_id);
    if (credentials?.kind !== 'token')
      throw new Error('The control plane gives out no credential for its own registry.');
    return { username: credentials.username, password: credentials.token, serveraddress };
  }
}

const repositoryOf = ({ registry, repository }: ImageReference) => `${registry}/${repository}`;

function ownImagesOf(revision: AssignedRevision | null): string[] {
  return [revision?.source, revision?.artifact].flatMap((named) =>
    named?.kind === 'image' && named.is_ours === true ? [named.image_uri] : [],
  );
}
