import { A2aFault } from './a2a-fault.ts';
import type { MethodCall } from './method-call.ts';

/** `agent/getAuthenticatedExtendedCard`, `GetExtendedAgentCard`: what a graph says to callers with a key only. */
export async function getExtendedCard({ extendedCard, codec }: MethodCall): Promise<object> {
  const card = await extendedCard();
  if (card !== undefined) return card;
  throw new A2aFault(
    codec.version === '0.3' ? 'extended_card_not_configured' : 'unsupported_operation',
    'There is no extended card; the card says everything.',
  );
}
