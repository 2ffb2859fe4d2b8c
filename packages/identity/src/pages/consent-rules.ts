import { covers, type Scope } from '@roadstead/contracts';
import { OAUTH_READS, OAUTH_WRITES, type OAuthScope } from '@roadstead/contracts/identity';

/** The scopes that a person is offered to allow. */
export interface Offer {
  /** Reading scopes, ticked. */
  readonly reads: readonly OAuthScope[];
  /** Changing scopes, not ticked; offered independently of the request. */
  readonly writes: readonly OAuthScope[];
  /** Scopes that were asked for but exceed the rights of the person who signed in. */
  readonly beyond: readonly OAuthScope[];
}

export function offerOf(asked: readonly OAuthScope[], own: readonly Scope[]): Offer {
  const may = (scope: OAuthScope) => covers(own, scope);
  return {
    reads: OAUTH_READS.filter((scope) => asked.includes(scope) && may(scope)),
    writes: OAUTH_WRITES.filter(may),
    beyond: asked.filter((scope) => !may(scope)),
  };
}
