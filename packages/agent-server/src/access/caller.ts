import type { Scope } from '@roadstead/contracts';
import type { AuthResource, AuthUser } from '@roadstead/contracts/host';

/** Who calls an agent. */
export interface Caller {
  readonly workspace_id: string;
  /**
   * Owns what the caller makes: `workspace:{id}` for keys, `workspace:{id}:subject:{subject}` for keys bound to a
   * subject, `user:{identity}` where the deployment's own `auth` decides.
   */
  readonly principal: string;
  /** The user whom the deployment's own `auth` names. */
  readonly user: AuthUser | null;
  /** The scopes of the key; a deployment with an `auth` of its own decides itself. */
  readonly scopes: readonly Scope[];
  /** Whom the key is bound to. */
  readonly subject: string | null;
}

/** Something that a caller wants to do. */
export interface Attempt {
  readonly resource: AuthResource;
  /** Such as `create`, `read`, `update`, `delete`, `search`, `create_run`, `put`, `get`, `list_namespaces`. */
  readonly action: string;
  /**
   * The request, in the names of the LangGraph API; absent fields count as null. A handler may change its `metadata`.
   */
  readonly value: Readonly<Record<string, unknown>>;
}

/** What a caller may see and do. */
export interface Permission {
  /** The request as the deployment's `auth` has changed it. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The metadata that things must have to be visible; null: everything of the deployment. */
  readonly filters: MetadataFilters | null;
}

/** Conditions by name of a metadata field: a value that it equals, or one operator. */
export type MetadataFilters = Readonly<
  Record<string, string | number | boolean | { readonly $eq: unknown } | { readonly $contains: unknown }>
>;

export interface AccessRules {
  /** @throws Problem `forbidden` */
  authorize(caller: Caller, attempt: Attempt): Promise<Permission>;
}
