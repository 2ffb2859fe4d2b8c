import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The generations of A2A that an agent speaks, without their patch numbers. */
export type A2aVersion = '0.3' | '1.0';

const a2aParams = z.object({ assistant_id: WellFormedText.max(256) });

/** A2A, and the cards by which agents find each other. */
export const a2aEndpoints = {
  callA2a: endpoint({
    method: 'POST',
    path: '/a2a/{assistant_id}',
    summary: 'A2A over JSON-RPC 2.0, protocol 0.3 and 1.0; streams answer as Server-Sent Events',
    access: 'agents:invoke',
    dialect: 'jsonrpc',
    params: a2aParams,
    raw: true,
    max_body_bytes: 26_214_400,
    success: { status: 200, or: 202, media_types: ['application/json', 'text/event-stream'] },
    example: {
      body: {
        jsonrpc: '2.0',
        id: '1',
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId: 'one-of-your-own',
            parts: [{ kind: 'text', text: 'Hello' }],
          },
        },
      },
    },
  }),
};
