import type { Scope } from '@roadstead/contracts';
import type { AuthResource, AuthUser } from '@roadstead/contracts/host';

/** Who calls an agent. */
export interface Caller {
  readonly workspace_id: string;
  /**
   * Who owns what the caller makes: `workspace:{id}` for keys, `workspace:{id}:subject:{subject}` for keys that are bound to
   * one, `user:{identity}` where the deployment's own `auth` tells.
   */
  readonly principal: string;
  /** Who the deployment's own `auth` says it is. */
  readonly user: AuthUser | null;
  /** What a key may do; with an `auth` of its own the deployment decides. */
  readonly scopes: readonly Scope[];
  /** Whom the key is bound to. */
  readonly subject: string | null;
}

/** Something that a caller wants to do. */
export interface Attempt {
  readonly resource: AuthResource;
  /** Such as `create`, `read`, `update`, `delete`, `search`, `create_run`, `put`, `get`, `list_namespaces`. */
  readonly action: string;
  /** What is asked, by the names of the LangGraph API; absent fields count as null. Its `metadata` may be changed. */
  readonly value: Readonly<Record<string, unknown>>;
}

/** What a caller may see and do. */
export interface Permission {
  /** What was asked, as the deployment's `auth` has changed it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** What the metadata of things must have; null: everything of the deployment. */
  readonly filters: MetadataFilters | null;
}

/** By name of a metadata field: a value that it equals, or one operator. */
export type MetadataFilters = Readonly<
  Record<string, string | number | boolean | { readonly $eq: unknown } | { readonly $contains: unknown }>
>;

export interface AccessRules {
  /** @throws Problem `forbidden` */
  authorize(caller: Caller, attempt: Attempt): Promise<Permission>;
}
