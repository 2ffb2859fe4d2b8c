import { covers, type Scope } from '@roadstead/contracts';
import { OAUTH_READS, OAUTH_WRITES, type OAuthScope } from '@roadstead/contracts/identity';

/** What somebody is offered to allow. */
export interface Offer {
  /** Those that read, ticked. */
  readonly reads: readonly OAuthScope[];
  /** Those that change something, not ticked; offered whatever was asked for. */
  readonly writes: readonly OAuthScope[];
  /** Asked for, but more than whoever signed in may do. */
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
