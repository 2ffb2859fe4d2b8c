import type { KubernetesObject, Labels, StoredObject } from './resources.ts';

export interface ListOptions {
  /** Unset, that of the access; `all` for all of them. */
  readonly namespace?: string | { readonly all: true };
  /** Labels that all must be there. */
  readonly labels?: Labels;
  /** Fields of the few that the API server selects by, such as `involvedObject.uid`. */
  readonly fields?: Labels;
  readonly signal?: AbortSignal;
}

export interface ObjectList<T extends KubernetesObject> {
  readonly items: readonly StoredObject<T>[];
  /** All items are as they were at this moment: a watch goes on from it. */
  readonly resource_version: string;
}
